"""Whether anybody may have written since the last look, told from SQLite's files without a statement.

A process with nothing to do looks every second or two whether there is something now. A question takes a
trip to SQLite's thread, a look at its files some microseconds. What becomes due by the clock alone writes
nothing, so the database is asked every few seconds all the same. PostgreSQL is asked every time.
"""

from __future__ import annotations

import os

from surveyor.clock import SystemClock
from surveyor.db.engine import Database

# Seconds after which the database is asked although nothing was written.
_MOST_SECONDS = 5.0


class Stillness:
    """For one who looks again and again."""

    def __init__(self, db: Database, most_seconds: float = _MOST_SECONDS) -> None:
        self._files = [f"{db.file}{ending}" for ending in ("", "-wal")] if db.file else []
        self._most, self._clock = most_seconds, SystemClock()
        self._seen: list[tuple[int, int]] = []
        self._asked_at = 0.0

    def holds(self) -> bool:
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
