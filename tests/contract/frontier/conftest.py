"""Every frontier through one suite: SQL on both engines and in partitions, Redis beside both engines."""

from __future__ import annotations

from collections.abc import AsyncIterator, Iterator
from pathlib import Path

import pytest

from surveyor.db import Database, schema
from surveyor.settings import DatabaseSettings
from tests.contract.frontier.world import World, new_world
from tests.support import servers

_IN_PARTS = "sql in partitions"


@pytest.fixture(scope="session")
def shared_valkey() -> Iterator[servers.Valkey]:
    """One server for all tests that do not stop it; each begins with it empty."""
    server = servers.Valkey.create()
    yield server
    server.remove()


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """SQLite has no partitions. All tests of a run are passed here, also those of other folders."""
    items[:] = [item for item in items if not _is_in_parts_on_sqlite(item)]


def _is_in_parts_on_sqlite(item: pytest.Item) -> bool:
    params = item.callspec.params if isinstance(item, pytest.Function) and hasattr(item, "callspec") else {}
    return params.get("kind") == _IN_PARTS and params.get("engine_name") == "sqlite"


@pytest.fixture(params=["sql", _IN_PARTS, "redis"])
def kind(request: pytest.FixtureRequest) -> str:
    return str(request.param)


@pytest.fixture
async def db_url(db_url: str, request: pytest.FixtureRequest) -> str:
    if "kind" in request.fixturenames and request.getfixturevalue("kind") == _IN_PARTS:
        await schema.upgrade_register(DatabaseSettings(url=db_url, partitions=3), Path())
    return db_url


@pytest.fixture
def redis_url(kind: str, request: pytest.FixtureRequest) -> str | None:
    if kind != "redis":
        return None
    server: servers.Valkey = request.getfixturevalue("shared_valkey")
    return server.url


@pytest.fixture
async def world(db: Database, redis_url: str | None) -> AsyncIterator[World]:
    async with new_world(db, redis_url) as found:
        yield found
