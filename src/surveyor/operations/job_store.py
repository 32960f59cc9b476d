"""Rows of jobs."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import timedelta
from typing import Any
from uuid import UUID

from sqlalchemy import and_, insert, or_, select, update
from sqlalchemy.ext.asyncio import AsyncConnection

from surveyor.db import current_time, later, now
from surveyor.db.tables import jobs
from surveyor.ids import new_id

_j = jobs.c
_LIVE = ("running", "stopping", "pausing")


async def add(tx: AsyncConnection, kind: str, options: Mapping[str, Any], by: str) -> UUID:
    made = new_id()
    values = {"id": made, "kind": kind, "options": dict(options), "state": "queued", "log": ""}
    await tx.execute(insert(jobs).values(**values, asked_by=by, asked_at=now()))
    return made


async def find(tx: AsyncConnection, job_id: UUID, *, lock: bool = False) -> Any:
    query = select(jobs).where(_j.id == job_id)
    return (await tx.execute(query.with_for_update() if lock else query)).one_or_none()


async def page(tx: AsyncConnection, limit: int, after: UUID | None) -> list[Any]:
    query = select(jobs).order_by(_j.id.desc()).limit(limit)
    return list(await tx.execute(query.where(_j.id < after) if after else query))


async def claim(tx: AsyncConnection, machine: str) -> Any:
    """The one that waits longest, now of this machine; None if none waits."""
    query = select(_j.id).where(_j.state == "queued").order_by(_j.id).limit(1)
    found = (await tx.execute(query.with_for_update(skip_locked=True))).scalar_one_or_none()
    if found is None:
        return None
    values = {"state": "running", "machine": machine, "seen_at": now(), "started_at": now(), "log": ""}
    await tx.execute(update(jobs).where(_j.id == found).values(**values, exit_code=None, result=None))
    return await find(tx, found)


async def is_any_to_do(tx: AsyncConnection, silent: timedelta) -> bool:
    """Whether one waits, or runs on a machine that is gone."""
    wanted = or_(_j.state == "queued", and_(_j.state.in_(_LIVE), _j.seen_at < later(-silent.total_seconds())))
    return (await tx.execute(select(_j.id).where(wanted).limit(1))).first() is not None


async def seen(tx: AsyncConnection, job_id: UUID, log: str) -> str:
    """It still runs; returns its state, for somebody may want it to end."""
    await tx.execute(update(jobs).where(_j.id == job_id).values(seen_at=now(), log=log))
    return str((await tx.execute(select(_j.state).where(_j.id == job_id))).scalar_one())


async def move(tx: AsyncConnection, job_id: UUID, state: str, *, ended: bool = False, **values: Any) -> None:
    stamps = {"ended_at": now()} if ended else {}
    await tx.execute(update(jobs).where(_j.id == job_id).values(state=state, **stamps, **values))


async def lost(tx: AsyncConnection, silent: timedelta, note: str) -> int:
    """Jobs of machines that are gone fail; returns how many."""
    cutoff = await current_time(tx) - silent
    gone = update(jobs).where(_j.state.in_(_LIVE), _j.seen_at < cutoff)
    done = await tx.execute(gone.values(state="failed", ended_at=now(), log=note).returning(_j.id))
    return len(done.all())
