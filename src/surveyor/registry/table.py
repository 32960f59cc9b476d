"""The table of domains: filtered, sorted, a page at a time, each look within a bounded time."""

from __future__ import annotations

from collections.abc import AsyncIterator
from dataclasses import dataclass

from sqlalchemy.ext.asyncio import AsyncConnection

from surveyor.db import Database
from surveyor.errors import UsageError
from surveyor.registry.domain import Domain
from surveyor.registry.store import table
from surveyor.registry.store.listing import DomainFilter
from surveyor.registry.store.table import SORTS, Budget, Matching

__all__ = ["SORTS", "DomainFilter", "TablePage", "batch", "count", "every", "page"]

# A page is there within 100 ms; what is left of them after these is for showing it.
_PAGE_SECONDS, _AGAIN_SECONDS, _COUNT_SECONDS = 0.03, 0.015, 0.015
# So many are sorted by a column that has no index; more would have to be read all.
MOST_SORTED = 5_000
_BATCH = 500


@dataclass(frozen=True, slots=True)
class Counted:
    count: int
    is_all: bool


@dataclass(frozen=True, slots=True)
class TablePage:
    domains: list[Domain]
    after: str | None  # from where the next page goes on
    looked: int  # domains looked at for this page
    is_cut: bool  # the page is not full, and there may be more
    too_many_to_sort: bool = False
    matching: Counted | None = None  # where the page was made of all that match, or ended without them


async def page(db: Database, wanted: DomainFilter, limit: int, after: str, sort: str = "") -> TablePage:
    """Sorted by `name` or a column of `SORTS`, with a minus the other way round; else as registered."""
    column = sort.removeprefix("-")
    if column and column not in SORTS and sort != "name":
        raise UsageError(f"there is no order {sort[:30]!r}; choose name, {', '.join(SORTS)}")
    async with db.read() as tx:
        if column and (wanted != DomainFilter() or sort != "name"):
            every = await table.matching(tx, wanted, MOST_SORTED, 0, Budget(_PAGE_SECONDS))
            if every.after is None:
                return await _sorted(tx, every, limit, after, sort)
        budget = Budget(_AGAIN_SECONDS if column else _PAGE_SECONDS)
        if sort == "name":
            found = await table.named(tx, wanted, limit, after, budget)
        else:
            found = await table.matching(tx, wanted, limit, _number(after), budget)
        rows = await table.rows_of(tx, found.numbers)
    following = None if found.after is None else str(found.after)
    is_cut = following is not None and len(found.numbers) < limit
    is_known = not after and (following is None or is_cut)
    matching = Counted(len(rows), following is None) if is_known else None
    return TablePage(rows, following, found.looked, is_cut, bool(column) and sort != "name", matching)


async def _sorted(tx: AsyncConnection, every: Matching, limit: int, after: str, sort: str) -> TablePage:
    """A page of all that match. The place in the order of names is a name, as it is in `named`."""
    if sort == "name":
        numbers = await table.by_name(tx, every.numbers, after)
        start = 0
    else:
        numbers = await table.sorted_by(tx, every.numbers, sort.removeprefix("-"), sort.startswith("-"))
        start = _number(after)
    rows = await table.rows_of(tx, numbers[start : start + limit])
    following = None
    if len(numbers) > start + limit:
        following = rows[-1].domain if sort == "name" else str(start + limit)
    return TablePage(rows, following, every.looked, False, matching=Counted(len(every.numbers), True))


def _number(after: str) -> int:
    return int(after) if after.isascii() and after.isdigit() and len(after) <= 18 else 0


async def count(
    db: Database, wanted: DomainFilter, most: int, shown: TablePage | None = None
) -> tuple[int, bool]:
    """How many match, and whether those are all: counting ends at `most` and after a moment."""
    if shown is not None and shown.matching is not None:
        return shown.matching.count, shown.matching.is_all
    async with db.read() as tx:
        return await table.count(tx, wanted, most, Budget(_COUNT_SECONDS))


async def batch(db: Database, wanted: DomainFilter, start: int) -> tuple[list[Domain], int | None]:
    """Some that match, registered after the row `start`, and where the next batch begins."""
    async with db.read() as tx:
        found = await table.matching(tx, wanted, _BATCH, start, Budget())
        return await table.rows_of(tx, found.numbers), found.after


async def every(db: Database, wanted: DomainFilter) -> AsyncIterator[list[Domain]]:
    """All that match, in batches in the order of registration, however long it takes."""
    after: int | None = 0
    while after is not None:
        rows, after = await batch(db, wanted, after)
        if rows:
            yield rows
