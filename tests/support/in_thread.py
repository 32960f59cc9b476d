"""A server of the tests in a thread with a loop of its own, for tests that run commands."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Callable, Iterator
from concurrent.futures import Future
from contextlib import AbstractAsyncContextManager, contextmanager
from typing import TypeVar

T = TypeVar("T")


@contextmanager
def in_thread(serving: Callable[[], AbstractAsyncContextManager[T]]) -> Iterator[T]:
    """What `serving` yields, served until the block is left."""
    ready: Future[T] = Future()
    over = threading.Event()

    async def serve() -> None:
        async with serving() as server:
            ready.set_result(server)
            while not over.is_set():
                await asyncio.sleep(0.02)

    thread = threading.Thread(target=lambda: asyncio.run(serve()), daemon=True)
    thread.start()
    try:
        yield ready.result(timeout=30)
    finally:
        over.set()
        thread.join()
