"""Statements about the cursor of each listener, and which dispatcher holds it."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime

from sqlalchemy import or_, select, update
from sqlalchemy.ext.asyncio import AsyncConnection

from surveyor.db import Database, later, now
from surveyor.db.tables import listener_cursors

_c = listener_cursors.c


@dataclass(frozen=True, slots=True)
class Cursor:
    name: str
    position: int
    held_by: str | None
    held_until: datetime | None
    failures: int
    retry_at: datetime | None
    last_error: str | None
    delivered_at: datetime | None


async def add(db: Database, tx: AsyncConnection, name: str, position: int) -> None:
    """A new listener begins here; a known one stays where it is."""
    row = db.insert(listener_cursors).values(name=name, position=position)
    await tx.execute(row.on_conflict_do_nothing(index_elements=["name"]))


async def hold(tx: AsyncConnection, name: str, holder: str, seconds: float) -> int | None:
    """Hold the listener; returns its position, or None if another dispatcher holds it, or it is too early."""
    free = or_(_c.held_by.is_(None), _c.held_by == holder, _c.held_until <= now())
    due = or_(_c.retry_at.is_(None), _c.retry_at <= now())
    statement = (
        update(listener_cursors)
        .where(_c.name == name, free, due)
        .values(held_by=holder, held_until=later(seconds))
        .returning(_c.position)
    )
    position: int | None = (await tx.execute(statement)).scalar_one_or_none()
    return position


async def accepted(tx: AsyncConnection, name: str, holder: str, position: int, seconds: float) -> bool:
    """The listener has accepted up to here; False if another dispatcher holds it by now."""
    values = {"position": position, "failures": 0, "retry_at": None, "last_error": None}
    statement = (
        update(listener_cursors)
        .where(_c.name == name, _c.held_by == holder)
        .values(held_until=later(seconds), delivered_at=now(), **values)
        .returning(_c.name)
    )
    return (await tx.execute(statement)).first() is not None


async def failed(tx: AsyncConnection, name: str, holder: str, error: str, seconds: float) -> None:
    values = {"failures": _c.failures + 1, "retry_at": later(seconds), "last_error": error}
    mine = (_c.name == name, _c.held_by == holder)
    await tx.execute(update(listener_cursors).where(*mine).values(values))


async def release(tx: AsyncConnection, name: str, holder: str) -> None:
    mine = (_c.name == name, _c.held_by == holder)
    await tx.execute(update(listener_cursors).where(*mine).values(held_by=None, held_until=None))


async def all_cursors(tx: AsyncConnection) -> list[Cursor]:
    return [Cursor(*row) for row in await tx.execute(select(listener_cursors).order_by(_c.name))]


async def find(tx: AsyncConnection, name: str) -> Cursor | None:
    row = (await tx.execute(select(listener_cursors).where(_c.name == name))).one_or_none()
    return Cursor(*row) if row else None
