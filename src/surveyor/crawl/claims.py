"""Takes domains for one worker's run, each with the limits of its visit; knows when the run is over."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass, replace
from typing import NamedTuple
from uuid import UUID

from surveyor.backoff import pause
from surveyor.clock import Clock
from surveyor.crawl.plan import Plan, RunOptions, plan_for
from surveyor.crawl.sharing import Sharing
from surveyor.crawl.store import runs
from surveyor.db import Database
from surveyor.db.stillness import Stillness
from surveyor.errors import DatabaseError
from surveyor.process.failpoints import failpoint
from surveyor.profiles import Profile
from surveyor.registry import workers
from surveyor.registry.leases import Claimer, Lease
from surveyor.registry.store.leases import ClaimFilter, Work
from surveyor.settings import CrawlSettings

# Domains per claim: enough to fill up quickly, few enough to leave some for others.
_CLAIM_BATCH = 50
# Seconds between two claims with nothing in hand.
_IDLE_SECONDS = 0.5
# Seconds between two looks of a worker that waits for something to be due, and looks after which it claims.
_LOOK_SECONDS, _LOOKS_PER_CLAIM = 1.5, 12


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
        self, db: Database, worker: str, task: Task, settings: CrawlSettings, profile: Profile, clock: Clock
    ) -> None:
        self._db, self._task, self._settings, self._profile = db, task, settings, profile
        self._stillness = Stillness(db)
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
        room = await self.sharing.room(mine, min(room, _CLAIM_BATCH), wanted)
        taken = await self._claimer.claim(room, wanted)
        if taken:
            await self.sharing.got_some()
        failpoint("after_claim")
        return [Claimed(lease, self._plan(lease, run.share)) for lease in taken]

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
        """Nothing is due and nothing in hand: a moment's rest, or for a worker that stays until something is.

        A claim looks after dead workers, rounds and other workers too. That is done every few seconds; in
        between one short look is enough, and leaves an idle machine alone.
        """
        for _ in range(_LOOKS_PER_CLAIM if self._task.continuous else 1):
            await pause(stopping, _LOOK_SECONDS if self._task.continuous else _IDLE_SECONDS)
            if stopping.is_set() or (not self._stillness.holds() and await self._is_due()):
                return

    async def _is_due(self) -> bool:
        try:
            return await self._claimer.is_anything_due(ClaimFilter(work=self._task.work))
        except DatabaseError:
            return True  # the claim says so, and backs off

    def _plan(self, lease: Lease, share: int | None) -> Plan:
        plan = plan_for(lease.domain, self._task.options, self._settings, self._profile)
        return plan if share is None or share >= plan.pages else replace(plan, pages=share)

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
