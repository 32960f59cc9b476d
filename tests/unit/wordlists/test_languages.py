"""The languages that are said to be known have words in every list."""

from __future__ import annotations

import pytest

from tools import languages

# Lists that need no word in a language.
_NEEDS_NONE = {
    ("extract/places", "authority", "bg"),
    ("extract/places", "authority", "el"),
    ("extract/applicants", "may_come_those", "en"),  # there the verb stands behind
    ("extract/hours", "between", "es"),  # the word of French
    ("extract/organisations", "indefinite", "bg"),  # has no such article
    ("extract/phones", "fax", "de"),  # fax everywhere
    ("extract/phones", "fax", "es"),
    ("extract/phones", "fax", "ro"),
    ("extract/streets", "before", "en"),  # behind the name
    *(("extract/streets", "before_number", language) for language in ("bg", "de", "el", "en", "fr", "ro")),
    *(("extract/streets", "ending", language) for language in ("bg", "el", "en", "es", "fr", "ro")),
}


@pytest.mark.parametrize("language", ["bg", "de", "el", "en", "es", "fr", "ro"])
def test_a_language_has_words_in_every_list(language: str) -> None:
    without = {(one.file, one.name, language) for one in languages.known(language) if not one.words}
    assert without == {needs for needs in _NEEDS_NONE if needs[2] == language}


def test_a_language_that_is_not_known_lacks_most_lists() -> None:
    found = list(languages.known("pt"))
    assert len(found) > 150
    assert sum(not one.words for one in found) > 150
