"""Ends a process when the one that started it is gone, however that one ended.

The starter keeps the writing end of a pipe and never writes. Its children hold the reading end, named in the
environment; when the starter dies, the system closes its end, and each child hears of it.
"""

from __future__ import annotations

import os
import signal
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager

VARIABLE = "SURVEYOR_LIFELINE"
# Seconds that a process whose starter is gone gets to end as if interrupted.
_GRACE_SECONDS = 20.0


@contextmanager
def lifeline() -> Iterator[tuple[int, dict[str, str]]]:
    """For the starter: what a child must inherit, a descriptor and an environment."""
    reading, writing = os.pipe()
    try:
        yield reading, {**os.environ, VARIABLE: str(reading)}
    finally:
        os.close(reading)
        os.close(writing)


def end_with_parent() -> None:
    """For the child: end when the starter does. Without a lifeline in the environment, nothing."""
    if (given := os.environ.pop(VARIABLE, None)) is not None:
        os.set_inheritable(int(given), False)
        threading.Thread(target=_watch, args=(int(given),), name="lifeline", daemon=True).start()


def _watch(reading: int) -> None:
    try:
        os.read(reading, 1)
    except OSError:
        return  # it was not ours
    os.kill(os.getpid(), signal.SIGINT)
    time.sleep(_GRACE_SECONDS)
    os._exit(1)
