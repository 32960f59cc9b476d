"""Leases: the right of one worker to crawl one domain until a time.

The protocol is described in docs/leases.md. In short: `due_at` alone says when a domain may be
taken; a claim moves it to the lease's end, so domains of a dead worker become due by themselves;
every claim raises `lease_epoch`, and every write a worker makes names its epoch.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from datetime import datetime

from sqlalchemy.ext.asyncio import AsyncConnection

from surveyor.clock import Clock, SystemClock
from surveyor.db import Database
from surveyor.registry.domain import Domain
from surveyor.registry.store import leases as store
from surveyor.registry.store.leases import ClaimFilter, Place

# Of so many claimed domains one is the longest due, whatever its priority: nobody waits for ever.
_FAIR_SHARE = 5
# A worker's claims move down the priorities and return to the top this often (seconds). Under
# a long transaction elsewhere the index keeps dead entries at the top; this way they are not
# waded through by every claim.
_BACK_TO_TOP_SECONDS = 10.0


@dataclass(frozen=True, slots=True)
class Lease:
    """One domain in one worker's hands. `domain` is as it was when claimed."""

    domain: Domain
    worker: str
    epoch: int
    expires_at: datetime
    asked_at: float = 0.0  # ticks of the local clock, before the database counted from its own

    @property
    def no(self) -> int:
        return self.domain.no

    @property
    def waits_full_delay(self) -> bool:
        """It was claimed since its last release, so nobody stored when the site may be asked again. The
        holder may have asked just now, also where a person ended its claim."""
        return self.domain.claimed_by is not None or self.domain.attempts > 0


class Claimer:
    """Takes domains for one worker."""

    def __init__(self, db: Database, worker: str, lease_seconds: float, clock: Clock | None = None) -> None:
        self._db = db
        self._worker = worker
        self._seconds = lease_seconds
        self._clock = clock or SystemClock()
        self._last: Place | None = None
        self._top_at = self._clock.ticks()
        self._claimed = 0

    async def claim(self, count: int, only: ClaimFilter | None = None) -> list[Lease]:
        """Up to `count` of the best due domains; never more, never one that another holds."""
        if count <= 0:
            return []
        wanted = only or ClaimFilter()
        # How many of them are for the longest due, carried over between calls.
        fair = (self._claimed + count) // _FAIR_SHARE - self._claimed // _FAIR_SHARE
        asked_at = self._clock.ticks()
        async with self._db.write() as tx:
            await store.mark_ready(tx)
            taken = await store.longest_due(tx, fair, wanted) if fair else []
            taken += await self._best(tx, count - len(taken), wanted, taken)
            granted = await store.grant(tx, taken, self._worker, self._seconds)
        self._claimed += len(granted)
        return [Lease(domain, self._worker, epoch, expires, asked_at) for domain, epoch, expires in granted]

    async def is_anything_due(self, only: ClaimFilter) -> bool:
        """Whether there is something to claim, even if it could not be had just now."""
        async with self._db.read() as tx:
            return await store.is_anything_due(tx, only)

    async def _best(
        self, tx: AsyncConnection, count: int, only: ClaimFilter, besides: Sequence[Place]
    ) -> list[Place]:
        if not count:
            return []
        if self._clock.ticks() - self._top_at >= _BACK_TO_TOP_SECONDS:
            self._to_top()
        found = await store.best(tx, count, only, below=self._last, besides=besides)
        if len(found) < count and self._last is not None:
            self._to_top()
            found += await store.best(tx, count - len(found), only, below=None, besides=[*besides, *found])
        if found:
            self._last = found[-1]
        return found

    def _to_top(self) -> None:
        self._last, self._top_at = None, self._clock.ticks()


async def renew(db: Database, worker: str, leases: Collection[Lease], seconds: float) -> set[int]:
    """Prolong live leases; returns the numbers of the domains that are still ours."""
    async with db.write() as tx:
        return await store.renew(tx, worker, {lease.no: lease.epoch for lease in leases}, seconds)


async def are_held(db: Database, worker: str, leases: Collection[Lease]) -> bool:
    """Whether this worker holds exactly these now, by one row: how many, and the sums of their numbers
    and epochs. A lease that was withdrawn or taken over is missing in all of them."""
    expected = store.Held(
        len(leases), sum(lease.no for lease in leases), sum(lease.epoch for lease in leases)
    )
    async with db.read() as tx:
        return await store.held_in_sum(tx, worker) == expected


async def still_held(db: Database, worker: str) -> dict[int, int]:
    """Domain number -> epoch of everything this worker holds now, in one statement.

    A lease that is missing here was withdrawn or taken over: stop its requests.
    """
    async with db.read() as tx:
        return await store.held_by(tx, worker)
