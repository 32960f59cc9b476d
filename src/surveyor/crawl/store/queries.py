"""What people look at on a domain: its pages with reasons, its fetches, its runs, versions of a page."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from typing import Any, NamedTuple
from uuid import UUID

from sqlalchemy import func, select
from sqlalchemy.ext.asyncio import AsyncConnection

from surveyor.db.tables import crawl_log, domains, page_snapshots, pages
from surveyor.errors import NotFound

_p, _l, _s = pages.c, crawl_log.c, page_snapshots.c


class PageLine(NamedTuple):
    key: int
    target: str
    state: str
    reason: str | None
    depth: int
    attempts: int
    status: int | None
    fetched_at: datetime | None
    next_visit_at: datetime | None


class Fetch(NamedTuple):
    url: str
    status: int | None
    reason: str | None
    bytes: int
    ms: int
    fetched_at: datetime


class RunShare(NamedTuple):
    """What one run did on a domain."""

    run_id: UUID
    pages: int
    errors: int
    first: datetime
    last: datetime


class Snapshot(NamedTuple):
    id: int
    domain_no: int
    key: int
    first_seen_at: datetime
    last_seen_at: datetime
    content_type: str | None
    bytes: int
    title: str | None
    archive: str | None


async def page_lines(
    tx: AsyncConnection, no: int, limit: int, after: int | None, state: str | None
) -> list[PageLine]:
    """Pages in the order of their keys."""
    query = select(*_columns(PageLine, _p)).where(_p.domain_no == no).order_by(_p.key).limit(limit)
    if after is not None:
        query = query.where(_p.key > after)
    if state is not None:
        query = query.where(_p.state == state)
    return [PageLine(*row) for row in await tx.execute(query)]


async def page_line(tx: AsyncConnection, no: int, key: int) -> PageLine:
    query = select(*_columns(PageLine, _p)).where(_p.domain_no == no, _p.key == key)
    row = (await tx.execute(query)).one_or_none()
    if row is None:
        raise NotFound("no such page is known of this domain")
    return PageLine(*row)


async def fetches(tx: AsyncConnection, no: int, limit: int) -> list[Fetch]:
    """The latest requests, newest first."""
    query = select(*_columns(Fetch, _l)).where(_l.domain_no == no).order_by(_l.id.desc()).limit(limit)
    return [Fetch(*row) for row in await tx.execute(query)]


async def runs(tx: AsyncConnection, no: int, among: int) -> list[RunShare]:
    """The runs that the latest requests belong to, newest first."""
    some = (
        select(_l.run_id, _l.reason, _l.fetched_at)
        .where(_l.domain_no == no)
        .order_by(_l.id.desc())
        .limit(among)
        .subquery()
    )
    query = (
        select(
            some.c.run_id,
            func.count(),
            func.count(some.c.reason),
            func.min(some.c.fetched_at),
            func.max(some.c.fetched_at),
        )
        .group_by(some.c.run_id)
        .order_by(func.max(some.c.fetched_at).desc())
    )
    return [RunShare(*row) for row in await tx.execute(query)]


async def snapshot(tx: AsyncConnection, snapshot_id: int) -> tuple[Snapshot, str]:
    """One version, with the name of its domain."""
    query = (
        select(*_columns(Snapshot, _s), domains.c.domain)
        .join_from(page_snapshots, domains, domains.c.no == _s.domain_no)
        .where(_s.id == snapshot_id)
    )
    row = (await tx.execute(query)).one_or_none()
    if row is None:
        raise NotFound(f"there is no snapshot {snapshot_id}")
    return Snapshot(*row[:-1]), str(row[-1])


def _columns(kind: Any, table: Any) -> Sequence[Any]:
    return [table[name] for name in kind._fields]
