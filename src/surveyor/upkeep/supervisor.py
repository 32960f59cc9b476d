"""Runs each part as a process of its own, starts it again when it ends, and says so.

A part that ends is started again after a pause that grows while it keeps ending. The parts end when
they are told to, and by themselves when the supervisor is gone. How each is stands in the database,
for people who look from elsewhere.
"""

from __future__ import annotations

import asyncio
import contextlib
import signal
import socket
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass
from typing import Any

from surveyor import logs
from surveyor.clock import Clock, SystemClock
from surveyor.db import Database
from surveyor.errors import DatabaseError
from surveyor.lifeline import lifeline
from surveyor.upkeep import store
from surveyor.upkeep.store import PartState

# Seconds before a part that ended is started again; the last one for ever after.
_PAUSES = (0.5, 1.0, 2.0, 5.0, 10.0, 30.0)
# A part that lived this long (seconds) did not end for the reason it ended for before.
_LIVED = 60.0
# Seconds that parts get to finish what is in flight, and between two reports.
_GRACE_SECONDS, _REPORT_SECONDS = 25.0, 10.0

log = logs.get("up")

Due = Callable[[], Awaitable[float | None]]


@dataclass(frozen=True, slots=True)
class Part:
    name: str
    arguments: tuple[str, ...]
    due: Due | None = None
    """Seconds until it is to be started; None: not at all, for now. Without it the part runs always."""


