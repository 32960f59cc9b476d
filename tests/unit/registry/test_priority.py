"""The order of crawling: one number from rank, yield, what waits, errors and age."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta, timezone
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from surveyor.registry.priority import day_number, priority_key, priority_score, rank_bonus

_TODAY = datetime(2026, 7, 6, 12, tzinfo=UTC)
_PLAIN: dict[str, Any] = {
    "rank": None,
    "yield_rate": 0.0,
    "frontier_size": 0,
    "error_rate": 0.0,
    "first_seen": _TODAY,
    "last_crawled": _TODAY,
}


def _score(**known: Any) -> int:
    return priority_score(priority_key(**_PLAIN | known), _TODAY)


@pytest.mark.parametrize(
    ("rank", "bonus"),
    [(1, 600), (10, 500), (100, 400), (1_000, 300), (1_000_000, 0), (50_000_000, 0), (None, 0), (2, 570)],
)
def test_a_rank_is_worth_a_hundred_less_per_power_of_ten(rank: int | None, bonus: int) -> None:
    assert rank_bonus(rank) == bonus


@pytest.mark.parametrize(
    ("known", "score"),
    [
        ({}, 0),
        ({"rank": 1}, 600),
        ({"yield_rate": 0.25}, 250),
        ({"frontier_size": 20}, 40),
        ({"frontier_size": 500}, 1000),
        ({"frontier_size": 10_000}, 1000),
        ({"error_rate": 0.5}, -250),
        ({"last_crawled": _TODAY - timedelta(days=3)}, 15),
        ({"last_crawled": None}, 300),
        ({"last_crawled": None, "first_seen": _TODAY - timedelta(days=2)}, 310),
        ({"rank": 10, "yield_rate": 0.1, "frontier_size": 5, "error_rate": 0.02}, 600),
    ],
)
def test_what_people_see_is_the_sum_that_was_promised(known: dict[str, Any], score: int) -> None:
    assert _score(**known) == score


def test_all_rows_age_alike_so_the_order_never_changes_by_itself() -> None:
    one = priority_key(**_PLAIN | {"rank": 5, "last_crawled": _TODAY - timedelta(days=9)})
    two = priority_key(**_PLAIN | {"yield_rate": 0.3, "last_crawled": None})
    gaps = {
        priority_score(one, _TODAY + timedelta(days=days))
        - priority_score(two, _TODAY + timedelta(days=days))
        for days in range(400)
    }
    assert len(gaps) == 1
    assert priority_score(one, _TODAY + timedelta(days=10)) == priority_score(one, _TODAY) + 50


def test_days_are_counted_in_utc_whatever_the_zone() -> None:
    late = datetime(2026, 7, 6, 23, 30, tzinfo=timezone(timedelta(hours=-5)))
    assert day_number(late) == day_number(datetime(2026, 7, 7, 4, 30, tzinfo=UTC))
    assert day_number(datetime(1970, 1, 1, tzinfo=UTC)) == 0
    assert day_number(datetime(1970, 1, 2, 23, 59, tzinfo=UTC)) == 1


@given(
    rank=st.none() | st.integers(1, 10**9),
    better=st.floats(0, 1),
    worse=st.floats(0, 1),
    waiting=st.integers(0, 10**7),
    errors=st.floats(0, 5),
)
def test_more_yield_never_lowers_and_more_errors_never_raise(
    rank: int | None, better: float, worse: float, waiting: int, errors: float
) -> None:
    worse, better = sorted((worse, better))
    base = {"rank": rank, "frontier_size": waiting}
    assert _score(**base, yield_rate=better, error_rate=errors) >= _score(
        **base, yield_rate=worse, error_rate=errors
    )
    assert _score(**base, yield_rate=worse) >= _score(**base, yield_rate=worse, error_rate=errors)


@given(st.integers(1, 10**9), st.integers(1, 10**9))
def test_a_better_rank_is_never_worth_less(one: int, two: int) -> None:
    assert rank_bonus(min(one, two)) >= rank_bonus(max(one, two)) >= 0
