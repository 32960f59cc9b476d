"""Nobody is starved: budgets are shared out, and neither a large nor a slow site holds up the others."""

from __future__ import annotations

import signal
import time
from collections.abc import Collection, Iterator
from contextlib import contextmanager

import pytest
from sqlalchemy import select

from surveyor.db import Database
from surveyor.db.tables import domain_crawl, domains
from tests.journey.crawl.conftest import Crawl, MakeCrawl
from tests.support.forked import Forked
from tests.support.site import Entry, Manner, SiteGraph, SiteSpec, plain_host

_SECONDS = 120.0  # for others to be done; far more than they need


def test_fifty_domains_share_a_hundred_pages(make_crawl: MakeCrawl) -> None:
    crawl = make_crawl(SiteSpec(SiteGraph(seed=7, hosts=50, pages_per_host=10)))
    summary = crawl.run("crawl", "--max-pages", "100", "--json")
    assert (summary.json["pages"], summary.json["stopped_by"]) == (100, "budget_run")
    counts = [len(crawl.requests(host)) for host in crawl.site.spec.graph.names]
    assert sum(counts) == 100
    assert min(counts) >= 1 and max(counts) <= 3, counts


def test_with_fewer_pages_than_domains_as_many_as_possible_get_one(make_crawl: MakeCrawl) -> None:
    crawl = make_crawl(SiteSpec(SiteGraph(seed=7, hosts=20, pages_per_host=5)))
    assert crawl.run("crawl", "--max-pages", "15", "--json").json["pages"] == 15
    counts = [len(crawl.requests(host)) for host in crawl.site.spec.graph.names]
    assert sorted(counts) == [0] * 5 + [1] * 15


@pytest.mark.timeout(300)
@pytest.mark.parametrize("engine_name", ["sqlite"])
def test_a_page_with_a_hundred_thousand_links_starves_nobody(make_crawl: MakeCrawl) -> None:
    farm = "farm.example"
    spec = SiteSpec(
        SiteGraph(seed=8, hosts=49, pages_per_host=8),
        special={farm: {"kind": "farm", "links": 100_000}},
    )
    small = spec.graph.names
    crawl = make_crawl(spec, farm, *small)
    with _running(crawl):
        _until(crawl, "exhausted", small)
        assert len(crawl.requests(farm)) < len(crawl.requests()) / 2
        _until(crawl, "active", [farm])
    assert crawl.domain(farm)["frontier_size"] > 9_000, "as many as are read from one page"
    for host in small:
        assert set(spec.graph.reachable(host, 3)) <= set(crawl.requests(host))


@pytest.mark.timeout(300)
@pytest.mark.parametrize("engine_name", ["sqlite"])
def test_a_site_that_takes_ten_seconds_per_answer_slows_nobody_else(make_crawl: MakeCrawl) -> None:
    graph = SiteGraph(seed=9, hosts=5, pages_per_host=40)
    slow, *others = graph.names
    crawl = make_crawl(SiteSpec(graph, manners={slow: Manner(wait=10.0)}))
    with _running(crawl):
        _until(crawl, "exhausted", others)
        answers = [entry for entry in _log(crawl, slow) if not entry.aborted]
        assert crawl.site.now().requests > sum(len(_log(crawl, host)) for host in others), "it was asked"
    assert len(answers) < 2
    for host in others:
        assert set(graph.reachable(host, 3)) <= set(crawl.requests(host))


@contextmanager
def _running(crawl: Crawl) -> Iterator[Forked]:
    process = crawl.start("crawl", SURVEYOR_CRAWL__MAX_DELAY_SECONDS="0.05")
    try:
        yield process
        assert process.poll() is None, "it was to go on"
    finally:
        process.send_signal(signal.SIGKILL)
        process.communicate()


def _until(crawl: Crawl, status: str, hosts: Collection[str]) -> None:
    """Wait for all of these hosts to come to that."""
    deadline = time.monotonic() + _SECONDS
    while {found for host, found in _statuses(crawl).items() if host in hosts} != {status}:
        assert time.monotonic() < deadline, _statuses(crawl)
        time.sleep(0.5)


def _statuses(crawl: Crawl) -> dict[str, str]:
    query = select(domains.c.domain, domain_crawl.c.crawl_status).join_from(domains, domain_crawl)

    async def look(db: Database) -> dict[str, str]:
        async with db.read() as tx:
            return {name: str(status) for name, status in await tx.execute(query)}

    return crawl.with_database(look)


def _log(crawl: Crawl, host: str) -> list[Entry]:
    return [entry for entry in crawl.site.log() if plain_host(entry.host) == host]
