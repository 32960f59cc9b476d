"""Domains that match a filter, in an order, as far as a bounded effort goes.

A filter that few of a million domains match would read all of them. So a look goes along an index in steps
and ends with its budget: it says how far it got, and the next one goes on from there.
"""

from __future__ import annotations

import time
from dataclasses import dataclass, field
from typing import Any, Final

from sqlalchemy import Select, func, select
from sqlalchemy.ext.asyncio import AsyncConnection

from surveyor.db.dialect import by_index
from surveyor.db.tables import domain_crawl, domains
from surveyor.registry.domain import Domain
from surveyor.registry.store import rows
from surveyor.registry.store.listing import DomainFilter, Walk, walks

_d, _c = domains.c, domain_crawl.c
# Rows looked at in one step; a step that brought little makes the next one longer.
_FIRST, _LONGEST = 200, 20_000
_AT_ONCE = 10_000  # values in one statement; SQLite takes 32,766
# What a list can be sorted by besides its own order; without an index, so only where few match.
SORTS: Final = {
    "pages": _c.pages_crawled,
    "records": _c.records_stored,
    "images": _c.images_stored,
    "errors": _c.total_error_count,
    "crawled": _c.last_crawled_at,
    "due": _c.due_at,
    "confidence": _d.best_confidence,
}


@dataclass(slots=True)
class Budget:
    """Seconds that a look may take; None for as long as it takes."""

    seconds: float | None = None
    began: float = field(default_factory=time.monotonic)

    @property
    def is_spent(self) -> bool:
        return self.seconds is not None and time.monotonic() - self.began > self.seconds


@dataclass(frozen=True, slots=True)
class Found:
    """Numbers of domains that match, and from where a look goes on; None at the end."""

    numbers: list[int]
    after: Any
    looked: int


async def matching(
    tx: AsyncConnection, wanted: DomainFilter, limit: int, after: int, budget: Budget
) -> Found:
    """In the order of registration."""
    parts = [await _along(tx, walk, wanted, limit, after, budget) for walk in walks(wanted)]
    numbers = sorted({no for part in parts for no in part.numbers})
    # Whatever lies behind the point that one of the ways did not reach is left for the next look.
    reached = min((part.after for part in parts if part.after is not None), default=None)
    if reached is not None:
        numbers = [no for no in numbers if no <= reached]
    if len(numbers) > limit:
        numbers, reached = numbers[:limit], numbers[limit - 1]
    return Found(numbers, reached, sum(part.looked for part in parts))


async def page(tx: AsyncConnection, wanted: DomainFilter, limit: int, after: int = 0) -> list[Domain]:
    """Domains that match, registered after the row `after`, however long it takes."""
    return await rows_of(tx, (await matching(tx, wanted, limit, after, Budget())).numbers)


async def named(tx: AsyncConnection, wanted: DomainFilter, limit: int, after: str, budget: Budget) -> Found:
    """In the order of names."""
    return await _steps(tx, select(_d.no, _d.domain.label("key")), _d.domain, wanted, limit, after, budget)


async def _along(
    tx: AsyncConnection, walk: Walk, wanted: DomainFilter, limit: int, after: int, budget: Budget
) -> Found:
    no = walk.table.c.no
    query = select(no, no.label("key")).where(walk.condition)
    if walk.name:
        query = by_index(query, walk.table, walk.name)
    return await _steps(tx, query, no, wanted, limit, after, budget)


async def _steps(
    tx: AsyncConnection,
    query: Select[Any],
    key: Any,
    wanted: DomainFilter,
    limit: int,
    after: Any,
    budget: Budget,
) -> Found:
    numbers: list[int] = []
    looked, step = 0, max(_FIRST, min(limit, _LONGEST))
    while True:
        part = query.where(key > after).order_by(key).limit(step).subquery()
        last, count = (await tx.execute(select(func.max(part.c.key), func.count()).select_from(part))).one()
        looked += count
        if not count:
            return Found(numbers, None, looked)
        hits = (
            select(part.c.no, part.c.key)
            .join(domains, _d.no == part.c.no)
            .join(domain_crawl, _c.no == part.c.no)
            .where(*wanted.conditions())
            .order_by(part.c.key)
            .limit(limit - len(numbers))
        )
        some = (await tx.execute(hits)).all()
        numbers += [row.no for row in some]
        if len(numbers) >= limit:
            return Found(numbers, some[-1].key, looked)
        if count < step:
            return Found(numbers, None, looked)
        after = last
        if budget.is_spent:
            return Found(numbers, after, looked)
        step = min(step * 4, _LONGEST)


async def sorted_by(tx: AsyncConnection, numbers: list[int], name: str, descending: bool) -> list[int]:
    """These numbers in the order of a column; what has no value stands last."""
    column = SORTS[name]
    keys: dict[int, Any] = {}
    for start in range(0, len(numbers), _AT_ONCE):
        some = numbers[start : start + _AT_ONCE]
        query = select(_d.no, column).join_from(domains, domain_crawl, _c.no == _d.no).where(_d.no.in_(some))
        keys.update((no, value) for no, value in await tx.execute(query))
    known = [no for no in numbers if keys.get(no) is not None]
    known.sort(key=lambda no: keys[no], reverse=descending)
    return known + [no for no in numbers if keys.get(no) is None]


async def rows_of(tx: AsyncConnection, numbers: list[int]) -> list[Domain]:
    """These domains, in this order."""
    found: dict[int, Domain] = {}
    for start in range(0, len(numbers), _AT_ONCE):
        query = rows.select_domains().where(_d.no.in_(numbers[start : start + _AT_ONCE]))
        found.update((row.no, rows.to_domain(row)) for row in await tx.execute(query))
    return [found[no] for no in numbers if no in found]
