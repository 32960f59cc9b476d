"""The compressed deployment protocol with real Scrapy processes: each phase turned on after the one before.

Phase A has a file of its own. Here: fair budgets (B), a kill, claims beside other workers (C), refresh (D).
"""

from __future__ import annotations

import asyncio
import time
from collections import Counter
from datetime import UTC, datetime, timedelta
from pathlib import Path

from sqlalchemy import select, update

from surveyor.db import Database
from surveyor.db.tables import domain_crawl, domain_refresh, domains, pages
from surveyor.settings import DatabaseSettings
from tests.journey.scrapy.conftest import PATIENCE, MakeProject, Project, said
from tests.support.site import SiteGraph, SiteSpec, plain_host

GRAPH = SiteGraph(seed=5, hosts=6, pages_per_host=14, depth=2, strangers=0)
CLAIMS = {"ENABLE_SMART_SCHEDULING": "true", "ENABLE_CLAIM_PROTOCOL": "true"}
UNFINISHED = "h05.site.example"


def _seeds(folder: Path) -> tuple[str, ...]:
    file = folder / "seeds.txt"
    file.write_text("\n".join(f"http://{name}/" for name in GRAPH.names))
    return ("crawl", "discovery", "-a", f"seeds={file}")


def _asked(project: Project) -> Counter[tuple[str, str]]:
    return Counter((plain_host(entry.host), entry.target) for entry in project.answered())


def _kill_midway(project: Project, *arguments: str, after: int) -> None:
    process = project.start(*arguments)
    end = time.monotonic() + PATIENCE
    while sum(_asked(project).values()) < after:
        assert process.poll() is None and time.monotonic() < end, "it ended before it was killed"
        time.sleep(0.02)
    process.kill()
    process.wait(PATIENCE)


async def _make_due(project: Project, unfinished: str) -> None:
    """A day passes: all pages and domains are due. One domain was never crawled to its end."""
    url = project.settings.get("SURVEYOR_DATABASE__URL", "")
    db = Database.open(DatabaseSettings(url=url), project.workspace)
    past = datetime.now(UTC) - timedelta(hours=1)
    number = select(domains.c.no).where(domains.c.domain == unfinished).scalar_subquery()
    try:
        async with db.write() as tx:
            await tx.execute(update(pages).where(pages.c.state == "done").values(next_visit_at=past))
            await tx.execute(update(domain_crawl).values(due_at=past))
            never = update(domain_refresh).where(domain_refresh.c.domain_no == number)
            await tx.execute(never.values(exhausted_at=None))
    finally:
        await db.close()


def test_without_a_network_nothing_is_held_against_the_sites(
    make_project: MakeProject, tmp_path: Path, engine_name: str
) -> None:
    if engine_name != "sqlite":
        return
    project = make_project(SiteSpec(GRAPH))
    lost = ("-s", 'DOWNLOADER_MIDDLEWARES={"tests.journey.scrapy.own_spiders.NoResolver": 90}')
    project.scrapy(*_seeds(tmp_path), *lost, "-s", "RETRY_TIMES=0", **CLAIMS)
    found = project.domains()
    assert {row["stopped_by"] for row in found.values()} == {"no_network"}
    assert {row["crawl_status"] for row in found.values()} == {"pending"}
    assert {row["consecutive_error_count"] for row in found.values()} == {0}
    assert {row["frontier_size"] for row in found.values()} == {1}


def test_each_phase_after_the_other_and_nothing_is_fetched_twice(
    make_project: MakeProject, tmp_path: Path, engine_name: str
) -> None:
    project = make_project(SiteSpec(GRAPH, latency=0.02, validators=True))
    crawl = _seeds(tmp_path)

    # B: a budget of the whole run is shared out, and what is left over waits.
    project.scrapy(*crawl, "-a", "max_pages=24")
    found = project.domains()
    shares = Counter(host for host, _ in _asked(project).elements())
    assert shares == dict.fromkeys(GRAPH.names, 4)
    assert {row["stopped_by"] for row in found.values()} <= {"budget_pages", "budget_run"}
    assert all(row["frontier_size"] > 0 and row["crawl_status"] == "active" for row in found.values())

    in_flight = 0
    if engine_name == "sqlite":  # elsewhere nobody knows for a minute that it is dead
        _kill_midway(project, *crawl, after=36)
        in_flight = 6 * 32

    # C: three of Scrapy's and one of Surveyor's own at once, on what is due.
    running = [project.start("crawl", "discovery", **CLAIMS) for _ in range(3)]
    running.append(project.start_native("crawl"))
    logs = [said(process) for process in running]
    assert [process.returncode for process in running] == [0, 0, 0, 0], logs
    found = project.domains()
    assert {row["crawl_status"] for row in found.values()} == {"exhausted"}, logs
    assert {row["claimed_by"] for row in found.values()} == {None}
    repeated = {place: count for place, count in _asked(project).items() if count > 1}
    assert len(repeated) <= in_flight and set(repeated.values()) <= {2}, repeated
    for host in GRAPH.names:
        had = {target for name, target in _asked(project) if name == host}
        assert had >= GRAPH.reachable(host, 2), GRAPH.reachable(host, 2) - had
    assert project.surveyor("db", "check").code == 0

    # D: only what was crawled to its end, only what is known, and only what changed is sent.
    asyncio.run(_make_due(project, UNFINISHED))
    before = len(project.site.log())
    if engine_name == "sqlite":
        refused = project.scrapy("crawl", "refresh", **CLAIMS)
        assert "ENABLE_REFRESH_MODE is off" in refused and len(project.site.log()) == before
    project.scrapy("crawl", "refresh", **CLAIMS, ENABLE_REFRESH_MODE="true")
    visited = [entry for entry in project.site.log()[before:] if entry.target != "/robots.txt"]
    assert {plain_host(entry.host) for entry in visited} == set(GRAPH.names) - {UNFINISHED}
    assert {entry.status for entry in visited} == {304}, [e for e in visited if e.status != 304]
    assert len({(entry.host, entry.target) for entry in visited}) == len(visited)
