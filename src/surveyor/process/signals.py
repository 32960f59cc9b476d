"""What an interrupt does: the first one lets what is in flight come to its end, the second ends at once."""

from __future__ import annotations

import asyncio
import os
import signal
from collections.abc import Callable, Iterator
from contextlib import contextmanager

# The exit code of a process that was interrupted, as shells know it.
INTERRUPTED = 130


def _nothing() -> None: ...


def stop_on_signals(
    stopping: asyncio.Event, *, first: Callable[[], None] = _nothing, second: Callable[[], None] = _nothing
) -> None:
    """Set `stopping` at the first SIGINT or SIGTERM and call `first`; at the second call `second` and end."""

    def stop() -> None:
        if stopping.is_set():
            second()
            os._exit(INTERRUPTED)
        stopping.set()
        first()

    on_signals(stop)


def on_signals(act: Callable[[], object]) -> None:
    """Call it at every SIGINT and SIGTERM, from the running event loop."""
    loop = asyncio.get_running_loop()
    for signum in (signal.SIGINT, signal.SIGTERM):
        loop.add_signal_handler(signum, act)


@contextmanager
def terminated_as_interrupted() -> Iterator[None]:
    """SIGTERM ends the running task as an interrupt does, so that it can say honestly how far it came."""
    task, loop = asyncio.current_task(), asyncio.get_running_loop()
    assert task is not None
    loop.add_signal_handler(signal.SIGTERM, task.cancel)
    try:
        yield
    except asyncio.CancelledError:
        raise KeyboardInterrupt from None
    finally:
        loop.remove_signal_handler(signal.SIGTERM)
