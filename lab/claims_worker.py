"""One worker process of the claims lab: claims, renews, releases, and tries what must be refused."""

from __future__ import annotations

import asyncio
import json
import random
import sys
from dataclasses import asdict, dataclass
from datetime import datetime, timedelta
from pathlib import Path

from sqlalchemy import select, update
from sqlalchemy.ext.asyncio import AsyncConnection

from lab.claim_log import ClaimLog, microseconds
from surveyor.db import Database, now
from surveyor.db.tables import domain_crawl
from surveyor.errors import LeaseLost
from surveyor.registry import workers
from surveyor.registry.leases import Claimer, Lease, renew
from surveyor.registry.lifecycle import CrawlStatus
from surveyor.registry.store import leases as lease_store
from surveyor.registry.store.release import Outcome, release
from surveyor.settings import DatabaseSettings

MOST_AT_ONCE = 10
RENEWED = 0.2  # of the batches
LOOKED_FOR_DEAD = 0.05  # of the rounds
EMPTY_SECONDS = 0.01
REMEMBERED = 20  # old leases a worker keeps for its stale writes


@dataclass(frozen=True, slots=True)
class Orders:
    name: str
    url: str
    folder: str
    seed: int
    lease_seconds: float
    stale_every: int

    def text(self) -> str:
        return json.dumps(asdict(self))

    @property
    def ledger(self) -> Path:
        return Path(self.folder) / f"{self.name}.ledger"

    @property
    def stop(self) -> Path:
        return Path(self.folder) / "stop"


class Hand:
    """One worker at work."""

    def __init__(self, orders: Orders) -> None:
        self.orders = orders
        self.db = Database.open(DatabaseSettings(url=orders.url, pool_size=2), Path())
        self.claimer = Claimer(self.db, orders.name, orders.lease_seconds)
        self.ledger = ClaimLog(orders.ledger)
        self.random = random.Random(orders.seed)
        self.old: list[Lease] = []
        self.released = 0

    async def work(self) -> None:
        lock = await workers.enter(self.db, self.orders.name)
        try:
            while not self.orders.stop.exists():
                await self.round()
            await workers.leave(self.db, self.orders.name, lock)
        finally:
            await self.db.close()

    async def round(self) -> None:
        if self.random.random() < LOOKED_FOR_DEAD:
            await workers.free_leases_of_the_dead(self.db)
        taken = await self.claim()
        if not taken:
            await asyncio.sleep(EMPTY_SECONDS)
            return
        if self.random.random() < RENEWED:
            await self.renew(taken)
        async with self.db.write() as tx:
            for lease in taken:
                await self.give_back(tx, lease)
        self.ledger.flush()

    async def claim(self) -> list[Lease]:
        asked = self.random.randint(1, MOST_AT_ONCE)
        taken = await self.claimer.claim(asked)
        self.ledger.say("asked", asked, len(taken))
        for lease in taken:
            since = lease.expires_at - timedelta(seconds=self.orders.lease_seconds)
            times = (microseconds(since), microseconds(lease.expires_at))
            self.ledger.say("took", lease.no, lease.epoch, *times)
        self.ledger.flush()
        return taken

    async def renew(self, taken: list[Lease]) -> None:
        async with self.db.read() as tx:
            before = await _clock(tx)  # the new end is at least so late
        kept = await renew(self.db, self.orders.name, taken, self.orders.lease_seconds)
        async with self.db.read() as tx:
            after = await _clock(tx)
        end = microseconds(before + timedelta(seconds=self.orders.lease_seconds))
        for lease in taken:
            if lease.no in kept:
                self.ledger.say("kept", lease.no, lease.epoch, end)
            else:
                self.ledger.say("lost", lease.no, lease.epoch, microseconds(after))
        self.ledger.flush()

    async def give_back(self, tx: AsyncConnection, lease: Lease) -> None:
        """Act up to the last moment, then release; now and then try what an old epoch must not do."""
        self.ledger.say("stopped", lease.no, lease.epoch, microseconds(await _clock(tx)))
        try:
            await release(tx, lease, self._outcome(lease), "records")
        except LeaseLost:
            self.ledger.say("lost", lease.no, lease.epoch, microseconds(await _clock(tx)))
        self.released += 1
        if self.released % self.orders.stale_every == 0:
            self.old = [*self.old, lease][-REMEMBERED:]
            await self.try_stale(tx, self.random.choice(self.old))

    def _outcome(self, lease: Lease) -> Outcome:
        if self.random.random() < 0.2:  # rests in the index of what comes due, and is due already
            return Outcome(status=CrawlStatus.EXHAUSTED, next_visit_at=lease.domain.created_at)
        return Outcome(status=CrawlStatus.ACTIVE, counts={"pages_crawled": 1})

    async def try_stale(self, tx: AsyncConnection, lease: Lease) -> None:
        renewed = await lease_store.renew(tx, lease.worker, {lease.no: lease.epoch}, 600)
        guard = lease_store.held(lease.no, lease.worker, lease.epoch)
        written = await tx.execute(update(domain_crawl).where(guard).values(run_pages=-1))
        accepted = len(renewed) + written.rowcount
        try:
            await release(tx, lease, Outcome(), "records")
            accepted += 1
        except LeaseLost:
            pass
        self.ledger.say("stale", 3, accepted)


async def _clock(tx: AsyncConnection) -> datetime:
    moment: datetime = (await tx.execute(select(now()))).scalar_one()
    return moment


if __name__ == "__main__":
    asyncio.run(Hand(Orders(**json.loads(sys.argv[1]))).work())
