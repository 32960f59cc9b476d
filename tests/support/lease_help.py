"""Short ways around leases: hand-written rows, second doors to one database, processes to kill."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

from sqlalchemy import update

from surveyor.db import Database
from surveyor.db.tables import domain_crawl
from surveyor.registry.leases import Lease
from surveyor.registry.lifecycle import QualityStatus, ReviewStatus
from surveyor.registry.store import changes
from surveyor.registry.store import release as releasing
from surveyor.registry.store.release import Outcome
from surveyor.settings import DatabaseSettings
from tests.support.registry_help import ADMIN


class TurnedClock:
    """A clock that stands still until it is turned."""

    def __init__(self) -> None:
        self.seconds = 1_000.0

    def now(self) -> Any:
        raise AssertionError("a claim must not look at the wall clock of its process")

    def ticks(self) -> float:
        return self.seconds


async def write_crawl(db: Database, no: int, **values: Any) -> None:
    """What somebody with a SQL prompt would do to the worker's row."""
    async with db.write() as tx:
        await tx.execute(update(domain_crawl).where(domain_crawl.c.no == no).values(values))


async def release(
    db: Database, lease: Lease, outcome: Outcome | None = None, yields: str = "records"
) -> None:
    async with db.write() as tx:
        await releasing.release(tx, lease, outcome or Outcome(), yields)


async def suspend(db: Database, no: int) -> None:
    async with db.write() as tx:
        await changes.advance_review(tx, no, ReviewStatus.SUSPENDED, ADMIN)


async def reject(db: Database, no: int) -> None:
    await suspend(db, no)
    async with db.write() as tx:
        await changes.advance_review(tx, no, ReviewStatus.REJECTED, ADMIN, reason="no")


async def back_to_review(db: Database, no: int) -> None:
    async with db.write() as tx:
        await changes.advance_review(tx, no, ReviewStatus.PENDING_REVIEW, ADMIN)


async def blacklist(db: Database, no: int) -> None:
    async with db.write() as tx:
        await changes.advance_quality(tx, no, QualityStatus.BLACKLISTED, ADMIN, reason="scam")


# Every way to end permission.
WITHDRAWALS = (suspend, reject, back_to_review, blacklist)


@asynccontextmanager
async def second_door(url: str) -> AsyncIterator[Database]:
    """Another program on the same database."""
    other = Database.open(DatabaseSettings(url=url), Path())
    try:
        yield other
    finally:
        await other.close()


_HOLDER = """
import asyncio, os, sys, time
from pathlib import Path
from surveyor.db import Database
from surveyor.registry import workers
from surveyor.registry.leases import Claimer
from surveyor.settings import DatabaseSettings

async def hold(url, worker, seconds):
    db = Database.open(DatabaseSettings(url=url), Path())
    lock = await workers.enter(db, worker)
    taken = await Claimer(db, worker, seconds).claim(1)
    await db.close()
    return [lease.no for lease in taken], lock

taken, lock = asyncio.run(hold(sys.argv[1], sys.argv[2], float(sys.argv[3])))
child = 0
if sys.argv[4] == "fork":
    child = os.fork()
    if child == 0:
        os.close(1)
        time.sleep(60)
        os._exit(0)
print(child, *taken, flush=True)
time.sleep(60)
"""


class Holder:
    """A real process that entered as a worker, holds one domain and does nothing more."""

    def __init__(self, url: str, worker: str, seconds: float, *, forks: bool = False) -> None:
        self.process = subprocess.Popen(
            [sys.executable, "-c", _HOLDER, url, worker, str(seconds), "fork" if forks else "alone"],
            stdout=subprocess.PIPE,
        )
        assert self.process.stdout is not None
        child, *taken = self.process.stdout.readline().split()
        self.child, self.taken = int(child), [int(no) for no in taken]

    def kill(self) -> None:
        self.process.kill()
        self.process.wait()
        if self.process.stdout is not None:
            self.process.stdout.close()
