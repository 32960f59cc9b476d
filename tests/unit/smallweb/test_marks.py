"""Dates in texts: always ahead, always as their language writes them."""

from __future__ import annotations

from datetime import UTC, date, datetime

import pytest
from hypothesis import given
from hypothesis import strategies as st

from surveyor.smallweb.marks import dated, day_of, enlivened, is_lively

TODAY = date(2026, 11, 16)


@pytest.mark.parametrize(
    ("language", "written", "short"),
    [
        ("en", "31 December 2026", "31/12/2026"),
        ("en-us", "December 31, 2026", "12/31/2026"),
        ("bg", "31 декември 2026 г.", "31.12.2026 г."),
        ("de", "31. Dezember 2026", "31.12.2026"),
        ("fr", "31 décembre 2026", "31/12/2026"),
        ("ro", "31 decembrie 2026", "31.12.2026"),
        ("el", "31 Δεκεμβρίου 2026", "31/12/2026"),
        ("es", "31 de diciembre de 2026", "31/12/2026"),
        ("it", "31 dicembre 2026", "31/12/2026"),
    ],
)
def test_a_date_is_written_as_its_language_writes_it(language: str, written: str, short: str) -> None:
    assert dated("{in:45d}, {in:45d:short}", TODAY, language) == f"{written}, {short}"


def test_dates_may_lie_behind_and_be_written_for_machines() -> None:
    assert dated("{ago:16d:iso} {in:46d:year} {ago:1d}", TODAY, "en") == "2026-10-31 2027 15 November 2026"


def test_what_only_looks_like_a_mark_stays() -> None:
    for text in ("{in:5}", "{in:xd}", "{slug}", "{ago:3d:never}"):
        assert dated(text, TODAY, "en") == text


@given(st.integers(0, 5_000), st.sampled_from(["in", "ago"]))
def test_a_mark_and_its_day_agree(days: int, way: str) -> None:
    mark = f"{{{way}:{days}d}}"
    day = day_of(mark, TODAY)
    assert day is not None
    assert abs((day - TODAY).days) == days
    assert dated(f"{{{way}:{days}d:iso}}", TODAY, "en") == day.isoformat()


def test_no_mark_is_no_day() -> None:
    assert day_of("soon", TODAY) is None


def test_counters_and_advertisements_are_others_at_every_visit() -> None:
    now = datetime(2026, 11, 16, 9, 30, 5, tzinfo=UTC)
    text = "{visits} at {now}: {advert}"
    assert is_lively(text) and not is_lively("{in:3d}")
    assert "at 09:30:05: " in enlivened(text, 1, now)
    assert len({enlivened("{visits}", visit, now) for visit in range(5)}) == 5
    assert len({enlivened("{advert}", visit, now) for visit in range(5)}) == 5
    assert enlivened("plain", 3, now) == "plain"
