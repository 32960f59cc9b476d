"""Images looked at in processes of their own: what a hostile one breaks there is a child, not the worker.

An image that stops its child, or takes it too long, gets a second one, and is refused when it stops that
one as well. Small ones that come at the same time go to a child together; where that one stops, each goes
alone.
"""

from __future__ import annotations

import struct
import warnings
from collections.abc import Iterator, Sequence
from typing import Any

import orjson

from surveyor.archive.errors import ArchiveError, NotAnImage
from surveyor.archive.images import ImageFacts, inspect
from surveyor.archive.rights import Rights
from surveyor.process.children import Answer, ChildDied, Children, Job, NoChild, serve
from surveyor.process.tasks import Batch

# Children of one worker: one decodes while the other is sent its image.
_CHILDREN = 2
# Seconds for one image. The largest that is allowed takes about two on a slow machine.
_SECONDS = 20.0
_TRIES = 2
# Bytes of address space: the largest image decoded, a copy of it, and the interpreter.
_MEMORY = 1_500_000_000
_MODULE = "surveyor.archive.inspector"
# Bytes up to which images share a message; a hundred of them take a fraction of the seconds above.
_SMALL = 65_536


class Inspectors:
    """For one event loop. Children are started when they are needed; `close` ends them."""

    def __init__(self, seconds: float = _SECONDS) -> None:
        self._children = Children(Job(_MODULE, seconds=seconds), _CHILDREN)
        self._small = Batch(self._ask, NoChild)

    async def inspect(self, data: bytes) -> ImageFacts:
        """As `images.inspect`: facts, or `NotAnImage`."""
        for attempt in range(_TRIES):
            try:
                if attempt == 0 and len(data) <= _SMALL:
                    return _facts(await self._small.ask(data))
                return _facts((await self._ask([data]))[0])
            except ChildDied:
                continue
            except NoChild as error:
                raise ArchiveError(f"images cannot be looked at: {error}") from error
        seconds = self._children.job.seconds
        raise NotAnImage("harmful", f"it stopped {_TRIES} readers, or took them over {seconds:g} s")

    async def _ask(self, images: Sequence[bytes]) -> list[dict[str, Any]]:
        found: list[dict[str, Any]] = orjson.loads(await self._children.ask(_packed(images)))
        return found

    async def close(self) -> None:
        await self._children.close()


def _facts(reading: dict[str, Any]) -> ImageFacts:
    if "refused" in reading:
        raise NotAnImage(*reading["refused"])
    reading["sha256"] = bytes.fromhex(reading["sha256"])
    reading["rights"] = Rights(**reading["rights"])
    return ImageFacts(**reading)


# -- several images in one message: how many, how long each is, and all of them


def _packed(images: Sequence[bytes]) -> bytes:
    lengths = struct.pack(f">{len(images) + 1}I", len(images), *map(len, images))
    return b"".join((lengths, *images))


def _unpacked(message: bytes) -> Iterator[bytes]:
    (count,) = struct.unpack_from(">I", message)
    start = 4 * (count + 1)
    for length in struct.unpack_from(f">{count}I", message, 4):
        yield message[start : start + length]
        start += length


# -- the child


def _prepare(_greeting: bytes) -> Answer:
    warnings.simplefilter("ignore")  # Pillow warns of what `inspect` refuses
    return _answer


def _answer(question: bytes) -> bytes:
    return orjson.dumps([_looked_at(data) for data in _unpacked(question)])


def _looked_at(data: bytes) -> dict[str, Any]:
    try:
        facts = inspect(data)
    except NotAnImage as error:
        return {"refused": (error.reason, error.detail)}
    # By name, as orjson writes dataclasses itself; it has no word for bytes.
    return {name: getattr(facts, name) for name in ImageFacts.__slots__} | {"sha256": facts.sha256.hex()}


if __name__ == "__main__":
    serve(_prepare, _MEMORY)
