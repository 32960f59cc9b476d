"""Addresses of PostgreSQL as operators write them, and servers that are not as one would wish."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

import asyncpg
import pytest
from sqlalchemy import text

from surveyor.db import Database, schema
from surveyor.errors import BadSettings, DatabaseError, DatabaseUnreachable
from surveyor.settings import DatabaseSettings
from tests.support.servers import random_name


@pytest.fixture
def engine_name() -> str:
    return "postgresql"


@asynccontextmanager
async def _opened(url: str, folder: Path, **also: float) -> AsyncIterator[Database]:
    db = Database.open(DatabaseSettings(url=url, **also), folder)
    try:
        yield db
    finally:
        await db.close()


async def _said(db: Database, query: str) -> str:
    async with db.read() as tx:
        return str((await tx.execute(text(query))).scalar_one())


async def test_what_stands_behind_the_address_is_understood_as_by_other_programs(
    db_url: str, tmp_path: Path
) -> None:
    also = "sslmode=disable&options=-csearch_path%3Dreg%20-clock_timeout%3D7s"
    async with _opened(f"{db_url}?{also}", tmp_path) as db:
        assert await _said(db, "SHOW search_path") == "reg"
        assert await _said(db, "SHOW lock_timeout") == "7s"
    async with _opened(f"{db_url}?sslmode=require", tmp_path) as db:
        with pytest.raises(DatabaseUnreachable, match="SSL"):
            await _said(db, "SELECT 1")
    async with _opened(f"{db_url}?nonsense=1", tmp_path) as db:
        with pytest.raises(DatabaseError, match='unrecognized configuration parameter "nonsense"'):
            await _said(db, "SELECT 1")


def test_a_password_that_is_not_written_for_an_address_is_refused_without_being_shown(tmp_path: Path) -> None:
    for password in ("p@ss:w/o%r#d", "a@b", "a:b@c/d"):
        with pytest.raises(BadSettings, match="write @ as %40") as refused:
            Database.open(DatabaseSettings(url=f"postgresql://me:{password}@127.0.0.1/reg"), tmp_path)
        assert password not in str(refused.value)


async def test_a_server_without_room_or_without_writes_does_not_answer_for_now(
    db_url: str, tmp_path: Path
) -> None:
    name, role = db_url.rpartition("/")[2], random_name()
    server = await asyncpg.connect(db_url)
    try:
        await server.execute(f'CREATE ROLE "{role}" LOGIN CONNECTION LIMIT 0')
        async with _opened(db_url.replace("postgres@", f"{role}@"), tmp_path) as db:
            with pytest.raises(DatabaseUnreachable, match="too many connections"):
                await _said(db, "SELECT 1")
        await server.execute(f'ALTER DATABASE "{name}" SET default_transaction_read_only = on')
        async with _opened(db_url, tmp_path) as db:
            with pytest.raises(DatabaseUnreachable, match="read-only transaction"):
                async with db.write() as tx:
                    await tx.execute(text("CREATE TABLE none (i int)"))
    finally:
        await server.execute(f'DROP ROLE IF EXISTS "{role}"')
        await server.close()


async def test_a_statement_that_takes_too_long_names_the_setting(db_url: str, tmp_path: Path) -> None:
    async with _opened(db_url, tmp_path, statement_seconds=1) as db:
        with pytest.raises(DatabaseError, match=r"longer than database\.statement_seconds"):
            await _said(db, "SELECT pg_sleep(20)")


async def test_no_register_is_made_where_names_of_every_script_have_no_room(
    db_url: str, tmp_path: Path
) -> None:
    name = random_name()
    server = await asyncpg.connect(db_url)
    try:
        await server.execute(f"CREATE DATABASE \"{name}\" ENCODING 'LATIN1' LOCALE 'C' TEMPLATE template0")
        async with _opened(f"{db_url.rpartition('/')[0]}/{name}", tmp_path) as db:
            with pytest.raises(BadSettings, match="encoding LATIN1"):
                await schema.upgrade(db)
    finally:
        await server.execute(f'DROP DATABASE IF EXISTS "{name}" WITH (FORCE)')
        await server.close()
