"""Domains that somebody else holds: freed at once, waited for, or left, by what is known of the holder."""

from __future__ import annotations

from datetime import timedelta
from pathlib import Path

from sqlalchemy import update

from surveyor.contrib.scrapy.waits import Waits
from surveyor.db import Database, now
from surveyor.db.tables import domain_crawl
from surveyor.process.locks import WorkerLock
from surveyor.registry import workers
from tests.support.registry_help import add_domain, claim_one


async def _end_at(db: Database, no: int, seconds: float) -> None:
    """The holder renewed its lease, which ends so many seconds from now."""
    async with db.write() as tx:
        moment = (await tx.execute(now().select())).scalar_one()
        ends = moment + timedelta(seconds=seconds)
        row = update(domain_crawl).where(domain_crawl.c.no == no)
        await tx.execute(row.values(claim_expires_at=ends))


async def test_what_may_be_a_dead_processes_is_waited_for_until_its_lease_ends(db: Database) -> None:
    domain, waits = await add_domain(db, "a.example"), Waits(db)
    await claim_one(db)
    await _end_at(db, domain.no, 100)
    await waits.note([domain.no])
    assert waits and await waits.freed() == []
    await _end_at(db, domain.no, -1)
    assert await waits.freed() == [domain.no] and not waits


async def test_what_is_renewed_or_held_for_long_is_left_to_its_holder(db: Database) -> None:
    renewed, long, free = [await add_domain(db, f"{name}.example") for name in "abc"]
    for _ in range(2):
        await claim_one(db)
    await _end_at(db, renewed.no, 60)
    await _end_at(db, long.no, 1_800)
    waits = Waits(db)
    await waits.note([renewed.no, long.no, free.no])
    await _end_at(db, renewed.no, 90)
    assert await waits.freed() == [] and not waits


async def test_leases_of_a_process_that_died_on_this_machine_are_free_at_once(
    db: Database, tmp_path: Path
) -> None:
    """Also where the database is shared with other machines, of whose processes nothing is known."""
    dead = await add_domain(db, "dead.example")
    lease = await claim_one(db)
    folder = workers.lock_folder(db) or tmp_path
    lock = WorkerLock(folder, lease.worker)
    left = lock.path.read_bytes()
    assert await workers.free_leases_of_the_dead(db, tmp_path) == 0, "it lives"
    lock.close()
    lock.path.write_bytes(left)  # as a kill leaves it
    assert await workers.free_leases_of_the_dead(db, tmp_path) == 1
    assert (await claim_one(db)).no == dead.no
