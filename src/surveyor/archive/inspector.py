"""Images looked at in processes of their own: what a hostile one breaks there is a child, not the worker.

An image that stops its child, or takes it too long, gets a second one, and is refused when it stops that
one as well.
"""

from __future__ import annotations

from dataclasses import asdict

import orjson

from surveyor.archive.errors import ArchiveError, NotAnImage
from surveyor.archive.images import ImageFacts, inspect
from surveyor.archive.rights import Rights
from surveyor.process.children import Answer, ChildDied, Children, Job, NoChild, serve

# Children of one worker: one decodes while the other is sent its image.
_CHILDREN = 2
# Seconds for one image. The largest that is allowed takes about two on a slow machine.
_SECONDS = 20.0
_TRIES = 2
# Bytes of address space: the largest image decoded, a copy of it, and the interpreter.
_MEMORY = 1_500_000_000
_MODULE = "surveyor.archive.inspector"


class Inspectors:
    """For one event loop. Children are started when they are needed; `close` ends them."""

    def __init__(self, seconds: float = _SECONDS) -> None:
        self._children = Children(Job(_MODULE, seconds=seconds), _CHILDREN)

    async def inspect(self, data: bytes) -> ImageFacts:
        """As `images.inspect`: facts, or `NotAnImage`."""
        for _ in range(_TRIES):
            try:
                return _facts(await self._children.ask(data))
            except ChildDied:
                continue
            except NoChild as error:
                raise ArchiveError(f"images cannot be looked at: {error}") from error
        seconds = self._children.job.seconds
        raise NotAnImage("harmful", f"it stopped {_TRIES} readers, or took them over {seconds:g} s")

    async def close(self) -> None:
        await self._children.close()


def _facts(answer: bytes) -> ImageFacts:
    reading = orjson.loads(answer)
    if "refused" in reading:
        raise NotAnImage(*reading["refused"])
    reading["sha256"] = bytes.fromhex(reading["sha256"])
    reading["rights"] = Rights(**reading["rights"])
    return ImageFacts(**reading)


# -- the child


def _prepare(_greeting: bytes) -> Answer:
    return _answer


def _answer(data: bytes) -> bytes:
    try:
        facts = asdict(inspect(data))
    except NotAnImage as error:
        return orjson.dumps({"refused": (error.reason, error.detail)})
    return orjson.dumps(facts | {"sha256": facts["sha256"].hex()})


if __name__ == "__main__":
    serve(_prepare, _MEMORY)
