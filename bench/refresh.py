"""Freshness and requests of the refresh policy in a simulated year, beside daily and fortnightly visits."""

from __future__ import annotations

import argparse
from collections.abc import Callable, Iterator
from datetime import UTC, datetime, timedelta
from random import Random
from typing import NamedTuple

from surveyor.frontier.revisits import Habits, Seen, Visited
from surveyor.profiles.files import BUILT_IN
from surveyor.profiles.loader import load
from surveyor.refresh.policy import RefreshPolicy

BEGIN = datetime(2026, 1, 1, tzinfo=UTC)
YEAR = timedelta(days=365)
DAY = timedelta(days=1)
# Pages, and the days between two changes of each on average; none: never.
KINDS: tuple[tuple[int, float | None], ...] = ((20, 1.0), (60, 7.0), (120, None))
SEEDS = 5
# The target: within so many points of the freshness of daily visits, at this share of their requests.
POINTS, SHARE = 5.0, 1 / 3

Plan = Callable[[bool, datetime, datetime], datetime]
"""From whether the page changed, the last visit and now to the next visit."""


class Outcome(NamedTuple):
    freshness: float  # share of the time in which the stored version is the present one
    requests: int


def changes_of(random: Random, days: float | None) -> list[datetime]:
    """When a page changes within the year."""
    found: list[datetime] = []
    at = BEGIN
    while days is not None and (at := at + random.expovariate(1.0) * days * DAY) < BEGIN + YEAR:
        found.append(at)
    return found


def pages(seed: int) -> Iterator[list[datetime]]:
    random = Random(seed)
    for count, days in KINDS:
        for _ in range(count):
            yield changes_of(random, days)


def watch(changes: list[datetime], first: datetime, plan: Plan) -> tuple[timedelta, int]:
    """How long one page's stored version was current, and how often it was asked for."""
    current, requests, seen = timedelta(), 0, 0
    last, visit, end = BEGIN, first, BEGIN + YEAR
    while True:
        stale_from = changes[seen] if seen < len(changes) else end
        current += max(timedelta(), min(stale_from, visit, end) - last)
        if visit >= end:
            return current, requests
        requests += 1
        before = seen
        while seen < len(changes) and changes[seen] <= visit:
            seen += 1
        last, visit = visit, plan(seen > before, last, visit)


def every(interval: timedelta, seed: int) -> Outcome:
    found = [watch(changes, BEGIN + interval, lambda _c, _l, now: now + interval) for changes in pages(seed)]
    return _summed(found)


def learned(usual_hours: float, seed: int) -> Outcome:
    """As a crawl would: the policy is told what was found, and its history travels with the page."""
    policy, habits, found = RefreshPolicy(), Habits(usual_hours), []
    for key, changes in enumerate(pages(seed)):
        first = policy.after(Visited(key, Seen.NEW), habits, BEGIN)
        history = first.history
        assert first.at is not None

        def plan(changed: bool, last: datetime, now: datetime, key: int = key) -> datetime:
            nonlocal history
            seen = Seen.CHANGED if changed else Seen.SAME
            history, at, _ = policy.after(Visited(key, seen, history, last), habits, now)
            assert at is not None
            return at

        found.append(watch(changes, first.at, plan))
    return _summed(found)


def _summed(found: list[tuple[timedelta, int]]) -> Outcome:
    current = sum((each for each, _ in found), timedelta())
    return Outcome(current / (YEAR * len(found)), sum(requests for _, requests in found))


def worst(outcomes: list[Outcome]) -> Outcome:
    return Outcome(min(o.freshness for o in outcomes), max(o.requests for o in outcomes))


def main(argv: list[str]) -> int:
    parser = argparse.ArgumentParser(prog="bench refresh", description=__doc__)
    parser.add_argument("--seeds", type=int, default=SEEDS)
    seeds = range(1, parser.parse_args(argv).seeds + 1)
    kinds = ", ".join(f"{count} {f'every {days:g} days' if days else 'never'}" for count, days in KINDS)
    print(f"a year of pages that change at random ({kinds}); the worst of {len(seeds)} seeds\n")
    daily = worst([every(DAY, seed) for seed in seeds])
    _print("daily visits", daily, daily)
    _print("fortnightly visits", worst([every(14 * DAY, seed) for seed in seeds]), daily)
    kept = True
    for name in BUILT_IN:
        hours = load(name).limits.scrape_frequency_hours
        ours = worst([learned(hours, seed) for seed in seeds])
        _print(f"{name}, from {hours} h", ours, daily)
        kept &= 100 * (daily.freshness - ours.freshness) <= POINTS and ours.requests <= SHARE * daily.requests
    wanted = f"within {POINTS:g} points of daily visits at no more than {SHARE:.0%} of their requests"
    print(f"\n{wanted}: {'kept' if kept else 'NOT KEPT'}")
    return 0 if kept else 1


def _print(name: str, outcome: Outcome, beside: Outcome) -> None:
    points = 100 * (outcome.freshness - beside.freshness)
    fresh = f"{outcome.freshness:7.2%} fresh ({points:+6.2f})"
    print(f"{name:<24} {fresh}  {outcome.requests:>7,} requests ({outcome.requests / beside.requests:.1%})")
