"""Servers that forget, stop and come back in the middle of a crawl: it goes on, and ends complete."""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Callable, Iterator

import pytest
import redis

from tests.journey.crawl.conftest import Crawl, MakeCrawl
from tests.support import servers
from tests.support.site import SiteGraph, SiteSpec

pytestmark = [pytest.mark.slow, pytest.mark.parametrize("engine_name", ["postgresql"])]


@pytest.fixture
def own_postgres() -> Iterator[servers.Postgres]:
    """A PostgreSQL that no other test uses."""
    server = servers.Postgres.create()
    yield server
    server.remove()


def _flush(valkey: servers.Valkey) -> None:
    client = redis.Redis.from_url(valkey.url)
    client.flushall()
    client.close()


def _restart(valkey: servers.Valkey) -> None:
    valkey.stop()
    time.sleep(0.5)
    valkey.start()


@pytest.mark.parametrize("harm", [_flush, _restart], ids=["flushed", "restarted"])
def test_a_frontier_in_redis_is_made_whole_again(
    make_crawl: MakeCrawl, valkey: servers.Valkey, harm: Callable[[servers.Valkey], None]
) -> None:
    spec = SiteSpec(SiteGraph(seed=4, hosts=3, pages_per_host=80))
    crawl = make_crawl(spec, SURVEYOR_FRONTIER__URL=valkey.url, SURVEYOR_CRAWL__COMMIT_SECONDS="0.1")
    _harmed(crawl, lambda: harm(valkey))
    _is_complete(crawl)


def test_a_database_that_restarts_is_waited_for(
    make_crawl: MakeCrawl, own_postgres: servers.Postgres
) -> None:
    spec = SiteSpec(SiteGraph(seed=5, hosts=3, pages_per_host=80))
    crawl = make_crawl(spec, SURVEYOR_DATABASE__URL=own_postgres.url(), SURVEYOR_CRAWL__LEASE_SECONDS="5")

    def restart() -> None:
        own_postgres.stop()
        time.sleep(0.5)
        own_postgres.start()

    _harmed(crawl, restart)
    _is_complete(crawl)


def _harmed(crawl: Crawl, harm: Callable[[], None]) -> None:
    process = crawl.start("crawl")
    deadline = time.monotonic() + 200
    while len(crawl.requests()) < 60:
        assert time.monotonic() < deadline, "the crawl did not get on"
        time.sleep(0.02)
    harm()
    _, told = process.communicate(timeout=120)
    assert process.returncode in (0, 1), told
    assert b"Traceback" not in told


def _is_complete(crawl: Crawl) -> None:
    """After at most one more run everything is there, and little was asked for twice."""
    deadline = time.monotonic() + 200
    while any(crawl.domain(host)["crawl_status"] != "exhausted" for host in crawl.site.spec.graph.names):
        assert time.monotonic() < deadline, "it never came to its end"
        assert crawl.run("crawl").code == 0
    for host in crawl.site.spec.graph.names:
        counted = Counter(crawl.requests(host))
        assert set(crawl.site.spec.graph.reachable(host, 3)) <= set(counted)
        assert sum(counted.values()) - len(counted) <= 64, "repeats are what was in flight"
    assert crawl.run("db", "check").code == 0
