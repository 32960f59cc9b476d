"""The statements that an act sends to the database."""

from __future__ import annotations

from collections.abc import Awaitable, Callable

from sqlalchemy import event

from surveyor.db import Database


async def statements(db: Database, act: Callable[[], Awaitable[object]]) -> int:
    return len(await texts(db, act))


async def texts(db: Database, act: Callable[[], Awaitable[object]]) -> list[str]:
    seen: list[str] = []

    def note(*said: object) -> None:
        seen.append(str(said[2]))

    event.listen(db.engine.sync_engine, "before_cursor_execute", note)
    try:
        await act()
    finally:
        event.remove(db.engine.sync_engine, "before_cursor_execute", note)
    return seen
