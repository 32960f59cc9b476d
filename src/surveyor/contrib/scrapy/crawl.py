"""The register behind the scheduler: domains come and go, groups are committed, leases are kept.

Scrapy asks without waiting, the database answers later: URLs of domains that are not in hand gather in
`arrivals`, and one task (`_tend`) does what takes time. `pending` says whether something may still come.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable
from contextlib import AsyncExitStack

from surveyor import bootstrap
from surveyor.archive import WarcWriter
from surveyor.backoff import RECONNECT
from surveyor.clock import SystemClock
from surveyor.contrib.scrapy import store
from surveyor.contrib.scrapy.flags import Flags
from surveyor.contrib.scrapy.leases import Leases
from surveyor.contrib.scrapy.pages import Page
from surveyor.contrib.scrapy.queue import RequestFrontier
from surveyor.contrib.scrapy.requests import priority_of
from surveyor.contrib.scrapy.session import Session
from surveyor.contrib.scrapy.store import Arrival
from surveyor.contrib.scrapy.visit import Hold, ScrapyVisit
from surveyor.crawl.claims import Claimed
from surveyor.crawl.commit import Committer
from surveyor.crawl.group_writer import GroupWriter
from surveyor.crawl.lease_watch import LeaseWatch
from surveyor.crawl.plan import RunOptions
from surveyor.crawl.results import START
from surveyor.errors import DatabaseError, SurveyorError
from surveyor.frontier.changes import RANK_FIRST, NewUrl, Taken
from surveyor.names import url_key
from surveyor.refresh.policy import RefreshPolicy
from surveyor.registry.store import register
from surveyor.registry.store.leases import Work
from surveyor.registry.store.register import NewDomain, Origin
from surveyor.registry.store.release import Outcome

# So often it looks for what ended and what came due, if nobody wakes it (seconds).
_LOOK_SECONDS = 0.5
_ARRIVALS_AT_ONCE = 500
# Pages that were handed out and are not committed; beyond that a kill would repeat too many.
_MOST_UNCOMMITTED = 64

log = logging.getLogger("surveyor.scrapy")


class Crawl:
    """Of one process; `open` it before the first request, `close` it after the last."""

    def __init__(
        self,
        session: Session,
        flags: Flags,
        origin: Origin,
        options: RunOptions,
        work: Work,
        on_news: Callable[[], None],
    ) -> None:
        self.session, self._made = session, (flags, options, work)
        self.arrivals: list[tuple[Arrival, Page | None]] = []
        self.visits: dict[str, ScrapyVisit] = {}
        self._holds: dict[int, Hold] = {}
        self._origin, self._on_news = origin, on_news
        self._stack = AsyncExitStack()
        self._tasks: list[asyncio.Task[None]] = []
        self._wake = asyncio.Event()
        self._is_over = False
        self._short: dict[int, str] = {}  # what stopped domains that would have more of the run

    async def open(self) -> None:
        workspace, session = self.session.workspace, self.session
        inner = await self._stack.enter_async_context(bootstrap.frontier_of(workspace))
        self.frontier = RequestFrontier(inner)
        clock = SystemClock()
        self._leases = Leases(session, *self._made, self.frontier, clock)
        settings = workspace.settings
        archive = None
        if settings.crawl.archive == "warc":
            folder = workspace.archive_folder
            archive = WarcWriter(folder, session.worker, settings.archive.warc_bytes, SystemClock())
            self._stack.callback(archive.close)
        writer = GroupWriter(
            workspace.db,
            self.frontier,
            session.worker,
            session.run,
            clock,
            archive=archive,
            schedule=RefreshPolicy(),
        )
        self.committer = Committer(writer, settings.crawl, clock)
        sharing = self._leases.claims.sharing
        watch = LeaseWatch(workspace.db, session.worker, self._holds, settings.crawl, sharing, clock)
        self._tasks = [
            asyncio.create_task(each) for each in (self.committer.run(), watch.run(), self._tend())
        ]

    async def close(self) -> None:
        """Commit what is there, give every domain back; whoever comes next goes on from here."""
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
        return sum(visit.uncommitted for visit in self.visits.values()) >= _MOST_UNCOMMITTED

    def arrive(self, arrival: Arrival, parent: Page | None) -> None:
        if parent is not None:
            parent.hold()
        self.arrivals.append((arrival, parent))
        self.wake()

    def wake(self) -> None:
        self._is_over = False
        self._wake.set()

    def text_of(self, no: int, key: int) -> str | None:
        return self.frontier.text_of(no, key)

    @property
    def _takes_what_is_due(self) -> bool:
        """Whether the register says which domains are crawled; if not, the spider's requests do."""
        flags, _, work = self._made
        return flags.smart_scheduling or work is Work.REFRESH

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
        numbers = await self._store_arrivals()
        if self._takes_what_is_due:
            await self._start(await self._leases.due(len(self.visits)))
        elif numbers:
            await self._start(await self._leases.named(numbers))
        await self._end_some()
        self._is_over = not self.arrivals and not self.visits and not await self._goes_on()
        self.session.is_holding = bool(self.visits)
        self._on_news()

    async def _store_arrivals(self) -> list[int]:
        """URLs of domains that are not in hand are safe from here on; returns the domains' numbers."""
        found: dict[str, int] = {}
        while self.arrivals:
            some = self.arrivals[:_ARRIVALS_AT_ONCE]
            async with self.session.workspace.db.write() as tx:
                names = dict.fromkeys(arrival.domain for arrival, _ in some)
                await register.add_batch(tx, [NewDomain(name) for name in names], self._origin)
                found |= await store.queue(tx, [arrival for arrival, _ in some])
            del self.arrivals[: len(some)]
            for _, parent in some:
                if parent is not None:
                    parent.let_go()
        return [no for no in found.values() if no not in self._holds]

    async def _start(self, claimed: list[Claimed]) -> None:
        for visit, is_new in await self._leases.open(claimed, self._priority, self._on_news):
            self.visits[visit.domain] = visit
            self._holds[visit.no] = visit.session
            self._short.pop(visit.no, None)
            if is_new:
                visit.add(NewUrl(url_key(START), START, 0, RANK_FIRST, None))
            self.committer.join(visit.member)
        if claimed:
            self.committer.flush_soon()

    def _priority(self, no: int, taken: Taken) -> int:
        text = self.frontier.text_of(no, taken.key)
        return 0 if text is None else priority_of(text)

    async def _end_some(self) -> None:
        for visit in list(self.visits.values()):
            if visit.session.is_lost:
                await self._lose(visit)
            elif (outcome := visit.outcome()) is not None:
                await self._end(visit, outcome)

    async def _end(self, visit: ScrapyVisit, outcome: Outcome) -> None:
        if outcome.stopped_by in ("budget_pages", "budget_run"):
            self._short[visit.no] = outcome.stopped_by
        del self.visits[visit.domain]  # from here on URLs of it arrive anew
        visit.give_back()
        await self.committer.commit(visit.member)
        self._forget(visit)
        if visit.session.is_lost:
            await self._leases.let_go(visit)
        else:
            await self._leases.release(visit, outcome)

    async def _lose(self, visit: ScrapyVisit) -> None:
        log.warning("the lease of %s was lost; what was in hand is left to whoever has it now", visit.domain)
        self._forget(visit)
        await self.committer.settled()
        self.frontier.close(visit.no, visit.member.epoch)
        if self.committer.failure is None:
            await self._leases.let_go(visit)

    def _forget(self, visit: ScrapyVisit) -> None:
        self.committer.part(visit.member)
        self.visits.pop(visit.domain, None)
        self._holds.pop(visit.no, None)

    async def _goes_on(self) -> bool:
        """Nothing is in hand: whether there is another round, or something due."""
        if self._takes_what_is_due:
            return await self._leases.claims.why_over() is None
        if not self._short or not await self._leases.has_more_pages():
            return False
        # Pages came back to the run: first to those that have not had their share of it.
        again = [no for no, why in self._short.items() if why == "budget_run"]
        if not again and await self._leases.next_round():
            again = list(self._short)
        await self._start(await self._leases.named(again) if again else [])
        return bool(self.visits)

    async def _after_failure(self) -> None:
        failure = self.committer.failure
        if failure is None:
            return
        log.error("a group was not committed, its domains begin anew: %s", failure)
        names = [visit.no for visit in self.visits.values()]
        for visit in list(self.visits.values()):
            self._forget(visit)
        await self._leases.abandon()
        self.committer.failure = None
        if names and not self._takes_what_is_due:
            await self._start(await self._leases.named(names))
