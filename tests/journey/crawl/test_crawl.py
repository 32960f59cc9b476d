"""A crawl from seeds to pages: complete, polite, stoppable, resumable."""

from __future__ import annotations

import signal
import time
from collections import Counter
from datetime import UTC, datetime
from itertools import pairwise

import pytest
from sqlalchemy import func, select

from surveyor.db import Database
from surveyor.db.tables import crawl_log
from surveyor.registry.lifecycle import QualityStatus, ReviewStatus
from surveyor.registry.store import changes, rows
from tests.journey.crawl.conftest import Crawl, MakeCrawl
from tests.support.registry_help import ADMIN
from tests.support.site import Manner, SiteGraph, SiteSpec


def _small(seed: int = 1, hosts: int = 3, pages: int = 40, **known: object) -> SiteSpec:
    return SiteSpec(SiteGraph(seed=seed, hosts=hosts, pages_per_host=pages), **known)  # type: ignore[arg-type]


def _stored(crawl: Crawl, host: str) -> set[str]:
    """Targets the register calls fetched, asked one by one through `why`."""
    graph = crawl.site.spec.graph.by_name[host]
    return {
        target
        for target in graph.reachable(3)
        if crawl.run("why", f"http://{host}{target}", "--json").json["verdict"] == "fetched"
    }


def test_every_page_within_depth_is_stored_once(make_crawl: MakeCrawl) -> None:
    crawl = make_crawl(_small())
    summary = crawl.run("crawl", "--json")
    assert summary.code == 0, summary.err
    assert set(summary.json) >= {
        "run_id",
        "pages",
        "domains",
        "bytes",
        "errors",
        "seconds",
        "pages_per_second",
        "stopped_by",
    }
    assert (summary.json["domains"], summary.json["stopped_by"]) == (3, "nothing_due")
    for host in crawl.site.spec.graph.names:
        domain = crawl.domain(host)
        assert (domain["crawl_status"], domain["frontier_size"]) == ("exhausted", 0)
        assert domain["pages_crawled"] == domain["pages_discovered"] == len(crawl.requests(host))
        assert max(Counter(crawl.requests(host)).values()) == 1
    host = crawl.site.spec.graph.names[0]
    assert _stored(crawl, host) == crawl.site.spec.graph.reachable(host, 3)
    assert crawl.run("db", "check").code == 0


def test_nothing_is_asked_of_a_domain_nobody_approved(make_crawl: MakeCrawl) -> None:
    spec = _small()
    allowed, waiting, *_ = spec.graph.names
    crawl = make_crawl(spec, allowed)
    assert crawl.run("ingest-seeds", "-", "--for-review").code == 2, "an empty list"
    assert crawl.run("crawl").code == 0
    hosts = {entry.host.split(":")[0].removeprefix("www.") for entry in crawl.site.log()}
    assert hosts == {allowed}
    refused = crawl.run("crawl", waiting)
    assert (refused.code, "not in the register" in refused.err) == (1, True)


def test_requests_keep_their_distance_and_come_one_at_a_time(make_crawl: MakeCrawl) -> None:
    crawl = make_crawl(_small(hosts=2, pages=15), SURVEYOR_CRAWL__DELAY_SECONDS="0.15")
    assert crawl.run("crawl").code == 0
    for host in crawl.site.spec.graph.names:
        mine = [entry for entry in crawl.site.log() if entry.host.split(":")[0] == host]
        starts = sorted(entry.start for entry in mine)
        gaps = [later - earlier for earlier, later in pairwise(starts)]
        assert min(gaps) >= 0.14e9
        assert all(a.end <= b.start for a, b in pairwise(mine))


def test_an_interrupt_ends_cleanly_and_the_next_run_goes_on(make_crawl: MakeCrawl) -> None:
    crawl = make_crawl(_small(hosts=2, pages=120))
    process = crawl.start("crawl", "--json")
    _until(lambda: len(crawl.requests()) > 30)
    process.send_signal(signal.SIGINT)
    _, told = process.communicate(timeout=200)
    assert process.returncode == 0, told
    for host in crawl.site.spec.graph.names:
        assert crawl.domain(host)["claimed_by"] is None
    first = len(crawl.requests())
    assert crawl.run("crawl").code == 0
    for host in crawl.site.spec.graph.names:
        counted = Counter(crawl.requests(host))
        assert max(counted.values()) == 1, "what was fetched before the interrupt is not fetched again"
        assert set(crawl.site.spec.graph.reachable(host, 3)) <= set(counted)
    assert len(crawl.requests()) > first


