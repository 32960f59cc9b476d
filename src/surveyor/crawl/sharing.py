"""How workers share what is due: each takes its part, and gives some away when another finds nothing.

Nobody distributes. A worker that takes domains counts its colleagues and leaves them theirs. One that
finds nothing due, while another holds several domains that it might have, says so in its row of
`workers` and stays for a few seconds. Whoever holds more than an equal part sees that within a second and
gives domains back: first those it has not begun, then those it has done least for.
"""

from __future__ import annotations

from surveyor.clock import Clock
from surveyor.db import Database
from surveyor.registry import workers
from surveyor.registry.store import leases as store
from surveyor.registry.store.leases import ClaimFilter

# Seconds that a worker without work waits for a share; others look every second, and end a request first.
_PATIENCE = 5.0


class Sharing:
    """Of one worker."""

    def __init__(self, db: Database, worker: str, clock: Clock) -> None:
        self._db, self._worker, self._clock = db, worker, clock
        self._asking_since: float | None = None

    async def room(self, mine: int, room: int, wanted: ClaimFilter) -> int:
        """How many of `room` domains to take, so that colleagues find theirs."""
        colleagues = await workers.colleagues(self._db, self._worker)
        if not colleagues:
            return room
        count = len(colleagues) + 1
        async with self._db.read() as tx:
            due = await store.count_due(tx, wanted, room * count)
            held = await store.held_in_total(tx)
        return min(room, max(0, _part(due + held, count) - mine))

    async def surplus(self, mine: int) -> int:
        """How many of my domains somebody who has none should have."""
        if mine < 2:
            return 0
        colleagues = await workers.colleagues(self._db, self._worker)
        if not any(one.is_asking for one in colleagues):
            return 0
        async with self._db.read() as tx:
            held = await store.held_in_total(tx)
        return max(0, mine - _part(held, len(colleagues) + 1))

    async def may_get_some(self, wanted: ClaimFilter) -> bool:
        """Nothing is due: whether to wait, because others hold more than one domain that I might have."""
        async with self._db.read() as tx:
            is_there = await store.could_be_shared(tx, self._worker, wanted)
        if not is_there:
            await self.got_some()
            return False
        ticks = self._clock.ticks()
        if self._asking_since is None:
            self._asking_since = ticks
        if ticks - self._asking_since > _PATIENCE:
            return False
        await workers.ask(self._db, self._worker, asks=True)
        return True

    async def got_some(self) -> None:
        """There is nothing more to ask for."""
        if self._asking_since is not None:
            self._asking_since = None
            await workers.ask(self._db, self._worker, asks=False)


def _part(total: int, workers_: int) -> int:
    return -(-total // workers_)
