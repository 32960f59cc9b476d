"""A worker whose visit could not give its domain back is not at the end of its work."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest

from surveyor.bootstrap.workers import crawl_worker
from surveyor.bootstrap.workspace import open_workspace
from surveyor.crawl import service
from surveyor.crawl.plan import RunOptions
from surveyor.crawl.store import visits
from surveyor.errors import DatabaseError, LeaseLost
from tests.journey.crawl.conftest import MakeCrawl
from tests.support.registry_help import ADMIN
from tests.support.site import SiteGraph, SiteSpec


@pytest.mark.parametrize(
    "trouble", [LeaseLost("site", 1), DatabaseError("deadlock detected")], ids=["doubt", "deadlock"]
)
def test_a_domain_that_could_not_be_given_back_is_taken_up_again_before_the_run_ends(
    make_crawl: MakeCrawl, monkeypatch: pytest.MonkeyPatch, trouble: Exception
) -> None:
    crawl = make_crawl(SiteSpec(SiteGraph(seed=6, hosts=1, pages_per_host=6)))
    given_back, failures = visits.end_all, [trouble]

    async def fails_once(*arguments: Any) -> set[int]:
        if failures:
            raise failures.pop()
        return await given_back(*arguments)

    async def work() -> None:
        async with open_workspace(crawl.workspace) as workspace:
            run = await service.start_run(workspace.db, ADMIN, RunOptions(), continuous=False)
            async with crawl_worker(workspace, run, RunOptions()) as worker:
                await worker.run()

    monkeypatch.setattr(visits, "end_all", fails_once)
    for name, value in crawl.settings.items():
        monkeypatch.setenv(name, value)
    asyncio.run(asyncio.wait_for(work(), 60))
    found = crawl.domain(crawl.site.spec.graph.names[0])
    assert (found["crawl_status"], found["claimed_by"], found["lease_epoch"]) == ("exhausted", None, 2)
