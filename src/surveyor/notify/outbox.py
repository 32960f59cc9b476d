"""The outbox: messages on their way to people, as values, and the acts on them.

A row is put in once for what it is about (`once`), held by one sender at a time, and written down as sent
before the next one is taken. A sender that dies in the middle leaves its hold to run out. If it died between
the yes of the server and our own note of it, the message goes again under the same Message-ID: a mail that is
lost is worse.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum

from surveyor.db import Database
from surveyor.errors import NotFound, Refused
from surveyor.ids import new_id
from surveyor.notify import store
from surveyor.notify.addresses import parse_address
from surveyor.registry.actors import Actor, Role


class State(StrEnum):
    """Where a message stands."""

    WAITING = "waiting"  # for its time, or for another try
    SENT = "sent"  # the other side took it
    FAILED = "failed"  # refused for good, or tried for days; somebody can send it again


@dataclass(frozen=True, slots=True)
class Letter:
    """A message to deliver."""

    id: int
    channel: str
    recipient: str
    subject: str
    body: str
    created_at: datetime
    tries: int


@dataclass(frozen=True, slots=True)
class OutboxRow:
    """A message as staff sees it: not what it says."""

    id: int
    channel: str
    recipient: str
    subject: str
    state: State
    created_at: datetime
    due_at: datetime
    sent_at: datetime | None
    tries: int
    last_error: str | None


async def listing(db: Database, limit: int, before: int | None = None) -> list[OutboxRow]:
    """The latest first."""
    async with db.read() as tx:
        found = await store.page(tx, limit, before)
    return [OutboxRow(**dict(row._mapping) | {"state": State(row.state)}) for row in found]


async def counts(db: Database) -> dict[str, int]:
    async with db.read() as tx:
        return await store.counts(tx)


async def try_mail(db: Database, address: str, by: Actor) -> str:
    """Put a mail in that only says that mail works; returns to whom."""
    if by.role is not Role.ADMIN:
        raise Refused(f"only an admin tries mail; {by.name} is a {by.role}")
    to = parse_address(address)
    async with db.write() as tx:
        await store.put(
            db,
            tx,
            channel="mail",
            recipient=to,
            subject="Surveyor: mail works",
            body=f"{by.name} asked for this mail to see whether it arrives.\n",
            once=f"test:{new_id()}",
        )
    return to


async def again(db: Database, number: int, by: Actor) -> None:
    """Try a failed one anew, at once."""
    if by.role is not Role.ADMIN:
        raise Refused(f"only an admin sends again; {by.name} is a {by.role}")
    async with db.write() as tx:
        if not await store.again(tx, number):
            raise NotFound("there is no failed message of that number; it may have been sent since")
