"""The steps that Redis makes as a whole or not at all: one Lua file each, behind what they share.

Scripts are sent once and then called by their fingerprint. A server that does not know
one (it was restarted) has made nothing of that call, so it is sent the script and called
again; no other call is ever repeated by itself. What the driver raises comes out as
`FrontierUnreachable`.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from importlib import resources
from typing import Any, NamedTuple

from redis.asyncio import Redis
from redis.asyncio.cluster import RedisCluster
from redis.exceptions import NoScriptError, OutOfMemoryError, RedisClusterException, RedisError

from surveyor.errors import FrontierUnreachable

Argument = str | int

_FILES = resources.files(__name__)
_COMMON = (_FILES / "common.lua").read_text(encoding="utf-8")
_NAMES = ("change", "open", "seal", "unknown", "wipe")
_TEXTS = {name: f"{_COMMON}\n{(_FILES / f'{name}.lua').read_text(encoding='utf-8')}" for name in _NAMES}
# Not for security: the name Redis itself gives to a script.
_PRINTS = {name: hashlib.sha1(text.encode()).hexdigest() for name, text in _TEXTS.items()}  # noqa: S324


class Call(NamedTuple):
    """One script on the frontier of one domain."""

    name: str
    no: int
    arguments: Sequence[Argument]


def facts_key(no: int) -> str:
    """The domain's first key; the number in braces decides the slot of all its keys in a cluster."""
    return f"surveyor:{{{no}}}"


async def run(client: Redis | RedisCluster, call: Call) -> Any:
    return (await run_all(client, [call]))[0]


async def run_all(client: Redis | RedisCluster, calls: Sequence[Call]) -> list[Any]:
    """Run each, in one message there and back; one domain's failure is everybody's."""
    with translated():
        replies = await _send(client, calls)
        missed = [place for place, reply in enumerate(replies) if isinstance(reply, NoScriptError)]
        if missed:
            for name in {calls[place].name for place in missed}:
                await client.script_load(_TEXTS[name])
            again = await _send(client, [calls[place] for place in missed])
            for place, reply in zip(missed, again, strict=True):
                replies[place] = reply
        for reply in replies:
            if isinstance(reply, RedisError | RedisClusterException):
                raise reply
    return replies


async def _send(client: Redis | RedisCluster, calls: Sequence[Call]) -> list[Any]:
    pipeline = client.pipeline(transaction=False)
    for name, no, arguments in calls:
        pipeline.execute_command("EVALSHA", _PRINTS[name], 1, facts_key(no), *arguments)
    return await pipeline.execute(raise_on_error=False)


@contextmanager
def translated() -> Iterator[None]:
    try:
        yield
    except OutOfMemoryError as error:
        raise FrontierUnreachable(
            "Redis has no memory left for the frontier; raise its maxmemory, nothing was lost"
        ) from error
    except (RedisError, RedisClusterException) as error:
        raise FrontierUnreachable(
            f"Redis does not answer ({_first_line(error)}); start it, or check frontier.url"
        ) from error


def _first_line(error: BaseException) -> str:
    text = str(error).strip().splitlines()
    return text[0] if text else type(error).__name__
