"""Takes domains for a Scrapy process, opens their queues, gives them back.

Without the claim protocol a domain that the spider names is taken whatever its date, as an existing crawler
would; with it only one that is due. Either way nobody writes without a lease.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Sequence
from dataclasses import replace

from surveyor.clock import Clock
from surveyor.contrib.scrapy.flags import Flags
from surveyor.contrib.scrapy.queue import RequestFrontier
from surveyor.contrib.scrapy.session import Session
from surveyor.contrib.scrapy.visit import Backlog, ScrapyVisit
from surveyor.crawl.claims import Claimed, Claims, Task
from surveyor.crawl.context import DomainOpener
from surveyor.crawl.plan import Plan, RunOptions, plan_for
from surveyor.crawl.store import runs
from surveyor.crawl.store import visits as visit_store
from surveyor.crawl.store.visits import Ending
from surveyor.errors import LeaseLost
from surveyor.frontier.changes import Taken
from surveyor.profiles.head import Head
from surveyor.registry import workers
from surveyor.registry.leases import Claimer, Lease
from surveyor.registry.store import leases as lease_store
from surveyor.registry.store.leases import ClaimFilter, Work
from surveyor.registry.store.release import Outcome

# Without a budget per domain: more pages than any site has.
_NO_BUDGET = 10**9


class Leases:
    """Of one process."""

    def __init__(
        self,
        session: Session,
        flags: Flags,
        options: RunOptions,
        work: Work,
        frontier: RequestFrontier,
        clock: Clock,
    ) -> None:
        self._session, self._flags, self._frontier, self._clock = session, flags, frontier, clock
        self._options, self._db = options, session.workspace.db
        self._settings, self._profile = session.crawl_settings, Head.of(session.workspace.profile)
        task = Task(session.run, options, work)
        self.claims = Claims(self._db, session.worker, task, self._settings, self._profile, clock)
        self._claimer = Claimer(self._db, session.worker, self._settings.lease_seconds, clock)
        self._openings = DomainOpener(self._db, frontier, session.run)
        self.backlog = Backlog()

    async def named(self, numbers: Sequence[int]) -> list[Claimed]:
        """Of these domains those that may be had now."""
        await workers.free_leases_of_the_dead(self._db)
        if self._flags.claim_protocol:
            taken = await self._claimer.claim(len(numbers), ClaimFilter(tuple(numbers)))
        else:
            taken = await self._whatever_their_date(numbers)
        async with self._db.read() as tx:
            share = (await runs.get(tx, self._session.run)).share
        return [Claimed(lease, self._plan(lease, share)) for lease in taken]

    async def due(self, mine: int) -> list[Claimed]:
        """Some of what is due, the best first."""
        return [Claimed(one.lease, self._limited(one.plan)) for one in await self.claims.take(mine)]

    async def _whatever_their_date(self, numbers: Sequence[int]) -> list[Lease]:
        asked_at, worker = self._clock.ticks(), self._session.worker
        async with self._db.write() as tx:
            places = await lease_store.free_among(tx, numbers)
            granted = await lease_store.grant(tx, places, worker, self._settings.lease_seconds)
        return [Lease(domain, worker, epoch, expires, asked_at) for domain, epoch, expires in granted]

    def _plan(self, lease: Lease, share: int | None) -> Plan:
        plan = plan_for(lease.domain, self._options, self._settings, self._profile)
        return self._limited(plan if share is None or share >= plan.pages else replace(plan, pages=share))

    def _limited(self, plan: Plan) -> Plan:
        return plan if self._flags.per_domain_budget else replace(plan, pages=_NO_BUDGET)

    async def open(
        self,
        claimed: Sequence[Claimed],
        priority_of: Callable[[int, Taken], int],
        on_delivery: Callable[[], None],
    ) -> list[tuple[ScrapyVisit, bool]]:
        """Visits of them, and whether the domain has no URL yet; one whose lease was lost is missing."""
        found = await asyncio.gather(*(self._open(one, priority_of, on_delivery) for one in claimed))
        return [each for each in found if each is not None]

    async def _open(
        self,
        claimed: Claimed,
        priority_of: Callable[[int, Taken], int],
        on_delivery: Callable[[], None],
    ) -> tuple[ScrapyVisit, bool] | None:
        lease, plan = claimed
        try:
            begun = (await self._openings.open(lease, ())).begun
        except LeaseLost:
            return None
        made = (lease, plan, self._session.run, begun, self._settings, self._clock)
        return ScrapyVisit(*made, priority_of, on_delivery, self.backlog), begun.is_new

    async def release(self, visit: ScrapyVisit, outcome: Outcome) -> None:
        """Raises nothing where the lease is gone: then the domain is somebody else's."""
        lease, plan = visit.session.lease, visit.plan
        rest = self._frontier.close(lease.no, lease.epoch)
        ending = Ending(
            lease, outcome, f"{visit.session.origin}/", plan.revisit_hours * 3600.0, plan.images, rest
        )
        async with self._db.write() as tx:
            await visit_store.end_all(tx, [ending], self._profile.yields)

    async def let_go(self, visit: ScrapyVisit) -> None:
        """The lease was doubtful: where it holds after all, nobody need wait for it."""
        async with self._db.write() as tx:
            await visit_store.let_go(tx, self._frontier, visit.session.lease)

    async def abandon(self) -> None:
        """A group's fate is unknown: all that is held is put back, to be taken anew from what is true."""
        async with self._db.write() as tx:
            await visit_store.abandon(tx, self._frontier, self._session.worker)

    async def has_more_pages(self) -> bool:
        """Whether the run is bounded, and its pages are not used up."""
        async with self._db.read() as tx:
            run = await runs.get(tx, self._session.run)
        return run.max_pages is not None and not run.has_used_up_its_pages

    async def next_round(self) -> bool:
        """Whether domains that had their share of the run may have some more."""
        async with self._db.write() as tx:
            return await runs.next_round(tx, self._session.run)
