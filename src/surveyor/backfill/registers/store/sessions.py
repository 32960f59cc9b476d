"""Writes discovery sessions that ended elsewhere; one that is known stays as it is."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict
from uuid import UUID

from sqlalchemy import select, update
from sqlalchemy.ext.asyncio import AsyncConnection

from surveyor.backfill.registers.run import Run
from surveyor.backfill.registers.sessions import TheirSession
from surveyor.db.tables import discovery_sessions
from surveyor.discover.session import SessionStatus
from surveyor.registry.events import EventKind, NewEvent
from surveyor.registry.store import events

_s = discovery_sessions.c


async def there(tx: AsyncConnection, ids: Sequence[UUID]) -> set[UUID]:
    return set((await tx.execute(select(_s.id).where(_s.id.in_(ids)))).scalars())


async def take(tx: AsyncConnection, batch: Sequence[TheirSession], run: Run) -> None:
    known = await there(tx, [one.id for one in batch])
    new = {one.id: one for one in batch if one.id not in known}
    run.now.new += len(new)
    run.now.kept += len(batch) - len(new)
    run.sessions |= new.keys() | known
    if not run.apply:
        return
    for one in new.values():
        await _write(tx, one, run)


async def _write(tx: AsyncConnection, one: TheirSession, run: Run) -> None:
    """As every session it begins, and ends: the arrows are kept."""
    begun = {"status": SessionStatus.RUNNING, "started_by": one.started_by, "started_at": one.started_at}
    fixed = {"worker": run.source, "last_seen_at": one.completed_at, "provider_errors": {}}
    planned = {"queries_planned": one.totals.queries_executed}
    values = begun | fixed | planned | asdict(one.totals)
    await tx.execute(discovery_sessions.insert().values(id=one.id, type=one.type, **values))
    ended = {"status": one.status, "completed_at": one.completed_at, "error_message": one.error_message}
    await tx.execute(update(discovery_sessions).where(_s.id == one.id).values(ended))
    data = {"session": str(one.id), "imported": run.source}
    event = NewEvent(EventKind.DISCOVERY_ENDED, run.by.name, to_state=one.status, data=data)
    await events.append(tx, [event])
