"""Domains that match a filter, in an order, as far as a bounded effort goes.

A filter that few of a million domains match would read all of them. So a look goes along an index in steps
and ends with its budget: it says how far it got, and the next one goes on from there.
"""

from __future__ import annotations

import time
from collections.abc import AsyncIterator, Sequence
from dataclasses import dataclass, field
from typing import Any, Final, NamedTuple

from sqlalchemy import Select, Subquery, func, select
from sqlalchemy.ext.asyncio import AsyncConnection

from surveyor.db.dialect import among, index_walks
from surveyor.db.tables import domain_crawl, domains
from surveyor.registry.domain import Domain
from surveyor.registry.store import rows
from surveyor.registry.store.index_choice import NAMES, Walk, beginning, shortest
from surveyor.registry.store.listing import DomainFilter

_d, _c = domains.c, domain_crawl.c
# Rows looked at in one step. A step is as long as the last one's pace allows; names alone go by quickly.
_FIRST, _FIRST_MANY, _LONGEST = 200, 1_000, 20_000
_FIRST_NAMES, _LONGEST_NAMES = 20_000, 500_000
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
    def left(self) -> float:
        return float("inf") if self.seconds is None else self.began + self.seconds - time.monotonic()


@dataclass(frozen=True, slots=True)
class Matching:
    """Numbers of domains that match, and from where a look goes on; None at the end."""

    numbers: list[int]
    after: Any
    looked: int


class _Step(NamedTuple):
    """Some rows of a walk that were looked at."""

    hits: Select[Any]  # those that are wanted, in the order of the walk
    looked: int
    last: Any  # from where the next step goes on; None at the end
    is_exact: bool = False  # all that were looked at are wanted


async def matching(
    tx: AsyncConnection, wanted: DomainFilter, limit: int, after: int, budget: Budget
) -> Matching:
    """In the order of registration."""
    after = await beginning(tx, wanted, after)
    parts = [
        await _collected(tx, _along(tx, walk, wanted, limit, after, budget), limit)
        for walk in await shortest(tx, wanted)
    ]
    numbers = sorted({no for part in parts for no in part.numbers})
    # Whatever lies behind the point that one of the ways did not reach is left for the next look.
    reached = min((part.after for part in parts if part.after is not None), default=None)
    if reached is not None:
        numbers = [no for no in numbers if no <= reached]
    if len(numbers) > limit:
        numbers, reached = numbers[:limit], numbers[limit - 1]
    return Matching(numbers, reached, sum(part.looked for part in parts))


async def count(tx: AsyncConnection, wanted: DomainFilter, most: int, budget: Budget) -> tuple[int, bool]:
    """How many match, as far as `most` and the budget go, and whether those are all."""
    way = await shortest(tx, wanted)
    if len(way) > 1:  # their domains may overlap
        found = await matching(tx, wanted, most, 0, budget)
        return len(found.numbers), found.after is None
    counted, start = 0, await beginning(tx, wanted, 0)
    async for step in _along(tx, way[0], wanted, most, start, budget):
        if step.is_exact:
            counted += min(step.looked, most - counted)
        else:
            some = step.hits.limit(most - counted).subquery()
            counted += (await tx.execute(select(func.count()).select_from(some))).scalar_one()
        if counted >= most or step.last is None:
            return counted, counted < most
    return counted, False


async def page(tx: AsyncConnection, wanted: DomainFilter, limit: int, after: int = 0) -> list[Domain]:
    """Domains that match, registered after the row `after`, however long it takes."""
    return await rows_of(tx, (await matching(tx, wanted, limit, after, Budget())).numbers)


async def named(
    tx: AsyncConnection, wanted: DomainFilter, limit: int, after: str, budget: Budget
) -> Matching:
    """In the order of names."""
    query = select(_d.no, _d.domain.label("key"))
    return await _collected(tx, _steps(tx, query, _d.domain, wanted, "", limit, after, budget), limit)


async def _collected(tx: AsyncConnection, steps: AsyncIterator[_Step], limit: int) -> Matching:
    numbers: list[int] = []
    looked, after = 0, None
    async for step in steps:
        some = (await tx.execute(step.hits.limit(limit - len(numbers)))).all()
        numbers += [row.no for row in some]
        looked, after = looked + step.looked, step.last
        if len(numbers) >= limit:
            return Matching(numbers, some[-1].key, looked)
    return Matching(numbers, after, looked)


def _along(
    tx: AsyncConnection, walk: Walk, wanted: DomainFilter, limit: int, after: int, budget: Budget
) -> AsyncIterator[_Step]:
    if walk is NAMES:
        return _windows(tx, wanted, after, budget)
    return _steps(tx, walk.rows(), walk.table.c.no, wanted, walk.covers, limit, after, budget)


