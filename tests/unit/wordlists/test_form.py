"""Every word list has one form, so that somebody who knows a language can add it without reading code."""

from __future__ import annotations

import re

import pytest

from surveyor import wordlists

# A language, several languages without lists of their own, all of them, or the endings of hosts.
_LANGUAGE = re.compile(r"[a-z]{2}|more|any|tld")
# Files whose words name something; a key is what they name: a month, a currency, a country.
_NAMES = re.compile(r"extract/(?:calendar|gazetteer|money|places|postal)|judge/(?:countries|regions)")


@pytest.mark.parametrize("file", wordlists.files())
def test_a_file_has_lists_of_words_by_language(file: str) -> None:
    lists = wordlists.read(file)
    assert lists
    for name, languages in lists.items():
        assert re.fullmatch(r"[a-z][a-z_]*", name)
        for language, words in languages.items():
            where = (name, language)
            assert _NAMES.match(file) or _LANGUAGE.fullmatch(language), where
            assert words and all(isinstance(word, str) and word.strip() for word in words), where
