"""The order in which events are delivered: appended to under a turn, never changed, none left out.

Events are written by transactions that run beside each other: a smaller id may become visible
after a larger one. So neither ids nor transaction numbers can serve as a cursor. Whoever reads
first takes over what has become visible into `event_feed`, in the order of ids, and there a
position is a cursor. Everything older than the oldest running transaction was taken over
before; from there on each event is looked up.

Two events of one domain are always in order: their writers waited for each other at the
domain's row, so whoever sees the second also sees the first, under a smaller id.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from sqlalchemy import ColumnElement, exists, func, select
from sqlalchemy.ext.asyncio import AsyncConnection

from surveyor.db import Database
from surveyor.db.dialect import oldest_running, turn
from surveyor.db.tables import domains, event_feed, events
from surveyor.errors import NotFound
from surveyor.registry.events import Event
from surveyor.registry.store import register
from surveyor.registry.store.events import to_event

_e, _f = events.c, event_feed.c
# All that transactions below this number wrote is in the feed.
_FED_BELOW = "events_fed_below"


@dataclass(frozen=True, slots=True)
class FeedEntry:
    """An event in its place in the feed, with the present name of its domain."""

    position: int
    event: Event
    domain: str | None


async def is_behind(tx: AsyncConnection) -> bool:
    """Whether there is something to take over; cheap, for those who ask all the time."""
    fed, _ = await _bounds(tx)
    return bool((await tx.execute(select(exists().where(*_not_taken_over(fed))))).scalar_one())


async def extend(db: Database, tx: AsyncConnection) -> None:
    """Take over what has become visible."""
    await tx.execute(select(turn("event feed")))
    fed, oldest = await _bounds(tx)
    last = select(func.coalesce(func.max(_f.position), 0)).scalar_subquery()
    position = last + func.row_number().over(order_by=_e.id)
    new = select(position, _e.id).where(*_not_taken_over(fed))
    await tx.execute(event_feed.insert().from_select(["position", "event_id"], new))
    await register.set_fact(db, tx, _FED_BELOW, str(oldest))


def _not_taken_over(fed: int) -> tuple[ColumnElement[bool], ...]:
    return _e.tx >= fed, ~exists().where(_f.event_id == _e.id)


async def _bounds(tx: AsyncConnection) -> tuple[int, int]:
    """The number below which all is in the feed, and the one below which all is visible now."""
    fed = int(await register.get_fact(tx, _FED_BELOW) or 0)
    oldest = int((await tx.execute(select(oldest_running()))).scalar_one())
    # Numbers never fall within one database: it was moved to another server, where they began anew.
    return (fed if fed <= oldest else 0), oldest


async def page(tx: AsyncConnection, after: int, limit: int) -> list[FeedEntry]:
    """What stands behind a position, in order."""
    query = _ENTRIES.where(_f.position > after).order_by(_f.position).limit(limit)
    return [_to_entry(row) for row in await tx.execute(query)]


async def latest(tx: AsyncConnection, limit: int) -> list[FeedEntry]:
    """The end of the feed, in order."""
    query = _ENTRIES.order_by(_f.position.desc()).limit(limit)
    return [_to_entry(row) for row in await tx.execute(query)][::-1]


async def end(tx: AsyncConnection) -> int:
    return int((await tx.execute(select(func.coalesce(func.max(_f.position), 0)))).scalar_one())


async def count_waiting(tx: AsyncConnection) -> int:
    """Events that are visible and in the feed of nobody yet."""
    fed, _ = await _bounds(tx)
    query = select(func.count()).select_from(events).where(*_not_taken_over(fed))
    return int((await tx.execute(query)).scalar_one())


async def position_of(tx: AsyncConnection, event_id: int) -> int:
    """Where an event stands; 0 is before the first one."""
    if event_id == 0:
        return 0
    query = select(_f.position).where(_f.event_id == event_id)
    position = (await tx.execute(query)).scalar_one_or_none()
    if position is None:
        raise NotFound(f"no event {event_id} was delivered yet; begin with 0 or the last id you received")
    return int(position)


_ENTRIES = (
    select(_f.position, domains.c.domain, events)
    .join_from(event_feed, events, _f.event_id == _e.id)
    .outerjoin(domains, domains.c.no == _e.domain_no)
)


def _to_entry(row: Sequence[Any]) -> FeedEntry:
    values = dict(row._mapping)  # type: ignore[attr-defined]
    position, domain = values.pop("position"), values.pop("domain")
    return FeedEntry(position, to_event(values), domain)
