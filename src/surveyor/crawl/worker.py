"""The worker process: claims domains, runs their visits side by side, keeps their leases, gives them back.

Errors of the database are errors: a worker that cannot reach it says so and backs off;
it never takes silence for "no work".
"""

from __future__ import annotations

import asyncio
from dataclasses import dataclass, field
from typing import TYPE_CHECKING
from uuid import UUID

from surveyor import logs
from surveyor.archive import WarcWriter
from surveyor.backoff import RECONNECT, pause
from surveyor.clock import Clock, SystemClock
from surveyor.crawl.commit import Committer
from surveyor.crawl.context import Gate, WorkerContext
from surveyor.crawl.detect.ownership import Evidence
from surveyor.crawl.images.commit import ImageCommits
from surveyor.crawl.plan import RunOptions, plan_for
from surveyor.crawl.quarantine import UNWRITABLE
from surveyor.crawl.session import Lost
from surveyor.crawl.sharing import Sharing
from surveyor.crawl.store import runs
from surveyor.crawl.store import visits as visit_store
from surveyor.crawl.visit import Visit
from surveyor.db import Database
from surveyor.errors import BackgroundTaskEnded, DatabaseError, DatabaseUnreachable, LeaseLost
from surveyor.frontier.protocol import Frontier
from surveyor.frontier.revisits import Schedule
from surveyor.metrics import DOMAINS_CLAIMED, LEASES_HELD, LEASES_LOST, PAGES_FETCHED
from surveyor.names import NameRules
from surveyor.net.fetcher import Fetcher
from surveyor.net.robots import product_token
from surveyor.net.throttle import AddressLimit
from surveyor.process.background import run_beside
from surveyor.process.failpoints import failpoint
from surveyor.process.memory import keep_heap
from surveyor.profiles import Profile
from surveyor.registry import leases, workers
from surveyor.registry.leases import Claimer, Lease
from surveyor.registry.store.leases import ClaimFilter, Work
from surveyor.registry.store.release import Outcome
from surveyor.render.browser import renderer_for
from surveyor.settings import Settings

if TYPE_CHECKING:  # it loads Pillow
    from surveyor.archive.keeper import ImageKeeper

