"""Takes domains for one worker's run, each with the limits of its visit; knows when the run is over."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass
from typing import NamedTuple
from uuid import UUID

from surveyor.backoff import pause
from surveyor.clock import Clock
from surveyor.crawl.plan import Plan, RunOptions, plan_for
from surveyor.crawl.store import runs
from surveyor.db import Database
from surveyor.db.sqlite import FileWatch
from surveyor.errors import DatabaseError
from surveyor.process.failpoints import failpoint
from surveyor.profiles.head import Head
from surveyor.registry import workers
from surveyor.registry.leases import Claimer, Lease
from surveyor.registry.store import leases as store
from surveyor.registry.store.leases import ClaimFilter, Work
from surveyor.settings import CrawlSettings

# Seconds that a worker without work waits for a share; others look every second, and end a request first.
_PATIENCE = 5.0


@dataclass(eq=False)
class Sharing:
    """How workers share what is due: each takes its part, and gives some away when another finds nothing.

    Nobody distributes. A worker that takes domains counts its colleagues and leaves them theirs. One that
    finds nothing due, while another holds several domains that it might have, says so in its row of
    `workers` and stays for a few seconds. Whoever holds more than an equal part sees that within a second
    and gives domains back: first those it has not begun, then those it has done least for.
    """

    _db: Database
    _worker: str
    _clock: Clock
    _asking_since: float | None = None

    async def room(self, mine: int, room: int, wanted: ClaimFilter) -> int:
        """How many of `room` domains to take, so that colleagues find theirs."""
        colleagues = await workers.colleagues(self._db, self._worker)
        if not colleagues:
            return room
        count = len(colleagues) + 1
        async with self._db.read() as tx:
            due = await store.count_due(tx, wanted, room * count)
            held = await store.held_in_total(tx)
        return min(room, max(0, _part(due + held, count) - mine))

    async def surplus(self, mine: int) -> int:
        """How many of my domains somebody who has none should have."""
        if mine < 2:
            return 0
        colleagues = await workers.colleagues(self._db, self._worker)
        if not any(one.is_asking for one in colleagues):
            return 0
        async with self._db.read() as tx:
            held = await store.held_in_total(tx)
        return max(0, mine - _part(held, len(colleagues) + 1))

    async def may_get_some(self, wanted: ClaimFilter) -> bool:
        """Nothing is due: whether to wait, because others hold more than one domain that I might have."""
        async with self._db.read() as tx:
            is_there = await store.could_be_shared(tx, self._worker, wanted)
        if not is_there:
            await self.got_some()
            return False
        ticks = self._clock.ticks()
        if self._asking_since is None:
            self._asking_since = ticks
        if ticks - self._asking_since > _PATIENCE:
            return False
        await workers.ask(self._db, self._worker, asks=True)
        return True

    async def got_some(self) -> None:
        """There is nothing more to ask for."""
        if self._asking_since is not None:
            self._asking_since = None
            await workers.ask(self._db, self._worker, asks=False)


def _part(total: int, workers_: int) -> int:
    return -(-total // workers_)


# Domains per claim: enough to fill up quickly, few enough to leave some for others. A claim waits for a group
# commit on SQLite, so a worker that may hold thousands takes more at once.
_CLAIM_BATCH, _CLAIMS_TO_FILL = 50, 4
# Of a worker that waits for something to be due: looks after which it claims, and seconds between them. One
# that waits for a share of what others hold asks them once a second, which is how often they look.
_LOOKS, _LOOKS_FOR_A_SHARE = (12, 1.5), (2, 0.5)


@dataclass(frozen=True, slots=True)
class Task:
    """What a worker is to do."""

    run_id: UUID
    options: RunOptions
    work: Work = Work.CRAWL
    only: tuple[int, ...] | None = None  # numbers of domains; none: whatever is due
    continuous: bool = False  # it waits for more when nothing is due


class Claimed(NamedTuple):
    lease: Lease
    plan: Plan


class Claims:
    """Of one worker."""

    def __init__(
        self, db: Database, worker: str, task: Task, settings: CrawlSettings, profile: Head, clock: Clock
    ) -> None:
        self._db, self._task, self._settings, self._profile = db, task, settings, profile
        self._claimer = Claimer(db, worker, settings.lease_seconds, clock)
        self.sharing = Sharing(db, worker, clock)

    async def take(self, mine: int) -> list[Claimed]:
        """Some of what is due, beside the `mine` that are claimed."""
        room = self._settings.domains_per_worker - mine
        if room <= 0:
            return []
        await workers.free_leases_of_the_dead(self._db)
        async with self._db.read() as tx:
            run = await runs.get(tx, self._task.run_id)
        if run.has_used_up_its_pages:
            return []
        wanted = self._wanted(run.share)
        batch = max(_CLAIM_BATCH, self._settings.domains_per_worker // _CLAIMS_TO_FILL)
        room = await self.sharing.room(mine, min(room, batch), wanted)
        taken = await self._claimer.claim(room, wanted)
        if taken:
            await self.sharing.got_some()
        failpoint("after_claim")
        task, settings, profile = self._task, self._settings, self._profile
        return [
            Claimed(lease, plan_for(lease.domain, task.options, settings, profile, run.share))
            for lease in taken
        ]

    async def why_over(self) -> str | None:
        """Nothing could be claimed and nothing is: why the work is done; none: it goes on."""
        async with self._db.write() as tx:
            if await runs.next_round(tx, self._task.run_id):
                return None
            run = await runs.get(tx, self._task.run_id)
        if run.has_used_up_its_pages:
            return "budget_run"
        # A row that a transaction still holds was passed over; that is not the end.
        wanted = self._wanted(run.share)
        if await self._claimer.is_anything_due(wanted) or await self.sharing.may_get_some(wanted):
            return None
        return None if self._task.continuous else "nothing_due"

    async def until_due(self, stopping: asyncio.Event) -> None:
        """Nothing is due and nothing claimed: wait a moment, or for a worker that stays until something is.

        A claim looks after dead workers, rounds and other workers too. That is done every few seconds; in
        between one short look is enough, and leaves an idle machine alone.
        """
        looks, seconds = _LOOKS if self._task.continuous else _LOOKS_FOR_A_SHARE
        watch = FileWatch(self._db.file)
        for _ in range(looks):
            await pause(stopping, seconds)
            if stopping.is_set() or (not watch.is_unchanged() and await self._is_due()):
                return

    async def _is_due(self) -> bool:
        try:
            return await self._claimer.is_anything_due(ClaimFilter(work=self._task.work))
        except DatabaseError:
            return True  # the claim says so, and backs off

    def _wanted(self, share: int | None) -> ClaimFilter:
        return ClaimFilter(
            domain_numbers=self._task.only,
            run_id=self._task.run_id,
            run_pages=self._task.options.max_pages_per_domain,
            run_pages_default=self._profile.limits.max_pages_per_run,
            run_share=share,
            run_bytes=self._settings.max_bytes_per_run,
            run_seconds=self._settings.max_seconds_per_run,
            work=self._task.work,
        )
