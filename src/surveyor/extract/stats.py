"""What extraction found lately, for people who watch it."""

from __future__ import annotations

from typing import NamedTuple

from surveyor.db import Database
from surveyor.extract.store import listing

_MONTH = 30 * 86_400.0  # seconds


class FoundDay(NamedTuple):
    """What one day brought."""

    when: str
    found: int
    changed: int


async def per_day(db: Database) -> list[FoundDay]:
    """The last 30 days, those without anything left out: a second of work on a large register."""
    async with db.read() as tx:
        found = await listing.found_per_day(tx, _MONTH)
        changed = await listing.changed_per_day(tx, _MONTH)
    return [
        FoundDay(day, found.get(day, 0), changed.get(day, 0)) for day in sorted(found.keys() | changed.keys())
    ]
