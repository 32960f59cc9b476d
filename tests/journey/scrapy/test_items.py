"""What spiders of people's own yield: records and images with their provenance, beside other spiders."""

from __future__ import annotations

import asyncio
import json
from collections import Counter
from pathlib import Path
from typing import Any

import pytest

from tests.journey.scrapy.conftest import MakeProject, Project
from tests.journey.scrapy.test_queue import _make_due
from tests.support.site import SiteGraph, SiteSpec

GRAPH = SiteGraph(seed=5, hosts=1, pages_per_host=8, depth=2, strangers=0, images=1)
HOST = GRAPH.names[0]
PIPELINES = {
    "surveyor.contrib.scrapy.ImagePipeline": 300,
    "surveyor.contrib.scrapy.RecordPipeline": 800,
}
RECORDS = {"Grant": {"kind": "funding_program", "fields": {"name": "title"}}}
OWN = (
    *("-s", "SPIDER_MODULES=tests.journey.scrapy.own_spiders,surveyor.contrib.scrapy.spiders"),
    *("-s", f"ITEM_PIPELINES={json.dumps(PIPELINES)}"),
    *("-s", f"SURVEYOR_RECORDS={json.dumps(RECORDS)}"),
)
START = ("-a", f"start=http://{HOST}/")
REFRESH = {"ENABLE_SMART_SCHEDULING": "true", "ENABLE_CLAIM_PROTOCOL": "true", "ENABLE_REFRESH_MODE": "true"}


def _shown(project: Project) -> list[dict[str, Any]]:
    lines = project.surveyor("export", "images", "--format", "jsonl").out.splitlines()
    return [json.loads(line) for line in lines]


def test_items_become_records_and_images_and_a_refresh_says_that_it_is_one(make_project: MakeProject) -> None:
    project = make_project(SiteSpec(GRAPH, validators=True))
    log = project.scrapy("crawl", "grants", *START, *OWN)
    assert "is refused: deadline of a funding_program is a date such as 2026-06-30, not 'soon'" in log
    assert log.count("is refused") == 1 and "Traceback" not in log

    records = project.surveyor("records", "--json").json
    pages = {target for target in GRAPH.reachable(HOST, 2) if target != "/"}
    refused = {target for target in pages if "page6" in target}
    assert len(records) == len(pages - refused) and refused
    assert {(row["kind"], row["deadline"]) for row in records} == {("funding_program", "2026-06-30")}
    shown = _shown(project)
    assert {row["page_url"].removeprefix(f"http://{HOST}") for row in shown} == pages
    assert {row["discovery_type"] for row in shown} == {"discovery"}
    row = project.domains()[HOST]
    assert row["images_stored"] == len({one["sha256"] for one in shown}) > 3
    assert row["records_stored"] == len(records) and row["frontier_size"] == 0

    # D: a day later nothing has changed, and everything was seen again.
    asyncio.run(_make_due(project, "none.example"))
    before = len(project.site.log())
    project.scrapy("crawl", "refresh", *OWN, **REFRESH)
    assert {one.status for one in project.site.log()[before:] if one.target != "/robots.txt"} <= {304}
    kinds = Counter(one["discovery_type"] for one in _shown(project))
    assert kinds == {"discovery": len(shown), "refresh": len(shown)}
    assert len(project.surveyor("records", "--json").json) == len(records), "304 withdraws nothing"
    assert project.surveyor("db", "check").code == 0
    runs = {one["run_id"] for one in project.surveyor("workers", "--json").json}
    assert None not in runs and len(runs) == 2, "a run without a worker would count as abandoned"


@pytest.mark.parametrize("engine_name", ["sqlite"], indirect=True)
def test_two_spiders_crawl_one_site_and_leave_each_other_what_they_queued(
    make_project: MakeProject, tmp_path: Path
) -> None:
    project = make_project(SiteSpec(GRAPH))
    project.scrapy("crawl", "grants", *START, *OWN, "-s", "CLOSESPIDER_PAGECOUNT=3")
    waiting = project.domains()[HOST]["frontier_size"]
    assert waiting > 2

    feed = tmp_path / "forms.jsonl"
    log = project.scrapy("crawl", "forms", *START, *OWN, "-O", f"{feed}:jsonlines")
    assert "wait for the spider “grants”, and are left to it" in log
    assert "not queued: the callback “<lambda>”" in log
    assert "waits in memory, and the page that yielded it with it: meta['item']" in log
    found = [json.loads(line) for line in feed.read_text().splitlines()]
    assert sorted(one["method"] for one in found) == ["GET", "POST", "x"]
    assert project.domains()[HOST]["frontier_size"] == waiting

    project.scrapy("crawl", "grants", *START, *OWN)
    row = project.domains()[HOST]
    assert (row["frontier_size"], row["crawl_status"]) == (0, "exhausted")
    pages = {target for target in GRAPH.reachable(HOST, 2) if target != "/"}
    asked = Counter(target for host, target in project.pages_asked() if target in pages)
    assert set(asked) == pages and set(asked.values()) == {1}
