"""What a person keeps for themselves: reasons they often give, and lists they come back to."""

from __future__ import annotations

from enum import StrEnum
from typing import NamedTuple

from surveyor.db import Database
from surveyor.errors import UsageError
from surveyor.people import store
from surveyor.people.users import User

_LONGEST_NAME, _LONGEST_VALUE = 200, 2_000  # characters


class SavedKind(StrEnum):
    """What can be kept, and how much of it."""

    REASON = "reason"  # why something was rejected; on the keys 1 to 9
    VIEW = "view"  # the address of a list with its filters


MOST = {SavedKind.REASON: 9, SavedKind.VIEW: 50}


class Saved(NamedTuple):
    id: int
    name: str
    value: str


async def saved_by(db: Database, user: User, kind: SavedKind) -> list[Saved]:
    """In the order in which they were kept."""
    async with db.read() as tx:
        return [Saved(*row) for row in await store.saved_by(tx, user.id, kind, MOST[kind])]


async def save(db: Database, user: User, kind: SavedKind, name: str, value: str) -> None:
    """Keep one; the same name again replaces it."""
    name, value = name.strip(), value.strip()
    if not name or not value or len(name) > _LONGEST_NAME or len(value) > _LONGEST_VALUE:
        raise UsageError(f"a {kind} has a name of up to {_LONGEST_NAME} characters; type one")
    async with db.write() as tx:
        rows = await store.saved_by(tx, user.id, kind, MOST[kind])
        if len(rows) >= MOST[kind] and name not in {row.name for row in rows}:
            raise UsageError(f"{MOST[kind]} of them are kept at most; remove one first")
        await store.save(tx, user.id, kind, name, value)


async def remove(db: Database, user: User, number: int) -> None:
    """Only one's own."""
    async with db.write() as tx:
        await store.remove_saved(tx, user.id, number)
