"""Sessions that were, and the end of those whose process is gone; loads no search provider."""

from __future__ import annotations

from uuid import UUID

from surveyor.db import Database
from surveyor.discover.session import Session
from surveyor.discover.store import sessions as store
from surveyor.process import locks
from surveyor.registry import workers


async def close_abandoned(db: Database) -> int:
    """End sessions whose process is gone: by its lock at once, by its silence after two minutes."""
    folder = workers.lock_folder(db)
    async with db.read() as tx:
        found = await store.running(tx)
    closed = 0
    for session, moment in found:
        gone = folder is not None and locks.is_dead(folder, session.worker)
        if gone or moment - session.last_seen_at > store.SILENT:
            async with db.write() as tx:
                closed += await store.end_abandoned(tx, session)
    return closed


async def look_at_sessions(db: Database, limit: int, after: UUID | None = None) -> list[Session]:
    """Sessions, newest first, as they stand: for those who only look."""
    async with db.read() as tx:
        return await store.listing(tx, limit, after)


async def list_sessions(db: Database, limit: int, after: UUID | None = None) -> list[Session]:
    """Sessions, newest first; those that were left behind are ended first."""
    await close_abandoned(db)
    return await look_at_sessions(db, limit, after)
