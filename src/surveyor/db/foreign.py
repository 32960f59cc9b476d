"""Databases of others, opened to be read: nothing is written to them, not even a journal's mode."""

from __future__ import annotations

from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

from sqlalchemy import MetaData, Select, Table, exc, inspect, make_url
from sqlalchemy.ext.asyncio import AsyncConnection, AsyncEngine, create_async_engine

from surveyor.db import dialect
from surveyor.errors import BadInput

_SQLITE_MAGIC = b"SQLite format 3\x00"
_ROWS_AT_ONCE = 2_000


def is_database(where: str) -> bool:
    """An address of PostgreSQL or SQLite, or a file that SQLite wrote."""
    if where.startswith(("postgresql://", "postgres://", "sqlite://")):
        return True
    path = Path(where)
    if not path.is_file():
        return False
    with path.open("rb") as file:
        return file.read(len(_SQLITE_MAGIC)) == _SQLITE_MAGIC


class Foreign:
    """An open connection to somebody else's database."""

    def __init__(self, connection: AsyncConnection) -> None:
        self._connection = connection

    async def columns(self, table: str) -> list[str]:
        """Names of the columns; empty if there is no such table."""

        def look(sync: Any) -> list[str]:
            found = inspect(sync)
            return [column["name"] for column in found.get_columns(table)] if found.has_table(table) else []

        return await self._connection.run_sync(look)

    async def tables(self) -> list[str]:
        return await self._connection.run_sync(lambda sync: list(inspect(sync).get_table_names()))

    async def table(self, name: str) -> Table:
        def read(sync: Any) -> Table:
            return Table(name, MetaData(), autoload_with=sync)

        return await self._connection.run_sync(read)

    async def stream(self, query: Select[Any]) -> AsyncIterator[Sequence[Any]]:
        """Rows as they come; none is held for longer than its page."""
        result = await self._connection.stream(query.execution_options(yield_per=_ROWS_AT_ONCE))
        async for row in result:
            yield row


@asynccontextmanager
async def connect(where: str) -> AsyncIterator[Foreign]:
    engine = _engine(where)
    try:
        async with engine.connect() as connection:
            yield Foreign(connection)
    except (exc.DBAPIError, exc.ArgumentError, OSError) as error:
        raise BadInput(f"{shown(where)} cannot be read: {str(error).splitlines()[0]}") from None
    finally:
        await engine.dispose()


def _engine(where: str) -> AsyncEngine:
    if where.startswith(("postgresql://", "postgres://")):
        return create_async_engine(dialect.driver_url(where.replace("postgres://", "postgresql://", 1)))
    path = Path(where.removeprefix("sqlite:///").removeprefix("sqlite://")).absolute()
    if not path.is_file():
        raise BadInput(f"{path} does not exist")
    return create_async_engine(f"sqlite+aiosqlite:///file:{path}?mode=ro&uri=true")


def shown(where: str) -> str:
    """For people: without the password of an address."""
    return make_url(where).render_as_string(hide_password=True) if "://" in where else where
