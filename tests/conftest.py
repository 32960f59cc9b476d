"""Fixtures for all tests: a database on each engine, migrated and empty."""

from __future__ import annotations

import asyncio
import gc
import os
from collections.abc import AsyncIterator, Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest
import structlog
from hypothesis import HealthCheck, settings
from xdist.scheduler import LoadGroupScheduling  # type: ignore[import-untyped]

from surveyor.db import Database, schema
from surveyor.settings import DatabaseSettings
from tests.support import compiled_once, servers
from tests.support.cli_help import NO_BROWSER
from tests.support.databases import Databases

settings.register_profile(
    "suite",
    deadline=None,  # a shared machine is no stop watch
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.function_scoped_fixture],
)
settings.load_profile("suite")
compiled_once.begin()
# Loading modules and tests makes millions of objects that stay, and no cycle to free.
gc.disable()
# Objects made between two looks for cycles: a look costs more than most tests.
_BETWEEN_LOOKS = 50_000

ENGINES = ("sqlite", "postgresql")


@pytest.hookimpl(trylast=True)
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Long ones first: one that comes last would leave the other processes without work."""
    _require_groups(items)
    items.sort(key=lambda item: item.get_closest_marker("slow") is None)


class _Scheduling(LoadGroupScheduling):
    """Unit tests are given out file by file: to give out each would cost more than most of them take."""

    def _split_scope(self, nodeid: str) -> str:
        file = nodeid.partition("::")[0]
        return file if file.startswith("tests/unit/") else super()._split_scope(nodeid)


@pytest.hookimpl(optionalhook=True)
def pytest_xdist_make_scheduler(config: pytest.Config, log: Any) -> LoadGroupScheduling | None:
    return _Scheduling(config, log) if config.getvalue("dist") == "loadgroup" else None


def pytest_collection_finish() -> None:
    gc.freeze()
    gc.set_threshold(_BETWEEN_LOOKS)
    gc.enable()


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
def databases(postgres_url: str) -> Iterator[Databases]:
    made = Databases(postgres_url)
    yield made
    made.close()


@pytest.fixture(scope="session")
def postgres_template(databases: Databases) -> str:
    """The URL of a migrated, empty database to copy from: quicker than migrating for each test."""
    url = databases.create()
    _migrate(url, Path())
    return url


@pytest.fixture(scope="session")
def sqlite_template(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("template") / "template.db"
    _migrate(f"sqlite:///{path}", path.parent)
    return path


def _migrate(url: str, folder: Path) -> None:
    async def make() -> None:
        db = Database.open(DatabaseSettings(url=url), folder)
        try:
            await schema.upgrade(db)
        finally:
            await db.close()

    with ThreadPoolExecutor(1) as pool:  # a loop may run in this thread already
        pool.submit(lambda: asyncio.run(make())).result()


@pytest.fixture(params=ENGINES)
def engine_name(request: pytest.FixtureRequest) -> str:
    return str(request.param)


@pytest.fixture
def db_url(engine_name: str, request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[str]:
    """The URL of a migrated, empty database of the engine under test."""
    if engine_name == "sqlite":
        template: Path = request.getfixturevalue("sqlite_template")
        path = tmp_path / "surveyor.db"
        path.write_bytes(template.read_bytes())
        yield f"sqlite:///{path}"
        return
    databases: Databases = request.getfixturevalue("databases")
    url = databases.create(request.getfixturevalue("postgres_template"))
    yield url
    databases.drop(url)


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
    databases: Databases = request.getfixturevalue("databases")
    url = databases.create()
    yield url
    databases.drop(url)


@pytest.fixture
def valkey() -> Iterator[servers.Valkey]:
    server = servers.Valkey.create()
    yield server
    server.remove()
