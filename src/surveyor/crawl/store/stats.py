"""Figures from the log of fetches: by minute, by day, by reason. Each looks at a bounded stretch of it.

The log has no index by time, which would cost every page a write more: its ids rise with time,
so the beginning of a stretch is found by halving.
"""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from http import HTTPStatus
from typing import Any, NamedTuple

from sqlalchemy import ColumnElement, Text, cast, func, select
from sqlalchemy.ext.asyncio import AsyncConnection

from surveyor.db import later, now
from surveyor.db.tables import crawl_log, crawl_runs, domain_crawl, domains

_l, _r, _c = crawl_log.c, crawl_runs.c, domain_crawl.c
# Lines of the log that one figure reads at most: half a second on a slow disk.
MOST_LINES = 300_000
# Places of a time written as text, in both engines: "2026-11-16 09:41".
_MINUTE, _DAY = 16, 10


class Fetched(NamedTuple):
    """What was fetched within a minute or a day."""

    when: str
    pages: int
    errors: int
    images: int


class Reason(NamedTuple):
    reason: str
    times: int


async def per_minute(tx: AsyncConnection, seconds: float) -> list[Fetched]:
    return await _per(tx, _MINUTE, seconds)


async def per_day(tx: AsyncConnection, seconds: float) -> list[Fetched]:
    return await _per(tx, _DAY, seconds)


async def _per(tx: AsyncConnection, places: int, seconds: float) -> list[Fetched]:
    when = func.substr(cast(_l.fetched_at, Text), 1, places)
    wrong = func.count().filter(is_error())
    query = (
        select(when, func.count(), wrong, func.coalesce(func.sum(_l.images_found), 0))
        .where(_l.id > await _id_before(tx, seconds))
        .group_by(when)
        .order_by(when)
    )
    return [Fetched(str(w), int(p), int(e), int(i)) for w, p, e, i in await tx.execute(query)]


async def count_since(tx: AsyncConnection, seconds: float) -> tuple[int, int]:
    """Lines of the last `seconds` without an error, and those with one."""
    wrong = func.count().filter(is_error())
    query = select(func.count(), wrong).where(_l.id > await _id_before(tx, seconds))
    lines, errors = (await tx.execute(query)).one()
    return int(lines - errors), int(errors)


async def by_reason(tx: AsyncConnection, seconds: float, limit: int) -> list[Reason]:
    """What went wrong lately, most frequent first."""
    query = (
        select(_l.reason, func.count())
        .where(_l.id > await _id_before(tx, seconds), is_error())
        .group_by(_l.reason)
        .order_by(func.count().desc(), _l.reason)
        .limit(limit)
    )
    return [Reason(str(reason), int(count)) for reason, count in await tx.execute(query)]


def is_error() -> ColumnElement[bool]:
    """No answer, or one that says no: what was answered well and not wanted has a reason too."""
    return _l.reason.is_not(None) & (_l.status.is_(None) | (_l.status >= HTTPStatus.BAD_REQUEST))


async def _id_before(tx: AsyncConnection, seconds: float) -> int:
    """An id such that all lines of the last `seconds` have larger ones, or the last `MOST_LINES` have."""
    last = (await tx.execute(select(func.max(_l.id)))).scalar_one()
    if last is None:
        return 0
    since: datetime = (await tx.execute(select(later(-seconds)))).scalar_one()
    return await id_before(tx, since, max(0, int(last) - MOST_LINES), int(last))


async def id_before(tx: AsyncConnection, since: datetime, low: int, high: int) -> int:
    """An id between `low` and `high` such that all lines since then have larger ones."""
    while low < high:
        middle = (low + high) // 2
        query = select(_l.id, _l.fetched_at).where(_l.id > middle).order_by(_l.id).limit(1)
        row = (await tx.execute(query)).one_or_none()
        if row is None or row.fetched_at >= since:
            high = middle
        else:
            low = int(row.id)
    return low


# --- now


class RunNow(NamedTuple):
    id: Any
    day: str | None
    started_at: datetime
    ended_at: datetime | None
    started_by: str
    max_pages: int | None
    pages: int
    bytes: int
    errors: int
    stopped_by: str | None
    read_at: datetime


async def latest_runs(tx: AsyncConnection, limit: int) -> list[RunNow]:
    """Runs, the latest first, without what would have to be counted."""
    columns = [_r[name] for name in RunNow._fields if name != "read_at"]
    query = select(*columns, now()).order_by(_r.started_at.desc(), _r.id).limit(limit)
    return [RunNow(*row) for row in await tx.execute(query)]


class Claim(NamedTuple):
    domain: str
    claimed_by: str
    claim_expires_at: datetime
    run_pages: int
    frontier_size: int
    is_stuck: bool  # its time is over and nobody took it back


async def claims(tx: AsyncConnection, limit: int) -> list[Claim]:
    """Domains in workers' hands, those whose time is over first."""
    query = (
        select(
            domains.c.domain,
            _c.claimed_by,
            _c.claim_expires_at,
            _c.run_pages,
            _c.frontier_size,
            _c.claim_expires_at <= now(),
        )
        .join_from(domain_crawl, domains)
        .where(_c.claimed_by.is_not(None))
        .order_by(_c.claim_expires_at, _c.no)
        .limit(limit)
    )
    return [Claim._make((*row[:-1], bool(row[-1]))) for row in await tx.execute(query)]


class Leases(NamedTuple):
    live: int
    expired: int  # their time is over and nobody took them back


async def count_claims(tx: AsyncConnection) -> Leases:
    expired = func.count().filter(_c.claim_expires_at <= now())
    query = select(func.count(), expired).where(_c.claimed_by.is_not(None)).select_from(domain_crawl)
    held, over = (await tx.execute(query)).one()
    return Leases(int(held) - int(over), int(over))


async def count_due(tx: AsyncConnection, most: int) -> int:
    """Domains whose time has come, counted up to `most`; only approved ones have a time."""
    late = select(_c.no).where(_c.due_at <= now(), ~_c.ready).limit(most)
    ready = select(_c.no).where(_c.ready).limit(most)
    counts: Sequence[int] = [
        int((await tx.execute(select(func.count()).select_from(some.subquery()))).scalar_one())
        for some in (late, ready)
    ]
    return min(most, sum(counts))
