"""The register behind the scheduler: domains come and go, groups are committed, leases are kept.

Scrapy asks without waiting, the database answers later: URLs of domains that are not claimed gather in
`arrivals`, and one task (`_tend`) does what takes time. `is_pending` says whether something may still come.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable
from contextlib import AsyncExitStack

from surveyor.backoff import RECONNECT
from surveyor.clock import SystemClock
from surveyor.contrib.scrapy import store
from surveyor.contrib.scrapy.leases import Leases
from surveyor.contrib.scrapy.pages import ScrapyPage
from surveyor.contrib.scrapy.parts import Parts, Task, open_parts
from surveyor.contrib.scrapy.requests import priority_of
from surveyor.contrib.scrapy.session import Session
from surveyor.contrib.scrapy.store import Arrival
from surveyor.contrib.scrapy.taking import Taking
from surveyor.contrib.scrapy.visit import Hold, ScrapyVisit
from surveyor.crawl.claims import Claimed
from surveyor.crawl.commit import Committer
from surveyor.crawl.lease_watch import LeaseWatch
from surveyor.crawl.results import START
from surveyor.errors import DatabaseError, SurveyorError
from surveyor.frontier.changes import RANK_FIRST, NewUrl, Taken
from surveyor.names import url_key
from surveyor.registry.store import register
from surveyor.registry.store.register import NewDomain
from surveyor.registry.store.release import Outcome

# So often it looks for what ended and what came due, if nobody wakes it (seconds).
_LOOK_SECONDS = 0.5
_ARRIVALS_AT_ONCE = 500
# With so many pages waiting for their commit no more are handed out: a kill would repeat them.
_MOST_WAITING = 16

log = logging.getLogger("surveyor.scrapy")


class Crawl:
    """Of one process; `open` it before the first request, `close` it after the last."""

    def __init__(
        self,
        session: Session,
        task: Task,
        parts: Parts,
        leases: Leases,
        on_news: Callable[[], None],
        stack: AsyncExitStack,
    ) -> None:
        self.session, self._task, self.parts, self._leases = session, task, parts, leases
        self.arrivals: list[tuple[Arrival, ScrapyPage | None]] = []
        self.visits: dict[str, ScrapyVisit] = {}
        self._holds: dict[int, Hold] = {}
        self._taking = Taking(session.workspace.db, leases, what_is_due=task.takes_what_is_due)
        self._on_news, self._stack = on_news, stack
        self._tasks: list[asyncio.Task[None]] = []
        self._wake = asyncio.Event()
        self._is_over = False

    @classmethod
    async def open(cls, session: Session, task: Task, on_news: Callable[[], None]) -> Crawl:
        clock = SystemClock()
        async with AsyncExitStack() as stack:
            parts = await open_parts(stack, session, task, clock)
            leases = Leases(session, task.flags, task.options, task.work, parts.frontier, clock)
            crawl = cls(session, task, parts, leases, on_news, stack.pop_all())
        db, settings = session.workspace.db, session.crawl_settings
        watch = LeaseWatch(db, session.worker, crawl._holds, settings, leases.claims.sharing, clock)
        work = (parts.committer.run(), watch.run(), crawl._tend())
        crawl._tasks = [asyncio.create_task(each) for each in work]
        return crawl

    @property
    def committer(self) -> Committer:
        return self.parts.committer

    async def close(self) -> None:
        """Commit what is there, give every domain back; the next process goes on from here."""
        for task in self._tasks:
            task.cancel()
        await asyncio.gather(*self._tasks, return_exceptions=True)
        try:
            await self.committer.settled()
            await self._store_arrivals()
            for visit in list(self.visits.values()):
                outcome = visit.outcome() or visit.interrupted()
                await self._end(visit, outcome)
        finally:
            await self._stack.aclose()

    # -- what the scheduler asks

    @property
    def is_pending(self) -> bool:
        """Whether requests may come without any that is under way."""
        return bool(
            self.arrivals or not self._is_over or any(visit.may_bring_more for visit in self.visits.values())
        )

    @property
    def is_full(self) -> bool:
        """Whether so many pages wait for their commit that no more are handed out: a kill repeats these."""
        return self._leases.backlog.pages >= _MOST_WAITING

    def arrive(self, arrival: Arrival, parent: ScrapyPage | None) -> None:
        if parent is not None:
            parent.hold()
        self.arrivals.append((arrival, parent))
        self.wake()

    def wake(self) -> None:
        self._is_over = False
        self._wake.set()

    # -- what takes time

    async def _tend(self) -> None:
        failures = 0
        while True:
            try:
                async with asyncio.timeout(_LOOK_SECONDS):
                    await self._wake.wait()
            except TimeoutError:
                pass
            self._wake.clear()
            try:
                await self._look()
                failures = 0
            except DatabaseError as error:
                failures += 1
                wait = RECONNECT.after(failures)
                log.error("the register cannot be reached, tried again in %.0f s: %s", wait, error)
                await asyncio.sleep(wait)
            except SurveyorError as error:
                log.error("%s", error)

    async def _look(self) -> None:
        self._is_over = self._is_over and not self.arrivals
        await self._after_failure()
        self._taking.wanted += await self._store_arrivals()
        claimed = await self._taking.next(self._holds, len(self.visits))
        try:
            await self._start(claimed)
        except DatabaseError:
            self._taking.wanted += [one.lease.no for one in claimed]
            raise
        await self._end_some()
        has_none = not (self.arrivals or self.visits or self._taking.is_waiting)
        self._is_over = has_none and not await self._taking.goes_on()
        self.session.is_holding = bool(self.visits)
        self._on_news()

    async def _store_arrivals(self) -> list[int]:
        """URLs of domains that are not claimed are safe from here on; returns the domains' numbers."""
        found: dict[str, int] = {}
        while self.arrivals:
            some = self.arrivals[:_ARRIVALS_AT_ONCE]
            async with self.session.workspace.db.write() as tx:
                names = dict.fromkeys(arrival.domain for arrival, _ in some)
                await register.add_batch(tx, [NewDomain(name) for name in names], self._task.origin)
                found |= await store.queue(tx, [arrival for arrival, _ in some], self._task.origin.source)
            del self.arrivals[: len(some)]
            for _, parent in some:
                if parent is not None:
                    parent.let_go()
        return list(found.values())

    async def _start(self, claimed: list[Claimed]) -> None:
        for visit, is_new in await self._leases.open(claimed, self._priority, self._on_news):
            self.visits[visit.domain] = visit
            self._holds[visit.no] = visit.session
            if is_new:
                visit.add(NewUrl(url_key(START), START, 0, RANK_FIRST, None))
            self.committer.join(visit.member)
        if claimed:
            self.committer.flush_soon()

    def _priority(self, no: int, taken: Taken) -> int:
        text = self.parts.frontier.text_of(no, taken.key)
        return 0 if text is None else priority_of(text)

    async def _end_some(self) -> None:
        for visit in list(self.visits.values()):
            if visit.session.is_lost:
                await self._lose(visit)
            elif (outcome := visit.outcome()) is not None:
                await self._end(visit, outcome)

    async def _end(self, visit: ScrapyVisit, outcome: Outcome) -> None:
        self._taking.ended(visit.no, outcome)
        del self.visits[visit.domain]  # from here on URLs of it arrive anew
        visit.give_back()
        await self.committer.commit(visit.member)
        self._forget(visit)
        if visit.session.is_lost:
            await self._leases.let_go(visit)
        else:
            await self._leases.release(visit, outcome)

    async def _lose(self, visit: ScrapyVisit) -> None:
        log.warning("the lease of %s was lost; its URLs are left to its new holder", visit.domain)
        self._taking.wanted.append(visit.no)
        self._forget(visit)
        await self.committer.settled()
        self.parts.frontier.close(visit.no, visit.member.epoch)
        if self.committer.failure is None:
            await self._leases.let_go(visit)

    def _forget(self, visit: ScrapyVisit) -> None:
        visit.forget()
        self.committer.part(visit.member)
        self.visits.pop(visit.domain, None)
        self._holds.pop(visit.no, None)

    async def _after_failure(self) -> None:
        failure = self.committer.failure
        if failure is None:
            return
        log.error("a group was not committed; its domains start again: %s", failure)
        names = [visit.no for visit in self.visits.values()]
        for visit in list(self.visits.values()):
            self._forget(visit)
        await self._leases.abandon()
        self.committer.failure = None
        self._taking.wanted += names