def test_a_killed_crawl_goes_on_at_once_on_one_machine(make_crawl: MakeCrawl, engine_name: str) -> None:
    if engine_name == "postgresql":
        lease = {"SURVEYOR_CRAWL__LEASE_SECONDS": "2", "SURVEYOR_CRAWL__RENEW_SECONDS": "0.5"}
    else:  # default lease settings: the lock file tells
        lease = {"SURVEYOR_CRAWL__LEASE_SECONDS": "1800", "SURVEYOR_CRAWL__RENEW_SECONDS": "600"}
    crawl = make_crawl(_small(hosts=2, pages=120), **lease)
    process = crawl.start("crawl")
    _until(lambda: len(crawl.requests()) > 30)
    process.kill()
    process.wait()
    before = len(crawl.requests())
    if engine_name == "postgresql":
        time.sleep(2.1)
    again = crawl.start("crawl")
    _until(lambda: len(crawl.requests()) > before)  # long before a lease of half an hour would end
    again.communicate(timeout=200)
    for host in crawl.site.spec.graph.names:
        counted = Counter(crawl.requests(host))
        assert set(crawl.site.spec.graph.reachable(host, 3)) <= set(counted)
        repeats = sum(count - 1 for count in counted.values())
        assert repeats <= 32, "no more than what was in flight"
        assert crawl.domain(host)["crawl_status"] == "exhausted"


@pytest.mark.parametrize("act", ["suspend", "blacklist"])
def test_a_decision_stops_a_running_crawl_within_one_request(make_crawl: MakeCrawl, act: str) -> None:
    crawl = make_crawl(_small(hosts=2, pages=200), SURVEYOR_CRAWL__DELAY_SECONDS="0.3")
    stopped, other = crawl.site.spec.graph.names
    process = crawl.start("crawl")
    _until(lambda: len(crawl.requests(stopped)) > 3)
    decide(crawl, stopped, act)
    moment = time.clock_gettime_ns(time.CLOCK_MONOTONIC)
    seen = len(crawl.requests(other))
    _until(lambda: len(crawl.requests(other)) > seen + 5)  # the other site is crawled as before
    after = [e for e in crawl.site.log() if e.host.split(":")[0] == stopped and e.start > moment]
    assert len(after) <= 1
    process.send_signal(signal.SIGINT)
    process.communicate(timeout=200)
    assert process.returncode == 0
    found = crawl.domain(stopped)
    assert (found["due_at"], found["claimed_by"]) == (None, None)


def decide(crawl: Crawl, host: str, act: str) -> None:
    async def decided(db: Database) -> None:
        async with db.write() as tx:
            no = await rows.find_no(tx, host)
            if act == "suspend":
                await changes.advance_review(tx, no, ReviewStatus.SUSPENDED, ADMIN, reason="owner wrote")
            else:
                await changes.advance_quality(tx, no, QualityStatus.BLACKLISTED, ADMIN, reason="scam")

    crawl.with_database(decided)


def test_a_stopped_zombie_stores_nothing_that_it_fetched_after_its_lease(make_crawl: MakeCrawl) -> None:
    crawl = make_crawl(
        _small(hosts=1, pages=80),
        SURVEYOR_CRAWL__LEASE_SECONDS="3",
        SURVEYOR_CRAWL__RENEW_SECONDS="1",
        SURVEYOR_CRAWL__DELAY_SECONDS="0.1",
    )
    host = crawl.site.spec.graph.names[0]
    zombie = crawl.start("crawl")
    _until(lambda: len(crawl.requests()) > 5)
    zombie.send_signal(signal.SIGSTOP)
    stopped = crawl.domain(host)
    assert stopped["claimed_by"] is not None, "it was stopped in the middle"
    old = stopped["lease_epoch"]
    time.sleep(3.2)  # past the end of the lease
    woken = datetime.now(UTC)
    zombie.send_signal(signal.SIGCONT)
    _, said = zombie.communicate(timeout=200)
    assert zombie.returncode == 0, said
    assert _logged(crawl, old, since=woken) == 0
    assert crawl.domain(host)["lease_epoch"] > old, "it went on under a lease of its own"
    assert set(crawl.site.spec.graph.reachable(host, 3)) <= set(crawl.requests(host))


def _logged(crawl: Crawl, epoch: int, since: datetime) -> int:
    """Fetches since a moment that were committed under an epoch."""

    async def count(db: Database) -> int:
        mine = (crawl_log.c.lease_epoch == epoch, crawl_log.c.fetched_at >= since)
        async with db.read() as tx:
            query = select(func.count()).select_from(crawl_log).where(*mine)
            return int((await tx.execute(query)).scalar_one())

    return crawl.with_database(count)


