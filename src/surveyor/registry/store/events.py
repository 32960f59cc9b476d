"""Writes and reads events. Writing takes the caller's transaction: no fact without its event."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from sqlalchemy import Row, select
from sqlalchemy.ext.asyncio import AsyncConnection

from surveyor.db import now
from surveyor.db.bounded import Listing, Look, look
from surveyor.db.dialect import transaction_number
from surveyor.db.tables import domains, events
from surveyor.registry.events import Event, EventKind, NewEvent


async def append(tx: AsyncConnection, new: Sequence[NewEvent]) -> None:
    if not new:
        return
    statement = events.insert().values(tx=transaction_number(), at=now())
    await tx.execute(
        statement,
        [
            {
                "kind": event.kind,
                "actor": event.actor,
                "domain_no": event.domain_no,
                "version": event.version,
                "from_state": event.from_state,
                "to_state": event.to_state,
                "reason": event.reason,
                "data": dict(event.data) if event.data is not None else None,
            }
            for event in new
        ],
    )


async def of_domain(tx: AsyncConnection, no: int, limit: int) -> list[Event]:
    """The latest events of a domain, newest first, with those of rows merged into it."""
    merged = select(events.c.data).where(events.c.domain_no == no, events.c.kind == EventKind.DOMAINS_MERGED)
    numbers = [no, *(data["merged_no"] for data in (await tx.execute(merged)).scalars())]
    query = select(events).where(events.c.domain_no.in_(numbers)).order_by(events.c.id.desc()).limit(limit)
    return [to_event(dict(row._mapping)) for row in await tx.execute(query)]


@dataclass(frozen=True, slots=True)
class EventFilter:
    kind: EventKind | None = None
    domain_no: int | None = None
    actor: str | None = None


async def look_for(tx: AsyncConnection, wanted: EventFilter, limit: int, before: str) -> Look:
    """What can be seen and is wanted, newest first; for people, not for listeners."""
    e = events.c
    query = select(events, domains.c.domain).outerjoin_from(events, domains, domains.c.no == e.domain_no)
    indexed = [] if wanted.domain_no is None else [e.domain_no == wanted.domain_no]
    others = [] if wanted.kind is None else [e.kind == wanted.kind]
    if wanted.actor:
        others.append(e.actor == wanted.actor)
    return await look(tx, Listing(query, e.id, indexed, others), {}, "", limit, before)


def named(row: Row[Any]) -> tuple[Event, str | None]:
    """An event, and the name of its domain."""
    values = dict(row._mapping)
    name = values.pop("domain")
    return to_event(values), name


async def since_version(tx: AsyncConnection, no: int, version: int) -> list[Event]:
    """What people and stages changed on a domain after somebody looked at that version."""
    query = select(events).where(events.c.domain_no == no, events.c.version > version).order_by(events.c.id)
    return [to_event(dict(row._mapping)) for row in await tx.execute(query)]


def to_event(values: dict[str, Any]) -> Event:
    values.pop("tx")
    values["kind"] = EventKind(values["kind"])
    return Event(**values)
