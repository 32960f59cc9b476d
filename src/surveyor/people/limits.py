"""Limits on how often something is tried, shared by all processes: a window that slides.

Only allowed tries count, so one who keeps trying is allowed again when the window has
passed, and nobody can lock another out for good. Subjects are kept as hashes: neither names
nor addresses are stored.
"""

from __future__ import annotations

import hashlib
import ipaddress
import math
from dataclasses import dataclass

from sqlalchemy.ext.asyncio import AsyncConnection

from surveyor.errors import Refused
from surveyor.people import store


class TooManyTries(Refused):
    """Tried too often lately; `seconds` says when to come back."""

    def __init__(self, what: str, seconds: float) -> None:
        self.what, self.seconds = what, max(1, math.ceil(seconds))
        super().__init__(f"too many {what}; try again in {_duration(self.seconds)}")


@dataclass(frozen=True, slots=True)
class Limit:
    """At most so many within so many seconds; `what` names them in the refusal."""

    what: str
    most: int
    seconds: float


async def count(tx: AsyncConnection, limit: Limit, *subject: str) -> None:
    """Count one more of this subject, or raise `TooManyTries`; in the caller's transaction."""
    key = _key(limit, subject)
    await store.one_at_a_time(tx, key)
    wait = await store.seconds_until_free(tx, key, limit.most)
    if wait is not None:
        raise TooManyTries(limit.what, wait)
    await store.add_try(tx, key, limit.seconds)


async def forget(tx: AsyncConnection, limit: Limit, *subject: str) -> None:
    """The tries of this subject count no more, because one succeeded."""
    await store.drop_tries(tx, _key(limit, subject))


def address_prefix(address: str) -> str:
    """Whom an address counts for: of IPv6 the network of 64 bits, because one customer has all of it."""
    try:
        found = ipaddress.ip_address(address.partition("%")[0])
    except ValueError:
        return address[:100]
    if isinstance(found, ipaddress.IPv6Address):
        if found.ipv4_mapped is None:
            return str(ipaddress.ip_network((found, 64), strict=False))
        found = found.ipv4_mapped
    return str(found)


def _key(limit: Limit, subject: tuple[str, ...]) -> bytes:
    parts = "\0".join((limit.what, *subject))
    return hashlib.sha256(parts.encode("utf-8", "surrogatepass")).digest()


def _duration(seconds: int) -> str:
    return f"{seconds} s" if seconds < 120 else f"{math.ceil(seconds / 60)} minutes"