def test_a_budget_is_shared_out_fairly(make_crawl: MakeCrawl) -> None:
    crawl = make_crawl(_small(hosts=20, pages=12))
    summary = crawl.run("crawl", "--max-pages", "40", "--json")
    assert (summary.json["pages"], summary.json["stopped_by"]) == (40, "budget_run")
    counts = [len(crawl.requests(host)) for host in crawl.site.spec.graph.names]
    assert (min(counts), max(counts)) == (2, 2)


def test_two_runs_of_four_domains(make_crawl: MakeCrawl) -> None:
    """Partly crawled, crawled to its end, blocked, never started: each goes on as it should."""
    spec = SiteSpec(
        SiteGraph(seed=3, hosts=4, pages_per_host=60),
        manners={"h02.site.example": Manner(status=403)},
    )
    a, b, c, d = spec.graph.names
    crawl = make_crawl(spec, a, b, c, SURVEYOR_CRAWL__DEPTH="9")
    assert crawl.run("crawl", a, "--max-pages-per-domain", "20").code == 0
    assert crawl.run("crawl", b, c).code == 0
    assert crawl.run("ingest-seeds", "-").code == 2
    crawl.seed(d)
    first = {host: crawl.requests(host) for host in (a, b, c, d)}
    assert (len(first[a]), first[d]) == (20, [])
    statuses = {host: crawl.domain(host)["crawl_status"] for host in (a, b, c, d)}
    assert statuses == {a: "active", b: "exhausted", c: "blocked", d: "pending"}
    blocked = crawl.domain(c)
    assert (blocked["block_reason_code"], len(first[c])) == ("forbidden", 1)
    assert crawl.domain(a)["stopped_by"] == "budget_pages"

    assert crawl.run("crawl").code == 0
    second = {host: crawl.requests(host)[len(first[host]) :] for host in (a, b, c, d)}
    assert second[a] and not set(second[a]) & set(first[a]), "it resumes, page 21 and not page 1"
    assert (second[b], second[c]) == ([], [])
    assert second[d][0] == "/"
    assert crawl.domain(a)["crawl_status"] == "exhausted"


@pytest.mark.parametrize(
    ("manner", "status", "code", "days"),
    [
        (Manner(status=403), "blocked", "forbidden", 14),
        (Manner(status=401), "blocked", "login_required", 30),
        (Manner(status=429, retry_after="0"), "blocked", "rate_limited", 7),
        (Manner(status=503, retry_after="0"), "blocked", "server_errors", 1),
        (Manner(robots="User-agent: *\nDisallow: /\n"), "blocked", "robots_denied", 90),
    ],
    ids=lambda value: value if isinstance(value, str) else "",
)
def test_an_obstacle_is_named_and_cools_down(
    make_crawl: MakeCrawl, manner: Manner, status: str, code: str, days: int
) -> None:
    spec = _small(hosts=1, pages=30, manners={"h00.site.example": manner})
    crawl = make_crawl(spec, SURVEYOR_CRAWL__DELAY_SECONDS="0.001", SURVEYOR_CRAWL__MAX_DELAY_SECONDS="0.01")
    assert crawl.run("crawl").code == 0
    found = crawl.domain("h00.site.example")
    assert (found["crawl_status"], found["block_reason_code"]) == (status, code)
    assert _days(found) == pytest.approx(days, abs=0.1)
    before = len(crawl.requests())
    refused = crawl.run("crawl", "h00.site.example")
    assert (refused.code, code in refused.err) == (1, True)
    assert len(crawl.requests()) == before


def _days(domain: dict[str, str]) -> float:
    due = datetime.fromisoformat(domain["due_at"])
    return (due - datetime.fromisoformat(domain["last_crawled_at"])).total_seconds() / 86400


def test_a_host_that_refuses_connections_is_unreachable(make_crawl: MakeCrawl) -> None:
    crawl = make_crawl(
        _small(hosts=1, pages=5), "nowhere.example", SURVEYOR_NET__HOSTS='{"nowhere.example": "127.0.0.1:1"}'
    )
    assert crawl.run("crawl").code == 0
    found = crawl.domain("nowhere.example")
    assert (found["crawl_status"], found["block_reason_code"]) == ("unreachable", "connection_refused")


def _until(reached: object, seconds: float = 120.0) -> None:
    deadline = time.monotonic() + seconds
    while not reached():  # type: ignore[operator]
        assert time.monotonic() < deadline, "it did not come to that in time"
        time.sleep(0.02)
