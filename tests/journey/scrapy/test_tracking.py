"""Phase A alone: an existing project gets the register by its settings, and works as it did."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

from surveyor.registry.workers import WorkerKind
from tests.journey.scrapy.conftest import MakeProject, beside
from tests.support.site import Manner, SiteGraph, SiteSpec, plain_host

GRAPH = SiteGraph(seed=5, hosts=4, pages_per_host=14, depth=2, strangers=0, images=1)
BLOCKED = "h03.site.example"
SPEC = SiteSpec(GRAPH, manners={BLOCKED: Manner(status=403, after=1)})


def _seeds(folder: Path) -> str:
    """The same domain in two spellings is one domain."""
    file = folder / "seeds.txt"
    names = [f"http://{name}/" for name in GRAPH.names]
    file.write_text("\n".join([*names, "http://WWW.h00.site.example/"]))
    return f"seeds={file}"


def _stat(log: str, name: str) -> int:
    """What Scrapy itself counted."""
    return int(log.split(f"'{name}': ")[1].split(",")[0])


def test_a_project_fills_the_register_with_its_domains_and_counts(
    make_project: MakeProject, tmp_path: Path, engine_name: str
) -> None:
    project = make_project(SPEC)
    crawl = ("crawl", "discovery", "-a", _seeds(tmp_path))
    alone = {"ENABLE_PER_DOMAIN_BUDGET": "false"}
    if engine_name == "sqlite":  # one engine is enough: what refuses has its tests on both
        log, other = beside(project, WorkerKind.CLAIMING, *crawl, **alone)
        assert f"the claiming worker {other} is at work; stop it before a passive one starts" in log
        assert project.pages_asked() == []
        assert project.domains() == {}

    log = project.scrapy(*crawl, **alone)
    assert "surveyor.scrapy" not in log, "tracking has nothing to complain about"
    found = project.domains()
    assert set(found) == set(GRAPH.names)
    discovered = sum(row["pages_discovered"] for row in found.values())
    first_tries = _stat(log, "scheduler/enqueued") - _stat(log, "retry/count")
    moved = _stat(log, "downloader/response_status_count/301")
    assert first_tries - moved <= discovered <= first_tries, "neither links met before nor repeats count"
    answers = Counter(plain_host(entry.host) for entry in project.answered())
    for name in set(GRAPH.names) - {BLOCKED}:
        row = found[name]
        assert row["crawl_status"] == "exhausted", name
        assert row["pages_crawled"] == answers[name], name
        assert row["pages_discovered"] >= row["pages_crawled"] > 10, name
        assert row["images_found"] > 10, name
        assert row["crawl_depth_reached"] >= 2, name
    assert found[BLOCKED]["crawl_status"] == "blocked"
    assert found[BLOCKED]["block_reason_code"] == "forbidden"
    assert found[BLOCKED]["total_error_count"] >= 5
    here = project.surveyor("workers", "--json").json
    assert ("passive", "stopped", 0) in {(one["kind"], one["state"], one["claims"]) for one in here}
