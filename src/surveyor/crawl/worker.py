"""The worker process: claims domains, runs their visits side by side, keeps their leases, gives them back.

Errors of the database are errors: a worker that cannot reach it says so and backs off;
it never takes silence for "no work".
"""

from __future__ import annotations

import asyncio
from dataclasses import dataclass, field
from functools import partial
from typing import TYPE_CHECKING

from surveyor import logs
from surveyor.archive import ArchiveError, WarcWriter
from surveyor.backoff import RECONNECT, pause
from surveyor.clock import SystemClock
from surveyor.crawl.claims import Claims, Task
from surveyor.crawl.commit import Committer
from surveyor.crawl.context import DomainOpener, Outside, Wanted, WorkerContext
from surveyor.crawl.group_writer import GroupWriter
from surveyor.crawl.images.commit import ImageCommits
from surveyor.crawl.lease_watch import LeaseWatch
from surveyor.crawl.plan import Plan
from surveyor.crawl.session import SiteSession
from surveyor.crawl.store import visits as visit_store
from surveyor.crawl.visit import Visit
from surveyor.crawl.visit_runner import VisitRunner
from surveyor.db import Database
from surveyor.errors import BackgroundTaskEnded, DatabaseError, DatabaseUnreachable
from surveyor.frontier.protocol import Frontier
from surveyor.frontier.revisits import Schedule
from surveyor.metrics import DOMAINS_CLAIMED, LEASES_HELD, PAGES_FETCHED
from surveyor.names import NameRules
from surveyor.net.fetcher import Fetcher
from surveyor.net.reasons import Reason
from surveyor.net.robots import product_token
from surveyor.net.throttle import AddressLimit
from surveyor.process.resources import keep_heap, raise_file_limit
from surveyor.process.tasks import run_beside
from surveyor.profiles.head import Head
from surveyor.registry import leases, workers
from surveyor.registry.leases import Lease
from surveyor.settings import Settings

if TYPE_CHECKING:  # it loads Pillow
    from surveyor.archive.keeper import ImageKeeper
    from surveyor.render.browser import Renderer

# Between two claims while visits run. Where nothing else was due, what ends is no reason to look: it is not
# due again by that.
_IDLE_SECONDS = 1.0
# Visits end together, as they are released together: what they leave is claimed in one go.
_GATHER_SECONDS = 0.05
# Of Python, while it runs: its session, its connection, its tasks, the rows it is to write.
_OBJECTS_OF_A_VISIT = 200
# What is in flight at the first interrupt has this long to come to an end.
_GRACE_SECONDS = 10.0

log = logs.get("crawl")


@dataclass
class Progress:
    """What a worker has done so far; read by the live view."""

    domains: set[str] = field(default_factory=set)
    claimed: int = 0
    lost: int = 0
    stopped_by: str = "nothing_due"


