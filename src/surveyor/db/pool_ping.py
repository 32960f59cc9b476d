"""Asks a connection of the pool whether its server is still there, but only one that was idle for a while.

The pool can ask before every transaction by itself. That is three messages and their answers each time, as
many as a short transaction takes, and a worker begins dozens of them in a second.
"""

from __future__ import annotations

import time
from typing import Any

from sqlalchemy import event, exc
from sqlalchemy.ext.asyncio import AsyncEngine

# One that was idle for fewer seconds was at work just now. A server that went since then has
# closed the connection, which the driver knows; or it is out of reach, which asking finds out no sooner
# than working does.
_IDLE_SECONDS = 5.0
_SINCE = "idle since"


def ping_idle(engine: AsyncEngine, seconds: float = _IDLE_SECONDS) -> None:
    """From now on. A connection that is gone is replaced, and with it all that are older than this moment."""
    dialect = engine.dialect

    @event.listens_for(engine.sync_engine, "checkin")
    def _note(_connection: object, record: Any) -> None:
        record.info[_SINCE] = time.monotonic()

    @event.listens_for(engine.sync_engine, "checkout")
    def _ask(connection: Any, record: Any, _proxy: object) -> None:
        since = record.info.get(_SINCE)
        if since is None:  # it was made for this
            return
        if connection.driver_connection.is_closed():
            raise exc.InvalidatePoolError("the server closed it")
        if time.monotonic() - since >= seconds:
            try:
                dialect.do_ping(connection)
            except dialect.loaded_dbapi.Error as error:
                raise exc.InvalidatePoolError("the server does not answer") from error
