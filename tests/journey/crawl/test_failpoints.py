"""Death at every durable boundary: starting again finds either what was before or what is after."""

from __future__ import annotations

import signal
import time
from collections import Counter

import pytest

from surveyor.process.failpoints import NAMES
from tests.journey.crawl.conftest import MakeCrawl
from tests.support.site import SiteGraph, SiteSpec


@pytest.mark.parametrize("name", sorted(NAMES))
def test_a_crawl_killed_there_is_finished_by_the_next_one(
    make_crawl: MakeCrawl, engine_name: str, name: str
) -> None:
    spec = SiteSpec(SiteGraph(seed=len(name), hosts=2, pages_per_host=14))
    crawl = make_crawl(spec)
    often = {"after_fetch": 9, "in_commit": 3, "before_commit": 3, "after_commit": 3, "after_archive": 2}.get(
        name, 1
    )
    short = {"SURVEYOR_CRAWL__LEASE_SECONDS": "1", "SURVEYOR_CRAWL__RENEW_SECONDS": "0.3"}
    doomed = crawl.start("crawl", SURVEYOR_FAILPOINT=f"{name}:{often}", **short)
    doomed.communicate(timeout=60)
    assert doomed.returncode == -signal.SIGKILL, "the point was never passed"
    if engine_name == "postgresql":
        time.sleep(1.1)  # there a dead worker's lease ends by time
    again = crawl.run("crawl")
    assert again.code == 0, again.err
    assert crawl.run("db", "check").code == 0
    for host in spec.graph.names:
        counted = Counter(crawl.requests(host))
        assert set(spec.graph.reachable(host, 3)) <= set(counted)
        domain = crawl.domain(host)
        assert (domain["crawl_status"], domain["frontier_size"]) == ("exhausted", 0)
        assert domain["pages_crawled"] == domain["pages_discovered"] == len(counted)
        assert sum(counted.values()) - len(counted) <= 32, "no more repeats than were in flight"
