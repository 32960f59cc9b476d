"""Puts a sound SQLite under the name `sqlite3`, prepares its connections, and watches its files.

Versions up to 3.51.2 can corrupt a WAL file when two connections checkpoint at
once. The wheel `pysqlite3` brings a later one; it must be in place before
aiosqlite is imported, which is why only `db.aiosqlite_batch` imports aiosqlite, and this
module first. Without a sound version we use a rollback journal: slower, safe.
"""

from __future__ import annotations

import os
import sys
from pathlib import Path
from typing import Any

from surveyor.clock import SystemClock

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


def is_sound() -> bool:
    import sqlite3

    return sqlite3.sqlite_version_info >= _FIRST_SOUND


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
        "cache_size=-16384",  # KiB, of each connection; twice as much took no less CPU with 300,000 URLs
        "temp_store=MEMORY",
    ):
        cursor.execute(f"PRAGMA {pragma}")
    cursor.close()


# Seconds after which the database is asked although nothing was written.
_MOST_SECONDS = 5.0


class FileWatch:
    """Whether anybody may have written since the last look, from SQLite's files without a statement.

    A process with nothing to do looks every second or two whether there is something now. A question takes
    a trip to SQLite's thread, a look at its files some microseconds. What becomes due by the clock alone
    writes nothing, so the database is asked every few seconds all the same. PostgreSQL, which has no file
    here, is asked every time.
    """

    def __init__(self, file: Path | None, most_seconds: float = _MOST_SECONDS) -> None:
        self._files = [f"{file}{ending}" for ending in ("", "-wal")] if file else []
        self._most, self._clock = most_seconds, SystemClock()
        self._seen: list[tuple[int, int]] = []
        self._asked_at = 0.0

    def is_unchanged(self) -> bool:
        """Nothing was written since this was last false; the caller asks the database when it is."""
        seen, ticks = [_mark(file) for file in self._files], self._clock.ticks()
        if seen and seen == self._seen and ticks - self._asked_at < self._most:
            return True
        self._seen, self._asked_at = seen, ticks
        return False


def _mark(file: str) -> tuple[int, int]:
    try:
        found = os.stat(file)  # noqa: PTH116 - asked for all day long
    except OSError:
        return 0, 0
    return found.st_mtime_ns, found.st_size
