"""What the crawl does now and did lately, for people who watch it."""

from __future__ import annotations

from dataclasses import dataclass

from surveyor.crawl.store import stats as store
from surveyor.crawl.store.stats import Claim, Fetched, Leases, Reason, RunNow
from surveyor.db import Database

__all__ = [
    "Claim",
    "Fetched",
    "Lately",
    "Leases",
    "Now",
    "Reason",
    "RunNow",
    "lately",
    "recent",
    "right_now",
    "waiting",
]

_HOUR, _DAY, _MONTH = 3_600.0, 86_400.0, 30 * 86_400.0
# Kinds of errors shown; the rest is rare.
_REASONS = 12


@dataclass(frozen=True, slots=True)
class Lately:
    """Read from the log: a second of work on a large one, so not for every request."""

    minutes: list[Fetched]
    days: list[Fetched]
    reasons: list[Reason]


@dataclass(frozen=True, slots=True)
class Now:
    runs: list[RunNow]
    claims: list[Claim]
    due: int


async def lately(db: Database) -> Lately:
    async with db.read() as tx:
        return Lately(
            await store.per_minute(tx, _HOUR),
            await store.per_day(tx, _MONTH),
            await store.by_reason(tx, _DAY, _REASONS),
        )


async def right_now(db: Database, runs: int, claims: int, counted: int) -> Now:
    """The latest runs, what workers hold, and how many domains are due, counted up to `counted`."""
    async with db.read() as tx:
        return Now(
            await store.latest_runs(tx, runs),
            await store.claims(tx, claims),
            await store.count_due(tx, counted),
        )


async def recent(db: Database, seconds: float) -> tuple[int, int]:
    """Fetches of the last `seconds` by all workers: those that went well, and those that did not."""
    async with db.read() as tx:
        return await store.count_since(tx, seconds)


async def waiting(db: Database, counted: int) -> tuple[Leases, int]:
    """How many domains are in workers' hands, and how many are due, counted up to `counted`."""
    async with db.read() as tx:
        return await store.count_claims(tx), await store.count_due(tx, counted)
