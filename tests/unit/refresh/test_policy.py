"""When a page is visited again: within bounds whatever happened, and worth its requests over a year."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bench import refresh as year
from surveyor.frontier.changes import RANK_FIRST, RANK_LATER, RANK_NORMAL
from surveyor.frontier.revisits import Habits, Next, Seen, Visited
from surveyor.refresh import policy
from surveyor.refresh.policy import LONGEST, SAMPLE_OF, SHORTEST, UNIT, History, RefreshPolicy

NOW = datetime(2026, 5, 1, tzinfo=UTC)
DAY = timedelta(days=1)
POLICY = RefreshPolicy()


def _visits(
    *seen: Seen,
    every: timedelta = DAY,
    usual: float = 24,
    key: int = 3,
    start: bool = False,
    expects_records: bool = False,
    past: History | None = None,
) -> Next:
    """A page that was found, or has a past, and then was visited at fixed times."""
    habits, now = Habits(usual, expects_records), NOW
    found = POLICY.after(Visited(key, Seen.NEW), habits, now)
    found = found._replace(history=past.to_bytes()) if past else found
    for each in seen:
        last, now = now, now + every
        found = POLICY.after(Visited(key, each, found.history, last, start), habits, now)
    return found._replace(at=found.at - now + NOW if found.at else None)


def _interval(found: Next) -> timedelta:
    assert found.at is not None
    return found.at - NOW


def test_over_a_year_it_is_nearly_as_fresh_as_daily_visits_for_a_third_of_the_requests() -> None:
    seeds = range(1, 6)
    daily = year.worst([year.every(DAY, seed) for seed in seeds])
    rare = year.worst([year.every(14 * DAY, seed) for seed in seeds])
    ours = year.worst([year.learned(24, seed) for seed in seeds])
    assert 100 * (daily.freshness - ours.freshness) <= year.POINTS
    assert ours.requests <= year.SHARE * daily.requests
    assert rare.freshness < ours.freshness - 0.1


@pytest.mark.parametrize("hours", [168, 336])
def test_a_site_that_begins_with_rare_visits_gets_there_too(hours: float) -> None:
    daily, ours = year.every(DAY, 1), year.learned(hours, 1)
    assert 100 * (daily.freshness - ours.freshness) <= year.POINTS
    assert ours.requests <= year.SHARE * daily.requests


@given(
    st.lists(st.tuples(st.sampled_from(list(Seen)), st.integers(0, 400 * 24 * 3600)), max_size=40),
    st.floats(0.01, 10_000),
    st.booleans(),
    st.booleans(),
    st.integers(-(1 << 63), (1 << 63) - 1),
)
def test_an_interval_stays_within_its_bounds_and_at_most_doubles(
    visits: list[tuple[Seen, int]], usual: float, expects_records: bool, start: bool, key: int
) -> None:
    habits, now, history = Habits(usual, expects_records), NOW, None
    before: int | None = None
    for seen, seconds in visits:
        last, now = now, now + timedelta(seconds=seconds)
        found = POLICY.after(Visited(key, seen, history, last, start), habits, now)
        assert found.rank in (RANK_FIRST, RANK_NORMAL, RANK_LATER)
        if found.at is None:
            assert seen is Seen.GONE and not start
            return
        minutes = (found.at - now) / timedelta(minutes=1)
        assert SHORTEST <= minutes <= LONGEST
        known = History.of(found.history)
        is_rare = policy.is_long_without_records(known) and minutes == LONGEST
        if seen in (Seen.SAME, Seen.CHANGED, Seen.GONE, Seen.FAILED) and before and not is_rare:
            assert minutes <= 2 * before
        history, before = (found.history, int(minutes)) if seen is not Seen.LIST else (history, before)


def test_the_rate_is_the_one_that_the_visits_suggest() -> None:
    hourly = History(visits=10 * UNIT, changes=5 * UNIT, minutes=10 * 60)
    assert policy.rate(hourly) * 60 == pytest.approx(0.647, abs=0.001)  # -ln(5.5 / 10.5)
    assert policy.next_interval(hourly._replace(interval=60)) == SHORTEST
    assert policy.rate(History()) == policy.rate(History(visits=UNIT)) == 0.0
    weekly = History(visits=10 * UNIT, changes=5 * UNIT, minutes=10 * 7 * 1440, interval=10_000)
    assert policy.next_interval(weekly) == pytest.approx(0.4 / 0.647 * 7 * 1440, rel=0.01)


def test_what_changes_is_visited_sooner_and_what_does_not_later() -> None:
    assert _interval(_visits()) == DAY
    assert _interval(_visits(Seen.SAME)) == 2 * DAY
    assert _interval(_visits(*[Seen.SAME] * 9)) == 90 * DAY
    assert _interval(_visits(*[Seen.CHANGED] * 9)) < DAY / 4


def test_a_page_that_changes_its_ways_is_noticed() -> None:
    asleep = [Seen.SAME] * 60
    assert _interval(_visits(*asleep, *[Seen.CHANGED] * 8)) < DAY
    assert _interval(_visits(*[Seen.CHANGED] * 60, *[Seen.SAME] * 25)) > 3 * DAY


def test_a_page_that_is_gone_is_looked_for_twice_more_and_then_left() -> None:
    assert _visits(Seen.SAME, Seen.GONE).at and _visits(Seen.SAME, Seen.GONE, Seen.GONE).at
    assert _visits(Seen.SAME, Seen.GONE, Seen.GONE, Seen.GONE).at is None
    assert _visits(*[Seen.GONE] * 9, start=True).at, "a start page is never left"
    back = _visits(Seen.GONE, Seen.GONE, Seen.CHANGED, Seen.GONE)
    assert back.at and History.of(back.history).gone == 1, "it had come back in between"


def test_a_failure_says_nothing_about_the_page() -> None:
    calm, failed = _visits(Seen.SAME), _visits(Seen.SAME, Seen.FAILED)
    assert History.of(failed.history).visits == History.of(calm.history).visits
    assert _interval(failed) == 2 * _interval(calm)


def test_lists_are_read_at_the_usual_pace_and_first() -> None:
    found = _visits(*[Seen.LIST] * 5, usual=36)
    assert (_interval(found), found.rank, found.history) == (1.5 * DAY, RANK_FIRST, None)


def test_a_page_without_a_record_in_90_days_is_visited_rarely_but_for_a_sample() -> None:
    lively = [Seen.CHANGED] * 95
    assert _interval(_visits(*lively[:80], expects_records=True)) < DAY
    rare = _visits(*lively, expects_records=True)
    assert (_interval(rare), rare.rank) == (90 * DAY, RANK_LATER)
    for spared in (
        _visits(*lively, expects_records=True, key=SAMPLE_OF * 7),
        _visits(*lively, expects_records=True, start=True),
    ):
        assert _interval(spared) < DAY
    assert _interval(_visits(*lively, expects_records=False)) < DAY, "nobody looks for records there"


def test_a_page_that_gave_records_comes_first_and_sooner_when_a_deadline_moved() -> None:
    found = _visits(Seen.SAME, Seen.SAME, expects_records=True)
    known = policy.gave_records(History.of(found.history), deadline_moved=False)
    assert (policy.rank_of(known), known.without_records) == (RANK_FIRST, 0)
    sooner = policy.gave_records(known, deadline_moved=True)
    assert sooner.interval == known.interval / 2
    long_ago = known._replace(without_records=policy.LONG_WITHOUT_RECORDS)
    assert policy.rank_of(long_ago) == RANK_LATER


def test_a_change_that_was_none_is_taken_back() -> None:
    changed = History.of(_visits(Seen.SAME, Seen.CHANGED).history)
    known = policy.not_changed_after_all(changed)
    assert (known.changes, known.visits) == (0, changed.visits)
    assert known.interval > changed.interval
    assert policy.not_changed_after_all(History()).changes == 0


def test_sitemaps_are_believed_once_they_proved_right() -> None:
    believes = POLICY.believes_lastmod
    assert not believes(4, 0) and believes(5, 0)
    assert believes(8, 2) and not believes(7, 3)


def test_a_page_whose_records_still_stand_there_is_not_rarely_visited_until_they_are_gone() -> None:
    giving = policy.gave_records(History(), deadline_moved=False)
    long = _visits(*[Seen.SAME] * 200, expects_records=True, past=giving)
    assert long.rank == RANK_FIRST and not policy.is_long_without_records(History.of(long.history))
    bare = policy.gave_nothing(History.of(long.history))
    assert policy.rank_of(bare) == RANK_NORMAL
    rare = _visits(*[Seen.CHANGED] * 2_000, expects_records=True, past=bare)
    assert rare.rank == RANK_LATER
