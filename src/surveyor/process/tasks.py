"""Tasks of one process: background tasks of which none ends unnoticed, and work that is done in batches.

A process that renews leases, commits and reports in the background is broken without any of them: it
would hold what it has and get nowhere. So the first that ends, for whatever reason, ends the work.

Opening a domain takes a dozen statements, and having a picture decoded a trip to another process. Many
visits need either at the same moment, and so share it: whoever asks while a batch is at work is in the next.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Coroutine, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Generic, TypeVar

from surveyor.errors import BackgroundTaskEnded

T = TypeVar("T")
R = TypeVar("R")

# So many at once at most, unless said otherwise: a message stays short.
_MOST = 100
# Of what is written: a transaction stays short, and few wait for the next. On SQLite each waits for a group
# commit: with a hundred at once a worker opened no more than 160 domains in a second.
MOST_WRITTEN = 500


async def run_beside(
    work: Coroutine[Any, Any, T], background: Mapping[str, Coroutine[Any, Any, object]], process: str
) -> T:
    """Do the work while the background tasks run; raises `BackgroundTaskEnded` as soon as one does not."""
    tasks = [asyncio.create_task(task, name=name) for name, task in background.items()]
    working = asyncio.create_task(work)
    try:
        await asyncio.wait({working, *tasks}, return_when=asyncio.FIRST_COMPLETED)
        if not working.done():
            _raise_ended(next(task for task in tasks if task.done()), process)
        return working.result()
    finally:
        for task in (working, *tasks):
            task.cancel()
        await asyncio.gather(working, *tasks, return_exceptions=True)


def _raise_ended(task: asyncio.Task[object], process: str) -> None:
    error = None if task.cancelled() else task.exception()
    why = "without an error" if error is None else f"{type(error).__name__}: {error}".splitlines()[0]
    raise BackgroundTaskEnded(task.get_name(), process, why) from error


@dataclass(eq=False)
class Batch(Generic[T, R]):
    """`work` gets what was asked for and returns an answer for each, in that order.

    What it raises is tried again with each alone, but for what is `fatal` to all alike.
    """

    _work: Callable[[Sequence[T]], Awaitable[Sequence[R]]]
    _fatal: type[Exception]
    gap: float = 0.0  # seconds that the first of a batch waits for company
    most: int = _MOST
    _waiting: list[tuple[T, asyncio.Future[R]]] = field(default_factory=list)
    _runner: asyncio.Task[None] | None = None

    async def ask(self, item: T) -> R:
        future: asyncio.Future[R] = asyncio.get_running_loop().create_future()
        self._waiting.append((item, future))
        if self._runner is None:
            self._runner = asyncio.create_task(self._run())
        return await future

    async def _run(self) -> None:
        try:
            while self._waiting:
                await asyncio.sleep(self.gap)
                batch, self._waiting = self._waiting[: self.most], self._waiting[self.most :]
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
