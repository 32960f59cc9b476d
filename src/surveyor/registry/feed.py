"""Events for whoever listens: each at least once, none skipped, in order per domain.

A reader names the id of the last event it received, and gets those that follow in the order
of the feed. That order never changes, so a cursor kept for a year is still good.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from typing import Any

from surveyor.db import Database
from surveyor.registry.store import feed as store
from surveyor.registry.store.feed import FeedEntry

__all__ = ["FeedEntry", "after_position", "follow", "latest", "reach", "read", "to_json"]

# Seconds between two looks of somebody who follows.
POLL_SECONDS = 0.5
# Events read in one go; a few hundred kilobytes.
_PAGE = 500


async def read(db: Database, after: int, limit: int) -> list[FeedEntry]:
    """The events that follow the one with the id `after`; 0 is the beginning."""
    await _take_over(db)
    async with db.read() as tx:
        return await store.page(tx, await store.position_of(tx, after), limit)


async def after_position(db: Database, position: int, limit: int) -> list[FeedEntry]:
    """As `read`, for listeners that keep a position."""
    await _take_over(db)
    async with db.read() as tx:
        return await store.page(tx, position, limit)


async def latest(db: Database, limit: int) -> list[FeedEntry]:
    await _take_over(db)
    async with db.read() as tx:
        return await store.latest(tx, limit)


async def end(db: Database) -> int:
    """The position of the last event."""
    await _take_over(db)
    async with db.read() as tx:
        return await store.end(tx)


async def reach(db: Database) -> int:
    """The position that the last event has or will have; writes nothing, for those who only look."""
    async with db.read() as tx:
        return await store.end(tx) + await store.count_waiting(tx)


async def follow(
    db: Database, after: int | None = None, poll_seconds: float = POLL_SECONDS
) -> AsyncIterator[FeedEntry]:
    """Events as they come, for ever; without `after`, those that come from now on."""
    if after is None:
        position = await end(db)
    else:
        async with db.read() as tx:
            position = await store.position_of(tx, after)
    while True:
        for entry in (found := await after_position(db, position, _PAGE)):
            yield entry
            position = entry.position
        if len(found) < _PAGE:
            await asyncio.sleep(poll_seconds)


async def _take_over(db: Database) -> None:
    async with db.read() as tx:
        if not await store.is_behind(tx):
            return
    async with db.write() as tx:
        await store.extend(db, tx)


def to_json(entry: FeedEntry) -> dict[str, Any]:
    """What every listener gets: one flat object."""
    return entry.event.to_json(domain=entry.domain)
