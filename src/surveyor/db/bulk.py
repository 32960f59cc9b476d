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
