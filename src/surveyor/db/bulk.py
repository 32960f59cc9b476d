"""Many rows at once, without the cost of a statement object per row.

SQLAlchemy converts every value of every row in Python. Here the statement is
compiled once per shape and rows go to the driver as tuples; `converter` says how a
value looks to the driver, so that what a whole batch shares is converted once.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import lru_cache
from typing import Any

from sqlalchemy import Column, Dialect, Table, bindparam
from sqlalchemy.ext.asyncio import AsyncConnection

from surveyor.db import dialect as dialects

Converter = Callable[[Any], Any]


def converter(tx: AsyncConnection, column: Column[Any]) -> Converter:
    """How values of this column look to the driver of this connection."""
    found = column.type.dialect_impl(tx.dialect).bind_processor(tx.dialect)
    return found or _as_it_is


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
        text, order = _compiled(table, columns, ignore_known, tx.dialect)
        ready = rows if order is None else [tuple(row[place] for place in order) for row in rows]
        await tx.exec_driver_sql(text, list(ready))


async def insert_new(
    tx: AsyncConnection,
    table: Table,
    columns: tuple[str, ...],
    rows: Sequence[tuple[Any, ...]],
    key: tuple[str, ...],
) -> set[tuple[Any, ...]]:
    """Insert the rows that are not known by their key; returns the keys of those that were new."""
    found: set[tuple[Any, ...]] = set()
    start = 0
    while start < len(rows):
        # Sizes are powers of two, so that a handful of prepared statements serves all batches.
        size = min(_LARGEST, 1 << ((len(rows) - start).bit_length() - 1))
        text = _many_values(table, columns, key, size, tx.dialect)
        values = tuple(value for row in rows[start : start + size] for value in row)
        found.update(tuple(row) for row in await tx.exec_driver_sql(text, values))
        start += size
    return found


async def update_many(
    tx: AsyncConnection, table: Table, assigned: str, rows: Sequence[tuple[Any, ...]], where: str
) -> None:
    """UPDATE many rows by SQL with `{}` for values; each tuple has the values in the order of the text."""
    if rows:
        await tx.exec_driver_sql(_update(table, assigned, where, tx.dialect), list(rows))


@lru_cache(maxsize=64)
def _update(table: Table, assigned: str, where: str, dialect: Dialect) -> str:
    text = f"UPDATE {table.name} SET {assigned} WHERE {where}"  # noqa: S608 - written in our modules
    return text.format(*_marks(text.count("{}"), dialect))


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
        await tx.exec_driver_sql(_upsert(table, columns, key, replaced, also, tx.dialect), list(rows))


@lru_cache(maxsize=64)
def _upsert(
    table: Table,
    columns: tuple[str, ...],
    key: tuple[str, ...],
    replaced: tuple[str, ...],
    also: str,
    dialect: Dialect,
) -> str:
    marks = ", ".join(_marks(len(columns), dialect))
    taken = ", ".join([*(f"{name} = excluded.{name}" for name in replaced), *([also] if also else [])])
    return (
        f"INSERT INTO {table.name} ({', '.join(columns)}) VALUES ({marks}) "  # noqa: S608 - our own names
        f"ON CONFLICT ({', '.join(key)}) DO UPDATE SET {taken}"
    )


# Rows in one statement; SQLite takes 32,766 values, and a longer text is no quicker.
_LARGEST = 256


@lru_cache(maxsize=256)
def _many_values(
    table: Table, columns: tuple[str, ...], key: tuple[str, ...], size: int, dialect: Dialect
) -> str:
    """One INSERT of so many rows, in the driver's words."""
    numbered = dialect.paramstyle.startswith("numeric")
    width = len(columns)

    def mark(row: int, place: int) -> str:
        return f"${row * width + place + 1}" if numbered else "?"

    rows = ", ".join("(" + ", ".join(mark(row, place) for place in range(width)) + ")" for row in range(size))
    names, keys = ", ".join(columns), ", ".join(key)
    return (
        f"INSERT INTO {table.name} ({names}) VALUES {rows} "  # noqa: S608 - names come from our tables
        f"ON CONFLICT ({keys}) DO NOTHING RETURNING {keys}"
    )


@lru_cache(maxsize=64)
def _compiled(
    table: Table, columns: tuple[str, ...], ignore_known: tuple[str, ...] | None, dialect: Dialect
) -> tuple[str, tuple[int, ...] | None]:
    statement = dialects.insert(table, dialect.name).values({name: bindparam(name) for name in columns})
    if ignore_known is not None:
        statement = statement.on_conflict_do_nothing(index_elements=list(ignore_known))
    compiled = statement.compile(dialect=dialect)
    names = list(compiled.positiontup or ())
    order = tuple(columns.index(name) for name in names)
    return str(compiled), None if order == tuple(range(len(columns))) else order


def _as_it_is(value: Any) -> Any:
    return value
