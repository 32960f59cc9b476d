"""Words found again in the text they were read from."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from surveyor.extract.quotes import AROUND, Piece, excerpt, marked


def marks(text: str, **quotes: str) -> dict[str, list[str]]:
    """What is marked of each field."""
    found: dict[str, list[str]] = {}
    for piece in marked(text, {name: [quote] for name, quote in quotes.items()}):
        for name in piece.names:
            found.setdefault(name, []).append(piece.text)
    return found


@pytest.mark.parametrize(
    ("text", "quote", "expected"),
    [
        ("Apply until 1 May.", "until 1 May", "until 1 May"),
        ("gives **small grants** to all", "gives small grants to", "gives **small grants** to"),
        ("| Amount | 5,000 EUR |", "Amount 5,000 EUR", "Amount | 5,000 EUR"),
        ("see [the call](https://x.example/a) now", "the call now", "the call](https://x.example/a) now"),
        ("Ends on\n1 May", "ends ON 1 may", "Ends on\n1 May"),
        ("Кандидатства се до 5 май", "до 5 МАЙ", "до 5 май"),
        ("_until_ then", "until then", "until_ then"),
        ("a long sentence that goes on", "a long sentence that go…", "a long sentence that"),
    ],
    ids=["plain", "emphasis", "table", "link", "lines", "cyrillic", "underscores", "cut"],
)
def test_words_are_found_whatever_stands_between_them(text: str, quote: str, expected: str) -> None:
    assert marks(text, deadline=quote) == {"deadline": [expected]}


@pytest.mark.parametrize("quote", ["", "…", "***", "April", "unti", "May 1"])
def test_words_that_stand_nowhere_mark_nothing(quote: str) -> None:
    assert marks("Apply until 1 May.", deadline=quote) == {}


def test_the_first_of_several_quotes_that_stands_there_is_marked() -> None:
    pieces = marked("Apply to the Rila Fund.", {"funder": ['"funder": "Rila"', "Rila Fund"]})
    assert Piece("Rila Fund", ("funder",)) in pieces


def test_fields_that_overlap_share_their_words() -> None:
    pieces = marked("up to 5,000 EUR until May", {"amount": ["up to 5,000 EUR"], "currency": ["EUR until"]})
    assert [(piece.text, piece.names) for piece in pieces] == [
        ("up to 5,000 ", ("amount",)),
        ("EUR", ("amount", "currency")),
        (" until", ("currency",)),
        (" May", ()),
    ]


def test_an_excerpt_shows_what_is_marked_and_its_surroundings() -> None:
    far, near = "far away " * 200, "near it "
    text = f"{far}{near}until May {near}{far}and 5 EUR {far}"
    shown = excerpt(marked(text, {"deadline": ["until May"], "amount": ["5 EUR"]}))
    assert [piece.text for piece in shown if piece.names] == ["until May", "5 EUR"]
    assert sum(piece.is_gap for piece in shown) == 3
    assert len("".join(piece.text for piece in shown)) < 5 * AROUND
    assert all(part.strip() in text for part in (piece.text for piece in shown))


def test_a_text_without_marks_is_shown_from_its_beginning() -> None:
    assert excerpt(marked("short", {})) == [Piece("short")]
    beginning, gap = excerpt(marked("word " * 500, {}))
    assert gap.is_gap and ("word " * 500).startswith(beginning.text) and len(beginning.text) > 500


_TEXTS = st.text(alphabet="ab АБ1_*[]()|\n.\0ß", max_size=60)


@given(text=_TEXTS, quotes=st.dictionaries(st.sampled_from("xyz"), st.lists(_TEXTS, max_size=2)))
def test_pieces_are_the_text_and_every_mark_has_the_words_of_its_quote(
    text: str, quotes: dict[str, list[str]]
) -> None:
    pieces = marked(text, quotes)
    assert "".join(piece.text for piece in pieces) == text
    for piece in pieces:
        assert piece.text and not piece.is_gap
    assert sum(len(piece.text) for piece in excerpt(pieces)) <= len(text)


@given(before=_TEXTS, quote=st.lists(st.sampled_from(["ab", "Б1", "ß"]), min_size=1), after=_TEXTS)
def test_a_quote_that_stands_in_the_text_is_found(before: str, quote: list[str], after: str) -> None:
    text = f"{before} {' ** '.join(quote)} {after}"
    assert any(piece.names for piece in marked(text, {"x": [" ".join(quote)]}))
