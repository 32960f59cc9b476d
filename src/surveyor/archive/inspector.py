"""Images looked at in processes of their own: what a hostile one breaks there is a child, not the worker.

A child reads an image from its standard input and answers with facts or a refusal, one after the
other. It has little memory, writes no file, and ends when its standard input does, so none is left
when a worker is killed. One that dies or takes too long over an image is replaced; the image gets
a second child, and is refused when it stops that one as well.
"""

from __future__ import annotations

import asyncio
import contextlib
import resource
import struct
import sys
from dataclasses import asdict
from typing import BinaryIO, Final

import orjson

from surveyor.archive.errors import ArchiveError, NotAnImage
from surveyor.archive.images import ImageFacts, inspect
from surveyor.archive.rights import Rights

# Children of one worker: one decodes while the other is sent its image.
_CHILDREN = 2
# Seconds for one image. The largest that is allowed takes about two on a slow machine.
_SECONDS = 20.0
_TRIES = 2
# Bytes of address space: the largest image decoded, a copy of it, and the interpreter.
_MEMORY = 1_500_000_000
# Seconds until a child that was told to end is killed.
_GRACE = 2.0
_MODULE = "surveyor.archive.inspector"
_LENGTH: Final = struct.Struct(">I")


class Inspectors:
    """For one event loop. Children are started when they are needed; `close` ends them."""

    def __init__(self, seconds: float = _SECONDS) -> None:
        self._seconds = seconds
        self._turns = asyncio.Semaphore(_CHILDREN)
        self._idle: list[asyncio.subprocess.Process] = []

    async def inspect(self, data: bytes) -> ImageFacts:
        """As `images.inspect`: facts, or `NotAnImage`."""
        async with self._turns:
            for _ in range(_TRIES):
                answer = await self._ask(data)
                if answer is not None:
                    return _facts(answer)
        raise NotAnImage("harmful", f"it stopped {_TRIES} readers, or took them over {self._seconds:g} s")

    async def _ask(self, data: bytes) -> bytes | None:
        """What a child says of the image; None if it did not live to say it."""
        child = self._idle.pop() if self._idle else await _start()
        try:
            async with asyncio.timeout(self._seconds):
                answer = await _exchange(child, data)
        except (TimeoutError, ConnectionError, asyncio.IncompleteReadError):
            await _end(child)
            return None
        except BaseException:
            _kill(child)  # it may be in the middle of an answer
            raise
        self._idle.append(child)
        return answer

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


async def _start() -> asyncio.subprocess.Process:
    try:
        return await asyncio.create_subprocess_exec(
            sys.executable,
            "-m",
            _MODULE,
            stdin=asyncio.subprocess.PIPE,
            stdout=asyncio.subprocess.PIPE,
            stderr=asyncio.subprocess.DEVNULL,  # what decoders complain of is in the answer
            start_new_session=True,  # an interrupt at the terminal is for the worker
        )
    except OSError as error:
        raise ArchiveError(
            f"no process can be started to look at images: {error.strerror or error}; check memory and limits"
        ) from error


async def _exchange(child: asyncio.subprocess.Process, data: bytes) -> bytes:
    assert child.stdin is not None and child.stdout is not None
    child.stdin.write(_LENGTH.pack(len(data)))
    child.stdin.write(data)
    await child.stdin.drain()
    (size,) = _LENGTH.unpack(await child.stdout.readexactly(_LENGTH.size))
    return await child.stdout.readexactly(size)


def _kill(child: asyncio.subprocess.Process) -> None:
    with contextlib.suppress(ProcessLookupError):
        child.kill()


async def _end(child: asyncio.subprocess.Process) -> None:
    _kill(child)
    await child.wait()


def _facts(answer: bytes) -> ImageFacts:
    told = orjson.loads(answer)
    if "refused" in told:
        raise NotAnImage(*told["refused"])
    told["sha256"] = bytes.fromhex(told["sha256"])
    told["rights"] = Rights(**told["rights"])
    return ImageFacts(**told)


# -- the child


def serve(source: BinaryIO, sink: BinaryIO) -> None:
    """Answer until the source ends."""
    while len(head := source.read(_LENGTH.size)) == _LENGTH.size:
        (size,) = _LENGTH.unpack(head)
        data = source.read(size)
        if len(data) < size:
            return
        answer = _answer(data)
        sink.write(_LENGTH.pack(len(answer)) + answer)
        sink.flush()


def _answer(data: bytes) -> bytes:
    try:
        facts = asdict(inspect(data))
    except NotAnImage as error:
        return orjson.dumps({"refused": (error.reason, error.detail)})
    return orjson.dumps(facts | {"sha256": facts["sha256"].hex()})


def _live_modestly() -> None:
    resource.setrlimit(resource.RLIMIT_AS, (_MEMORY, _MEMORY))
    resource.setrlimit(resource.RLIMIT_FSIZE, (0, 0))
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))


if __name__ == "__main__":
    _live_modestly()
    serve(sys.stdin.buffer, sys.stdout.buffer)
