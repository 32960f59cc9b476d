"""Delivers what is in the outbox, one message after the other; what is not taken waits and is tried again."""

from __future__ import annotations

import asyncio
import secrets
from collections.abc import Mapping
from dataclasses import dataclass, field

from surveyor import logs
from surveyor.backoff import doubling, pause
from surveyor.db import Database
from surveyor.errors import DatabaseError, SurveyorError
from surveyor.net.smtp import Undeliverable
from surveyor.notify import store
from surveyor.notify.channels import Channel
from surveyor.notify.outbox import Letter

# Seconds a hold on a message lasts without renewal: longer than the steps of a slow mail server together.
HOLD_SECONDS = 600.0
_FIRST_RETRY, _LONGEST_RETRY = 60.0, 6 * 3_600.0
# Tries until somebody has to look: with these pauses some three days.
MOST_TRIES = 20
_LOOK_SECONDS = 2.0
_LONGEST_ERROR = 300
log = logs.get("notify")


@dataclass(slots=True)
class Sender:
    """`retry_seconds` and `hold_seconds` are for tests to turn."""

    db: Database
    channels: Mapping[str, Channel]
    retry_seconds: float = _FIRST_RETRY
    hold_seconds: float = HOLD_SECONDS
    look_seconds: float = _LOOK_SECONDS
    holder: str = field(default_factory=lambda: secrets.token_hex(8))

    async def run(self, stopping: asyncio.Event, *, until_quiet: bool = False) -> None:
        """Deliver until somebody wants to stop, after the present message, or until nothing is due."""
        while not stopping.is_set():
            if not await self._careful_step():
                if until_quiet:
                    return
                await pause(stopping, self.look_seconds)

    async def _careful_step(self) -> bool:
        try:
            return await self.step()
        except DatabaseError as error:
            log.warning("the database does not answer; trying again", error=str(error))
            return False

    async def step(self) -> bool:
        """Try one message; False if none is due."""
        async with self.db.write() as tx:
            row = await store.claim(tx, self.holder, self.hold_seconds)
        if row is None:
            return False
        letter = Letter(**row._mapping)
        error, wait = await self._try(letter)
        async with self.db.write() as tx:
            if error is None:
                await store.sent(tx, letter.id, self.holder)
            else:
                await store.not_sent(tx, letter.id, self.holder, error[:_LONGEST_ERROR], wait)
        return True

    async def _try(self, letter: Letter) -> tuple[str | None, float | None]:
        """None if it was taken; else why not, and after how many seconds to try again."""
        channel = self.channels.get(letter.channel)
        wait = doubling(self.retry_seconds, _LONGEST_RETRY).after(letter.tries)
        if channel is None:
            return f"{letter.channel} is not set up here", wait
        try:
            await channel.send(letter)
        except Undeliverable as error:
            log.warning("a message is undeliverable", channel=letter.channel, message=letter.id)
            return str(error), None
        except SurveyorError as error:
            is_last = letter.tries >= MOST_TRIES
            log.warning(
                "message not delivered; it is retried",
                channel=letter.channel,
                message=letter.id,
                tries=letter.tries,
            )
            return str(error), None if is_last else wait
        return None, None