async def _windows(
    tx: AsyncConnection, wanted: DomainFilter, after: int, budget: Budget
) -> AsyncIterator[_Step]:
    """Along the names, so many numbers at a time: most are there, and nothing need be counted first."""
    end: int = (await tx.execute(select(func.coalesce(func.max(_d.no), 0)))).scalar_one()
    width = _FIRST_NAMES
    while True:
        began = time.monotonic()
        last = after + width
        within = (_d.no > after, _d.no <= last)
        hits = NAMES.rows().where(*within, *wanted.of_name(_d.domain)).order_by(_d.no)
        if wanted.asks_crawl():
            hits = hits.join(domain_crawl, _c.no == _d.no)
        hits = hits.where(*wanted.of_rows(""))
        yield _Step(hits, max(min(last, end) - after, 0), last if last < end else None)
        pace = _pace(began, budget)
        if last >= end or not pace:
            return
        after, width = last, int(max(_FIRST, min(width * pace, _LONGEST_NAMES)))


async def _steps(
    tx: AsyncConnection,
    query: Select[Any],
    key: Any,
    wanted: DomainFilter,
    covers: str,
    limit: int,
    after: Any,
    budget: Budget,
) -> AsyncIterator[_Step]:
    """Step by step along the query until its end, or until the budget is spent."""
    await tx.execute(select(index_walks()))
    step = max(_FIRST, min(limit, _FIRST_MANY))
    while True:
        began = time.monotonic()
        part = query.where(key > after).order_by(key).limit(step).subquery()
        last, looked = (await tx.execute(select(func.max(part.c.key), func.count()).select_from(part))).one()
        rest = wanted.of_rows(covers) + wanted.of_name(_d.domain)
        hits = _hits(part, rest, wanted.asks_crawl(covers))
        yield _Step(hits, looked, last if looked == step else None, is_exact=not rest)
        pace = _pace(began, budget)
        if looked < step or not pace:
            return
        after, step = last, int(max(_FIRST, min(step * pace, _LONGEST)))


def _pace(began: float, budget: Budget) -> float:
    """How many times as long the next step may be as the one that began then; 0 when the budget is spent."""
    took = max(time.monotonic() - began, 1e-6)
    return 0.0 if budget.left < took / 4 else min(4.0, 0.8 * budget.left / took)


def _hits(part: Subquery, rest: Sequence[Any], asks_crawl: bool) -> Select[Any]:
    """Those of a part that are wanted; the tables are asked only for what the index did not say."""
    hits = select(part.c.no, part.c.key).order_by(part.c.key)
    if not rest:
        return hits
    hits = hits.join(domains, _d.no == part.c.no).where(*rest)
    return hits.join(domain_crawl, _c.no == part.c.no) if asks_crawl else hits


async def sorted_by(tx: AsyncConnection, numbers: list[int], name: str, descending: bool) -> list[int]:
    """These numbers in the order of a column; what has no value stands last."""
    column = SORTS[name]
    keys: dict[int, Any] = {}
    for start in range(0, len(numbers), _AT_ONCE):
        some = numbers[start : start + _AT_ONCE]
        query = (
            select(_d.no, column).join_from(domains, domain_crawl, _c.no == _d.no).where(among(_d.no, some))
        )
        keys.update((no, value) for no, value in await tx.execute(query))
    known = [no for no in numbers if keys.get(no) is not None]
    known.sort(key=lambda no: keys[no], reverse=descending)
    return known + [no for no in numbers if keys.get(no) is None]


async def by_name(tx: AsyncConnection, numbers: list[int], after: str) -> list[int]:
    """Those of these numbers whose names stand behind `after`, in the order of names."""
    found: list[tuple[str, int]] = []
    for start in range(0, len(numbers), _AT_ONCE):
        some = among(_d.no, numbers[start : start + _AT_ONCE])
        found += [(name, no) for name, no in await tx.execute(select(_d.domain, _d.no).where(some))]
    return [no for name, no in sorted(found) if name > after]


async def rows_of(tx: AsyncConnection, numbers: list[int]) -> list[Domain]:
    """These domains, in this order."""
    found: dict[int, Domain] = {}
    for start in range(0, len(numbers), _AT_ONCE):
        query = rows.select_domains().where(among(_d.no, numbers[start : start + _AT_ONCE]))
        found.update((row.no, rows.to_domain(row)) for row in await tx.execute(query))
    return [found[no] for no in numbers if no in found]
