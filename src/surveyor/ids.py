"""Identifiers for people-sized things: UUIDs of version 7, which sort by the time they were made."""

from __future__ import annotations

import os
import time
from datetime import datetime
from uuid import UUID

_VERSION_7 = 0x7 << 76
_VARIANT = 0b10 << 62
_RANDOM_A = ((1 << 12) - 1) << 64
_RANDOM_B = (1 << 62) - 1


def new_id() -> UUID:
    milliseconds = time.time_ns() // 1_000_000
    random = int.from_bytes(os.urandom(10), "big")
    return UUID(
        int=(milliseconds << 80) | _VERSION_7 | (random & _RANDOM_A) | _VARIANT | (random & _RANDOM_B)
    )


def first_id(moment: datetime) -> UUID:
    """Smaller than every identifier that was made at that time or later."""
    return UUID(int=int(moment.timestamp() * 1000) << 80)
