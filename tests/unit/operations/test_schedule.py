"""When a search is due."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from surveyor.operations.schedule import next_due

MONDAY_NOON = datetime(2026, 11, 16, 12, 0, tzinfo=UTC)
moments = st.integers(0, 1_000_000).map(lambda minutes: MONDAY_NOON + timedelta(minutes=minutes))
hours = st.builds("{:02}:{:02}".format, st.integers(0, 23), st.integers(0, 59))
days = st.sampled_from(["monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday"])
schedules = st.one_of(hours, st.builds("{} {}".format, days, hours))


@pytest.mark.parametrize(
    ("written", "last", "due"),
    [
        ("02:00", "2026-11-16T02:00", "2026-11-17T02:00"),
        ("02:00", "2026-11-16T01:59", "2026-11-16T02:00"),
        ("02:00", "2026-11-10T02:00", "2026-11-16T02:00"),
        ("13:00", "2026-11-15T13:01", "2026-11-16T13:00"),
        ("sunday 03:30", "2026-11-15T03:30", "2026-11-22T03:30"),
        ("sunday 03:30", "2026-11-14T03:30", "2026-11-15T03:30"),
        ("monday 12:00", "2026-11-15T03:30", "2026-11-16T12:00"),
        ("monday 12:01", "2026-11-15T03:30", "2026-11-16T12:01"),
    ],
)
def test_a_search_is_due_once_for_each_moment_of_its_schedule(written: str, last: str, due: str) -> None:
    begun = datetime.fromisoformat(last).replace(tzinfo=UTC)
    assert next_due(written, begun, MONDAY_NOON) == datetime.fromisoformat(due).replace(tzinfo=UTC)


def test_the_first_search_is_due_at_once_and_none_without_a_schedule() -> None:
    first = next_due("02:00", None, MONDAY_NOON)
    assert first is not None and first <= MONDAY_NOON
    assert next_due("", None, MONDAY_NOON) is None


@given(schedules, moments, moments)
def test_it_is_never_due_twice_for_one_moment_and_never_late_by_more_than_a_turn(
    written: str, last: datetime, now: datetime
) -> None:
    turn = timedelta(days=7 if " " in written else 1)
    due = next_due(written, last, now)
    assert due is not None
    assert f"{due:%H:%M}" == written.rpartition(" ")[2]
    assert now - turn < due <= now + turn
    if due <= now:
        assert last < due
        after = next_due(written, now, now)
        assert after == due + turn
