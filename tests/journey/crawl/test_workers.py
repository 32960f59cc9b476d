"""`crawl --workers 3` is one command: one run, nothing twice, and it ends as one."""

from __future__ import annotations

import json
import signal
import time

import pytest
from sqlalchemy import select

from surveyor.db import Database
from surveyor.db.tables import workers
from tests.journey.crawl.conftest import Crawl, MakeCrawl
from tests.support.crawl_check import Rules, check_workspace, read_stored
from tests.support.site import SiteGraph, SiteSpec

pytestmark = pytest.mark.slow
_HOSTS = 6


def _spec(seed: int, pages: int) -> SiteSpec:
    return SiteSpec(SiteGraph(seed=seed, hosts=_HOSTS, pages_per_host=pages))


def test_three_workers_are_one_run_that_stores_every_page_once(make_crawl: MakeCrawl) -> None:
    crawl = make_crawl(_spec(11, 20))
    process = crawl.start("crawl", "--workers", "3", "--json")
    out, err = process.communicate(timeout=120)
    assert process.returncode == 0, err.decode()
    graph, told = crawl.site.spec.graph, json.loads(out)
    assert (told["domains"], told["stopped_by"], told["errors"]) == (_HOSTS, "nothing_due", 0)
    assert told["pages"] == len(crawl.requests())
    (run,) = crawl.run("list-runs", "--json").json
    assert (run["id"], run["pages"]) == (told["run_id"], told["pages"])
    rules = Rules(3, 0.02, frozenset(graph.names))
    report = crawl.with_database(lambda db: check_workspace(graph.by_name, crawl.site.log_file, db, rules))
    assert report.ok, report
    assert len(_workers(crawl)) == 3


def test_an_interrupt_ends_three_workers_and_no_lease_stays(make_crawl: MakeCrawl) -> None:
    crawl = make_crawl(_spec(12, 100))
    process = crawl.start("crawl", "--workers", "3", "--json")
    deadline = time.monotonic() + 200
    while crawl.site.now().requests < 60 or len(_workers(crawl)) < 3:
        assert time.monotonic() < deadline, "the crawl does not get going"
        time.sleep(0.05)
    process.send_signal(signal.SIGINT)
    out, err = process.communicate(timeout=200)
    assert process.returncode == 0, err.decode()
    assert json.loads(out)["stopped_by"] == "interrupt"
    assert crawl.with_database(read_stored).held == {}
    before = len(crawl.requests())
    assert before == json.loads(out)["pages"], "what was asked for was stored"
    time.sleep(0.3)
    assert len(crawl.requests()) == before, "nobody goes on"


def _workers(crawl: Crawl) -> list[str]:
    """Workers that registered themselves for a run."""

    async def look(db: Database) -> list[str]:
        async with db.read() as tx:
            return list(
                (await tx.execute(select(workers.c.id).where(workers.c.run_id.is_not(None)))).scalars()
            )

    return crawl.with_database(look)
