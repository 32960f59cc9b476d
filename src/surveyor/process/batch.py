"""What many ask for at the same time, done once for all of them.

Opening a domain takes a dozen statements, and having a picture decoded a trip to another process. Many
visits need either at the same moment, and so share it: whoever asks while a batch is at work is in the next.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Sequence
from typing import Generic, TypeVar

T = TypeVar("T")
R = TypeVar("R")

# So many at once at most: one transaction stays short.
_MOST = 100


class Batch(Generic[T, R]):
    """`work` gets what was asked for and returns an answer for each, in that order.

    What it raises is tried again with each alone, but for what is `fatal` to all alike.
    """

    def __init__(
        self,
        work: Callable[[Sequence[T]], Awaitable[Sequence[R]]],
        fatal: type[Exception],
        gap: float = 0.0,
    ) -> None:
        self._work, self._fatal = work, fatal
        self._gap = gap  # seconds that the first of a batch waits for company
        self._waiting: list[tuple[T, asyncio.Future[R]]] = []
        self._runner: asyncio.Task[None] | None = None

    async def ask(self, item: T) -> R:
        future: asyncio.Future[R] = asyncio.get_running_loop().create_future()
        self._waiting.append((item, future))
        if self._runner is None:
            self._runner = asyncio.create_task(self._run())
        return await future

    async def _run(self) -> None:
        try:
            while self._waiting:
                await asyncio.sleep(self._gap)
                batch, self._waiting = self._waiting[:_MOST], self._waiting[_MOST:]
                await self._answer(batch)
        finally:
            self._runner = None

    async def _answer(self, batch: Sequence[tuple[T, asyncio.Future[R]]]) -> None:
        try:
            answers = await self._work([item for item, _ in batch])
        except Exception as error:
            # One of them is to blame, and nobody knows which: the others are done without it.
            if len(batch) == 1 or isinstance(error, self._fatal):
                _fail(batch, error)
                return
            for one in batch:
                await self._answer([one])
        else:
            for (_, future), answer in zip(batch, answers, strict=True):
                if not future.done():  # whoever asked was cancelled
                    future.set_result(answer)


def _fail(batch: Sequence[tuple[T, asyncio.Future[R]]], error: Exception) -> None:
    for _, future in batch:
        if not future.done():
            future.set_exception(error)