class CrawlWorker:
    def __init__(
        self,
        db: Database,
        frontier: Frontier,
        fetcher: Fetcher,
        settings: Settings,
        profile: Head,
        rules: NameRules,
        task: Task,
        *,
        schedule: Schedule,
        archive: WarcWriter | None = None,
        images: ImageKeeper | None = None,
    ) -> None:
        self.id = workers.new_worker_id()
        self._db, self._run, self._most = db, task.run_id, settings.crawl.domains_per_worker
        clock = SystemClock()
        self.stopping = asyncio.Event()
        along = profile.policies.approve_assets
        of_images = ImageCommits(task.run_id, approve_assets=along, keeper=images) if images else None
        writer = GroupWriter(
            db, frontier, self.id, task.run_id, clock, archive=archive, images=of_images, schedule=schedule
        )
        self.committer = Committer(writer, settings.crawl, clock)
        self._context = WorkerContext(
            db=db,
            frontier=frontier,
            opener=DomainOpener(db, frontier, task.run_id),
            committer=self.committer,
            outside=Outside(
                fetcher, product_token(settings.net.user_agent), AddressLimit(settings.net.per_address)
            ),
            clock=clock,
            settings=settings.crawl,
            rules=rules,
            run_id=task.run_id,
            stopping=self.stopping,
            wanted=Wanted(
                captures=archive is not None or settings.extract.enabled,
                records=settings.extract.enabled and profile.yields == "records",
                screenshots=archive is not None and settings.render.screenshots,
            ),
            schedule=schedule,
            images=images,
            new_renderer=partial(_new_renderer, settings),
        )
        self._claims = Claims(db, self.id, task, settings.crawl, profile, clock)
        self._runner = VisitRunner(self._context, profile.yields)
        self.sessions: dict[int, SiteSession] = {}
        self._watch = LeaseWatch(db, self.id, self.sessions, settings.crawl, self._claims.sharing, clock)
        self._tasks: set[asyncio.Task[None]] = set()
        self._one_ended, self._all_ended = asyncio.Event(), asyncio.Event()
        self.progress = Progress()

    async def run(self) -> Progress:
        """Work until nothing is due, the run's budget is used up, or somebody stops it."""
        keep_heap(_OBJECTS_OF_A_VISIT * self._most)
        raise_file_limit()
        lock = await workers.enter(self._db, self.id, run_id=self._run)
        background = {
            "committer": self.committer.run(),
            "watch over leases": self._watch.run(),
            "report": self._watch.report(),
        }
        try:
            await run_beside(self._crawl(), background, f"worker {self.id}")
        except BackgroundTaskEnded:
            await self._give_up()
            raise
        finally:
            await self._context.reader.close()
            if self._context.renderer is not None:
                await self._context.renderer.close()
            await workers.leave(self._db, self.id, lock)
        return self.progress

    async def _give_up(self) -> None:
        """Nobody commits or renews any more: visits end as they are, and their domains wait for others."""
        self.stopping.set()
        for session in self.sessions.values():
            session.member.lose()
        for task in self._tasks:
            task.cancel()
        if self._tasks:
            await asyncio.wait(self._tasks, timeout=_GRACE_SECONDS)
        try:
            await self._abandon()
        except DatabaseError as error:
            log.warning("domains not released; their leases expire", error=str(error))

    async def _abandon(self) -> None:
        async with self._db.write() as tx:
            await visit_store.abandon(tx, self._context.frontier, self.id)

    async def _crawl(self) -> None:
        """Claim domains and start their visits until nothing more comes; then let those end that run."""
        failures = 0
        while not self.stopping.is_set():
            self._one_ended.clear()
            self._all_ended.clear()
            try:
                if self.committer.failure is not None:
                    await self._after_failure(self.committer.failure)
                claimed = await self._claims.take(len(self.sessions))
                failures = 0
            except DatabaseUnreachable as error:
                failures += 1
                wait = RECONNECT.after(failures)
                log.error("database error; the worker retries", error=str(error), again_in=wait)
                await pause(self.stopping, wait)
                continue
            for lease, plan in claimed:
                self._start(lease, plan)
            if not claimed and not self.sessions:
                if await self._is_over():
                    break
                await self._claims.until_due(self.stopping)
            elif len(self.sessions) >= self._most:
                await self._until(self._one_ended)
                await pause(self.stopping, _GATHER_SECONDS)
            elif not claimed:
                await self._until(self._all_ended)
        await self._wind_down()
        if self._runner.broken is not None:
            raise self._runner.broken

    def _start(self, lease: Lease, plan: Plan) -> None:
        visit = Visit(self._context, lease, plan)
        self.sessions[lease.no] = visit.session
        self.committer.join(visit.session.member)
        self.progress.claimed += 1
        self.progress.domains.add(lease.domain.domain)
        DOMAINS_CLAIMED.inc()
        LEASES_HELD.set(len(self.sessions))
        task = asyncio.create_task(self._visit(visit))
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)

    async def _visit(self, visit: Visit) -> None:
        try:
            if not await self._runner.run(visit):
                self.progress.lost += 1
        finally:
            self.sessions.pop(visit.session.lease.no, None)
            LEASES_HELD.set(len(self.sessions))
            PAGES_FETCHED.inc(visit.session.outcomes.pages)
            self._one_ended.set()
            if not self.sessions:
                self._all_ended.set()

    async def _is_over(self) -> bool:
        """Nothing to claim and nothing claimed: is the work done, or is there another round?"""
        try:
            if await leases.still_held(self._db, self.id):
                # A visit could not give its domain back. Left alone, it would wait for its lease to run out.
                await self._abandon()
                return False
            why = await self._claims.why_over()
        except DatabaseError:
            return False
        if why == "nothing_due" and self._runner.without_network:
            why = Reason.NO_NETWORK
        self.progress.stopped_by = why or self.progress.stopped_by
        return why is not None

    async def _after_failure(self, failure: DatabaseError | ArchiveError) -> None:
        """A group's fate was unknown: what we hold is put back, to be claimed anew from what is true."""
        log.error("group commit failed", error=str(failure))
        if self._tasks:
            await asyncio.wait(self._tasks)
        await self._abandon()  # first: from here on, to be killed while waiting is no fault of any page
        await self._context.frontier.reach()
        if isinstance(failure, DatabaseUnreachable):
            self.committer.failure = None
        raise failure

    async def _until(self, ended: asyncio.Event) -> None:
        """Wait until visits have ended, or somebody stops, but not longer than between two claims."""
        waits = [asyncio.create_task(event.wait()) for event in (self.stopping, ended)]
        await asyncio.wait(waits, timeout=_IDLE_SECONDS, return_when=asyncio.FIRST_COMPLETED)
        for wait in waits:
            wait.cancel()

    async def _wind_down(self) -> None:
        """Let what is in flight come to its end, then release."""
        if self.stopping.is_set():
            self.progress.stopped_by = "interrupt"
            for session in self.sessions.values():
                session.member.is_to_end.set()
        if self._tasks:
            _, late = await asyncio.wait(self._tasks, timeout=_GRACE_SECONDS)
            for task in late:
                task.cancel()
            if late:
                await asyncio.wait(late, timeout=_GRACE_SECONDS)


def _new_renderer(settings: Settings) -> Renderer | None:
    from surveyor.render.browser import renderer_for  # loaded when the first page needs it

    return renderer_for(settings)
