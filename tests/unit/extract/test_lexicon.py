"""Languages with and without words of their own."""

from __future__ import annotations

from surveyor.extract.lexicon import languages, missing_words


def test_a_language_without_words_is_named_with_what_still_works() -> None:
    warning = missing_words(("en", "pt"))
    assert warning is not None
    assert warning.startswith("no word list for pt: ")
    assert "written dates are read" in warning


def test_languages_with_words_need_no_warning() -> None:
    assert languages() >= {"en", "de", "bg", "fr", "ro", "el", "es"}
    assert missing_words(("en", "es")) is None
