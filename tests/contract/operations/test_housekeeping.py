"""Housekeeping on both engines: what is too old goes, what is needed stays."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from uuid import UUID

from sqlalchemy import func, insert, select

from surveyor.db import Database
from surveyor.db.tables import crawl_log, page_snapshots, record_sources, workers
from surveyor.operations import queries, store
from surveyor.operations.housekeeping import Tidied, tidy_up
from surveyor.process.supervisor import PartState
from surveyor.profiles import loader
from surveyor.settings import KeepSettings

RUN = UUID(int=1)


async def _log(db: Database, days_ago: float, count: int = 1) -> None:
    at = datetime.now(UTC) - timedelta(days=days_ago)
    row = {"run_id": RUN, "domain_no": 1, "url": "https://a.example/", "bytes": 1, "ms": 1}
    async with db.write() as tx:
        rows = [row | {"fetched_at": at, "lease_epoch": 1, "images_found": 0} for _ in range(count)]
        await tx.execute(insert(crawl_log), rows)


async def _ages(db: Database) -> list[int]:
    async with db.read() as tx:
        found = (await tx.execute(select(crawl_log.c.fetched_at).order_by(crawl_log.c.id))).scalars()
        return [(datetime.now(UTC) - at).days for at in found]


async def test_old_requests_go_and_later_ones_stay(db: Database) -> None:
    await _log(db, 40, 3)
    await _log(db, 20)
    await _log(db, 35)  # a clock went back: it is behind a newer one
    await _log(db, 1, 2)
    done = await tidy_up(db, loader.load("funding"), KeepSettings(log_days=30))
    assert await _ages(db) == [20, 1, 1]
    assert done == Tidied(log_rows=4)
    assert done.summary() == "4 log rows"
    assert await tidy_up(db, loader.load("funding"), KeepSettings(log_days=30)) == Tidied()


async def test_many_old_requests_go_in_several_steps(db: Database) -> None:
    await _log(db, 400, 4_500)
    await _log(db, 1)
    done = await tidy_up(db, loader.load("funding"), KeepSettings())
    assert (done.log_rows, await _ages(db)) == (4_500, [1])


async def test_workers_that_stopped_long_ago_are_forgotten(db: Database) -> None:
    moment = datetime.now(UTC)
    row = {"kind": "claiming", "host": "a", "pid": 1, "program_version": "1"}
    async with db.write() as tx:
        for name, stopped in (("old", 31), ("young", 29), ("working", None)):
            ended = None if stopped is None else moment - timedelta(days=stopped)
            times = {"started_at": moment - timedelta(days=60), "last_seen_at": moment, "stopped_at": ended}
            await tx.execute(insert(workers).values(id=name, **row, **times))
    assert (await tidy_up(db, loader.load("funding"), KeepSettings())).workers == 1
    async with db.read() as tx:
        assert (await tx.execute(select(func.count()).select_from(workers))).scalar_one() == 2


async def test_a_part_has_one_row_and_nobody_looking_after_it_is_seen(db: Database) -> None:
    async with db.write() as tx:
        await store.write_part(tx, db.dialect_name, "mill", "crawl", PartState.RUNNING, pid=7)
        await store.write_part(tx, db.dialect_name, "mill", "crawl", PartState.WAITING, restarts=1, note="x")
        await store.write_part(tx, db.dialect_name, "mill", "web", PartState.IDLE)
        old = datetime.now(UTC) - timedelta(minutes=5)
        await store.write_part(tx, db.dialect_name, "tower", "crawl", PartState.RUNNING, pid=8, seen_at=old)
    lines = [(one.machine, one.name, one.message, one.pid, one.restarts) for one in await queries.parts(db)]
    assert lines == [
        ("mill", "crawl", "waiting", None, 1),
        ("mill", "web", "idle", None, 0),
        ("tower", "crawl", "not looked after", 8, 0),
    ]
    async with db.write() as tx:
        await store.drop_others(tx, "mill", ["web"])
    assert [(one.machine, one.name) for one in await queries.parts(db)] == [
        ("mill", "web"),
        ("tower", "crawl"),
    ]


async def _version(db: Database, key: int, days_ago: float, **more: object) -> int:
    at = datetime.now(UTC) - timedelta(days=days_ago)
    content = f"{key} {days_ago}".encode()
    row = {"domain_no": 1, "key": key, "content_hash": content, "bytes": 1, "first_seen_at": at}
    async with db.write() as tx:
        query = insert(page_snapshots).values(**row, last_seen_at=at, **more).returning(page_snapshots.c.id)
        return int((await tx.execute(query)).scalar_one())


async def test_versions_that_newer_ones_replaced_go_unless_something_stands_on_them(db: Database) -> None:
    replaced, with_record = await _version(db, 1, 500), await _version(db, 2, 500)
    alone = await _version(db, 3, 500)
    base = await _version(db, 4, 500)
    await _version(db, 4, 450, extract_state="unchanged", unchanged_since=base)
    young = [await _version(db, key, 100) for key in (1, 2, 4)]
    seen = datetime.now(UTC)
    times = {"first_seen_at": seen, "seen_at": seen}
    source = {"record_id": RUN, "domain_no": 1, "key": 2, "fields": {}, **times}
    async with db.write() as tx:
        await tx.execute(insert(record_sources).values(snapshot_id=with_record, **source))
    done = await tidy_up(db, loader.load("funding"), KeepSettings(version_days=365))
    async with db.read() as tx:
        left = list((await tx.execute(select(page_snapshots.c.id).order_by(page_snapshots.c.id))).scalars())
    assert done.versions == 2, "the replaced one, and the folded one"
    assert replaced not in left and left == [with_record, alone, base, *young]
    assert (await tidy_up(db, loader.load("funding"), KeepSettings(version_days=1))).versions == 0, "today"
