"""The rows of a query, a page at a time, in the order of a key: as long as it takes, never a whole table."""

from __future__ import annotations

from collections.abc import AsyncIterator, Sequence
from typing import Any

from sqlalchemy import Column, Row, Select, tuple_
from sqlalchemy.ext.asyncio import AsyncConnection


async def paged(
    tx: AsyncConnection, query: Select[Any], key: Sequence[Column[Any]], step: int
) -> AsyncIterator[Sequence[Row[*tuple[Any, ...]]]]:
    """Pages of at most `step` rows. Together the columns of `key` are unique, and the query selects them."""
    query = query.order_by(*key).limit(step)
    rows = (await tx.execute(query)).all()
    while rows:
        yield rows
        if len(rows) < step:
            return
        last = tuple_(*(rows[-1]._mapping[column] for column in key), types=[column.type for column in key])
        rows = (await tx.execute(query.where(tuple_(*key) > last))).all()
