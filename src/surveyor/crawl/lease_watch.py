"""Keeps the leases of a worker's visits: sees withdrawals, renews in time, shares with idle workers."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from dataclasses import dataclass
from heapq import nsmallest
from typing import Protocol

from surveyor import logs
from surveyor.clock import Clock
from surveyor.crawl.claims import Sharing
from surveyor.crawl.failures import Outcomes
from surveyor.crawl.member import Member
from surveyor.db import Database
from surveyor.errors import DatabaseError
from surveyor.net.throttle import Throttle
from surveyor.registry import leases, workers
from surveyor.registry.leases import Lease
from surveyor.settings import CrawlSettings

# Leases are looked at this often, or within the shortest delay, so that a withdrawal stops a domain within
# one request (seconds). Without a delay several are sent before anybody can look: then a few times a second
# is enough, for each look of each worker is a transaction.
_WATCH_MOST, _WATCH_LEAST, _WATCH_UNDELAYED = 1.0, 0.05, 0.2

log = logs.get("crawl")


class Watched(Protocol):
    """What the watch knows of one domain under its lease, whoever crawls it."""

    is_handed_over: bool

    @property
    def lease(self) -> Lease: ...
    @property
    def pace(self) -> Throttle: ...
    @property
    def outcomes(self) -> Outcomes: ...
    @property
    def member(self) -> Member: ...
    def hand_over(self) -> None: ...
    def renewed(self, asked_at: float) -> None: ...


@dataclass(eq=False)
class LeaseWatch:
    """Over the visits of one worker, whose sessions come and go in `sessions`."""

    _db: Database
    _worker: str
    _sessions: Mapping[int, Watched]
    _settings: CrawlSettings
    _sharing: Sharing
    _clock: Clock

    async def run(self) -> None:
        """See withdrawals within a request, and renew in time; until cancelled."""
        renewed = shared = self._clock.ticks()
        while True:
            await asyncio.sleep(self._interval())
            if not self._sessions:
                renewed = self._clock.ticks()
                continue
            try:
                due = self._clock.ticks() - renewed >= self._settings.renew_seconds
                await (self._renew() if due else self._check())
                renewed = self._clock.ticks() if due else renewed
                shared = await self._share(shared)
            except DatabaseError as error:
                # Each visit stops by itself when its lease may have run out.
                log.warning("leases could not be checked", error=str(error))

    def _interval(self) -> float:
        """Seconds until the next look."""
        shortest = 2 * _WATCH_MOST if self._sessions else _WATCH_MOST
        for session in self._sessions.values():
            shortest = min(shortest, session.pace.delay)
            if shortest < _WATCH_LEAST:  # the others, which may be thousands, need not be looked at
                return _WATCH_UNDELAYED
        return max(_WATCH_LEAST, shortest / 2)

    async def report(self) -> None:
        """Say that the worker lives; until cancelled."""
        while True:
            await asyncio.sleep(workers.REPORT_SECONDS)
            try:
                await workers.report(self._db, self._worker, holding=bool(self._sessions))
            except DatabaseError as error:
                log.warning("worker heartbeat not written", error=str(error))

    async def _share(self, last: float) -> float:
        """Give some domains back, once a second at most, if others have none; returns when it was looked."""
        if self._clock.ticks() - last < _WATCH_MOST:
            return last
        mine = [session for session in self._sessions.values() if not session.is_handed_over]
        surplus = await self._sharing.surplus(len(mine))
        for session in nsmallest(surplus, mine, key=lambda session: session.outcomes.pages):
            session.hand_over()
        return self._clock.ticks()

    async def _check(self) -> None:
        """One row says whether all is as it should be, whatever their number; only a difference is read."""
        sessions = list(self._sessions.values())
        if await leases.are_held(self._db, self._worker, [session.lease for session in sessions]):
            return
        held = await leases.still_held(self._db, self._worker)
        for session in sessions:
            if held.get(session.lease.no) != session.lease.epoch:
                session.member.lose()

    async def _renew(self) -> None:
        sessions, asked_at = list(self._sessions.values()), self._clock.ticks()
        kept = await leases.renew(
            self._db, self._worker, [session.lease for session in sessions], self._settings.lease_seconds
        )
        for session in sessions:
            if session.lease.no in kept:
                session.renewed(asked_at)
            else:
                session.member.lose()
