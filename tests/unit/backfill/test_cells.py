"""Cells as people write them: dates in many formats, yes in many languages, shares with a comma."""

from __future__ import annotations

from datetime import UTC, datetime
from decimal import Decimal
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from surveyor.backfill.cells import Cells, Dates, Unread, moment

DAY = datetime(2026, 2, 5, tzinfo=UTC)
AT = datetime(2026, 2, 5, 14, 30, tzinfo=UTC)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("2026-02-05", DAY),
        ("2026-02-05T14:30:00Z", AT),
        ("2026-02-05 15:30:00+01:00", AT),
        ("05.02.2026", DAY),
        ("5.2.2026 14:30", AT),
        ("2026/02/05", DAY),
        ("20260205143000", AT),
        ("1770301800", AT),
        ("1770301800000", AT),
        ("25/12/2025", datetime(2025, 12, 25, tzinfo=UTC)),
        ("12/25/2025", datetime(2025, 12, 25, tzinfo=UTC)),
        ("05/02/2026", None),  # February or May
        ("yesterday", None),
        ("31.02.2026", None),
        ("", None),
    ],
)
def test_dates_are_read_as_they_are_meant_or_not_at_all(text: str, expected: datetime | None) -> None:
    assert moment(text) == expected


def test_an_unclear_date_is_read_as_the_operator_says() -> None:
    assert moment("05/02/2026 14:30", Dates.DAY_FIRST) == AT
    assert moment("02/05/2026 14:30", Dates.MONTH_FIRST) == AT


def _cells(**row: Any) -> Cells:
    return Cells(row, Unread())


def test_yes_and_no_are_known_in_the_words_of_sheets_and_databases() -> None:
    for word in ("yes", "1", "Ja", "TRUE", "x", True, 1, "да"):
        assert _cells(a=word).flag("a") is True, word
    for word in ("no", "0", "nein", "f", False, 0):
        assert _cells(a=word).flag("a") is False, word
    unsure = _cells(a="maybe")
    assert unsure.flag("a") is None
    assert (unsure.unread.counts, unsure.unread.samples) == ({"a": 1}, {"a": "maybe"})


def test_shares_and_numbers_are_exact_or_named() -> None:
    for text in ("0.85", "0,85", "85%", 0.85, Decimal("0.85")):
        assert _cells(a=text).share("a") == Decimal("0.85"), text
    for text in ("85", "-1", "NaN", "high", "1e9999999"):
        assert _cells(a=text).share("a") is None, text
    assert _cells(a="3.0").number("a") == 3
    for text in ("3.5", "NaN", "Infinity", "1e400", "three"):
        assert _cells(a=text).number("a") is None, text


@given(st.one_of(st.text(max_size=30), st.integers(), st.floats(), st.booleans(), st.lists(st.integers())))
def test_no_cell_stops_a_reader(value: Any) -> None:
    cells = _cells(a=value)
    for read in (cells.text, cells.number, cells.share, cells.flag, cells.moment):
        read("a")
