"""The model's usage, kept in the database: nothing is asked that was not counted before, and nothing twice.

A question is entered, with its request and the most tokens that it may cost, in a transaction of its own
before it is sent. All workers count in the same row, one after the other, so a limit holds for them
together. What is asked is under way until its answer is there; others with the same page wait for that. A
worker that dies leaves a question that ends by time, and a request that stays counted.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from enum import Enum, auto
from typing import Any, Final, NamedTuple

from sqlalchemy.ext.asyncio import AsyncConnection

from surveyor import logs
from surveyor.db import Database, current_time
from surveyor.llm import store
from surveyor.llm.failures import ModelFailed, rest
from surveyor.llm.store import Key, Rest, Usage

# Seconds beyond the endpoint's time after which the worker that asked is taken for gone.
_GRACE: Final = 60.0
# A question that nothing keeps back for longer is asked again after so long.
SHORTLY: Final = timedelta(minutes=1)

log = logs.get("model")


class Permission(Enum):
    """What the recorded usage says to a question."""

    ASK = auto()  # It is entered: send it.
    KNOWN = auto()  # The answer is here.
    UNDER_WAY = auto()  # Another one asks just that.
    RESTING = auto()  # The endpoint failed; nobody asks until the back-off is over.
    SPENT = auto()  # The day's budget does not allow it.


class Entry(NamedTuple):
    verdict: Permission
    key: Key
    answer: list[Any] | None = None
    """What the model answered, when it is known; None: nothing that could be used."""
    day: str = ""
    tokens: int = 0
    until: datetime | None = None
    """When it may be asked again, where it may not now; None: never."""


@dataclass(frozen=True, slots=True)
class Budget:
    """Of one UTC day."""

    requests: int
    tokens: int

    def allows(self, used: Usage, tokens: int) -> bool:
        return used.requests < self.requests and used.tokens + tokens <= self.tokens

    def is_ever_enough(self, tokens: int) -> bool:
        return self.requests > 0 and tokens <= self.tokens


class ModelUsage:
    """Of one account; for one worker."""

    def __init__(self, db: Database, account: str, budget: Budget, seconds: float) -> None:
        self._db, self._account, self._budget = db, account, budget
        self._seconds = seconds + _GRACE
        self._spent_on = ""

    async def enter(self, key: Key, domain_no: int, tokens: int) -> Entry:
        """May this be asked? Looked at first, for most answers need no writing."""
        async with self._db.read() as tx:
            entry = await self._look(tx, key, tokens)
        if entry.verdict is Permission.ASK:
            async with self._db.write() as tx:
                await store.enter_alone(tx)
                entry = await self._look(tx, key, tokens)
                if entry.verdict is Permission.ASK:
                    await store.record(tx, entry.day, 1, tokens)
                    await store.begin(tx, key, domain_no, self._seconds)
        if entry.verdict is Permission.SPENT:
            self._tell_spent(entry.day)
        return entry

    async def _look(self, tx: AsyncConnection, key: Key, tokens: int) -> Entry:
        if (known := await store.kept(tx, key)) is not None:
            return Entry(Permission.UNDER_WAY if known.is_under_way else Permission.KNOWN, key, known.answer)
        if (resting := await store.rest(tx, self._account)) is not None and resting.is_live:
            return Entry(Permission.RESTING, key, until=resting.until)
        used = await store.usage(tx)
        if self._budget.allows(used, tokens):
            return Entry(Permission.ASK, key, None, used.day, tokens)
        until = _next_day(used.day) if self._budget.is_ever_enough(tokens) else None
        return Entry(Permission.SPENT, key, None, used.day, tokens, until)

    def _tell_spent(self, day: str) -> None:
        if day != self._spent_on:
            self._spent_on = day
            log.warning(
                "model: the budget of the day is used up; pages read now are asked about after midnight UTC",
                requests_per_day=self._budget.requests,
                tokens_per_day=self._budget.tokens,
            )

    async def answered(
        self, entry: Entry, answer: list[Any] | None, why: str | None, tokens: int | None
    ) -> None:
        """Keep what it said, and count what it really cost."""
        async with self._db.write() as tx:
            await store.enter_alone(tx)
            await store.end(tx, entry.key, answer, why)
            if tokens is not None:
                await store.correct(tx, entry.day, tokens - entry.tokens)
            await store.forgive(tx, self._account)

    async def cut(self, entry: Entry, tokens: int | None) -> None:
        """Half an answer is none, and is not remembered: with more tokens the page may have a whole one."""
        async with self._db.write() as tx:
            await store.enter_alone(tx)
            await store.give_up(tx, entry.key)
            if tokens is not None:
                await store.correct(tx, entry.day, tokens - entry.tokens)
            await store.forgive(tx, self._account)

    async def failed(self, entry: Entry, error: ModelFailed) -> datetime:
        """There is no answer; all workers back off from the endpoint. Returns until when."""
        async with self._db.write() as tx:
            await store.enter_alone(tx)
            await store.give_up(tx, entry.key)
            if error.is_free:
                await store.correct(tx, entry.day, -entry.tokens)
            begun = await self._rest(tx, error)
            resting = await store.rest(tx, self._account)
            until = resting.until if resting and resting.is_live else await current_time(tx) + SHORTLY
        if begun is not None:
            log.warning("model backed off", trouble=begun.trouble, detail=begun.detail, until=begun.until)
        return until

    async def _rest(self, tx: AsyncConnection, error: ModelFailed) -> Rest | None:
        before = await store.rest(tx, self._account)
        if before is not None and before.is_live:
            return None  # questions that were under way when it began are no further strikes
        strikes = before.strikes + 1 if before else 1
        length = rest(error.trouble, strikes, error.retry_after)
        if length is None:
            return None
        until = await current_time(tx) + length
        one = Rest(error.trouble.value, error.detail, until, strikes, is_live=True)
        await store.set_rest(tx, self._account, one)
        return one

    async def left(self, entry: Entry) -> None:
        """Whoever asked stops; the request stays counted, the page may be asked about again."""
        async with self._db.write() as tx:
            await store.give_up(tx, entry.key)


def _next_day(day: str) -> datetime:
    return datetime.strptime(day, "%Y-%m-%d").replace(tzinfo=UTC) + timedelta(days=1)


async def standing(db: Database, account: str) -> tuple[Usage, Rest | None]:
    """What the day has cost so far, and the rest that keeps this account from being asked now."""
    async with db.read() as tx:
        resting = await store.rest(tx, account)
        return await store.usage(tx), resting if resting and resting.is_live else None
