"""Connections to PostgreSQL that were idle, and whose server went away meanwhile."""

from __future__ import annotations

import asyncio
from typing import Any

import asyncpg
import pytest
from sqlalchemy import text

from surveyor.db import Database
from surveyor.db.pool_ping import ping_idle

pytestmark = pytest.mark.parametrize("engine_name", ["postgresql"])


async def _server_process(db: Database) -> int:
    async with db.read() as tx:
        return int((await tx.execute(text("SELECT pg_backend_pid()"))).scalar_one())


def _asked(db: Database, monkeypatch: pytest.MonkeyPatch, *, fails: bool = False) -> list[Any]:
    """The connections that are asked from now on whether they live."""
    asked: list[Any] = []
    dialect = db.engine.dialect

    def ping(connection: Any) -> bool:
        asked.append(connection)
        if fails:
            raise dialect.loaded_dbapi.InterfaceError("gone")
        return True

    monkeypatch.setattr(dialect, "do_ping", ping)
    return asked


async def test_a_connection_at_work_is_not_asked_before_every_transaction(
    db: Database, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked = _asked(db, monkeypatch)
    assert len({await _server_process(db) for _ in range(5)}) == 1
    assert asked == []


async def test_a_connection_that_was_idle_is_asked_and_used_again(
    db: Database, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked = _asked(db, monkeypatch)
    ping_idle(db.engine, 0.0)
    assert len({await _server_process(db) for _ in range(3)}) == 1
    assert len(asked) == 2  # not the one that was made for the first transaction


async def test_a_connection_that_was_idle_and_does_not_answer_is_replaced(
    db: Database, monkeypatch: pytest.MonkeyPatch
) -> None:
    before = await _server_process(db)
    asked = _asked(db, monkeypatch, fails=True)
    ping_idle(db.engine, 0.0)
    assert await _server_process(db) != before
    assert len(asked) == 1


async def test_a_connection_that_the_server_closed_is_replaced_without_an_error(
    db: Database, db_url: str
) -> None:
    async with db.read() as tx:
        driver = (await tx.get_raw_connection()).driver_connection
        before = driver.get_server_pid()
    other = await asyncpg.connect(db_url)
    await other.execute("SELECT pg_terminate_backend($1)", before)
    await other.close()
    for _ in range(1_000):
        if driver.is_closed():
            break
        await asyncio.sleep(0.01)
    assert await _server_process(db) != before
