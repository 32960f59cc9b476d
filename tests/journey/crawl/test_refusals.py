"""A site that refuses is blocked with its cooldown, however few pages a run may ask it for."""

from __future__ import annotations

import pytest
from sqlalchemy import select, update

from surveyor.db import Database
from surveyor.db.tables import domain_crawl, domains
from tests.journey.crawl.conftest import MakeCrawl
from tests.support.site import Manner, SiteGraph, SiteSpec


@pytest.mark.parametrize(
    ("status", "code", "visits"),
    [(403, "forbidden", 2), (401, "login_required", 2), (429, "rate_limited", 3)],
)
def test_one_page_at_a_time_a_site_that_refuses_everything_ends_as_blocked(
    make_crawl: MakeCrawl, status: int, code: str, visits: int
) -> None:
    graph = SiteGraph(seed=3, hosts=1, pages_per_host=5)
    (host,) = graph.names
    crawl = make_crawl(SiteSpec(graph, manners={host: Manner(status=status)}))
    seen = []
    for _ in range(visits + 1):
        crawl.work(max_pages_per_domain=1)
        domain = crawl.domain(host)
        seen.append((domain["crawl_status"], domain["consecutive_error_count"], domain["pages_crawled"]))
    waiting = [("pending", number, 0) for number in range(1, visits)]
    assert seen == [*waiting, ("blocked", visits, 0), ("blocked", visits, 0)]
    assert (domain["block_reason_code"], domain["block_count"], domain["stage"]) == (code, 1, "blocked")
    assert len(crawl.requests(host)) == visits, "within its cooldown nobody asks"


@pytest.mark.parametrize("status", [401, 403])
def test_a_site_that_refuses_everything_is_asked_for_each_thing_once(
    make_crawl: MakeCrawl, status: int
) -> None:
    graph = SiteGraph(seed=3, hosts=1, pages_per_host=5)
    (host,) = graph.names
    crawl = make_crawl(SiteSpec(graph, manners={host: Manner(status=status)}))
    crawl.work()
    asked = [entry.target for entry in crawl.site.log()]
    assert asked == ["/robots.txt", "/", "/sitemap.xml"]
    assert (crawl.domain(host)["crawl_status"], crawl.domain(host)["frontier_size"]) == ("blocked", 2)


def test_what_a_site_refuses_while_it_answers_is_asked_for_once_in_a_visit(make_crawl: MakeCrawl) -> None:
    graph = SiteGraph(seed=3, hosts=1, pages_per_host=2, depth=1)
    (host,) = graph.names
    crawl = make_crawl(SiteSpec(graph, manners={host: Manner(status=403, after=1)}))
    crawl.work()
    asked = [entry.target for entry in crawl.site.log()]
    assert asked.count("/sitemap.xml") == 1
    assert len(asked) == len(set(asked)), asked
    domain = crawl.domain(host)
    assert (domain["crawl_status"], domain["stopped_by"]) == ("active", "retry_later")


def test_twelve_sites_that_refuse_within_a_small_budget_are_blocked_and_none_is_crawled(
    make_crawl: MakeCrawl,
) -> None:
    graph = SiteGraph(seed=3, hosts=12, pages_per_host=5)
    crawl = make_crawl(SiteSpec(graph, manners={host: Manner(status=403) for host in graph.names}))
    crawl.work(max_pages=30, max_pages_per_domain=5)

    async def states(db: Database) -> list[tuple[str, str, int]]:
        c = domain_crawl.c
        async with db.read() as tx:
            query = select(domains.c.domain, c.crawl_status, c.block_reason_code, c.pages_crawled)
            found = await tx.execute(query.join_from(domain_crawl, domains))
            return [(row.crawl_status, row.block_reason_code, row.pages_crawled) for row in found]

    assert crawl.with_database(states) == [("blocked", "forbidden", 0)] * 12


def test_after_a_reset_and_after_a_change_by_hand_a_crawl_fetches(make_crawl: MakeCrawl) -> None:
    graph = SiteGraph(seed=3, hosts=1, pages_per_host=5)
    (host,) = graph.names
    crawl = make_crawl(SiteSpec(graph))
    crawl.work()
    asked = len(crawl.requests(host))
    crawl.work()
    assert (crawl.domain(host)["crawl_status"], len(crawl.requests(host))) == ("exhausted", asked)
    assert crawl.run("domain-reset", host).code == 0
    crawl.work()
    assert crawl.requests(host)[asked:] == ["/"]

    async def by_hand(db: Database) -> None:
        async with db.write() as tx:
            await tx.execute(update(domain_crawl).values(crawl_status="pending"))

    crawl.with_database(by_hand)
    crawl.work()
    assert crawl.requests(host)[asked:] == ["/", "/"]
    assert crawl.domain(host)["crawl_status"] == "exhausted"
