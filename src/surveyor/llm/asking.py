"""A model behind one call: a text in, what it says of it out, or nothing.

No answer, a bad answer, no budget and an endpoint that rests are all the same to the caller.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable, Coroutine
from datetime import UTC, datetime
from typing import Any, Final, NamedTuple, TypeVar

from surveyor import logs
from surveyor.db import Database
from surveyor.errors import DatabaseUnreachable
from surveyor.llm.endpoint import Endpoint
from surveyor.llm.failures import ModelFailed
from surveyor.llm.postponed import Postponed
from surveyor.llm.question import Nonsense, Question
from surveyor.llm.store import Key
from surveyor.llm.usage import SHORTLY, Budget, Entry, ModelUsage, Permission
from surveyor.settings import ModelSettings

# Seconds between two looks whether another worker's answer is there.
_LOOK: Final = 0.25
# What is remembered of an answer, or `Nonsense`.
Understand = Callable[[str], list[Any]]

T = TypeVar("T")
log = logs.get("model")


class Reply(NamedTuple):
    """What the model says of a text; postponed where it may say something later."""

    answer: list[Any]
    postponed: Postponed | None = None


class Asker:
    """For one worker."""

    def __init__(self, db: Database, endpoint: Endpoint, settings: ModelSettings) -> None:
        self._endpoint, self._seconds = endpoint, settings.timeout_seconds
        budget = Budget(settings.requests_per_day, settings.tokens_per_day)
        self._usage = ModelUsage(db, endpoint.account.mark, budget, settings.timeout_seconds)

    @property
    def model(self) -> str:
        return self._endpoint.account.name

    async def ask(
        self, key: Key, domain_no: int, question: Question, schema: dict[str, Any], understand: Understand
    ) -> list[Any]:
        """What the model says, or said before; raises `DatabaseUnreachable` only while nothing was asked."""
        return (await self.ask_or_postpone(key, domain_no, question, schema, understand)).answer

    async def ask_or_postpone(
        self, key: Key, domain_no: int, question: Question, schema: dict[str, Any], understand: Understand
    ) -> Reply:
        """The same, with when to ask again if there is no answer now."""
        entry = await self._entered(key, domain_no, question)
        if entry.verdict is Permission.ASK:
            return await self._send(entry, question, schema, understand)
        until = datetime.now(UTC) + SHORTLY if entry.verdict is Permission.UNDER_WAY else entry.until
        return Reply(entry.answer or [], Postponed(until) if until else None)

    async def _entered(self, key: Key, domain_no: int, question: Question) -> Entry:
        """As the recorded usage has it; what another one asks is waited for as long as that may take."""
        patience = time.monotonic() + self._seconds
        while True:
            entry = await self._usage.enter(key, domain_no, question.tokens)
            if entry.verdict is not Permission.UNDER_WAY or time.monotonic() > patience:
                return entry
            await asyncio.sleep(_LOOK)

    async def _send(
        self, entry: Entry, question: Question, schema: dict[str, Any], understand: Understand
    ) -> Reply:
        try:
            said = await self._endpoint.ask(question, schema)
        except ModelFailed as error:
            until = await self._booked(self._usage.failed(entry, error))
            return Reply([], Postponed(until or datetime.now(UTC) + SHORTLY, has_failed=True))
        except asyncio.CancelledError:
            await self._booked(self._usage.left(entry))
            raise
        if said.is_cut:
            log.warning("model: an answer was cut off; raise model.answer_tokens", tokens=said.tokens)
            await self._booked(self._usage.cut(entry, said.tokens))
            return Reply([])
        answer, why = None, said.why
        if why is None:
            try:
                answer = understand(said.content)
            except Nonsense as error:
                why = str(error)
        await self._booked(self._usage.answered(entry, answer, why, said.tokens))
        return Reply(answer or [])

    async def _booked(self, act: Coroutine[Any, Any, T]) -> T | None:
        """Not written, the question ends by time; the caller has the answer all the same."""
        try:
            return await act
        except DatabaseUnreachable as error:
            log.error("model: its usage could not be recorded", error=str(error))
            return None
