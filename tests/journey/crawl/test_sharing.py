"""Workers share what is due, in whatever order they come."""

from __future__ import annotations

import asyncio
from collections.abc import Callable

import pytest

from surveyor.bootstrap.workers import crawl_worker
from surveyor.bootstrap.workspace import open_workspace
from surveyor.crawl import service
from surveyor.crawl.plan import RunOptions
from surveyor.crawl.worker import CrawlWorker
from tests.journey.crawl.conftest import Crawl, MakeCrawl
from tests.support.registry_help import ADMIN
from tests.support.site import SiteGraph, SiteSpec

pytestmark = pytest.mark.slow
HOSTS = 12


async def _until(reached: Callable[[], bool]) -> None:
    async with asyncio.timeout(60):
        while not reached():
            await asyncio.sleep(0.02)


async def _three_workers(crawl: Crawl) -> list[CrawlWorker]:
    """Each as a command of its own would have it, in one process: all are slowed by the same neighbours."""
    found: list[CrawlWorker] = []

    async def work() -> None:
        async with open_workspace(crawl.workspace) as workspace:
            run = await service.start_run(workspace.db, ADMIN, RunOptions(), continuous=False)
            async with crawl_worker(workspace, run, RunOptions()) as worker:
                found.append(worker)
                await worker.run()

    async with asyncio.timeout(120), asyncio.TaskGroup() as group:
        group.create_task(work())
        await _until(lambda: bool(found) and len(found[0].sessions) == HOSTS)  # the first has taken all
        group.create_task(work())
        group.create_task(work())
    return found


def test_two_workers_that_come_when_the_first_has_taken_all_get_their_share(
    make_crawl: MakeCrawl, monkeypatch: pytest.MonkeyPatch
) -> None:
    spec = SiteSpec(SiteGraph(seed=4, hosts=HOSTS, pages_per_host=8, depth=2))
    crawl = make_crawl(spec, SURVEYOR_CRAWL__DELAY_SECONDS="0.5")
    for name, value in crawl.settings.items():
        monkeypatch.setenv(name, value)
    found = asyncio.run(_three_workers(crawl))
    held = sorted(len(worker.progress.domains) for worker in found)
    assert held[0] >= 2, held
    for host in spec.graph.names:
        asked = crawl.requests(host)
        assert sorted(asked) == sorted({*asked}), "what was handed over was not asked for again"
        assert {*spec.graph.reachable(host, 3)} <= {*asked}
        assert crawl.domain(host)["crawl_status"] == "exhausted"
