"""Answers "why" from the data: what is known of a URL, and of a domain."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from typing import NamedTuple

from sqlalchemy import func, select
from sqlalchemy.ext.asyncio import AsyncConnection

from surveyor.db.tables import pages, robots

_p = pages.c
# URLs that are counted, a tenth of a second of work.
MOST_COUNTED = 100_000


@dataclass(frozen=True, slots=True)
class PageRow:
    """A known URL with its history."""

    target: str
    state: str
    reason: str | None
    depth: int
    attempts: int
    status: int | None
    fetched_at: datetime | None
    found_on: str | None
    place: int | None  # among the waiting, 1 is next


async def page(tx: AsyncConnection, no: int, key: int) -> PageRow | None:
    row = (await tx.execute(select(pages).where(_p.domain_no == no, _p.key == key))).one_or_none()
    if row is None:
        return None
    parent = select(_p.target).where(_p.domain_no == no, _p.key == row.found_on)
    found_on = (await tx.execute(parent)).scalar_one_or_none() if row.found_on is not None else None
    place = await _place(tx, no, row.rank, row.depth, row.seq) if row.state == "waiting" else None
    return PageRow(
        row.target,
        row.state,
        row.reason,
        row.depth,
        row.attempts,
        row.status,
        row.fetched_at,
        found_on,
        place,
    )


async def _place(tx: AsyncConnection, no: int, rank: int, depth: int, seq: int) -> int:
    ahead = (
        select(func.count())
        .select_from(pages)
        .where(
            _p.domain_no == no,
            _p.state == "waiting",
            (_p.rank < rank)
            | ((_p.rank == rank) & (_p.depth < depth))
            | ((_p.rank == rank) & (_p.depth == depth) & (_p.seq < seq)),
        )
    )
    return int((await tx.execute(ahead)).scalar_one()) + 1


class ReasonCount(NamedTuple):
    """URLs of one domain that are in one state for one reason."""

    state: str
    reason: str | None
    urls: int
    example: str  # the first by name


async def by_reason(tx: AsyncConnection, no: int) -> list[ReasonCount]:
    """The commonest first. Of a domain with more URLs than are counted, a part stands for the whole."""
    some = select(_p.state, _p.reason, _p.target).where(_p.domain_no == no).limit(MOST_COUNTED).subquery()
    count = func.count()
    query = (
        select(some.c.state, some.c.reason, count, func.min(some.c.target))
        .group_by(some.c.state, some.c.reason)
        .order_by(count.desc(), some.c.state, some.c.reason)
    )
    return [ReasonCount(*row) for row in await tx.execute(query)]


async def robots_body(tx: AsyncConnection, origin: str) -> bytes | None:
    return (await tx.execute(select(robots.c.body).where(robots.c.origin == origin))).scalar_one_or_none()
