"""Delivers events to one listener: in order, again after a failure, and never two at a time.

A dispatcher holds its listener for a while, as a worker holds a domain. If it dies, another one
takes over when that time is up and begins with the batch that was under way.
"""

from __future__ import annotations

import asyncio
import secrets
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass, field

from surveyor import logs
from surveyor.backoff import doubling
from surveyor.db import Database
from surveyor.errors import DatabaseError, SurveyorError
from surveyor.listeners import store
from surveyor.registry import feed
from surveyor.registry.feed import FeedEntry

Deliver = Callable[[Sequence[FeedEntry]], Awaitable[None]]

# Seconds a hold lasts without renewal; longer than a webhook may take to answer.
HOLD_SECONDS = 60.0
# Events in one batch; some 50 kB as JSON.
BATCH = 100
# Seconds after the first failure; each further one doubles it, up to a quarter of an hour.
_FIRST_RETRY, _LONGEST_RETRY = 1.0, 900.0

log = logs.get("listeners")


@dataclass(slots=True)
class Dispatcher:
    """Delivers to one listener. `retry_seconds` and `hold_seconds` are for tests to turn."""

    db: Database
    name: str
    deliver: Deliver
    batch: int = BATCH
    hold_seconds: float = HOLD_SECONDS
    retry_seconds: float = _FIRST_RETRY
    poll_seconds: float = feed.POLL_SECONDS
    holder: str = field(default_factory=lambda: secrets.token_hex(8))

    async def begin(self, from_start: bool = False) -> None:
        """A new listener gets what comes from now on, or everything; a known one goes on."""
        position = 0 if from_start else await feed.end(self.db)
        async with self.db.write() as tx:
            await store.add(self.db, tx, self.name, position)

    async def step(self) -> bool:
        """Deliver one batch; False if there was none, or it is not our turn, or it failed."""
        async with self.db.write() as tx:
            position = await store.hold(tx, self.name, self.holder, self.hold_seconds)
        if position is None:
            return False
        batch = await feed.after_position(self.db, position, self.batch)
        if not batch:
            return False
        try:
            await self.deliver(batch)
        except SurveyorError as error:
            await self._note(error)
            return False
        async with self.db.write() as tx:
            return await store.accepted(tx, self.name, self.holder, batch[-1].position, self.hold_seconds)

    async def run(self, *, until_quiet: bool = False) -> None:
        """Deliver for ever, or until there is nothing left at this moment."""
        try:
            while True:
                if not await self._careful_step():
                    if until_quiet:
                        return
                    await asyncio.sleep(self.poll_seconds)
        finally:
            await self._release()

    async def _careful_step(self) -> bool:
        try:
            return await self.step()
        except DatabaseError as error:
            # Nothing counts as delivered that is not; when the database is back, it says how far we were.
            log.warning("the database does not answer; trying again", listener=self.name, error=str(error))
            return False

    async def _note(self, error: SurveyorError) -> None:
        async with self.db.write() as tx:
            cursor = await store.find(tx, self.name)
            failures = cursor.failures if cursor else 0
            wait = doubling(self.retry_seconds, _LONGEST_RETRY).after(failures + 1)
            await store.failed(tx, self.name, self.holder, str(error), wait)
        log.warning("listener failed; it is retried", listener=self.name, seconds=wait)

    async def _release(self) -> None:
        try:
            async with self.db.write() as tx:
                await store.release(tx, self.name, self.holder)
        except DatabaseError:
            return  # the hold runs out by itself


async def listen(db: Database, name: str, deliver: Deliver, *, from_start: bool = False) -> None:
    """Call `deliver` with every batch of events, for ever, going on where this name stopped last time.

    A batch is accepted when `deliver` returns, and sent again later when it raises a Surveyor error.
    """
    dispatcher = Dispatcher(db, name, deliver)
    await dispatcher.begin(from_start)
    await dispatcher.run()


async def dispatch_all(dispatchers: Sequence[Dispatcher], *, until_quiet: bool = False) -> None:
    """Run dispatchers side by side; one that waits does not hold up the others."""
    async with asyncio.TaskGroup() as group:
        for dispatcher in dispatchers:
            await dispatcher.begin()
            group.create_task(dispatcher.run(until_quiet=until_quiet))