# Domains per claim: enough to fill up quickly, few enough to leave some for others.
_CLAIM_BATCH = 20
_IDLE_SECONDS = 0.5
# Leases are looked at this often, or as often as the shortest delay, so that a withdrawal
# stops a domain within one request (seconds).
_WATCH_MOST, _WATCH_LEAST = 1.0, 0.05
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
        profile: Profile,
        rules: NameRules,
        run_id: UUID,
        options: RunOptions,
        *,
        schedule: Schedule,
        work: Work = Work.CRAWL,
        archive: WarcWriter | None = None,
        images: ImageKeeper | None = None,
        only: tuple[int, ...] | None = None,
        continuous: bool = False,
        clock: Clock | None = None,
    ) -> None:
        self.id = workers.new_worker_id()
        self._db, self._settings, self._profile = db, settings, profile
        self._run, self._options, self._only, self._continuous = run_id, options, only, continuous
        self._work = work
        self._clock = clock or SystemClock()
        self.stopping = asyncio.Event()
        of_images = ImageCommits(run_id, approve_assets=profile.policies.approve_assets) if images else None
        self.committer = Committer(
            db, frontier, self.id, run_id, settings.crawl, archive, self._clock, of_images, schedule
        )
        self._context = WorkerContext(
            db=db,
            fetcher=fetcher,
            frontier=frontier,
            committer=self.committer,
            addresses=AddressLimit(settings.net.per_address),
            gate=Gate(),
            clock=self._clock,
            settings=settings.crawl,
            rules=rules,
            agent=product_token(settings.net.user_agent),
            run_id=run_id,
            stopping=self.stopping,
            keep_captures=archive is not None or settings.extract.enabled,
            schedule=schedule,
            expects_records=settings.extract.enabled and profile.yields == "records",
            images=images,
            renderer=renderer_for(settings),
        )
        self._claimer = Claimer(db, self.id, settings.crawl.lease_seconds, self._clock)
        self._sharing = Sharing(db, self.id, self._clock)
        self.visits: dict[int, Visit] = {}
        self._tasks: set[asyncio.Task[None]] = set()
        self._broken: Exception | None = None  # the first mistake of ours; the others went on
        self.progress = Progress()

    async def run(self) -> Progress:
        """Work until nothing is due, the run's budget is used up, or somebody stops it."""
        keep_heap()
        lock = await workers.enter(self._db, self.id, run_id=self._run)
        background = {
            "committer": self.committer.run(),
            "watch over leases": self._watch(),
            "report": self._report(),
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

    async def _crawl(self) -> None:
        await self._claim_and_visit()
        await self._wind_down()
        if self._broken is not None:
            raise self._broken

    async def _give_up(self) -> None:
        """Nobody commits or renews any more: visits end as they are, and their domains wait for others."""
        self.stopping.set()
        for visit in self.visits.values():
            visit.lose()
        for task in self._tasks:
            task.cancel()
        if self._tasks:
            await asyncio.wait(self._tasks, timeout=_GRACE_SECONDS)
        try:
            async with self._db.write() as tx:
                await visit_store.abandon(tx, self._context.frontier, self.id)
        except DatabaseError as error:
            log.warning("domains not given back; their leases run out", error=str(error))

    # -- claiming

    async def _claim_and_visit(self) -> None:
        failures = 0
        while not self.stopping.is_set():
            try:
                await self._after_failure()
                claimed = await self._claim()
                failures = 0
            except DatabaseUnreachable as error:
                failures += 1
                wait = RECONNECT.after(failures)
                log.error("database", error=str(error), again_in=wait)
                await pause(self.stopping, wait)
                continue
            if not claimed and not self.visits:
                if await self._is_over():
                    return
                await pause(self.stopping, _IDLE_SECONDS)
            elif len(self.visits) >= self._settings.crawl.domains_per_worker or not claimed:
                await self._until_one_ends()

    async def _claim(self) -> int:
        room = self._settings.crawl.domains_per_worker - len(self.visits)
        if room <= 0:
            return 0
        await workers.free_leases_of_the_dead(self._db)
        async with self._db.read() as tx:
            run = await runs.get(tx, self._run)
        if run.max_pages is not None and run.pages_reserved >= run.max_pages:
            return 0
        wanted = self._wanted(run.share)
        room = await self._sharing.room(len(self.visits), min(room, _CLAIM_BATCH), wanted)
        taken = await self._claimer.claim(room, wanted)
        if taken:
            await self._sharing.got_some()
        failpoint("after_claim")
        for lease in taken:
            self._start(lease, run.share)
        return len(taken)

    def _wanted(self, share: int | None) -> ClaimFilter:
        return ClaimFilter(
            domain_numbers=self._only,
            run_id=self._run,
            run_pages=self._options.max_pages_per_domain,
            run_pages_default=self._profile.limits.max_pages_per_run,
            run_share=share,
            run_bytes=self._settings.crawl.max_bytes_per_run,
            run_seconds=self._settings.crawl.max_seconds_per_run,
            work=self._work,
        )

    def _start(self, lease: Lease, share: int | None) -> None:
        plan = plan_for(lease.domain, self._options, self._settings.crawl, self._profile)
        if share is not None and share < plan.pages:
            plan = plan.with_pages(share)
        visit = Visit(self._context, lease, plan)
        self.visits[visit.no] = visit
        self.committer.join(visit)
        self.progress.claimed += 1
        self.progress.domains.add(lease.domain.domain)
        DOMAINS_CLAIMED.inc()
        LEASES_HELD.set(len(self.visits))
        task = asyncio.create_task(self._visit(visit))
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)

    async def _is_over(self) -> bool:
        """Nothing to claim and nothing in hand: is the work done, or is there another round?"""
        try:
            if await leases.still_held(self._db, self.id):
                # A visit could not give its domain back. Left alone, it would wait for its lease to run out.
                async with self._db.write() as tx:
                    await visit_store.abandon(tx, self._context.frontier, self.id)
                return False
            async with self._db.write() as tx:
                if await runs.next_round(tx, self._run):
                    return False
                run = await runs.get(tx, self._run)
            if run.max_pages is not None and run.pages_reserved >= run.max_pages:
                self.progress.stopped_by = "budget_run"
                return True
            # A row that a transaction still holds was passed over; that is not the end.
            wanted = self._wanted(run.share)
            if await self._claimer.is_anything_due(wanted) or await self._sharing.may_get_some(wanted):
                return False
            return not self._continuous
        except DatabaseError:
            return False

    async def _after_failure(self) -> None:
        """A group's fate was unknown: what we hold is put back, to be claimed anew from what is true."""
        if self.committer.failure is None:
            return
        failure = self.committer.failure
        log.error("group not committed", error=str(failure))
        if self._tasks:
            await asyncio.wait(self._tasks)
        async with self._db.write() as tx:
            await visit_store.abandon(tx, self._context.frontier, self.id)
        if isinstance(failure, DatabaseUnreachable):
            self.committer.failure = None
        raise failure

    async def _until_one_ends(self) -> None:
        if self._tasks:
            stop = asyncio.create_task(self.stopping.wait())
            await asyncio.wait(
                {*self._tasks, stop}, timeout=_IDLE_SECONDS, return_when=asyncio.FIRST_COMPLETED
            )
            stop.cancel()

    # -- one visit from claim to release

    async def _visit(self, visit: Visit) -> None:
        outcome: Outcome | None = None
        try:
            outcome = await visit.run()
        except (Lost, LeaseLost):
            visit.lose()  # for good, even if a renewal under way should still succeed
            self._note_lost(visit)
        except asyncio.CancelledError:
            outcome = visit.session.outcomes.interrupted()
        except UNWRITABLE as error:
            outcome = self._broke(visit, error)
        except DatabaseError as error:
            log.error("database", domain=visit.session.domain, error=str(error))
            if isinstance(error, DatabaseUnreachable):
                self.committer.fail(error)  # its domain is let go with the rest
        except Exception as error:
            outcome = self._broke(visit, error)
        finally:
            await self._leave(visit, outcome)

    def _broke(self, visit: Visit, error: Exception) -> Outcome:
        """A mistake of ours. The others go on; the run ends with it."""
        log.exception("a visit broke", domain=visit.session.domain)
        self._broken = self._broken or error
        return visit.session.outcomes.broken()

    async def _leave(self, visit: Visit, outcome: Outcome | None) -> None:
        try:
            await self._end(visit, outcome)
        except UNWRITABLE as error:
            await self._release_broken(visit, error)
        except (DatabaseError, LeaseLost) as error:
            log.warning("not released", domain=visit.session.domain, error=str(error))
            self._note_lost(visit)
        except Exception as error:
            await self._release_broken(visit, error)
        finally:
            self.committer.part(visit)
            self.visits.pop(visit.no, None)
            LEASES_HELD.set(len(self.visits))
            PAGES_FETCHED.inc(visit.pages)

    async def _release_broken(self, visit: Visit, error: Exception) -> None:
        """How it ended cannot be written; that it is left alone for a while can."""
        try:
            await self._release(visit, self._broke(visit, error))
        except (DatabaseError, LeaseLost) as again:
            log.warning("not released", domain=visit.session.domain, error=str(again))
            self._note_lost(visit)

    async def _end(self, visit: Visit, outcome: Outcome | None) -> None:
        if visit.evidence is not None and not visit.session.is_lost:
            await self._ask_a_person(visit, visit.evidence)
            return
        if outcome is not None and not visit.session.is_lost:
            await self.committer.settled()
            visit.give_back()
            await self.committer.commit(visit)
        self.committer.part(visit)
        if visit.session.is_lost:
            await self._let_go(visit)
        elif outcome is not None:
            failpoint("before_release")
            await self._release(visit, outcome)

    async def _release(self, visit: Visit, outcome: Outcome) -> None:
        async with self._db.write() as tx:
            await visit_store.end(
                tx,
                self._context.frontier,
                visit.session.lease,
                outcome,
                self._profile.yields,
                visit.start_url,
                revisit_seconds=visit.plan.revisit_hours * 3600.0,
                wants_images=visit.plan.images,
            )
        failpoint("after_release")

    async def _ask_a_person(self, visit: Visit, evidence: Evidence) -> None:
        """The domain seems to be another's: back to review, and nothing more of the visit is stored."""
        self.committer.part(visit)
        await self.committer.settled()
        fetched = visit.held_back
        async with self._db.write() as tx:
            await visit_store.question(
                tx,
                self._context.frontier,
                visit.session.lease,
                self._run,
                fetched,
                evidence.message,
                evidence.to_json(),
            )
        log.warning("back in review", domain=visit.session.domain, why=evidence.message, seen=evidence.seen)

    async def _let_go(self, visit: Visit) -> None:
        """The lease was doubtful, so the visit stopped. Where it holds after all, nobody need wait for it."""
        await self.committer.settled()
        if self.committer.failure is None:  # otherwise all that we hold is put back together
            async with self._db.write() as tx:
                await visit_store.let_go(tx, self._context.frontier, visit.session.lease)

    def _note_lost(self, visit: Visit) -> None:
        self.progress.lost += 1
        LEASES_LOST.inc()
        log.info("lease lost", domain=visit.session.domain, epoch=visit.epoch)

    async def _wind_down(self) -> None:
        """Let what is in flight come to its end, then release."""
        if self.stopping.is_set():
            self.progress.stopped_by = "interrupt"
            for visit in self.visits.values():
                visit.session.wake()
        if self._tasks:
            _, late = await asyncio.wait(self._tasks, timeout=_GRACE_SECONDS)
            for task in late:
                task.cancel()
            if late:
                await asyncio.wait(late, timeout=_GRACE_SECONDS)

    # -- keeping the leases

    async def _watch(self) -> None:
        """See withdrawals within a request, and renew in time."""
        renewed = shared = self._clock.ticks()
        while True:
            shortest = min(
                (visit.session.pace.delay for visit in list(self.visits.values())), default=_WATCH_MOST
            )
            await asyncio.sleep(min(_WATCH_MOST, max(_WATCH_LEAST, shortest / 2)))
            if not self.visits:
                renewed = self._clock.ticks()
                continue
            try:
                due = self._clock.ticks() - renewed >= self._settings.crawl.renew_seconds
                await (self._renew() if due else self._look())
                renewed = self._clock.ticks() if due else renewed
                shared = await self._share(shared)
            except DatabaseError as error:
                # Each visit stops by itself when its lease may have run out.
                log.warning("leases not seen", error=str(error))

    async def _share(self, last: float) -> float:
        """Give some domains back, once a second at most, if others have none; returns when it was looked."""
        if self._clock.ticks() - last < _WATCH_MOST:
            return last
        mine = [visit for visit in self.visits.values() if not visit.session.is_handed_over]
        surplus = await self._sharing.surplus(len(mine))
        for visit in sorted(mine, key=lambda visit: visit.pages)[:surplus]:
            visit.session.hand_over()
        return self._clock.ticks()

    async def _look(self) -> None:
        visits = list(self.visits.values())
        held = await leases.still_held(self._db, self.id)
        for visit in visits:
            if held.get(visit.no) != visit.epoch:
                visit.lose()

    async def _renew(self) -> None:
        visits, asked_at = list(self.visits.values()), self._clock.ticks()
        kept = await leases.renew(
            self._db, self.id, [visit.session.lease for visit in visits], self._settings.crawl.lease_seconds
        )
        for visit in visits:
            if visit.no in kept:
                visit.session.renewed(asked_at)
            else:
                visit.lose()

    async def _report(self) -> None:
        while True:
            await asyncio.sleep(workers.REPORT_SECONDS)
            try:
                await workers.report(self._db, self.id, holding=bool(self.visits))
            except DatabaseError as error:
                log.warning("not reported", error=str(error))
