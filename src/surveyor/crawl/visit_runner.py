"""A visit from its beginning to the release of its domain, whatever ends it.

Domains whose visits end together are given back in one transaction.
"""

from __future__ import annotations

import asyncio
from collections.abc import Sequence

from surveyor import logs
from surveyor.crawl.context import WorkerContext
from surveyor.crawl.detect.ownership import Evidence
from surveyor.crawl.group_writer import UNWRITABLE
from surveyor.crawl.session import Lost
from surveyor.crawl.store import visits as store
from surveyor.crawl.store.visits import Ending
from surveyor.crawl.visit import Visit
from surveyor.errors import DatabaseError, DatabaseUnreachable, LeaseLost
from surveyor.metrics import LEASES_LOST
from surveyor.net.reasons import Reason
from surveyor.process.failpoints import failpoint
from surveyor.process.tasks import MOST_WRITTEN, Batch
from surveyor.registry.store.release import Outcome

# Visits that end within so many seconds are released together. Nobody waits for a release but the next
# claim, and that takes several domains too.
_GAP = 0.02

log = logs.get("crawl")


class VisitRunner:
    """Of one worker. `broken` is the first mistake of ours; the other visits went on.

    `without_network` says that a visit ended because this machine could reach nobody.
    """

    def __init__(self, context: WorkerContext, yields: str) -> None:
        self._context, self._yields = context, yields
        self._endings = Batch(self._release_all, DatabaseUnreachable, _GAP, MOST_WRITTEN)
        self.broken: Exception | None = None
        self.without_network = False

    async def run(self, visit: Visit) -> bool:
        """Run it and leave the domain; False if its lease was lost on the way."""
        outcome: Outcome | None = None
        kept = True
        try:
            outcome = await visit.run()
            self.without_network |= outcome.stopped_by == Reason.NO_NETWORK
        except (Lost, LeaseLost):
            visit.session.member.lose()  # for good, even if a renewal under way should still succeed
            kept = self._lost(visit)
        except asyncio.CancelledError:
            outcome = visit.session.outcomes.interrupted()
        except UNWRITABLE as error:
            outcome = self._broke(visit, error)
        except DatabaseError as error:
            log.error("visit ended by a database error", domain=visit.session.domain, error=str(error))
            if isinstance(error, DatabaseUnreachable):
                self._context.committer.fail(error)  # its domain is let go with the rest
        except Exception as error:
            outcome = self._broke(visit, error)
        finally:
            kept = await self._leave(visit, outcome) and kept
        return kept

    def _broke(self, visit: Visit, error: Exception) -> Outcome:
        """A mistake of ours. The others go on; the run ends with it."""
        log.exception("visit ended by an unexpected error", domain=visit.session.domain)
        self.broken = self.broken or error
        return visit.session.outcomes.broken()

    def _lost(self, visit: Visit) -> bool:
        LEASES_LOST.inc()
        log.info("lease lost", domain=visit.session.domain, epoch=visit.session.lease.epoch)
        return False

    async def _leave(self, visit: Visit, outcome: Outcome | None) -> bool:
        try:
            await self._end(visit, outcome)
        except UNWRITABLE as error:
            return await self._release_broken(visit, error)
        except (DatabaseError, LeaseLost) as error:
            return self._not_released(visit, error)
        except Exception as error:
            return await self._release_broken(visit, error)
        finally:
            self._context.committer.part(visit.session.member)
        return True

    async def _release_broken(self, visit: Visit, error: Exception) -> bool:
        """How it ended cannot be written; that it is left alone for a while can."""
        try:
            await self._release(visit, self._broke(visit, error))
        except (DatabaseError, LeaseLost) as again:
            return self._not_released(visit, again)
        return True

    def _not_released(self, visit: Visit, error: Exception) -> bool:
        log.warning("lease not released", domain=visit.session.domain, error=str(error))
        return self._lost(visit)

    async def _end(self, visit: Visit, outcome: Outcome | None) -> None:
        committer = self._context.committer
        if visit.evidence is not None and not visit.session.is_lost:
            await self._ask_a_person(visit, visit.evidence)
            return
        if outcome is not None and not visit.session.is_lost:
            await committer.settled()
            visit.give_back()
            await committer.commit(visit.session.member)
        committer.part(visit.session.member)
        if visit.session.is_lost:
            await self._let_go(visit)
        elif outcome is not None:
            failpoint("before_release")
            await self._release(visit, outcome)

    async def _release(self, visit: Visit, outcome: Outcome) -> None:
        lease, plan = visit.session.lease, visit.plan
        rest = self._context.frontier.close(lease.no, lease.epoch)
        revisit = plan.revisit_hours * 3600.0
        origin = visit.session.site.origin
        ending = Ending(lease, outcome, f"{origin}/" if origin else None, revisit, plan.images, rest)
        if not await self._endings.ask(ending):
            raise LeaseLost(lease.domain.domain, lease.epoch)
        failpoint("after_release")

    async def _release_all(self, endings: Sequence[Ending]) -> list[bool]:
        async with self._context.db.write() as tx:
            released = await store.end_all(tx, endings, self._yields)
        return [ending.lease.no in released for ending in endings]

    async def _ask_a_person(self, visit: Visit, evidence: Evidence) -> None:
        """The domain seems to be another's: back to review, and nothing more of the visit is stored."""
        context, lease = self._context, visit.session.lease
        context.committer.part(visit.session.member)
        await context.committer.settled()
        said = (visit.held_back, evidence.message, evidence.to_json())
        async with context.db.write() as tx:
            await store.question(tx, context.frontier, lease, context.run_id, *said)
        log.warning(
            "domain put back in review", domain=visit.session.domain, why=evidence.message, seen=evidence.seen
        )

    async def _let_go(self, visit: Visit) -> None:
        """The lease was doubtful, so the visit stopped. Where it holds after all, nobody need wait for it."""
        context = self._context
        await context.committer.settled()
        if context.committer.failure is None:  # otherwise all that we hold is put back together
            async with context.db.write() as tx:
                await store.let_go(tx, context.frontier, visit.session.lease)