class Supervisor:
    """For one machine. `command` is what each part's arguments are added to."""

    def __init__(
        self,
        db: Database,
        command: Sequence[str],
        parts: Sequence[Part],
        told: Callable[[str], None],
        clock: Clock | None = None,
    ) -> None:
        self._db, self._command, self._parts, self._told = db, list(command), list(parts), told
        self._machine = socket.gethostname()
        self._clock = clock or SystemClock()
        self._children: dict[str, asyncio.subprocess.Process] = {}
        self.stopping = asyncio.Event()

    async def run(self) -> None:
        """Keep the parts running until somebody sets `stopping`."""
        await self._write(lambda tx: store.drop_others(tx, self._machine, [one.name for one in self._parts]))
        with lifeline() as (descriptor, environment):
            keeping = [asyncio.create_task(self._keep(part, descriptor, environment)) for part in self._parts]
            reporting = asyncio.create_task(self._report())
            try:
                await asyncio.gather(*keeping)
            finally:
                self.stopping.set()
                for task in (*keeping, reporting):
                    task.cancel()
                await asyncio.gather(*keeping, reporting, return_exceptions=True)
                await self._end_all()

    # -- one part

    async def _keep(self, part: Part, descriptor: int, environment: dict[str, str]) -> None:
        pauses, restarts = 0, 0
        while not self.stopping.is_set():
            if part.due is not None and not await self._until_due(part):
                continue
            begun = self._clock.ticks()
            code = await self._once(part, descriptor, environment, restarts)
            if self.stopping.is_set():
                break
            if part.due is not None and code == 0:
                continue
            pauses = 0 if self._clock.ticks() - begun > _LIVED else pauses
            pause = _PAUSES[min(pauses, len(_PAUSES) - 1)]
            pauses, restarts = pauses + 1, restarts + 1
            self._told(f"{part.name} {ended(code)}; started again in {pause:g} s")
            await self._state(part, PartState.WAITING, restarts=restarts, note=ended(code))
            await self._pause(pause)
        await self._state(part, PartState.STOPPED)

    async def _once(self, part: Part, descriptor: int, environment: dict[str, str], restarts: int) -> int:
        """Run the part to its end; returns its exit code."""
        child = await asyncio.create_subprocess_exec(
            *self._command,
            *part.arguments,
            stdin=asyncio.subprocess.DEVNULL,
            stdout=asyncio.subprocess.DEVNULL,
            stderr=asyncio.subprocess.PIPE,
            pass_fds=[descriptor],
            env=environment,
            start_new_session=True,  # an interrupt at the terminal is passed on by us, once
        )
        self._children[part.name] = child
        await self._state(part, PartState.RUNNING, pid=child.pid, restarts=restarts, note=None)
        stop = asyncio.create_task(self.stopping.wait())
        talk = asyncio.create_task(self._pass_on(part.name, child))
        gone = asyncio.create_task(child.wait())
        try:
            await asyncio.wait({stop, gone}, return_when=asyncio.FIRST_COMPLETED)
            if not gone.done():
                await self._end(child, gone)
            code = await gone
            await talk
        finally:
            for task in (stop, talk):
                task.cancel()
            self._children.pop(part.name, None)
        await self._note_end(part, code)
        return code

    async def _until_due(self, part: Part) -> bool:
        """Wait for the part's time, or a while; True if it has come."""
        assert part.due is not None
        try:
            seconds = await part.due()
        except DatabaseError as error:
            log.warning("the database does not answer", part=part.name, error=str(error))
            seconds = None
        if seconds is not None and seconds <= 0:
            return True
        await self._state(part, PartState.IDLE)
        # Looked at again now and then: somebody may search by hand, or change the clock.
        await self._pause(min(_REPORT_SECONDS * 6, seconds if seconds is not None else _REPORT_SECONDS * 6))
        return False

    async def _pass_on(self, name: str, child: asyncio.subprocess.Process) -> None:
        """What the part says, with its name before it."""
        assert child.stderr is not None
        while True:
            try:
                line = await child.stderr.readline()
            except ValueError:  # longer than a line may be
                continue
            if not line:
                return
            self._told(f"{name:<8} {line.decode('utf-8', 'replace').rstrip()}")

    async def _pause(self, seconds: float) -> None:
        with contextlib.suppress(TimeoutError):
            async with asyncio.timeout(seconds):
                await self.stopping.wait()

    # -- the end

    async def _end(self, child: asyncio.subprocess.Process, gone: asyncio.Task[int]) -> None:
        """Interrupt it as a person would, and be patient; then not."""
        _signal(child, signal.SIGINT)
        await asyncio.wait({gone}, timeout=_GRACE_SECONDS)
        if not gone.done():
            _signal(child, signal.SIGKILL)

    async def _end_all(self) -> None:
        """Whatever is left after an error of ours."""
        for child in list(self._children.values()):
            _signal(child, signal.SIGKILL)
            await child.wait()

    def end_now(self) -> None:
        """At the second interrupt: nobody waits any more."""
        for child in self._children.values():
            _signal(child, signal.SIGKILL)

    # -- what is known from outside

    async def _report(self) -> None:
        while True:
            await asyncio.sleep(_REPORT_SECONDS)
            await self._write(lambda tx: store.seen(tx, self._machine))

    async def _state(self, part: Part, state: PartState, **values: Any) -> None:
        name = self._db.dialect_name
        await self._write(lambda tx: store.write_part(tx, name, self._machine, part.name, state, **values))

    async def _note_end(self, part: Part, code: int) -> None:
        after = PartState.STOPPED if self.stopping.is_set() else PartState.WAITING
        await self._state(part, after, last_exit=code, last_ended_at=self._clock.now())

    async def _write(self, act: Callable[[Any], Awaitable[None]]) -> None:
        """The parts run on when the database is away; what is shown of them is old meanwhile."""
        try:
            async with self._db.write() as tx:
                await act(tx)
        except DatabaseError as error:
            log.warning("the state of parts is not written", error=str(error))


def ended(code: int) -> str:
    """How a process ended, in words."""
    if code >= 0:
        return f"ended with code {code}" if code else "ended"
    try:
        return f"was ended by {signal.Signals(-code).name}"
    except ValueError:
        return f"was ended by signal {-code}"


def _signal(child: asyncio.subprocess.Process, number: signal.Signals) -> None:
    with contextlib.suppress(ProcessLookupError):
        child.send_signal(number)
