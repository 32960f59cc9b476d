"""A result is cut into words with marks for figures and for the ends of clauses, the same as in one go."""

from __future__ import annotations

from itertools import groupby

import pytest
from hypothesis import given
from hypothesis import strategies as st

from surveyor.words import cutting
from surveyor.words.cutting import AMOUNT, ASK, ENDS, NUMBER, PERCENT, STOP, TITLE_ENDS, YEAR
from surveyor.words.matching import Matcher
from surveyor.words.remembered import Remembered


def cut(title: str, description: str) -> list[str]:
    """All words of a result in order, with marks for figures and between clauses."""
    return [word for piece in cutting.pieces_of(title, description) for word in cutting.words_in(piece)]


@pytest.mark.parametrize(
    ("title", "description", "words"),
    [
        ("Grants?", "Apply. Now", ["grants", ASK, TITLE_ENDS, "apply", STOP, "now"]),
        ("A - B", "3.5 and e.g.this", ["a", STOP, "b", TITLE_ENDS, "3", "5", "and", "e", "g", "this"]),
        ("- A", "non-profit", ["a", TITLE_ENDS, "non", "profit"]),
        ("one\n two", "three\nfour", ["one", STOP, "two", TITLE_ENDS, "three", "four"]),
        ("EUR 2.5 million", "90 % in 2025, 7", [AMOUNT, TITLE_ENDS, PERCENT, "in", YEAR, STOP, NUMBER]),
        ("", "", [TITLE_ENDS]),
    ],
    ids=["marks", "dash", "first_dash", "lines", "figures", "empty"],
)
def test_marks_stand_where_clauses_end_and_for_figures(
    title: str, description: str, words: list[str]
) -> None:
    found = cut(title, description)
    plain = [NUMBER if word.isdigit() else word for word in words]
    assert found == plain


def clauses(words: list[str]) -> list[tuple[str, ...]]:
    """The words between marks; two marks side by side end one clause."""
    return [tuple(group) for is_end, group in groupby(words, ENDS.__contains__) if not is_end]


_TEXTS = st.text(alphabet="aбΣé19 .,:;?!-–—|\n\u00a0€%$/'_", max_size=40) | st.text(max_size=40)


@given(_TEXTS, _TEXTS)
def test_pieces_are_cut_as_the_whole_text_would_be(title: str, description: str) -> None:
    marked = cutting.with_figures_marked(f"{title} {TITLE_ENDS} {description}")
    whole = marked.replace("?", f" {ASK} ").replace(";", f" {cutting.SEMICOLON} ")
    expected = cutting.words_of(cutting._STOPS.sub(f" {STOP} ", whole))
    assert clauses(cut(title, description)) == clauses(expected)


def test_no_phrase_goes_over_the_end_of_a_clause() -> None:
    matcher = Matcher("en", [("call for proposals", 0), ("*all for", 1), ("q* for", 2)])
    assert {entry for _, _, entry, _ in matcher.find(cut("A call for proposals", ""))} == {0, 1}
    assert matcher.find(cut("A call. For proposals", "")) == []
    assert matcher.find(cut("A call", "for proposals. For")) == []


def test_what_is_forgotten_is_made_again_and_long_texts_are_not_kept() -> None:
    made: list[str] = []

    def make(text: str) -> int:
        made.append(text)
        return len(text)

    sizes = Remembered(make, most=2, longest=4)
    assert [sizes[text] for text in ("one", "two", "two", "four", "one", "three", "three")] == [
        3,
        3,
        3,
        4,
        3,
        5,
        5,
    ]
    assert made == ["one", "two", "four", "one", "three", "three"]
    assert set(sizes) == {"four", "one"}
