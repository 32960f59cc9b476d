"""Runs each part as a process of its own, starts it again when it ends, and says so.

A part that ends is started again after a back-off that grows while it keeps ending. The parts end when
they are asked to, and by themselves when the supervisor is gone. Whoever wants to know how they are is
called at every change.
"""

from __future__ import annotations

import asyncio
import signal
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import Protocol

from surveyor.backoff import doubling, pause
from surveyor.clock import SystemClock
from surveyor.process.commands import Starter, ending, send, starting

# For a part that ended (seconds).
RESTART = doubling(0.5, 30.0)
# A part that lived this long (seconds) did not end for the reason it ended for before.
_LIVED = 60.0
# Seconds that parts get to finish what is in flight, and after which a part's time is looked at again:
# somebody may have done its work by hand, or changed the clock.
_GRACE_SECONDS, _LOOK_AGAIN = 25.0, 60.0

Due = Callable[[], Awaitable[float | None]]


class PartState(StrEnum):
    """How a part of `up` is."""

    RUNNING = "running"  # its process is there
    WAITING = "waiting"  # it ended, and is started again after a pause
    IDLE = "idle"  # not due
    STOPPED = "stopped"  # with the rest


@dataclass(frozen=True, slots=True)
class Part:
    name: str
    arguments: tuple[str, ...]
    due: Due | None = None
    """Seconds until it is to be started; None: not at all, for now. Without it the part runs always."""


@dataclass(frozen=True, slots=True)
class Change:
    """What is new about a part; what is None has not changed."""

    part: str
    state: PartState
    pid: int | None = None
    restarts: int | None = None
    exit_code: int | None = None
    failures: int = 0
    """How often it ended in a row, soon after it was started."""


class Observer(Protocol):
    """Who is notified how parts are. It does not raise: parts run on when it has trouble of its own."""

    async def changed(self, change: Change) -> None: ...


class Supervisor:
    """For one machine. `command` is what each part's arguments are added to."""

    def __init__(
        self,
        command: Sequence[str],
        parts: Sequence[Part],
        say: Callable[[str], None],
        observer: Observer,
    ) -> None:
        self._command, self._parts, self._say = list(command), list(parts), say
        self._observer = observer
        self._running: dict[str, asyncio.subprocess.Process] = {}
        self._idle: set[str] = set()  # parts that are known to be: their time is looked at every second
        self.stopping = asyncio.Event()

    async def run(self) -> None:
        """Keep the parts running until somebody sets `stopping`."""
        with starting() as starter:
            keeping = [asyncio.create_task(self._keep(part, starter)) for part in self._parts]
            try:
                await asyncio.gather(*keeping)
            finally:
                self.stopping.set()
                for task in keeping:
                    task.cancel()
                await asyncio.gather(*keeping, return_exceptions=True)
                await self._end_all()

    def end_now(self) -> None:
        """At the second interrupt: nobody waits any more."""
        for process in self._running.values():
            send(process, signal.SIGKILL)

    # -- one part

    async def _keep(self, part: Part, starter: Starter) -> None:
        failures, restarts = 0, 0
        while not self.stopping.is_set():
            if part.due is not None and not await self._is_due(part, part.due):
                continue
            begun = SystemClock().ticks()
            code = await self._once(part, starter, restarts)
            if self.stopping.is_set():
                break
            if part.due is not None and code == 0:
                continue
            failures = 1 if SystemClock().ticks() - begun > _LIVED else failures + 1
            restarts += 1
            seconds = RESTART.after(failures)
            self._say(f"{part.name} {ending(code)}; started again in {seconds:g} s")
            await self._observer.changed(Change(part.name, PartState.WAITING, None, restarts, code, failures))
            await pause(self.stopping, seconds)
        await self._observer.changed(Change(part.name, PartState.STOPPED))

    async def _once(self, part: Part, starter: Starter, restarts: int) -> int:
        """Run the part to its end; returns its exit code."""
        quiet, pipe = asyncio.subprocess.DEVNULL, asyncio.subprocess.PIPE
        process = await starter.start([*self._command, *part.arguments], out=quiet, err=pipe)
        self._running[part.name] = process
        self._idle.discard(part.name)
        await self._observer.changed(Change(part.name, PartState.RUNNING, process.pid, restarts))
        stop = asyncio.create_task(self.stopping.wait())
        talk = asyncio.create_task(self._pass_on(part.name, process))
        gone = asyncio.create_task(process.wait())
        try:
            await asyncio.wait({stop, gone}, return_when=asyncio.FIRST_COMPLETED)
            if not gone.done():
                await _end(process, gone)
            code = await gone
            await talk
        finally:
            for task in (stop, talk):
                task.cancel()
            self._running.pop(part.name, None)
        after = PartState.STOPPED if self.stopping.is_set() else PartState.WAITING
        await self._observer.changed(Change(part.name, after, exit_code=code))
        return code

    async def _is_due(self, part: Part, due: Due) -> bool:
        """Whether the part's time has come; if not, after a wait."""
        seconds = await due()
        if seconds is not None and seconds <= 0:
            return True
        if part.name not in self._idle:
            self._idle.add(part.name)
            await self._observer.changed(Change(part.name, PartState.IDLE))
        await pause(self.stopping, _LOOK_AGAIN if seconds is None else min(_LOOK_AGAIN, seconds))
        return False

    async def _pass_on(self, name: str, process: asyncio.subprocess.Process) -> None:
        """What the part says, with its name before it."""
        assert process.stderr is not None
        while True:
            try:
                line = await process.stderr.readline()
            except ValueError:  # longer than a line may be
                continue
            if not line:
                return
            self._say(f"{name:<8} {line.decode('utf-8', 'replace').rstrip()}")

    async def _end_all(self) -> None:
        """Whatever is left after an error of ours."""
        for process in list(self._running.values()):
            send(process, signal.SIGKILL)
            await process.wait()


async def _end(process: asyncio.subprocess.Process, gone: asyncio.Task[int]) -> None:
    """Interrupt it as a person would, and be patient; then not."""
    send(process, signal.SIGINT)
    await asyncio.wait({gone}, timeout=_GRACE_SECONDS)
    if not gone.done():
        send(process, signal.SIGKILL)
