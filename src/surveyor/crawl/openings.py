"""Opens domains under their leases, those that are claimed together in one transaction."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple
from uuid import UUID

from surveyor.crawl.store import visits as store
from surveyor.crawl.store.visits import Begun
from surveyor.db import Database
from surveyor.errors import DatabaseUnreachable, LeaseLost
from surveyor.frontier import reconcile
from surveyor.frontier.protocol import Frontier
from surveyor.frontier.reconcile import Standing
from surveyor.net.robots import RobotsRow
from surveyor.process.tasks import Batch
from surveyor.registry.leases import Lease


class OpenRequest(NamedTuple):
    lease: Lease
    origins: Sequence[str]  # where the site may be reached, the likeliest first


class Opening(NamedTuple):
    begun: Begun
    robots: RobotsRow | None  # of the first origin of which something is known


class Openings:
    """Of one worker."""

    def __init__(self, db: Database, frontier: Frontier, run_id: UUID) -> None:
        self._db, self._frontier, self._run = db, frontier, run_id
        self._standings = Batch(self._read_standings, DatabaseUnreachable)
        self._begun = Batch(self._begin, DatabaseUnreachable)

    async def open(self, lease: Lease, origins: Sequence[str]) -> Opening:
        """Raises `LeaseLost` where the lease does not hold any more, or the domain is gone with it."""
        standing = await self._standings.ask(lease)
        if standing is not None:
            await self._frontier.prepare(self._db, lease.no, lease.epoch, standing)
            opening = await self._begun.ask(OpenRequest(lease, origins))
            if opening is not None:
                return opening
        raise LeaseLost(lease.domain.domain, lease.epoch)

    async def _read_standings(self, leases: Sequence[Lease]) -> list[Standing | None]:
        async with self._db.read() as tx:
            found = await reconcile.standings(tx, [lease.no for lease in leases])
        return [found.get(lease.no) for lease in leases]

    async def _begin(self, asked: Sequence[OpenRequest]) -> list[Opening | None]:
        async with self._db.write() as tx:
            begun = await store.begin_all(tx, self._frontier, [each.lease for each in asked], self._run)
            robots = await store.robots_of(tx, [origin for each in asked for origin in each.origins])
        return [
            Opening(begun[lease.no], next((robots[origin] for origin in origins if origin in robots), None))
            if lease.no in begun
            else None
            for lease, origins in asked
        ]
