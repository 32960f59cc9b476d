"""What changed in records lately, how many were found each day: each looks at a bounded stretch of rows."""

from __future__ import annotations

from datetime import datetime
from typing import Any, NamedTuple
from uuid import UUID

from sqlalchemy import Subquery, Text, cast, func, select
from sqlalchemy.ext.asyncio import AsyncConnection

from surveyor.db import later
from surveyor.db.tables import domains, record_changes, records
from surveyor.extract.store.queries import RecordFilter
from surveyor.ids import first_id

_r, _c, _d = records.c, record_changes.c, domains.c
# Changes that a list of one kind looks through, newest first: a person looks at fewer.
_LATELY = 20_000
# Rows that figures of days look at, newest first: half a second on a slow disk, in the background.
_MOST_ROWS = 300_000
# Places of a day in a time written as text, in both engines: "2026-11-16".
_DAY = 10


class ChangedRow(NamedTuple):
    """A field that a site changed, with the record it belongs to."""

    id: int
    record_id: UUID
    domain: str
    kind: str
    name: str
    published: bool
    gone_at: datetime | None
    field: str
    old: Any
    new: Any
    snapshot_id: int
    at: datetime


async def change_page(
    tx: AsyncConnection, wanted: RecordFilter, limit: int, after: int | None = None
) -> list[ChangedRow]:
    """What changed, the latest first; those that follow the change `after`."""
    of_record = (_c.record_id, _d.domain, _r.kind, _r.name, _r.published, _r.gone_at)
    query = (
        select(_c.id, *of_record, _c.field, _c.old, _c.new, _c.snapshot_id, _c.at)
        .join_from(record_changes, records, _r.id == _c.record_id)
        .join(domains, _d.no == _c.domain_no)
        .order_by(_c.id.desc())
        .limit(limit)
    )
    if wanted.domain_no is not None:
        query = query.where(_c.domain_no == wanted.domain_no)
    else:
        last = select(func.coalesce(func.max(_c.id), 0)).scalar_subquery()
        query = query.where(_c.id > last - _LATELY)
    if wanted.kind is not None:
        query = query.where(_r.kind == wanted.kind)
    if wanted.contains:
        query = query.where(_r.name.icontains(wanted.contains, autoescape=True))
    if not wanted.unpublished:
        query = query.where(_r.published)
    if not wanted.gone:
        query = query.where(_r.gone_at.is_(None))
    if after is not None:
        query = query.where(_c.id < after)
    return [ChangedRow._make(row) for row in await tx.execute(query)]


async def found_per_day(tx: AsyncConnection, seconds: float) -> dict[str, int]:
    """New records by the day on which their page was seen first."""
    since: datetime = (await tx.execute(select(later(-seconds)))).scalar_one()
    newest = select(_r.first_seen_at.label("at")).where(_r.id >= first_id(since)).order_by(_r.id.desc())
    return await _per_day(tx, newest.limit(_MOST_ROWS).subquery(), since, func.count())


async def changed_per_day(tx: AsyncConnection, seconds: float) -> dict[str, int]:
    """Records of which a site changed something, by day."""
    since: datetime = (await tx.execute(select(later(-seconds)))).scalar_one()
    newest = select(_c.at.label("at"), _c.record_id).order_by(_c.id.desc()).limit(_MOST_ROWS).subquery()
    return await _per_day(tx, newest, since, func.count(newest.c.record_id.distinct()))


async def _per_day(tx: AsyncConnection, rows: Subquery, since: datetime, counted: Any) -> dict[str, int]:
    day = func.substr(cast(rows.c.at, Text), 1, _DAY)
    query = select(day, counted).select_from(rows).where(rows.c.at >= since).group_by(day)
    return {str(when): int(count) for when, count in await tx.execute(query)}
