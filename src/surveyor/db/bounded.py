"""Rows of a list that match something no index knows, as far as a bounded effort goes.

A look goes through so many rows, the newest first, and says from where the next one goes on. What an order
other than the newest needs are all rows at once: it holds where there are no more than one look reads.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from sqlalchemy import ColumnElement, Row, Select, TextClause, select
from sqlalchemy.ext.asyncio import AsyncConnection

from surveyor.errors import NotFound

# Rows that one look reads: some ten milliseconds.
MOST_LOOKED = 10_000
Condition = ColumnElement[bool] | TextClause


@dataclass(frozen=True, slots=True)
class Look:
    rows: list[Row[Any]]
    # From where the next look goes on: the last key, or in another order a number of rows; None at the end.
    after: Any
    is_cut: bool = False  # the page is not full, and there may be more
    too_many_to_sort: bool = False


@dataclass(frozen=True, slots=True)
class Listing:
    """Rows of a query by their key, and which of them: by an index, and by what no index knows."""

    query: Select[Any]
    key: ColumnElement[Any]
    indexed: Sequence[Condition] = ()
    others: Sequence[Condition] = ()


async def look(
    tx: AsyncConnection,
    listing: Listing,
    sorts: Mapping[str, ColumnElement[Any]],
    sort: str,
    limit: int,
    after: str,
) -> Look:
    """As an address says it: `sort` is a name of `sorts`, with a minus the other way round."""
    column = sorts.get(sort.removeprefix("-"))
    if column is None:
        return await newest(tx, listing, limit, _key(listing, after))
    order = column.desc() if sort.startswith("-") else column.asc()
    is_number = after.isascii() and after.isdigit() and len(after) < 10
    return await ordered(tx, listing, limit, order, int(after) if is_number else 0)


def _key(listing: Listing, after: str) -> Any:
    """A key as its column has it."""
    try:
        return listing.key.type.python_type(after) if after else None
    except ValueError:
        raise NotFound("there is no such place in the list; begin again from its first page") from None


async def newest(tx: AsyncConnection, listing: Listing, limit: int, after: Any = None) -> Look:
    """Behind the key `after`, the newest first."""
    behind = [] if after is None else [listing.key < after]
    low = await _lowest(tx, listing, behind)
    within = behind if low is None else [*behind, listing.key >= low]
    matching = listing.query.where(*listing.indexed, *listing.others, *within)
    rows = list((await tx.execute(matching.order_by(listing.key.desc()).limit(limit + 1))).all())
    if len(rows) > limit:
        return Look(rows[:limit], rows[limit - 1]._mapping[listing.key])
    return Look(rows, low, is_cut=low is not None)


async def ordered(
    tx: AsyncConnection, listing: Listing, limit: int, order: ColumnElement[Any], start: int = 0
) -> Look:
    """In another order, from a number of rows on; the newest first where there are too many for it."""
    if await _lowest(tx, listing, []) is not None:
        found = await newest(tx, listing, limit)
        return Look(found.rows, found.after, found.is_cut, too_many_to_sort=True)
    matching = listing.query.where(*listing.indexed, *listing.others).order_by(order, listing.key.desc())
    rows = list((await tx.execute(matching.limit(limit + 1).offset(start))).all())
    return Look(rows[:limit], start + limit if len(rows) > limit else None)


async def _lowest(tx: AsyncConnection, listing: Listing, behind: Sequence[Condition]) -> Any:
    """The last key that one look reads; None if it reads all of them."""
    keys = select(listing.key).where(*listing.indexed, *behind).order_by(listing.key.desc())
    return (await tx.execute(keys.offset(MOST_LOOKED - 1).limit(1))).scalar_one_or_none()
