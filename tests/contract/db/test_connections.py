"""Connections at work: long results, results left in the middle, calls given up, and many writers."""

from __future__ import annotations

import asyncio
from pathlib import Path

import pytest
from sqlalchemy import text

from surveyor.db import Database, sqlite
from surveyor.errors import DatabaseUnreachable
from surveyor.settings import DatabaseSettings

_LONG = 1_300  # rows: more than come with a statement, and no multiple of it


def _numbers(count: int) -> str:
    return (
        f"WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < {count}) SELECT i FROM n"
    )


@pytest.mark.parametrize("count", [1, 511, 512, 513, _LONG])
async def test_a_result_has_all_its_rows_whatever_its_length(db: Database, count: int) -> None:
    async with db.read() as tx:
        assert (await tx.execute(text(_numbers(count)))).scalars().all() == [*range(1, count + 1)]


@pytest.mark.parametrize("size", [1, 7, 512, 2_000])
async def test_a_streamed_result_comes_in_pieces_and_is_whole(db: Database, size: int) -> None:
    async with db.read() as tx:
        result = await tx.stream(text(_numbers(_LONG)))
        found = [row.i async for rows in result.partitions(size) for row in rows]
    assert found == [*range(1, _LONG + 1)]


async def test_a_stream_left_in_the_middle_holds_up_nobody(db: Database) -> None:
    await _make_table(db)
    async with db.read() as tx:
        result = await tx.stream(text(_numbers(_LONG)))
        assert (await result.fetchone()) == (1,)
        await result.close()
    async with db.write() as tx:
        await tx.execute(text("INSERT INTO counted VALUES (1)"))
    assert await _count(db) == 1


async def test_a_failed_transaction_leaves_no_trace_and_its_connection_can_be_used(db: Database) -> None:
    await _make_table(db)
    for _ in range(10):  # more often than there are connections
        with pytest.raises(ZeroDivisionError):
            async with db.write() as tx:
                await tx.execute(text("INSERT INTO counted VALUES (1)"))
                raise ZeroDivisionError
    assert await _count(db) == 0


async def test_a_cancelled_write_leaves_no_trace_and_its_connection_can_be_used(db: Database) -> None:
    await _make_table(db)

    async def write() -> None:
        async with db.write() as tx:
            await tx.execute(text("INSERT INTO counted VALUES (1)"))
            await tx.execute(text(_numbers(50_000)))

    for rounds in range(12):  # cancelled a little later each time
        task = asyncio.create_task(write())
        for _ in range(rounds):
            await asyncio.sleep(0)
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task
    assert await _count(db) == 0
    async with db.write() as tx:
        await tx.execute(text("INSERT INTO counted VALUES (1)"))
    assert await _count(db) == 1


async def test_transactions_follow_one_another_whatever_each_did(empty_db_url: str, tmp_path: Path) -> None:
    """On one connection: some ask nothing, and the end of one that only reads is not waited for."""
    db = Database.open(DatabaseSettings(url=empty_db_url, pool_size=1), tmp_path)
    try:
        await _make_table(db)
        for written in range(20):
            async with db.read():
                pass
            async with db.write():
                pass
            assert await _count(db) == written
            async with db.write() as tx:
                await tx.execute(text("INSERT INTO counted VALUES (1)"))
            with pytest.raises(ZeroDivisionError):
                async with db.read() as tx:
                    await tx.execute(text("SELECT 1"))
                    raise ZeroDivisionError
    finally:
        await db.close()


async def test_a_write_that_meets_another_is_told_so_and_leaves_the_connection_usable(
    empty_db_url: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sqlite, "BUSY_MILLISECONDS", 10)
    first, second = (Database.open(DatabaseSettings(url=empty_db_url, pool_size=1), tmp_path) for _ in "ab")
    try:
        if not first.is_sqlite:
            pytest.skip("PostgreSQL lets both write")
        await _make_table(first)
        async with first.write() as tx:
            await tx.execute(text("INSERT INTO counted VALUES (1)"))
            with pytest.raises(DatabaseUnreachable, match="locked"):
                async with second.write() as other:
                    await other.execute(text("INSERT INTO counted VALUES (2)"))
        async with second.write() as other:
            await other.execute(text("INSERT INTO counted VALUES (2)"))
        assert await _count(first) == 2
    finally:
        await first.close()
        await second.close()


async def test_many_writers_of_one_process_all_come_to_their_turn(db: Database) -> None:
    """More than there are connections. On SQLite in the order they came: left to itself it would poll."""
    await _make_table(db)
    order: list[int] = []

    async def write(number: int) -> None:
        async with db.write() as tx:
            order.append(number)
            await asyncio.sleep(0.001)
            await tx.execute(text("INSERT INTO counted VALUES (1)"))

    await asyncio.gather(*(write(number) for number in range(40)))
    assert await _count(db) == 40
    assert order == [*range(40)] or not db.is_sqlite


async def _make_table(db: Database) -> None:
    async with db.write() as tx:
        await tx.execute(text("CREATE TABLE counted (i INTEGER)"))


async def _count(db: Database) -> int:
    async with db.read() as tx:
        return int((await tx.execute(text("SELECT count(*) FROM counted"))).scalar_one())
