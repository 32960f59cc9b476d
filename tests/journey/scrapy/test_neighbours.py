"""What else a Scrapy project has beside spiders of its own, with the register's queue behind it."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.journey.scrapy.conftest import MakeProject, Project, said
from tests.support.site import SiteGraph, SiteSpec

GRAPH = SiteGraph(seed=5, hosts=1, pages_per_host=8, depth=2, strangers=0, lists=True)
HOST = GRAPH.names[0]
LISTED = {target for target in GRAPH.by_name[HOST].pages if target.startswith("/listed/")}


def _run(project: Project, folder: Path) -> set[str]:
    """The program to its end; returns the pages in its feed."""
    process = project.start_module("tests.journey.scrapy.as_a_script", f"http://{HOST}", str(folder))
    log = said(process)
    assert process.returncode == 0 and "Traceback" not in log, log
    lines = (folder / "pages.jsonl").read_text().splitlines()
    return {json.loads(line)["url"].removeprefix(f"http://{HOST}") for line in lines}


@pytest.mark.parametrize("engine_name", ["sqlite"], indirect=True)
def test_a_sitemap_spider_a_cache_and_a_feed_work_in_a_program_of_ones_own(
    make_project: MakeProject, tmp_path: Path
) -> None:
    project = make_project(SiteSpec(GRAPH))
    found = _run(project, tmp_path)
    assert found == LISTED - {"/listed/0/1"}, "one is refused by an extension of the project"
    asked = project.pages_asked()
    row = project.domains()[HOST]
    assert (row["crawl_status"], row["frontier_size"]) == ("exhausted", 0)
    assert project.surveyor("db", "check").code == 0

    # All of it once more, each page by its own callback; what the cache has, the site is not asked for.
    project.surveyor("recrawl", HOST)
    assert _run(project, tmp_path) == found
    assert project.pages_asked() == asked
    again = project.domains()[HOST]
    assert (again["crawl_status"], again["frontier_size"]) == ("exhausted", 0)
