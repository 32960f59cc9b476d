"""How far each webhook has heard, and what went wrong last: for people and for programs that watch."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime

from surveyor.db import Database
from surveyor.listeners import store
from surveyor.registry import feed


@dataclass(frozen=True, slots=True)
class Standing:
    name: str
    url: str
    position: int  # in the feed
    behind: int  # events it has not received yet; a webhook that never ran begins at the end
    held_by: str | None
    held_until: datetime | None
    failures: int  # in a row
    retry_at: datetime | None
    last_error: str | None
    delivered_at: datetime | None


async def standing(db: Database, webhooks: Mapping[str, str], limit: int) -> list[Standing]:
    """Of each webhook of the settings (name -> URL), in their order."""
    end = await feed.reach(db)
    found = []
    async with db.read() as tx:
        for name, url in list(webhooks.items())[:limit]:
            cursor = await store.find(tx, name) or store.Cursor(name, end, None, None, 0, None, None, None)
            found.append(
                Standing(
                    name=name,
                    url=url,
                    position=cursor.position,
                    behind=end - cursor.position,
                    held_by=cursor.held_by,
                    held_until=cursor.held_until,
                    failures=cursor.failures,
                    retry_at=cursor.retry_at,
                    last_error=cursor.last_error,
                    delivered_at=cursor.delivered_at,
                )
            )
    return found


async def behind(db: Database) -> dict[str, int]:
    """Events that each listener has not received yet, by its name; those in Python included."""
    end = await feed.reach(db)
    async with db.read() as tx:
        return {cursor.name: max(0, end - cursor.position) for cursor in await store.everyone(tx)}
