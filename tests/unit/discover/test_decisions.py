"""Sheets of decisions as spreadsheets of several countries save them."""

from __future__ import annotations

import io

import pytest
from hypothesis import given
from hypothesis import strategies as st

from surveyor.discover.seeds import SeedFormat, read_decisions, with_format
from surveyor.discover.seeds.decisions import Decision, DecisionLine, is_header
from surveyor.discover.seeds.formats import BadLine
from surveyor.errors import BadInput
from surveyor.names import DEFAULT_RULES


def read(text: str | bytes) -> list[DecisionLine | BadLine]:
    data = text if isinstance(text, bytes) else text.encode()
    return list(read_decisions(io.BytesIO(data)))


@pytest.mark.parametrize("parter", [",", ";", "\t"], ids=["comma", "semicolon", "tab"])
def test_columns_stand_in_any_order_and_any_dialect(parter: str) -> None:
    rows = [["Notes", "Decision", "Colour", "DOMAIN", "reason"], ["n", "Approved", "red", "a.example", "r"]]
    text = "\ufeff" + "".join(parter.join(row) + "\r\n" for row in rows)
    assert read(text) == [DecisionLine(2, "a.example", Decision.APPROVE, "r", "n")]


def test_a_quoted_cell_may_hold_separators_and_line_ends() -> None:
    text = 'domain;decision;notes\n"a.example";no;"one;\ntwo ""x"""\nb.example;ban;\n'
    assert read(text) == [
        DecisionLine(2, "a.example", Decision.REJECT, "", 'one;\ntwo "x"'),
        DecisionLine(4, "b.example", Decision.BLACKLIST, "", ""),
    ]


def test_missing_columns_and_short_rows_are_empty() -> None:
    assert read("decision,domain,reason\nyes,a.example\n,b.example\n\n,,\n") == [
        DecisionLine(2, "a.example", Decision.APPROVE, "", ""),
        DecisionLine(3, "b.example", Decision.REVIEW, "", ""),
    ]


def test_bad_rows_are_named_with_their_number_and_the_rest_goes_on() -> None:
    found = read(b"domain,decision\na.example,perhaps\n,yes\n\xfcber.example,yes\nb.example,yes\n")
    assert [(line.number, isinstance(line, BadLine)) for line in found] == [
        (2, True),
        (3, True),
        (4, True),
        (5, False),
    ]
    assert "no decision" in found[0].reason and "no domain" in found[1].reason and "UTF-8" in found[2].reason  # type: ignore[union-attr]


def test_a_sheet_without_its_header_is_refused() -> None:
    with pytest.raises(BadInput, match="columns domain and decision"):
        read("a.example,approve\n")


@pytest.mark.parametrize(
    ("first", "expected"),
    [
        (b"domain;decision\n", SeedFormat.DECISIONS),
        (b"\xef\xbb\xbfDecision,Domain,x\n", SeedFormat.DECISIONS),
        (b"domain\n", SeedFormat.PLAIN),
        (b"rank,domain\n", SeedFormat.TRANCO),
    ],
    ids=["semicolons", "mark", "one column", "tranco"],
)
def test_a_sheet_is_told_by_its_header_and_no_line_is_lost(first: bytes, expected: SeedFormat) -> None:
    found, lines = with_format([first, b"x\n"], SeedFormat.AUTO, DEFAULT_RULES)
    assert (found, list(lines)) == (expected, [first, b"x\n"])


@given(st.lists(st.binary(max_size=40), max_size=20))
def test_no_bytes_make_the_reader_fall_over(lines: list[bytes]) -> None:
    for number, line in enumerate(read_decisions([b"domain,decision,notes\n", *lines]), 1):
        assert line.number >= number + 1 - len(lines)


@given(st.text(max_size=100))
def test_any_first_line_is_a_header_or_not(text: str) -> None:
    assert is_header(text) in (True, False)
