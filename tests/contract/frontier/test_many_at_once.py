"""Many domains at the same moment: a frontier in Redis is asked for all of them in one message."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Sequence
from typing import Any

import pytest
from redis.asyncio.connection import AbstractConnection

from surveyor.crawl.context import DomainOpener, Opening
from surveyor.crawl.plan import RunOptions
from surveyor.crawl.service import start_run
from surveyor.db import Database
from surveyor.errors import LeaseLost
from surveyor.frontier.redis.connect import new_client
from surveyor.frontier.redis.frontier import RedisFrontier
from surveyor.registry.leases import Claimer, Lease
from tests.support.lease_help import suspend
from tests.support.registry_help import ADMIN, add_domain
from tests.support.statements import statements


@pytest.fixture
def kind() -> str:
    return "redis"


class _Opener:
    """Opens domains as a worker does, with all that were claimed together at the same moment."""

    def __init__(self, openings: DomainOpener) -> None:
        self._openings = openings

    async def open(self, held: Sequence[Lease]) -> list[Opening | BaseException]:
        asked = (self._openings.open(lease, []) for lease in held)
        return await asyncio.gather(*asked, return_exceptions=True)


async def _messages(monkeypatch: pytest.MonkeyPatch, act: Callable[[], Awaitable[object]]) -> int:
    """How often something is sent to Redis."""
    sent = 0
    send = AbstractConnection.send_packed_command

    async def counted(self: AbstractConnection, *args: Any, **options: Any) -> None:
        nonlocal sent
        sent += 1
        await send(self, *args, **options)

    with monkeypatch.context() as patched:
        patched.setattr(AbstractConnection, "send_packed_command", counted)
        await act()
    return sent


async def _claimed(db: Database, count: int) -> list[Lease]:
    for number in range(count):
        await add_domain(db, f"site-{number}.example")
    return await Claimer(db, "worker-1", 600.0).claim(count)


async def test_many_domains_are_opened_in_as_many_messages_and_statements_as_one(
    db: Database, redis_url: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    client = new_client(redis_url)
    run = await start_run(db, ADMIN, RunOptions(), continuous=False)
    opener = _Opener(DomainOpener(db, RedisFrontier(client), run))
    first, second, third, *rest = await _claimed(db, 15)
    await opener.open([first])  # connects, and brings the scripts
    messages = await _messages(monkeypatch, lambda: opener.open([second]))
    asked = await statements(db, lambda: opener.open([third]))
    assert await _messages(monkeypatch, lambda: opener.open(rest[:6])) == messages
    assert await statements(db, lambda: opener.open(rest[6:])) == asked
    await client.aclose()


async def test_a_stale_one_loses_its_lease_and_the_others_are_opened_with_it_in_the_message(
    db: Database, redis_url: str
) -> None:
    client = new_client(redis_url)
    run = await start_run(db, ADMIN, RunOptions(), continuous=False)
    opener = _Opener(DomainOpener(db, RedisFrontier(client), run))
    held = await _claimed(db, 3)
    await suspend(db, held[1].no)
    found = await opener.open(held)
    assert isinstance(found[1], LeaseLost)
    assert all(isinstance(found[place], Opening) and found[place].begun.is_new for place in (0, 2))
    await client.aclose()
