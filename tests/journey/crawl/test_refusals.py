"""A site that refuses is blocked with its cooldown, however few pages a run may ask it for."""

from __future__ import annotations

from typing import Any

import pytest
from sqlalchemy import select, update

from surveyor.db import Database, now
from surveyor.db.tables import domain_crawl, domains
from tests.journey.crawl.conftest import Crawl, MakeCrawl
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


def _special(**options: Any) -> SiteSpec:
    return SiteSpec(SiteGraph(seed=3, hosts=0), special={"club.example": options})


def _again_at_once(crawl: Crawl, status: str = "active") -> None:
    """What was left for another visit is due."""

    async def due(db: Database) -> None:
        async with db.write() as tx:
            c = domain_crawl.c
            await tx.execute(update(domain_crawl).values(due_at=now()).where(c.crawl_status == status))

    crawl.with_database(due)
    crawl.work()


@pytest.mark.parametrize("status", [200, 401, 403, 500])
def test_pages_that_fail_side_by_side_do_not_block_a_site_that_gives_the_others(
    make_crawl: MakeCrawl, status: int
) -> None:
    spec = _special(kind="partly", pages=10, bad=20, status=status)
    crawl = make_crawl(spec, "club.example", SURVEYOR_CRAWL__MAX_DELAY_SECONDS="0.02")
    crawl.work()
    assert {f"/open/{number}" for number in range(10)} <= set(crawl.requests())
    found = crawl.domain("club.example")
    assert (found["crawl_status"], found["stopped_by"]) == ("active", "retry_later")
    for _ in range(2):
        _again_at_once(crawl)
    found = crawl.domain("club.example")
    assert (found["crawl_status"], found["block_count"]) == ("exhausted", 0)
    asked = 2 * 5 if 400 < status < 500 else 3 * 20
    assert len(crawl.requests()) <= 11 + asked + 8, "now and then it was asked whether the site answers"


@pytest.mark.parametrize(
    ("html", "status", "code"),
    [("", 200, "server_errors"), ("<title>No</title>", 406, "forbidden"), ("No", 451, "forbidden")],
)
def test_a_site_that_gives_empty_pages_or_refuses_our_name_is_not_crawled_to_its_end(
    make_crawl: MakeCrawl, html: str, status: int, code: str
) -> None:
    crawl = make_crawl(_special(kind="same", html=html, status=status), "club.example")
    crawl.work()
    _again_at_once(crawl)
    found = crawl.domain("club.example")
    assert (found["crawl_status"], found["block_reason_code"]) == ("blocked", code)


def test_a_site_blocked_for_empty_pages_is_asked_for_one_when_its_time_has_come(
    make_crawl: MakeCrawl,
) -> None:
    crawl = make_crawl(_special(kind="same", html=""), "club.example")
    crawl.work()
    _again_at_once(crawl)
    assert crawl.domain("club.example")["block_count"] == 1
    for number in range(4):
        crawl.run("submit", f"https://club.example/page/{number}")
    before = len(crawl.requests())
    _again_at_once(crawl, "blocked")
    assert crawl.domain("club.example")["block_count"] == 2
    asked = [path for path in crawl.requests()[before:] if path != "/robots.txt"]
    assert len(asked) == 1


def test_a_site_of_which_nothing_may_be_kept_says_so_in_the_list(make_crawl: MakeCrawl) -> None:
    html = '<meta name="robots" content="noindex,nofollow"><title>A wiki</title><p>Just begun.'
    crawl = make_crawl(_special(kind="same", html=html), "club.example")
    crawl.work()
    found = crawl.domain("club.example")
    assert (found["crawl_status"], found["stopped_by"]) == ("exhausted", "nothing_kept")
    listed = crawl.run("domain-status").out
    assert "nothing of it was kept: `surveyor why club.example` says why" in " ".join(listed.split())


@pytest.mark.parametrize("status", [403, 500])
def test_one_page_that_fails_does_not_block_a_site_of_two(make_crawl: MakeCrawl, status: int) -> None:
    crawl = make_crawl(_special(kind="partly", pages=0, bad=1, status=status), "club.example")
    crawl.work()
    _again_at_once(crawl)
    found = crawl.domain("club.example")
    assert (found["crawl_status"], found["block_count"]) == ("exhausted", 0)
    assert found["consecutive_error_count"] == 0


def test_a_site_that_shows_nothing_but_its_front_page_is_a_login_wall(make_crawl: MakeCrawl) -> None:
    crawl = make_crawl(_special(kind="login", how="401", pages=30), "club.example")
    crawl.work()
    found = crawl.domain("club.example")
    assert (found["crawl_status"], found["block_reason_code"]) == ("blocked", "login_required")
    assert len(crawl.requests()) == 1 + 5 + 1 + 10, "and whether it still answers, once"


@pytest.mark.parametrize("status", [403, 503])
def test_a_site_that_refuses_from_some_page_on_is_blocked(make_crawl: MakeCrawl, status: int) -> None:
    graph = SiteGraph(seed=3, hosts=1, pages_per_host=60)
    (host,) = graph.names
    manner = Manner(status=status, after=20, retry_after="0")
    crawl = make_crawl(SiteSpec(graph, manners={host: manner}), SURVEYOR_CRAWL__MAX_DELAY_SECONDS="0.02")
    crawl.work()
    assert crawl.domain(host)["crawl_status"] == "blocked"
    assert len(crawl.requests()) <= 20 + 5 + 1


def test_pages_for_which_a_site_has_too_much_to_do_block_it_though_others_answer(
    make_crawl: MakeCrawl,
) -> None:
    crawl = make_crawl(_special(kind="partly", pages=10, bad=20, status=503), "club.example")
    crawl.work()
    found = crawl.domain("club.example")
    assert (found["crawl_status"], found["block_reason_code"]) == ("blocked", "server_errors")
    assert len(crawl.requests()) <= 2 + 5 + 1


def test_after_a_cooldown_a_page_that_is_refused_does_not_block_a_site_that_is_back(
    make_crawl: MakeCrawl,
) -> None:
    crawl = make_crawl(_special(kind="partly", pages=3, bad=2), "club.example")
    crawl.run("crawl", "--max-pages-per-domain", "2")

    async def was_blocked(db: Database) -> None:
        async with db.write() as tx:
            await tx.execute(update(domain_crawl).values(block_count=1))

    crawl.with_database(was_blocked)
    crawl.work()
    found = crawl.domain("club.example")
    assert (found["crawl_status"], found["pages_crawled"]) == ("active", 4)


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
