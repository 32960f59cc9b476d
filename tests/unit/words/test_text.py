"""Words of a text: one form for every spelling."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from surveyor.words import FUNCTION_WORDS, LANGUAGES, fold, tokens

unhurried = settings(deadline=None)


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("Grants 2025!", ["grants", "2025"]),
        ("don't non-profit a_b", ["don", "t", "non", "profit", "a", "b"]),
        ("ΕΣΠΑ: Ίδρυμα, οδός, ΟΔΟΣ", ["εσπα", "ιδρυμα", "οδοσ", "οδοσ"]),
        ("Straße STRASSE", ["strasse", "strasse"]),
        ("școală Été", ["școală", "été"]),
        ("ﬁnance ＡＢＣ", ["finance", "abc"]),
        ("сте́на ѝ", ["стена", "ѝ"]),
        ("co\u00adop\u200beration", ["cooperation"]),
        ("İstanbul", ["istanbul"]),
        ("", []),
    ],
    ids=[
        "plain",
        "parted",
        "greek",
        "sharp-s",
        "diacritics",
        "compatibility",
        "stress",
        "invisible",
        "dotted",
        "empty",
    ],
)
def test_words_come_in_one_form(text: str, words: list[str]) -> None:
    assert tokens(text) == words


@pytest.mark.parametrize(
    ("word", "plain"),
    [
        ("țară", "tara"),
        ("ţarã", "tara"),
        ("schön", "schon"),
        ("été", "ete"),
        ("ίδρυμα", "ιδρυμα"),
        ("łódź", "lodz"),
    ],
    ids=["ro", "ro-cedilla", "de", "fr", "el", "pl"],
)
def test_diacritics_fold(word: str, plain: str) -> None:
    assert fold(word) == plain


def test_short_i_is_a_letter_of_its_own() -> None:
    assert fold("йога") == "йога"
    assert fold("и\u0306ога") == "йога"


@unhurried
@given(st.text())
def test_no_text_is_refused_and_tokens_stay_as_they_are(text: str) -> None:
    words = tokens(text)
    assert all(words)
    assert [fold(fold(word)) for word in words] == [fold(word) for word in words]


@unhurried
@given(st.text(alphabet=st.characters(max_codepoint=0x52F)))
def test_tokens_of_tokens_are_the_tokens(text: str) -> None:
    words = tokens(text)
    assert tokens(" ".join(words)) == words


@pytest.mark.parametrize("language", LANGUAGES)
def test_function_words_are_tokens(language: str) -> None:
    assert len(FUNCTION_WORDS[language]) > 50
    assert all(tokens(word) == [word] for word in FUNCTION_WORDS[language])


# Letters with marks that combine, signs that Unicode takes apart, and every kind of space.
_ODD = st.text(alphabet="aA_ée\u0301ΆΣςйи\u0306İ℃ﬁ½\u00ad\u200b\u00a0\u2003\x1f\n -.,", max_size=40)


@unhurried
@given(st.text(max_size=60) | _ODD)
def test_a_text_has_the_words_of_its_pieces(text: str) -> None:
    assert tokens(text) == [word for piece in text.split() for word in tokens(piece)]
