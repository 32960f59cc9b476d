"""Domains that the spider names and another process holds: waited for while that one may be dead.

A running process renews its leases, so a lease that is not renewed ends within two minutes, and the domain is
taken then. The domain of a lease that is renewed is left to its holder.
"""

from __future__ import annotations

import logging
from collections.abc import Collection
from datetime import datetime, timedelta

from surveyor.contrib.scrapy import store
from surveyor.contrib.scrapy.session import LEASE_SECONDS
from surveyor.db import Database

log = logging.getLogger("surveyor.scrapy")


class Waits:
    """Of one process."""

    def __init__(self, db: Database) -> None:
        self._db = db
        self._ends: dict[int, datetime] = {}

    def __bool__(self) -> bool:
        return bool(self._ends)

    async def note(self, numbers: Collection[int]) -> None:
        """These could not be had; those that nobody holds may not be crawled at all, and are left out."""
        if not numbers:
            return
        async with self._db.read() as tx:
            held = await store.held_among(tx, sorted(numbers))
        new = [one for one in held if one.no not in self._ends]
        soon = [one for one in new if one.until - one.now <= timedelta(seconds=LEASE_SECONDS + 1)]
        self._ends |= {one.no: one.until for one in soon}
        for some, then in ((soon, "waited for while it may be dead"), (sorted(set(new) - set(soon)), "left")):
            if some:
                log.warning(
                    "%d domains such as %s are held by %s until %s, and %s; if that process is gone,"
                    " `surveyor release-claims --worker %s` frees them at once",
                    *(len(some), some[0].domain, some[0].worker, f"{some[0].until:%H:%M:%S} UTC", then),
                    some[0].worker,
                )

    async def freed(self) -> list[int]:
        """Those that nobody holds any more; those that somebody renewed are left to it."""
        if not self._ends:
            return []
        async with self._db.read() as tx:
            held = {one.no: one for one in await store.held_among(tx, sorted(self._ends))}
        free = [no for no in self._ends if no not in held]
        renewed = [one for one in held.values() if one.until > self._ends[one.no]]
        for one in renewed:
            log.info("%s is being crawled by %s and is skipped here", one.domain, one.worker)
        for no in (*free, *(one.no for one in renewed)):
            del self._ends[no]
        return free
