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
_RANDOM_BYTES = 10


def new_id() -> UUID:
    return new_ids(1)[0]


def new_ids(count: int) -> list[UUID]:
    """Many at once: asking the system for randomness costs more than all the rest."""
    moment = (time.time_ns() // 1_000_000 << 80) | _VERSION_7 | _VARIANT
    random = os.urandom(_RANDOM_BYTES * count)
    drawn = (int.from_bytes(random[at : at + _RANDOM_BYTES]) for at in range(0, len(random), _RANDOM_BYTES))
    return [UUID(int=moment | (one & _RANDOM_A) | (one & _RANDOM_B)) for one in drawn]


def first_id(moment: datetime) -> UUID:
    """Smaller than every identifier that was made at that time or later."""
    return UUID(int=int(moment.timestamp() * 1000) << 80)
