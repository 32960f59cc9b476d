"""Gives domains back, those whose visits end together in one transaction."""

from __future__ import annotations

from collections.abc import Sequence

from surveyor.crawl.store import visits as store
from surveyor.crawl.store.visits import Ending
from surveyor.crawl.visit import Visit
from surveyor.db import Database
from surveyor.errors import DatabaseUnreachable, LeaseLost
from surveyor.frontier.protocol import Frontier
from surveyor.process.batch import Batch
from surveyor.process.failpoints import failpoint
from surveyor.registry.store.release import Outcome

# Visits that end within so many seconds are released together. Nobody waits for a release but the next
# claim, and that takes several domains too.
_GAP = 0.02


class Releases:
    """Of one worker."""

    def __init__(self, db: Database, frontier: Frontier, yields: str) -> None:
        self._db, self._frontier, self._yields = db, frontier, yields
        self._endings = Batch(self._end, DatabaseUnreachable, _GAP)

    async def release(self, visit: Visit, outcome: Outcome) -> None:
        lease, plan = visit.session.lease, visit.plan
        rest = self._frontier.close(lease.no, lease.epoch)
        revisit = plan.revisit_hours * 3600.0
        ending = Ending(lease, outcome, visit.start_url, revisit, plan.images, rest)
        if not await self._endings.ask(ending):
            raise LeaseLost(lease.domain.domain, lease.epoch)
        failpoint("after_release")

    async def _end(self, endings: Sequence[Ending]) -> list[bool]:
        async with self._db.write() as tx:
            released = await store.end_all(tx, endings, self._yields)
        return [ending.lease.no in released for ending in endings]
