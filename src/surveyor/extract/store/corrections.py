"""Corrections of records: written, ended, and kept in step with what pages say."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping
from typing import Any
from uuid import UUID

from sqlalchemy import insert, select, update
from sqlalchemy.ext.asyncio import AsyncConnection

from surveyor.db import now
from surveyor.db.tables import record_corrections
from surveyor.extract.overlay import WHOLE, Correction

_x = record_corrections.c
_COLUMNS = [_x[name] for name in Correction.__dataclass_fields__]


async def active(tx: AsyncConnection, ids: Iterable[UUID]) -> dict[UUID, list[Correction]]:
    """Those that hold, by record."""
    found: dict[UUID, list[Correction]] = defaultdict(list)
    wanted = list(ids)
    if wanted:
        query = select(*_COLUMNS).where(_x.record_id.in_(wanted), _x.ended_at.is_(None)).order_by(_x.id)
        for row in await tx.execute(query):
            found[row.record_id].append(Correction(*row))
    return found


async def history(tx: AsyncConnection, record_id: UUID, limit: int) -> list[Correction]:
    """All that were made, the latest first."""
    query = select(*_COLUMNS).where(_x.record_id == record_id).order_by(_x.id.desc()).limit(limit)
    return [Correction(*row) for row in await tx.execute(query)]


async def add(tx: AsyncConnection, record_id: UUID, domain_no: int, field: str, **values: Any) -> None:
    """A correction of the same field before it ends."""
    await end(tx, record_id, field, values["made_by"])
    await tx.execute(
        insert(record_corrections).values(
            record_id=record_id, domain_no=domain_no, field=field, at=now(), **values
        )
    )


async def end(tx: AsyncConnection, record_id: UUID, field: str, by: str) -> bool:
    """Whether there was one."""
    mine = update(record_corrections).where(
        _x.record_id == record_id, _x.field == field, _x.ended_at.is_(None)
    )
    return bool((await tx.execute(mine.values(ended_at=now(), ended_by=by))).rowcount)


async def pages_say(
    tx: AsyncConnection, laid: Iterable[Correction], fields: Mapping[str, dict[str, Any]]
) -> None:
    """Keep beside each correction what the pages say now."""
    for one in laid:
        if one.field != WHOLE and fields.get(one.field) != one.said:
            mine = update(record_corrections).where(_x.id == one.id)
            await tx.execute(mine.values(said=fields.get(one.field)))
