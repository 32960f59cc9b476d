"""Runs whose workers were killed are closed by the next one that ends, and no other is."""

from __future__ import annotations

from typing import Any
from uuid import UUID

import pytest
from sqlalchemy import update

from surveyor.crawl import service
from surveyor.crawl.plan import RunOptions
from surveyor.crawl.store import runs
from surveyor.db import Database, later
from surveyor.db.tables import crawl_runs
from surveyor.db.tables import workers as worker_table
from surveyor.registry import workers
from tests.support.registry_help import ADMIN

LONG_AGO = -301.0  # seconds


async def _start(db: Database, *, continuous: bool = False) -> UUID:
    return await service.start_run(db, ADMIN, RunOptions(), continuous=continuous)


async def _ended(db: Database, run: UUID) -> str | None:
    async with db.read() as tx:
        found = await runs.get(tx, run)
    assert (found.ended_at is None) == (found.stopped_by is None)
    return found.stopped_by


async def _began_long_ago(db: Database, run: UUID) -> None:
    async with db.write() as tx:
        await tx.execute(update(crawl_runs).where(crawl_runs.c.id == run).values(started_at=later(LONG_AGO)))


async def _worker(db: Database, name: str, **values: Any) -> None:
    async with db.write() as tx:
        await tx.execute(update(worker_table).where(worker_table.c.id == name).values(values))


async def test_a_run_whose_worker_stopped_without_ending_it_is_closed_by_the_next_that_ends(
    db: Database,
) -> None:
    killed, next_one = await _start(db), await _start(db)
    lock = await workers.enter(db, "killed", run_id=killed)
    await workers.leave(db, "killed", lock)
    done = await service.finish_run(db, next_one, "nothing_due")
    assert done.stopped_by == "nothing_due"
    assert await _ended(db, killed) == "abandoned"


async def test_a_run_whose_worker_was_not_heard_of_for_minutes_is_closed(db: Database) -> None:
    run = await _start(db)
    lock = await workers.enter(db, "far away", run_id=run)
    await _began_long_ago(db, run)
    assert await service.cleanup_runs(db) == 0, "its worker reports"
    await _worker(db, "far away", last_seen_at=later(LONG_AGO))
    assert await service.cleanup_runs(db) == 1
    assert await _ended(db, run) == "abandoned"
    await workers.leave(db, "far away", lock)


async def test_a_worker_that_only_slept_ends_its_run_itself(db: Database) -> None:
    run = await _start(db)
    lock = await workers.enter(db, "sleeper", run_id=run)
    await _worker(db, "sleeper", last_seen_at=later(LONG_AGO))
    assert await service.cleanup_runs(db) == 1
    await workers.leave(db, "sleeper", lock)
    assert (await service.finish_run(db, run, "nothing_due")).stopped_by == "nothing_due"
    assert (await service.finish_run(db, run, "interrupt")).stopped_by == "nothing_due", "it ends once"


@pytest.mark.parametrize(("is_old", "closed"), [(False, 0), (True, 1)], ids=["just begun", "minutes ago"])
async def test_a_run_without_a_worker_is_waited_for_and_then_closed(
    db: Database, is_old: bool, closed: int
) -> None:
    run = await _start(db)
    if is_old:
        await _began_long_ago(db, run)
    assert await service.cleanup_runs(db) == closed


async def test_one_worker_at_work_keeps_the_run_of_many(db: Database) -> None:
    run = await _start(db)
    gone, lock = [await workers.enter(db, name, run_id=run) for name in ("gone", "here")]
    await workers.leave(db, "gone", gone)
    assert await service.cleanup_runs(db) == 0
    await workers.leave(db, "here", lock)


async def test_the_run_of_the_day_is_never_closed_for_its_workers(db: Database) -> None:
    run = await _start(db, continuous=True)
    await _began_long_ago(db, run)
    assert await service.cleanup_runs(db) == 0
