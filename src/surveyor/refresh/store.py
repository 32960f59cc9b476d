"""The refresh stage's statements. Functions run in the caller's transaction."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from typing import NamedTuple

from sqlalchemy import func, select
from sqlalchemy.ext.asyncio import AsyncConnection

from surveyor.db import now
from surveyor.db.bulk import converter, update_many
from surveyor.db.tables import pages

_p = pages.c
_COLUMNS = (_p.key, _p.target, _p.fetched_at, _p.next_visit_at, _p.history)


class Scheduled(NamedTuple):
    """A page that was visited, and when it is visited again."""

    key: int
    target: str
    fetched_at: datetime
    next_visit_at: datetime | None  # none: it is left
    history: bytes | None


async def locked(tx: AsyncConnection, no: int, keys: Sequence[int]) -> list[Scheduled]:
    """Pages with a history, theirs until the transaction ends; in the order in which a crawl locks them."""
    mine = (_p.domain_no == no, _p.key.in_(list(keys)), _p.history.is_not(None), _p.fetched_at.is_not(None))
    query = select(*_COLUMNS).where(*mine).order_by(_p.key).with_for_update()
    return [Scheduled(*row) for row in await tx.execute(query)]


async def write(
    tx: AsyncConnection, no: int, rows: Sequence[tuple[int, bytes, datetime | None, int]]
) -> None:
    """Key, history, date and rank of pages that are locked."""
    time = converter(tx, _p.next_visit_at)
    values = [(history, time(at) if at else None, rank, no, key) for key, history, at, rank in rows]
    assigned = "history = {}, next_visit_at = {}, rank = {}"
    await update_many(tx, pages, assigned, values, "domain_no = {} AND key = {}")


async def page(tx: AsyncConnection, no: int, key: int) -> Scheduled | None:
    query = select(*_COLUMNS).where(_p.domain_no == no, _p.key == key, _p.fetched_at.is_not(None))
    row = (await tx.execute(query)).one_or_none()
    return Scheduled(*row) if row else None


async def first_page(tx: AsyncConnection, no: int, when: datetime) -> Scheduled | None:
    """A page with this date."""
    mine = (_p.domain_no == no, _p.next_visit_at == when, _p.fetched_at.is_not(None))
    row = (await tx.execute(select(*_COLUMNS).where(*mine).limit(1))).one_or_none()
    return Scheduled(*row) if row else None


async def count_due(tx: AsyncConnection, no: int, most: int) -> tuple[int, int]:
    """Pages with a date, and those whose date has come, each counted up to `most`."""
    mine = (_p.domain_no == no, _p.next_visit_at.is_not(None))
    counts = []
    for some in (select(_p.key).where(*mine), select(_p.key).where(*mine, _p.next_visit_at <= now())):
        query = select(func.count()).select_from(some.limit(most).subquery())
        counts.append(int((await tx.execute(query)).scalar_one()))
    return counts[0], counts[1]
