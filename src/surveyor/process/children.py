"""Work on hostile bytes in processes of their own: what they break there is a child, not the worker.

A child reads a question from its standard input and answers it, one after the other. It has little
memory, writes no file, and ends with its parent, with its standard input, or when a question takes too long,
so none is left when a worker is killed. One that dies, or is late with an answer, is replaced.
"""

from __future__ import annotations

import asyncio
import contextlib
import ctypes
import resource
import signal
import struct
import sys
from collections.abc import Callable
from dataclasses import dataclass
from typing import BinaryIO, Final

from surveyor.errors import SurveyorError

# Bytes of an answer: one that is longer is a mistake, and its reader must not pay for it.
MOST_ANSWERED = 64_000_000
# Seconds until a child that was asked to end is killed, and within which one has started on a busy machine.
_GRACE, _START = 2.0, 60.0
# Seconds that a child has beyond its parent's patience, for when the parent is gone.
_LATE = 5.0
_LENGTH: Final = struct.Struct(">I")


class NoChild(SurveyorError):
    """The system gave us no process; asking again will not help."""

    def __init__(self, why: str) -> None:
        super().__init__(f"no process can be started: {why}; check memory and limits")


class ChildDied(Exception):
    """The question stopped its child, or took too long; `reason` says which."""

    def __init__(self, reason: str) -> None:
        self.reason = reason
        super().__init__(reason)


@dataclass(frozen=True, slots=True)
class Job:
    """What children do: a module that calls `serve`, and its first message."""

    module: str
    greeting: bytes = b""
    seconds: float = 20.0
    """For one answer; a start has its own time."""


class Children:
    """For one event loop. Children are started when they are needed; `close` ends them."""

    def __init__(self, job: Job, count: int) -> None:
        self.job = job
        self._turns = asyncio.Semaphore(count)
        self._idle: list[asyncio.subprocess.Process] = []

    async def ask(self, question: bytes) -> bytes:
        """A child's answer, or `ChildDied`. Raises `NoChild` where none can be started."""
        async with self._turns:
            child = self._idle.pop() if self._idle else await self._start()
            try:
                async with asyncio.timeout(self.job.seconds):
                    answer = await _exchange(child, question)
            except TimeoutError:
                await _end(child)
                raise ChildDied(f"it took over {self.job.seconds:g} s") from None
            except (ConnectionError, asyncio.IncompleteReadError):
                raise ChildDied(_message(await _end(child))) from None
            except BaseException:
                _kill(child)  # it may be in the middle of an answer
                raise
            self._idle.append(child)
            return answer

    async def _start(self) -> asyncio.subprocess.Process:
        try:
            child = await asyncio.create_subprocess_exec(
                sys.executable,
                "-m",
                self.job.module,
                stdin=asyncio.subprocess.PIPE,
                stdout=asyncio.subprocess.PIPE,
                stderr=asyncio.subprocess.DEVNULL,  # what decoders complain of is in the answer
                start_new_session=True,  # an interrupt at the terminal is for the worker
            )
        except OSError as error:
            raise NoChild(str(error.strerror or error)) from error
        assert child.stdin is not None
        child.stdin.write(_SECONDS.pack(self.job.seconds) + _framed(self.job.greeting))
        try:
            async with asyncio.timeout(_START):
                await _answer_of(child)  # it is ready
        except (TimeoutError, ConnectionError, asyncio.IncompleteReadError):
            raise NoChild(
                f"{self.job.module} ended before it began ({_message(await _end(child))})"
            ) from None
        except BaseException:
            _kill(child)
            raise
        return child

    async def close(self) -> None:
        children, self._idle = self._idle, []
        for child in children:
            assert child.stdin is not None
            child.stdin.close()
            try:
                async with asyncio.timeout(_GRACE):
                    await child.wait()
            except TimeoutError:
                await _end(child)


_SECONDS: Final = struct.Struct(">d")


async def _exchange(child: asyncio.subprocess.Process, question: bytes) -> bytes:
    assert child.stdin is not None
    child.stdin.write(_LENGTH.pack(len(question)))
    child.stdin.write(question)
    await child.stdin.drain()
    return await _answer_of(child)


async def _answer_of(child: asyncio.subprocess.Process) -> bytes:
    assert child.stdout is not None
    (size,) = _LENGTH.unpack(await child.stdout.readexactly(_LENGTH.size))
    if size > MOST_ANSWERED:
        raise ConnectionError
    return await child.stdout.readexactly(size)


def _kill(child: asyncio.subprocess.Process) -> None:
    with contextlib.suppress(ProcessLookupError):
        child.kill()


async def _end(child: asyncio.subprocess.Process) -> int:
    """Returns how it ended, by itself or by us."""
    with contextlib.suppress(TimeoutError):
        async with asyncio.timeout(0.2):  # it closed its end: it is about to tell how
            return await child.wait()
    _kill(child)
    return await child.wait()


def _message(code: int) -> str:
    if code == OUT_OF_MEMORY:
        return "its reader ran out of memory"
    if code < 0:
        return f"its reader was ended by {signal.Signals(-code).name}"
    return f"its reader ended with code {code}"


def _framed(data: bytes) -> bytes:
    return _LENGTH.pack(len(data)) + data


# -- the child

Answer = Callable[[bytes], bytes]
# Exit code of a child that could not get the memory it wanted.
OUT_OF_MEMORY = 71
# As Linux numbers it: the signal that a process gets when its parent dies.
_PDEATHSIG = 1


def serve(prepare: Callable[[bytes], Answer], memory: int) -> None:
    """Answer until standard input ends. `prepare` makes the answering function out of the greeting."""
    resource.setrlimit(resource.RLIMIT_AS, (memory, memory))
    resource.setrlimit(resource.RLIMIT_FSIZE, (0, 0))
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    _end_with_parent()
    try:
        _serve(sys.stdin.buffer, sys.stdout.buffer, prepare)
    except MemoryError:
        sys.exit(OUT_OF_MEMORY)


def _end_with_parent() -> None:
    """Where the system sees to it; elsewhere standard input and the timer do, a little later."""
    if sys.platform == "linux":
        ctypes.CDLL(None).prctl(_PDEATHSIG, signal.SIGKILL)


def _serve(source: BinaryIO, sink: BinaryIO, prepare: Callable[[bytes], Answer]) -> None:
    (seconds,) = _SECONDS.unpack(source.read(_SECONDS.size))
    answer = prepare(_read(source) or b"")
    sink.write(_framed(b""))
    sink.flush()
    while (question := _read(source)) is not None:
        # Ends the process even in the middle of foreign code, should nobody be left to do so.
        signal.setitimer(signal.ITIMER_REAL, seconds + _LATE)
        found = answer(question)
        signal.setitimer(signal.ITIMER_REAL, 0)
        sink.write(_framed(found))
        sink.flush()


def _read(source: BinaryIO) -> bytes | None:
    """One frame; None at the end, also in the middle of a frame."""
    head = source.read(_LENGTH.size)
    if len(head) < _LENGTH.size:
        return None
    (size,) = _LENGTH.unpack(head)
    data = source.read(size)
    return data if len(data) == size else None
