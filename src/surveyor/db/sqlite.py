"""Puts a sound SQLite under the name `sqlite3`, and prepares its connections.

Versions up to 3.51.2 can corrupt a WAL file when two connections checkpoint at
once. The wheel `pysqlite3` brings a later one; it must be in place before
aiosqlite is imported, which is why only `db.aiosqlite_batch` imports aiosqlite, and this
module first. Without a sound version we use a rollback journal: slower, safe.
"""

from __future__ import annotations

import sys
from typing import Any

_FIRST_SOUND = (3, 51, 3)
# How long a writer waits for another process's transaction before it gives up.
BUSY_MILLISECONDS = 30_000
# A checkpoint cuts the WAL file back to this.
_WAL_LIMIT_BYTES = 64 * 1024 * 1024


def install() -> None:
    """Make `import sqlite3` mean the bundled SQLite, wherever there is a wheel of it."""
    try:
        import pysqlite3
        import pysqlite3.dbapi2
    except ImportError:
        return
    sys.modules["sqlite3"] = pysqlite3
    sys.modules["sqlite3.dbapi2"] = pysqlite3.dbapi2


install()


def version() -> tuple[int, ...]:
    import sqlite3

    return tuple(int(part) for part in sqlite3.sqlite_version.split("."))


def is_sound() -> bool:
    return version() >= _FIRST_SOUND


def prepare(dbapi_connection: Any, synchronous: str) -> None:
    """Settings of one connection; run for each before its first statement."""
    dbapi_connection.isolation_level = None  # we say BEGIN ourselves, see db.engine
    cursor = dbapi_connection.cursor()
    for pragma in (
        f"busy_timeout={BUSY_MILLISECONDS}",
        f"journal_mode={'WAL' if is_sound() else 'DELETE'}",
        f"synchronous={synchronous}",
        "foreign_keys=ON",
        f"journal_size_limit={_WAL_LIMIT_BYTES}",
        "cache_size=-32768",  # KiB
        "temp_store=MEMORY",
    ):
        cursor.execute(f"PRAGMA {pragma}")
    cursor.close()
