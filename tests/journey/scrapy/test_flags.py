"""Flags turned off in the middle of a project's life, and the guard between who claims and who does not."""

from __future__ import annotations

from pathlib import Path

import pytest

from surveyor.registry.workers import WorkerKind
from tests.journey.scrapy.conftest import MakeProject, beside
from tests.support.site import SiteGraph, SiteSpec

GRAPH = SiteGraph(seed=8, hosts=2, pages_per_host=8, depth=2, strangers=0)
CLAIMS = {"ENABLE_CLAIM_PROTOCOL": "true", "ENABLE_SMART_SCHEDULING": "true"}


@pytest.mark.parametrize("engine_name", ["sqlite"], indirect=True)
def test_each_phase_can_be_taken_back_and_turned_on_again(make_project: MakeProject, tmp_path: Path) -> None:
    project = make_project(SiteSpec(GRAPH))
    seeds = tmp_path / "seeds.txt"
    seeds.write_text("\n".join(f"http://{name}/" for name in GRAPH.names))
    crawl = ("crawl", "discovery", "-a", f"seeds={seeds}")

    project.scrapy(*crawl, "-a", "max_pages=6")
    budgeted = project.domains()
    assert [row["pages_crawled"] for row in budgeted.values()] == [3, 3]

    before = len(project.answered())
    project.scrapy(*crawl, ENABLE_DOMAIN_TRACKING="false")
    assert len(project.answered()) > before + 6, "Scrapy's own scheduler knows no budget"
    assert project.domains() == budgeted, "and nothing is written"

    project.scrapy(*crawl, ENABLE_PER_DOMAIN_BUDGET="false")
    tracked = project.domains()
    assert all(row["pages_crawled"] > 6 and row["frontier_size"] > 0 for row in tracked.values())

    log, other = beside(project, WorkerKind.PASSIVE, *crawl, **CLAIMS)
    assert f"the passive worker {other} is at work; stop it before a claiming one starts" in log

    before = len(project.answered())
    project.scrapy(*crawl)
    assert {row["frontier_size"] for row in project.domains().values()} == {0}
    assert len(project.answered()) > before, "what had waited since the budget was used up is had now"
