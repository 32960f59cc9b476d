"""All rows of a database as text, and back: the same for both engines, so that one can follow the other.

A table is a header line with its columns and one line of JSON per row. Dumping reads one moment;
loading is one transaction, with the triggers that keep the arrows of states out of the way: rows come
back as they were.
"""

from __future__ import annotations

import base64
from collections.abc import AsyncIterator, Callable, Iterable, Iterator
from contextlib import asynccontextmanager
from datetime import datetime
from decimal import Decimal
from itertools import islice
from typing import Any
from uuid import UUID

import orjson
from sqlalchemy import Column, Integer, LargeBinary, Table, Uuid, func, select, text
from sqlalchemy.ext.asyncio import AsyncConnection

from surveyor.db.bulk import converter, insert_many
from surveyor.db.engine import Database
from surveyor.db.paging import paged
from surveyor.db.tables import metadata
from surveyor.db.types import Confidence, UtcTime

# Rows read or written at once.
_STEP = 2_000
# How long PostgreSQL waits for the next question: whoever pages through what comes out takes their time.
_READ_SLOWLY = "15min"


def tables() -> list[Table]:
    """Those that others refer to first."""
    return list(metadata.sorted_tables)


@asynccontextmanager
async def one_moment(db: Database) -> AsyncIterator[AsyncConnection]:
    """A reading transaction in which nothing changes, however long it takes and whoever writes."""
    async with db.read() as tx:
        if not db.is_sqlite:
            await tx.execute(text("SET TRANSACTION ISOLATION LEVEL REPEATABLE READ, READ ONLY"))
            await tx.execute(text(f"SET LOCAL idle_in_transaction_session_timeout = '{_READ_SLOWLY}'"))
        yield tx


async def dump(tx: AsyncConnection, table: Table, write: Callable[[bytes], object]) -> int:
    """Write the table's lines in the order of its key; returns how many rows there are."""
    names = [column.name for column in table.c]
    write(orjson.dumps({"table": table.name, "columns": names}) + b"\n")
    count = 0
    async for rows in paged(tx, select(table), list(table.primary_key.columns), _STEP):
        for row in rows:
            write(orjson.dumps(list(row), default=_encoded, option=orjson.OPT_APPEND_NEWLINE))
        count += len(rows)
    return count


def _encoded(value: object) -> object:
    if isinstance(value, bytes):
        return base64.b64encode(value).decode()
    if isinstance(value, Decimal | UUID):  # PostgreSQL's driver has a UUID of its own
        return str(value)
    raise TypeError(f"{type(value).__name__} has no place in a dump")


async def load(
    tx: AsyncConnection, table: Table, lines: Iterator[bytes], wanted: Callable[[dict[str, Any]], bool]
) -> int:
    """Insert the lines of `dump`; `wanted` may alter a row or leave it out. Returns how many it took.

    Columns that the table no longer has are left out; those it did not have then get their defaults.
    """
    names = list(orjson.loads(next(lines))["columns"])
    columns = [table.c[name] for name in names if name in table.c]
    readers = {column.name: _reader(tx, column) for column in columns}
    count = 0
    while some := list(islice(lines, _STEP)):
        rows = []
        for line in some:
            values = dict(zip(names, orjson.loads(line), strict=True))
            if wanted(values):
                rows.append(tuple(readers[column.name](values[column.name]) for column in columns))
        await insert_many(tx, table, tuple(column.name for column in columns), rows)
        count += len(rows)
    return count


def _reader(tx: AsyncConnection, column: Column[Any]) -> Callable[[Any], Any]:
    """From JSON to what the driver takes."""
    kind: Callable[[Any], Any] | None = None
    if isinstance(column.type, LargeBinary):
        kind = base64.b64decode
    elif isinstance(column.type, UtcTime):
        kind = datetime.fromisoformat
    elif isinstance(column.type, Confidence):
        kind = Decimal
    elif isinstance(column.type, Uuid):
        kind = UUID
    driver = converter(tx, column)
    if kind is None:
        return driver
    return lambda value: None if value is None else driver(kind(value))


@asynccontextmanager
async def without_triggers(db: Database, tx: AsyncConnection, among: Iterable[Table]) -> AsyncIterator[None]:
    """Within the transaction, rows may come in any state; after it, everything is guarded as before."""
    if db.is_sqlite:
        found = await tx.execute(text("SELECT name, sql FROM sqlite_master WHERE type = 'trigger'"))
        triggers = [(str(name), str(sql)) for name, sql in found.all()]
        for name, _ in triggers:
            await tx.execute(text(f"DROP TRIGGER {name}"))
        yield
        for _, sql in triggers:
            await tx.exec_driver_sql(sql)
        return
    for table in among:
        await tx.execute(text(f"ALTER TABLE {table.name} DISABLE TRIGGER USER"))
    yield
    for table in among:
        await tx.execute(text(f"ALTER TABLE {table.name} ENABLE TRIGGER USER"))


async def count_on(db: Database, tx: AsyncConnection, among: Iterable[Table]) -> None:
    """PostgreSQL counts on from the highest number that was loaded; SQLite does so by itself."""
    if db.is_sqlite:
        return
    for table, column in _numbered(among):
        highest = select(func.coalesce(func.max(column), 0) + 1).scalar_subquery()
        name = func.pg_get_serial_sequence(table.name, column.name)
        await tx.execute(select(func.setval(name, highest, False)))


def _numbered(among: Iterable[Table]) -> Iterator[tuple[Table, Column[Any]]]:
    """Columns that the database numbers by itself."""
    for table in among:
        column = table.autoincrement_column
        if column is not None and isinstance(column.type, Integer) and not column.foreign_keys:
            yield table, column
