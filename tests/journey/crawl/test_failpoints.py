"""Death at every durable boundary: starting again finds either what was before or what is after."""

from __future__ import annotations

import signal
from collections import Counter
from random import Random

import pytest
from sqlalchemy import update

from surveyor.db import Database, later
from surveyor.db.tables import domain_crawl, pages
from surveyor.process.failpoints import NAMES
from tests.journey.crawl.conftest import Crawl, MakeCrawl
from tests.support.site import SiteGraph, SiteSpec

# Pages of one domain in one run, so that each run comes to a release.
_PER_RUN = 4
# Only the first visit asks for robots.txt.
_ONCE = "after_robots"
# Passes until the process dies, so that something was done before.
_PASSES = {"after_fetch": 5, "in_commit": 3, "before_commit": 3, "after_commit": 3, "after_archive": 2}


@pytest.mark.slow
def test_a_crawl_that_is_killed_at_every_boundary_in_turn_is_finished_by_the_next_one(
    make_crawl: MakeCrawl, engine_name: str
) -> None:
    spec = SiteSpec(SiteGraph(seed=11, hosts=2, pages_per_host=40))
    crawl = make_crawl(spec)
    others = sorted(NAMES - {_ONCE})
    Random(engine_name).shuffle(others)
    for name in (_ONCE, *others):
        assert _killed(crawl, name, _PASSES.get(name, 1)) or _killed(crawl, name, 1), (
            f"{name} was never passed"
        )
        crawl.with_database(_leases_run_out)
        checked = crawl.run("db", "check")
        assert checked.code == 0, f"after {name}: {checked.out}"
    again = crawl.run("crawl")
    assert again.code == 0, again.err
    assert crawl.run("db", "check").code == 0
    for host in spec.graph.names:
        counted = Counter(crawl.requests(host))
        assert set(spec.graph.reachable(host, 3)) <= set(counted)
        domain = crawl.domain(host)
        assert (domain["crawl_status"], domain["frontier_size"]) == ("exhausted", 0)
        assert domain["pages_crawled"] == domain["pages_discovered"] == len(counted)
        repeats = sum(counted.values()) - len(counted)
        assert repeats <= _PER_RUN * len(NAMES), "no more repeats than were in flight"


def _killed(crawl: Crawl, name: str, passes: int) -> bool:
    """Whether the run died there. A busy machine may write a whole run in fewer groups than that."""
    point = f"{name}:{passes}"
    doomed = crawl.start("crawl", "--max-pages-per-domain", str(_PER_RUN), SURVEYOR_FAILPOINT=point)
    doomed.communicate(timeout=200)
    return doomed.returncode == -signal.SIGKILL


async def _leases_run_out(db: Database) -> None:
    """As they do by themselves; on one machine a dead worker's are free at once.

    The page that was in flight is not blamed: it would be quarantined after three such deaths, rightly.
    """
    held = domain_crawl.c.claimed_by.is_not(None)
    async with db.write() as tx:
        await tx.execute(
            update(domain_crawl).where(held).values(claim_expires_at=later(-1), due_at=later(-1))
        )
        await tx.execute(update(pages).where(pages.c.suspect > 0).values(suspect=0))


def test_a_committer_that_fails_in_an_unexpected_way_ends_the_worker_at_once_and_loudly(
    make_crawl: MakeCrawl,
) -> None:
    spec = SiteSpec(SiteGraph(seed=12, hosts=2, pages_per_host=12))
    crawl = make_crawl(spec)
    broken = crawl.start("crawl", SURVEYOR_FAILPOINT="in_commit:3:raise")
    _, told = broken.communicate(timeout=200)
    line = told.decode().strip().splitlines()[-1]
    assert broken.returncode == 1
    assert line.startswith("surveyor: the committer of worker ") and "Broken: failpoint in_commit" in line
    assert b"Traceback" not in told
    assert crawl.run("crawl").code == 0
    left = [crawl.domain(host)["crawl_status"] for host in spec.graph.names]
    assert left == ["exhausted", "exhausted"], "they were free at once"
