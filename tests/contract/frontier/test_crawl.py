"""Whole crawls with their frontier in Redis, which is not always there."""

from __future__ import annotations

import asyncio
import signal
import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest

from surveyor.db import Database
from surveyor.settings import DatabaseSettings
from tests.support import servers
from tests.support.cli_help import fork, surveyor
from tests.support.crawl_check import Report, Rules, check_workspace
from tests.support.forked import Forked
from tests.support.site import SiteGraph, SiteProcess, SiteSpec

DEPTH = 4
QUICK = {
    "SURVEYOR_CRAWL__DELAY_SECONDS": "0.01",
    "SURVEYOR_CRAWL__COMMIT_SECONDS": "0.05",
    "SURVEYOR_CRAWL__DEPTH": str(DEPTH),
    "SURVEYOR_NET__PER_ADDRESS": "100",
    "SURVEYOR_EXTRACT__ENABLED": "false",
}


@dataclass
class Crawl:
    graph: SiteGraph
    site: SiteProcess
    valkey: servers.Valkey
    workspace: Path
    settings: dict[str, str]

    def start(self, **more: str) -> Forked:
        return fork("crawl", workspace=self.workspace, **(self.settings | more))

    def wait_for(self, requests: int) -> None:
        """Until the site has seen so many: the crawl is in the middle."""
        deadline = time.monotonic() + 30
        while self.site.now().requests < requests:
            assert time.monotonic() < deadline, "the crawl does not get going"
            time.sleep(0.01)

    def judge(self) -> Report:
        """What was in flight once may have been asked for once more."""
        once = {
            (host, target): 1
            for host, has in self.graph.by_name.items()
            for target in (*has.pages, *has.redirects, *has.missing)
        }
        rules = Rules(DEPTH, 0.0, frozenset(self.graph.names), repeats=once)

        async def look() -> Report:
            db = Database.open(DatabaseSettings(), self.workspace)
            try:
                return await check_workspace(self.graph.by_name, self.site.log_file, db, rules)
            finally:
                await db.close()

        return asyncio.run(look())


@pytest.fixture
def crawl(tmp_path: Path, valkey: servers.Valkey) -> Iterator[Crawl]:
    graph = SiteGraph(seed=5, hosts=4, pages_per_host=40)
    with SiteProcess(SiteSpec(graph), tmp_path / "requests.log") as site:
        settings = QUICK | site.environment | {"SURVEYOR_FRONTIER__URL": valkey.url}
        workspace = tmp_path / "ws"
        assert surveyor("init", workspace, **settings).code == 0
        seeds = "\n".join(graph.names)
        assert surveyor("ingest-seeds", "-", workspace=workspace, stdin=seeds, **settings).code == 0
        yield Crawl(graph, site, valkey, workspace, settings)


def test_when_redis_is_back_the_crawl_goes_on_to_its_end(crawl: Crawl) -> None:
    running = crawl.start()
    crawl.wait_for(60)
    crawl.valkey.stop(signal.SIGKILL)
    time.sleep(0.7)
    crawl.valkey.start()
    _, told = running.communicate(timeout=60)
    assert running.returncode == 0, told.decode()
    assert b"Redis does not answer" in told
    assert (report := crawl.judge()).ok, report


def test_death_between_database_and_redis_loses_nothing(crawl: Crawl) -> None:
    doomed = crawl.start(SURVEYOR_FAILPOINT="after_commit:4")
    doomed.communicate(timeout=60)
    assert doomed.returncode == -signal.SIGKILL
    again = surveyor("crawl", workspace=crawl.workspace, **crawl.settings)
    assert again.code == 0, again.err
    assert (report := crawl.judge()).ok, report
    for host in crawl.graph.names:
        told = surveyor("domain-info", host, "--json", workspace=crawl.workspace, **crawl.settings).json
        assert (told["crawl_status"], told["frontier_size"]) == ("exhausted", 0)
        assert told["pages_crawled"] == told["pages_discovered"]
