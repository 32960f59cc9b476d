"""A workspace and a site for crawl tests: real processes, real sockets, delays of milliseconds."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeVar

import pytest

from surveyor.bootstrap.workers import crawl_worker
from surveyor.bootstrap.workspace import open_workspace
from surveyor.crawl import service
from surveyor.crawl.detect.soft404 import probe_targets
from surveyor.crawl.plan import RunOptions
from surveyor.db import Database
from surveyor.settings import DatabaseSettings
from tests.support import servers
from tests.support.cli_help import Ran, fork, surveyor
from tests.support.databases import move_into
from tests.support.forked import Forked
from tests.support.registry_help import ADMIN
from tests.support.site import SiteProcess, SiteSpec

T = TypeVar("T")

# Delays of 20 ms, and leases long enough for a machine that is busy with other tests.
QUICK = {
    "SURVEYOR_CRAWL__DELAY_SECONDS": "0.02",
    "SURVEYOR_CRAWL__LEASE_SECONDS": "20",
    "SURVEYOR_CRAWL__RENEW_SECONDS": "5",
    "SURVEYOR_CRAWL__COMMIT_SECONDS": "0.1",
    "SURVEYOR_NET__PER_ADDRESS": "100",
    "SURVEYOR_NET__CONNECT_SECONDS": "2",
    # Extraction has tests of its own, and its processes would take the time of these.
    "SURVEYOR_EXTRACT__ENABLED": "false",
}


@dataclass
class Crawl:
    """A site, a workspace that knows its hosts, and the commands run on both."""

    site: SiteProcess
    workspace: Path
    settings: dict[str, str]

    def run(self, *arguments: str, **settings: str) -> Ran:
        return surveyor(*arguments, workspace=self.workspace, **(self.settings | settings))

    def start(self, *arguments: str, **settings: str) -> Forked:
        return fork(*arguments, workspace=self.workspace, **(self.settings | settings))

    def work(self, **options: int) -> None:
        """One crawl with a worker in this process: cheaper, where how it is started does not matter."""

        async def whole() -> None:
            async with open_workspace(self.workspace) as workspace:
                said = RunOptions(**options)
                run = await service.start_run(workspace.db, ADMIN, said, continuous=False)
                async with crawl_worker(workspace, run, said) as worker:
                    await asyncio.wait_for(worker.run(), 60)

        with pytest.MonkeyPatch.context() as patch:
            for name, value in self.settings.items():
                patch.setenv(name, value)
            asyncio.run(whole())

    def domain(self, name: str) -> dict[str, Any]:
        found: dict[str, Any] = self.run("domain-info", name, "--json").json
        return found

    def seed(self, *names: str) -> None:
        done = surveyor(
            "ingest-seeds", "-", workspace=self.workspace, stdin="\n".join(names), **self.settings
        )
        assert done.code == 0, done.err

    def with_database(self, act: Callable[[Database], Awaitable[T]]) -> T:
        """Look into the register, or act on it, while a crawl runs."""

        async def whole() -> T:
            url = self.settings.get("SURVEYOR_DATABASE__URL", "")
            db = Database.open(DatabaseSettings(url=url), self.workspace)
            try:
                return await act(db)
            finally:
                await db.close()

        return asyncio.run(whole())

    def requests(self, host: str | None = None) -> list[str]:
        """Pages asked for, in order; without robots.txt, the usual sitemap, and what nobody can have made."""
        return [
            entry.target
            for entry in self.site.log()
            if host in (None, name := entry.host.split(":")[0].removeprefix("www."))
            and entry.target not in ("/robots.txt", "/sitemap.xml", *probe_targets(name))
        ]


MakeCrawl = Callable[..., Crawl]


@pytest.fixture
def make_crawl(tmp_path: Path, db_url: str) -> Iterator[MakeCrawl]:
    """Start a site and seed a workspace with its hosts."""
    running: list[SiteProcess] = []

    def make(spec: SiteSpec, *seeds: str, **settings: str) -> Crawl:
        site = SiteProcess(spec, tmp_path / "requests.log")
        site.__enter__()
        running.append(site)
        database = move_into(tmp_path / "ws", db_url)
        crawl = Crawl(site, tmp_path / "ws", QUICK | site.environment | database | settings)
        made = surveyor("init", crawl.workspace, **crawl.settings)
        assert made.code == 0, made.err
        crawl.seed(*(seeds or spec.graph.names))
        return crawl

    yield make
    for site in running:
        site.__exit__(None, None, None)


@pytest.fixture
def frontier(engine_name: str, request: pytest.FixtureRequest) -> dict[str, str]:
    """The setting that says where URLs wait: with everything else on a laptop, in Redis on many machines.

    Every frontier on every engine has its tests in the contract suite.
    """
    if engine_name == "sqlite":
        return {}
    valkey: servers.Valkey = request.getfixturevalue("valkey")
    return {"SURVEYOR_FRONTIER__URL": valkey.url}
