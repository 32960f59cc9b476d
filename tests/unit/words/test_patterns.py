"""Patterns of many words match what they matched before they were factored."""

from __future__ import annotations

import re

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from surveyor.words.patterns import Phrases, any_case, factored

WORDS = st.lists(st.text(alphabet="abc", min_size=0, max_size=4), min_size=1, max_size=8)
TEXTS = st.text(alphabet="abc d", max_size=24)


def test_words_with_one_beginning_share_it() -> None:
    assert factored("cat|car|dog") == "ca(?:t|r)|dog"


def test_a_set_and_an_escape_hide_their_brackets() -> None:
    assert factored(r"a[|)]b|a\|c|\(x|\(y") == r"a(?:[|)]b|\|c)|\((?:x|y)"


@pytest.mark.parametrize(
    "source",
    [
        r"(?<!\w)(?:mon(?:day)?s?|mo|m[ae]y)(?!\w)",
        r"x?|xa|xb",
        r"(?P<a>ab|ac)(?P=a)",
        r"[]a|]b|[^]]c",
        r"a{2}|ab|",
    ],
)
@pytest.mark.parametrize("text", ["mondays", "may mo", "xaxb", "abab acac", "]b c", "aab", ""])
def test_the_same_place_and_the_same_groups_are_found(source: str, text: str) -> None:
    plain, tree = re.search(source, text), re.search(factored(source), text)
    assert (plain and (plain.span(), plain.groups())) == (tree and (tree.span(), tree.groups()))


@settings(max_examples=200, deadline=None)
@given(WORDS, TEXTS)
def test_the_alternative_that_won_wins_still(words: list[str], text: str) -> None:
    source = "|".join(words)
    assert [found.span() for found in re.finditer(source, text)] == [
        found.span() for found in re.finditer(factored(source), text)
    ]


def test_phrases_are_found_in_letters_of_any_case() -> None:
    phrases = Phrases(r"(?<!\w)(?:leitung|σύλλογος)(?!\w)")
    assert phrases.are_in("Die LEITUNG")
    assert phrases.are("ΣΎΛΛΟΓΟΣ")
    assert phrases.begin("Leitung: A")
    assert not phrases.are_in("Ableitung")
    assert any_case("ab|ac").search("xAC") is not None
