"""Fixtures for all tests: a database on each engine, migrated and empty."""

from __future__ import annotations

import asyncio
import os
from collections.abc import AsyncIterator, Callable, Coroutine, Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import asyncpg
import pytest
import structlog
from hypothesis import HealthCheck, settings

from surveyor.db import Database, schema
from surveyor.settings import DatabaseSettings
from tests.support import compiled_once, servers
from tests.support.cli_help import NO_BROWSER

settings.register_profile(
    "suite",
    deadline=None,  # a shared machine is no stop watch
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.function_scoped_fixture],
)
settings.load_profile("suite")
compiled_once.begin()

ENGINES = ("sqlite", "postgresql")


@pytest.hookimpl(trylast=True)
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Long ones first: one that comes last would leave the other processes without work."""
    _require_groups(items)
    items.sort(key=lambda item: item.get_closest_marker("slow") is None)


def _require_groups(items: list[pytest.Item]) -> None:
    """Tests that look at one costly world stay in one process: some releases lose that without a word."""
    grouped = [item for item in items if item.get_closest_marker("xdist_group")]
    if grouped and grouped[0].config.getoption("loadgroup", False) and "@" not in grouped[0].nodeid:
        raise pytest.UsageError("pytest and pytest-xdist do not keep groups together; run ./dev setup")


@pytest.fixture(autouse=True)
def _logs_as_they_were() -> Iterator[None]:
    """A level that one test asked for would silence what another looks for."""
    before = structlog.get_config()
    yield
    structlog.configure(**before)


@pytest.fixture(autouse=True)
def _no_settings_from_outside(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in [name for name in os.environ if name.startswith("SURVEYOR_")]:
        monkeypatch.delenv(name)
    monkeypatch.setenv(*NO_BROWSER)  # tests of pages that need one ask for it


@pytest.fixture(scope="session")
def run_folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder that all processes of this run share."""
    base = tmp_path_factory.getbasetemp()
    return base.parent if "PYTEST_XDIST_WORKER" in os.environ else base


@pytest.fixture(scope="session")
def postgres_url(run_folder: Path) -> Iterator[str]:
    with servers.shared_postgres(run_folder) as url:
        yield url


@pytest.fixture(scope="session")
def postgres_template(postgres_url: str) -> str:
    """The name of a migrated, empty database to copy from: quicker than migrating for each test."""
    name = servers.random_name()

    async def make() -> None:
        await _create_database(postgres_url, name, None)
        db = Database.open(DatabaseSettings(url=_sibling(postgres_url, name)), Path())
        try:
            await schema.upgrade(db)
        finally:
            await db.close()

    _run(make)
    return name


@pytest.fixture(scope="session")
def sqlite_template(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("template") / "template.db"

    async def make() -> None:
        db = Database.open(DatabaseSettings(url=f"sqlite:///{path}"), path.parent)
        try:
            await schema.upgrade(db)
        finally:
            await db.close()

    _run(make)
    return path


@pytest.fixture(params=ENGINES)
def engine_name(request: pytest.FixtureRequest) -> str:
    return str(request.param)


@pytest.fixture
async def db_url(engine_name: str, request: pytest.FixtureRequest, tmp_path: Path) -> AsyncIterator[str]:
    """The URL of a migrated, empty database of the engine under test."""
    if engine_name == "sqlite":
        template: Path = request.getfixturevalue("sqlite_template")
        path = tmp_path / "surveyor.db"
        path.write_bytes(template.read_bytes())
        yield f"sqlite:///{path}"
        return
    url: str = request.getfixturevalue("postgres_url")
    name = servers.random_name()
    await _create_database(url, name, request.getfixturevalue("postgres_template"))
    yield _sibling(url, name)
    await _drop_database(url, name)


@pytest.fixture
async def db(db_url: str, tmp_path: Path) -> AsyncIterator[Database]:
    """A migrated, empty database, once per engine: a test that takes it is a contract."""
    database = Database.open(DatabaseSettings(url=db_url), tmp_path)
    yield database
    await database.close()


@pytest.fixture
def empty_db_url(engine_name: str, request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[str]:
    """The URL of a database that has nothing in it, not even a schema."""
    if engine_name == "sqlite":
        yield f"sqlite:///{tmp_path / 'empty.db'}"
        return
    url: str = request.getfixturevalue("postgres_url")
    name = servers.random_name()
    _run(lambda: _create_database(url, name, None))
    yield _sibling(url, name)
    _run(lambda: _drop_database(url, name))


@pytest.fixture
def valkey() -> Iterator[servers.Valkey]:
    server = servers.Valkey.create()
    yield server
    server.remove()


def _run(act: Callable[[], Coroutine[Any, Any, None]]) -> None:
    """Run to the end from a fixture, whether or not a loop runs in this thread already."""
    with ThreadPoolExecutor(1) as pool:
        pool.submit(lambda: asyncio.run(act())).result()


def _sibling(url: str, name: str) -> str:
    return url.rsplit("/", 1)[0] + "/" + name


async def _create_database(url: str, name: str, template: str | None) -> None:
    # Copied as files, not through the log: two thirds of the CPU.
    copied = f' TEMPLATE "{template}"' if template else ""
    await _tell_server(url, f'CREATE DATABASE "{name}"{copied} STRATEGY FILE_COPY')


async def _drop_database(url: str, name: str) -> None:
    """A thousand of them would fill memory; whoever is still connected has forgotten to leave."""
    await _tell_server(url, f'DROP DATABASE IF EXISTS "{name}" WITH (FORCE)')


async def _tell_server(url: str, statement: str) -> None:
    connection = await asyncpg.connect(url)
    try:
        await connection.execute(statement)
    finally:
        await connection.close()
