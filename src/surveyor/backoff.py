"""The one back-off: how long to wait before the next try, after so many failures in a row.

The steps are written down or doubled; the last one holds for ever after. Whoever waits counts its failures
itself, in memory or in a row of the database, so that a back-off is a value and not a thing with a state.
"""

from __future__ import annotations

import asyncio
import contextlib
from dataclasses import dataclass, field


@dataclass(frozen=True, slots=True)
class Backoff:
    steps: tuple[float, ...]
    """Seconds after the first failure, the second, and so on."""

    def after(self, failures: int) -> float:
        """Seconds to wait after so many failures in a row; at least one failure is taken for granted."""
        return self.steps[min(max(failures, 1), len(self.steps)) - 1]


def doubling(first: float, longest: float) -> Backoff:
    """From `first`, twice as long each time, up to `longest` seconds."""
    steps = [min(first, longest)]
    while 0 < steps[-1] < longest:
        steps.append(min(steps[-1] * 2, longest))
    return Backoff(tuple(steps))


# For a database or a broker that does not answer: it is soon back, or somebody is at work on it.
RECONNECT = doubling(0.5, 10.0)


async def pause(stopping: asyncio.Event, seconds: float) -> None:
    """Wait, but not longer than until somebody wants to stop."""
    with contextlib.suppress(TimeoutError):
        async with asyncio.timeout(seconds):
            await stopping.wait()


@dataclass(slots=True, eq=False)
class Alarm:
    """Sleep that anybody can end, once and for all. A crawl sleeps before every page: an event within a
    timeout would throw two exceptions each time."""

    is_set: bool = False
    _sleepers: set[asyncio.Future[None]] = field(default_factory=set)

    def set(self) -> None:
        """Wake those who sleep; nobody sleeps any more."""
        self.is_set = True
        for sleeper in self._sleepers:
            _wake(sleeper)

    async def sleep(self, seconds: float) -> None:
        if self.is_set:
            return
        loop = asyncio.get_running_loop()
        sleeper = loop.create_future()
        timer = loop.call_later(seconds, _wake, sleeper)
        self._sleepers.add(sleeper)
        try:
            await sleeper
        finally:
            timer.cancel()
            self._sleepers.discard(sleeper)


def _wake(sleeper: asyncio.Future[None]) -> None:
    if not sleeper.done():
        sleeper.set_result(None)
