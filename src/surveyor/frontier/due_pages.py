"""Pages whose next visit has come: which they are, and when the first one of a domain is due."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from typing import Any

from sqlalchemy import Select, or_, select, update
from sqlalchemy.ext.asyncio import AsyncConnection

from surveyor.db import now
from surveyor.db.bulk import update_many
from surveyor.db.dialect import among
from surveyor.db.tables import domain_crawl, pages
from surveyor.frontier.changes import RANKS
from surveyor.frontier.reconcile import OVER, any_row, locked

_p, _c = pages.c, domain_crawl.c


def due_keys(no: int, rank: int, limit: int) -> Select[Any]:
    """Pages whose next visit has come, of one rank: the index has them in this order."""
    return (
        select(_p.key)
        .where(_p.domain_no == no, _p.rank == rank, _p.next_visit_at <= now(), _p.state.in_(OVER))
        .order_by(_p.next_visit_at)
        .limit(limit)
    )


async def due(tx: AsyncConnection, no: int, limit: int) -> list[int]:
    """Keys of pages whose next visit has come, by rank, the longest due first."""
    found: list[int] = []
    for rank in RANKS:
        if len(found) < limit:
            found += (await tx.execute(due_keys(no, rank, limit - len(found)))).scalars()
    return found


_WITH_DUE = select(_c.no).where(
    or_(*(any_row(_p.rank == rank, _p.next_visit_at <= now(), _p.state.in_(OVER)) for rank in RANKS))
)


async def with_due(tx: AsyncConnection, numbers: Sequence[int]) -> set[int]:
    """Which of these domains have a page whose next visit has come."""
    if not numbers:
        return set()
    return set((await tx.execute(_WITH_DUE.where(among(_c.no, numbers)))).scalars())


async def wait_again(tx: AsyncConnection, no: int, epoch: int, limit: int) -> int:
    """So many pages that are due wait now, and are counted; returns how many."""
    await locked(tx, no, epoch)
    keys = await due(tx, no, limit)
    rows = [(no, key) for key in keys]
    await update_many(tx, pages, "state = 'waiting'", rows, "domain_no = {} AND key = {}")
    if keys:
        size = _c.frontier_size + len(keys)
        await tx.execute(update(domain_crawl).where(_c.no == no).values(frontier_size=size))
    return len(keys)


def _first_of(rank: int) -> Any:
    """When the first page of a rank is due, of a row of `domain_crawl`: one look-up in the index."""
    mine = (_p.domain_no == _c.no, _p.rank == rank, _p.next_visit_at.is_not(None))
    query = select(_p.next_visit_at).where(*mine).order_by(_p.next_visit_at).limit(1)
    return query.correlate(domain_crawl).scalar_subquery()


_NEXT_VISIT = select(_c.no, *map(_first_of, RANKS))


async def next_visits(tx: AsyncConnection, numbers: Sequence[int]) -> dict[int, datetime | None]:
    """When the first page of each domain is due; a look-up per rank, however many pages there are."""
    if not numbers:
        return {}
    found = await tx.execute(_NEXT_VISIT.where(among(_c.no, numbers)))
    return {no: min((date for date in dates if date is not None), default=None) for no, *dates in found}


async def next_visit(tx: AsyncConnection, no: int) -> datetime | None:
    return (await next_visits(tx, [no])).get(no)
