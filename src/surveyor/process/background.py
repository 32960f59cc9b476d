"""Work with background tasks beside it, of which none ends unnoticed.

A process that renews leases, commits and reports in the background is broken without any of them: it
would hold what it has and get nowhere. So the first that ends, for whatever reason, ends the work.
"""

from __future__ import annotations

import asyncio
from collections.abc import Coroutine, Mapping
from typing import Any, TypeVar

from surveyor.errors import BackgroundTaskEnded

T = TypeVar("T")


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
