"""Clocks. Which one to use is a decision, so each has a name.

The database's clock decides everything two processes must agree on (leases,
cooldowns, events); it is read in SQL. `Clock` is for what stays within one
process: local deadlines count boot time, which goes on while a laptop sleeps.
"""

from __future__ import annotations

import time
from datetime import UTC, datetime
from functools import partial
from typing import Protocol


class Clock(Protocol):
    """What a test may turn."""

    def now(self) -> datetime:
        """Wall clock time in UTC, for people and for HTTP dates."""
        ...

    def ticks(self) -> float:
        """Seconds that never go back and do not stop in sleep, for deadlines."""
        ...


# macOS and Windows have no clock of the boot: monotonic is the nearest thing.
_boot_seconds = (
    partial(time.clock_gettime, time.CLOCK_BOOTTIME) if hasattr(time, "CLOCK_BOOTTIME") else time.monotonic
)


class SystemClock:
    def now(self) -> datetime:
        return datetime.now(UTC)

    def ticks(self) -> float:
        return _boot_seconds()
