"""The position of each webhook in the feed, and what went wrong last: for people and for monitoring."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass
from datetime import datetime

from surveyor.db import Database
from surveyor.listeners import store
from surveyor.registry import feed


@dataclass(frozen=True, slots=True)
class WebhookStatus:
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


async def standing(db: Database, webhooks: Mapping[str, str], limit: int) -> list[WebhookStatus]:
    """Of each webhook of the settings (name -> URL), in their order."""
    end = await feed.reach(db)
    found = []
    async with db.read() as tx:
        for name, url in list(webhooks.items())[:limit]:
            cursor = await store.find(tx, name) or store.Cursor(name, end, None, None, 0, None, None, None)
            found.append(WebhookStatus(url=url, behind=end - cursor.position, **asdict(cursor)))
    return found


async def behind(db: Database) -> dict[str, int]:
    """Events that each listener has not received yet, by its name; those in Python included."""
    end = await feed.reach(db)
    async with db.read() as tx:
        return {cursor.name: max(0, end - cursor.position) for cursor in await store.all_cursors(tx)}
