"""Many rows at once, without the cost of a statement object per row.

SQLAlchemy converts every value of every row in Python. Here the statement is
compiled once per shape and rows go to the driver as tuples; `converter` says how a
value looks to the driver, so that what a whole batch shares is converted once.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import lru_cache
from itertools import chain
from typing import Any, TypeVar

from sqlalchemy import Column, Dialect, Table
from sqlalchemy.ext.asyncio import AsyncConnection

T = TypeVar("T")
Converter = Callable[[Any], Any]


def converter(tx: AsyncConnection, column: Column[Any]) -> Converter:
    """How values of this column look to the driver of this connection."""
    found = column.type.dialect_impl(tx.dialect).bind_processor(tx.dialect)
    return found or (lambda value: value)


async def insert_many(
    tx: AsyncConnection,
    table: Table,
    columns: tuple[str, ...],
    rows: Sequence[tuple[Any, ...]],
    *,
    ignore_known: tuple[str, ...] | None = None,
) -> None:
    """Insert rows of values in the driver's form; rows known by the `ignore_known` columns are left out."""
    if rows:
        text = _insert(table, columns, ignore_known, "NOTHING", tx.dialect)
        await tx.exec_driver_sql(text, list(rows))


async def reserve(tx: AsyncConnection, table: Table, count: int) -> list[int]:
    """Numbers for so many new rows of a table that counts them; nobody else is given one of these."""
    if tx.dialect.name == "sqlite":  # the only writer; a row that brings its number raises the last one
        last = await tx.exec_driver_sql("SELECT seq FROM sqlite_sequence WHERE name = ?", (table.name,))
        begin = (last.scalar() or 0) + 1
        return list(range(begin, begin + count))
    [key] = table.primary_key.columns
    taken = (
        f"SELECT nextval(pg_get_serial_sequence('{table.name}', '{key.name}')) FROM generate_series(1, $1)"  # noqa: S608
    )
    return [no for (no,) in await tx.exec_driver_sql(taken, (count,))]


async def copy_many(
    tx: AsyncConnection, table: Table, columns: tuple[str, ...], rows: Sequence[tuple[Any, ...]]
) -> bool:
    """Insert rows of values in the driver's form as a whole; False, and nothing is done, if somebody else
    may have added one of them in the meantime.

    PostgreSQL reads the constraints of a table anew for every statement, so a row at a time costs it seven
    times as much as COPY.
    """
    if tx.dialect.name == "sqlite":  # the only writer
        await _insert_values(tx, table, columns, rows)
        return True
    if len(rows) < _COPIED:
        return False
    from asyncpg import PostgresError  # a start on SQLite does without

    driver: Any = (await tx.get_raw_connection()).driver_connection
    before = await tx.begin_nested()
    try:
        await driver.copy_records_to_table(table.name, columns=columns, records=rows)
    except PostgresError:
        await before.rollback()
        return False
    await before.commit()
    return True


# Fewer rows are not worth the messages that COPY takes.
_COPIED = 50


async def insert_new(
    tx: AsyncConnection,
    table: Table,
    columns: tuple[str, ...],
    rows: Sequence[tuple[Any, ...]],
    key: tuple[str, ...],
) -> set[tuple[Any, ...]]:
    """Insert the rows that are not known by their key; returns the keys of those that were new."""
    keys = ", ".join(key)
    otherwise = f" ON CONFLICT ({keys}) DO NOTHING RETURNING {keys}"
    return {tuple(row) for row in await _insert_values(tx, table, columns, rows, otherwise)}


async def _insert_values(
    tx: AsyncConnection,
    table: Table,
    columns: tuple[str, ...],
    rows: Sequence[tuple[Any, ...]],
    otherwise: str = "",
) -> list[Any]:
    """Insert many rows by each statement; returns what they return.

    SQLite works without Python's lock for as long as a statement takes: by the row, another thread would
    take the lock each time.
    """
    found: list[Any] = []
    start = 0
    while start < len(rows):
        # Sizes are powers of two, so that a handful of prepared statements serves all batches.
        size = min(_LARGEST, 1 << ((len(rows) - start).bit_length() - 1))
        text = _many_values(table, columns, size, tx.dialect) + otherwise
        values = tuple(chain.from_iterable(rows[start : start + size]))
        done = await tx.exec_driver_sql(text, values)
        if done.returns_rows:
            found += done
        start += size
    return found


async def update_many(
    tx: AsyncConnection, table: Table, assigned: str, rows: Sequence[tuple[Any, ...]], where: str
) -> None:
    """UPDATE many rows by SQL with `{}` for values; each tuple has the values in the order of the text."""
    text = f"UPDATE {table.name} SET {assigned} WHERE {where}"  # noqa: S608 - written in our modules
    await execute_many(tx, text, rows)


async def execute_many(tx: AsyncConnection, text: str, rows: Sequence[tuple[Any, ...]]) -> None:
    """SQL of our modules with `{}` for values, once for each tuple."""
    if rows:
        await tx.exec_driver_sql(text.format(*_marks(text.count("{}"), tx.dialect)), list(rows))


def _marks(count: int, dialect: Dialect) -> list[str]:
    """Placeholders in the driver's words."""
    numbered = dialect.paramstyle.startswith("numeric")
    return [f"${place + 1}" if numbered else "?" for place in range(count)]


async def upsert_many(
    tx: AsyncConnection,
    table: Table,
    columns: tuple[str, ...],
    rows: Sequence[tuple[Any, ...]],
    key: tuple[str, ...],
    replaced: tuple[str, ...],
    also: str = "",
) -> None:
    """Insert rows; of those known by their key, the `replaced` columns take the new values."""
    if rows:
        taken = ", ".join([*(f"{name} = excluded.{name}" for name in replaced), *([also] if also else [])])
        text = _insert(table, columns, key, f"UPDATE SET {taken}", tx.dialect)
        await tx.exec_driver_sql(text, list(rows))


# Rows in one statement; SQLite takes 32,766 values, and a longer text is no quicker.
_LARGEST = 256


@lru_cache(maxsize=256)
def _many_values(table: Table, columns: tuple[str, ...], size: int, dialect: Dialect) -> str:
    """One INSERT of so many rows, in the driver's words."""
    width = len(columns)
    marks = _marks(size * width, dialect)
    rows = ", ".join(f"({', '.join(marks[at : at + width])})" for at in range(0, len(marks), width))
    return f"INSERT INTO {table.name} ({', '.join(columns)}) VALUES {rows}"  # noqa: S608 - names of our tables


@lru_cache(maxsize=64)
def _insert(
    table: Table, columns: tuple[str, ...], key: tuple[str, ...] | None, otherwise: str, dialect: Dialect
) -> str:
    """One INSERT of a row; `otherwise` is done with one that is known by its key."""
    quote = dialect.identifier_preparer.quote
    names, marks = ", ".join(map(quote, columns)), ", ".join(_marks(len(columns), dialect))
    known = f" ON CONFLICT ({', '.join(map(quote, key))}) DO {otherwise}" if key else ""
    return f"INSERT INTO {table.name} ({names}) VALUES ({marks}){known}"  # noqa: S608 - our names
