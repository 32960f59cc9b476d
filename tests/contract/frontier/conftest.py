"""Every frontier through one suite: SQL on both engines, Redis beside both engines."""

from __future__ import annotations

from collections.abc import AsyncIterator, Iterator

import pytest

from surveyor.db import Database
from tests.contract.frontier.world import World, new_world
from tests.support import servers


@pytest.fixture(scope="session")
def shared_valkey() -> Iterator[servers.Valkey]:
    """One server for all tests that do not stop it; each begins with it empty."""
    server = servers.Valkey.create()
    yield server
    server.remove()


@pytest.fixture(params=["sql", "redis"])
def kind(request: pytest.FixtureRequest) -> str:
    return str(request.param)


@pytest.fixture
def redis_url(kind: str, request: pytest.FixtureRequest) -> str | None:
    if kind == "sql":
        return None
    server: servers.Valkey = request.getfixturevalue("shared_valkey")
    return server.url


@pytest.fixture
async def world(db: Database, redis_url: str | None) -> AsyncIterator[World]:
    async with new_world(db, redis_url) as found:
        yield found
