"""URLs in several tables: a register moves there and back and loses nothing. PostgreSQL alone has them."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from sqlalchemy import func, insert, select, text

from surveyor import doctor
from surveyor.db import Database, partitions, schema
from surveyor.db.tables import page_links, pages
from surveyor.errors import DatabaseError, RefusedByDatabase, UsageError
from surveyor.settings import DatabaseSettings
from tests.contract.db.test_schema import shape

on_postgresql = pytest.mark.parametrize("engine_name", ["postgresql"])


def _page(domain: int, key: int) -> dict[str, Any]:
    return {
        "domain_no": domain,
        "key": key,
        "target": f"/{key}",
        "state": "waiting",
        "depth": 1,
        "rank": 500,
        "seq": key,
    }


async def _fill(db: Database) -> None:
    async with db.write() as tx:
        await tx.execute(insert(pages), [_page(domain, key) for domain in range(40) for key in range(5)])
        await tx.execute(insert(page_links), [{"domain_no": no, "key": 1, "links": b"x"} for no in range(40)])


async def _rows(db: Database) -> list[Any]:
    async with db.read() as tx:
        return [
            (await tx.execute(select(table).order_by(*table.primary_key))).all()
            for table in (pages, page_links)
        ]


@on_postgresql
async def test_a_register_moves_into_parts_into_more_of_them_and_back_into_one_table(db: Database) -> None:
    await _fill(db)
    rows = await _rows(db)
    async with db.read() as tx:
        before = await tx.run_sync(shape)
    for wanted in (4, 8):
        assert await partitions.arrange(db, wanted)
        assert await partitions.count(db) == wanted
        assert await _rows(db) == rows
        async with db.read() as tx:
            held = await tx.execute(text("SELECT count(DISTINCT tableoid) FROM pages"))
            assert held.scalar_one() > 1
        await schema.require_current(db)
    assert await partitions.arrange(db, 1)
    async with db.read() as tx:
        assert await tx.run_sync(shape) == before
    assert await _rows(db) == rows


@on_postgresql
async def test_parts_keep_what_one_table_kept(db: Database) -> None:
    await _fill(db)
    await partitions.arrange(db, 4)
    for row, why in ((_page(7, 1), "pk|unique|duplicate"), ({**_page(7, 9), "state": "odd"}, "state_known")):
        with pytest.raises(RefusedByDatabase, match=why):
            async with db.write() as tx:
                await tx.execute(insert(pages), [row])
    plan = text("EXPLAIN SELECT target FROM pages WHERE domain_no = 7 AND state = 'waiting' ORDER BY rank")
    async with db.read() as tx:
        shown = "\n".join((await tx.execute(plan)).scalars())
    assert shown.count(" on pages_") == 1, shown


@on_postgresql
async def test_a_process_that_was_at_work_goes_on_after_the_move(db: Database, db_url: str) -> None:
    await _fill(db)
    other = Database.open(DatabaseSettings(url=db_url, pool_size=1), Path())
    waiting = select(func.count()).select_from(pages).where(pages.c.domain_no == 7)
    async with other.read() as tx:  # its statement is prepared from now on
        assert (await tx.execute(waiting)).scalar_one() == 5
    await partitions.arrange(db, 4)
    async with other.write() as tx:
        assert (await tx.execute(waiting)).scalar_one() == 5
        await tx.execute(insert(pages), [_page(7, 9)])
    await other.close()
    assert len((await _rows(db))[0]) == 201


@on_postgresql
async def test_a_move_that_fails_halfway_leaves_everything_as_it_was(db: Database) -> None:
    await _fill(db)
    async with db.write() as tx:  # in the way of the last table of the second move
        await tx.execute(text("CREATE TABLE page_links_3_of_4 (of_somebody int)"))
        before = await tx.run_sync(shape)
    rows = await _rows(db)
    with pytest.raises(DatabaseError, match="page_links_3_of_4"):
        await partitions.arrange(db, 4)
    async with db.read() as tx:
        assert await tx.run_sync(shape) == before
    assert await partitions.count(db) == 1
    assert await _rows(db) == rows


@on_postgresql
async def test_upgrade_moves_what_the_settings_ask_for_and_doctor_says_so_before(
    db: Database, db_url: str, tmp_path: Path
) -> None:
    await _fill(db)
    (tmp_path / "surveyor.toml").write_text(
        f'profile = "funding"\n[database]\nurl = "{db_url}"\npartitions = 4\n'
    )
    assert "run `surveyor db upgrade`" in await _schema_check(tmp_path)
    settings = DatabaseSettings(url=db_url, partitions=4)
    assert await schema.upgrade_register(settings, tmp_path)
    assert "URLs in 4 tables" in await _schema_check(tmp_path)
    assert not await schema.upgrade_register(settings, tmp_path)
    assert not await schema.upgrade_register(DatabaseSettings(url=db_url), tmp_path), "0 leaves them"
    assert await partitions.count(db) == 4


async def _schema_check(workspace: Path) -> str:
    return next(found.message for found in await doctor.examine(workspace) if found.name == "schema")


@pytest.mark.parametrize("engine_name", ["sqlite"])
async def test_sqlite_says_in_one_line_that_it_has_no_partitions(db: Database) -> None:
    assert await partitions.count(db) == 1
    assert not await partitions.arrange(db, 0)
    assert not await partitions.arrange(db, 1)
    with pytest.raises(UsageError, match=r"database\.partitions is for PostgreSQL"):
        await partitions.arrange(db, 4)
