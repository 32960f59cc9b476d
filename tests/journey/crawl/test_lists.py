"""What a site lists and says of its own pages: sitemaps, feeds, canonical names, refreshes, budgets."""

from __future__ import annotations

import signal
import time

import pytest

from tests.journey.crawl.conftest import Crawl, MakeCrawl
from tests.support.site import SiteGraph, SiteSpec

HOST = "lists.example"


def _site(kind: str, **options: object) -> SiteSpec:
    graph = SiteGraph(seed=1, hosts=1, pages_per_host=2, depth=1)
    return SiteSpec(graph, special={HOST: {"kind": kind, **options}})


def _crawled(
    make_crawl: MakeCrawl, kind: str, *arguments: str, by_page: bool = False, **settings: str
) -> Crawl:
    crawl = make_crawl(_site(kind, by_page=True) if by_page else _site(kind), HOST, **settings)
    ran = crawl.run("crawl", *arguments)
    assert ran.code == 0, ran.err
    return crawl


def _why(crawl: Crawl, target: str) -> str:
    found: str = crawl.run("why", f"http://{HOST}{target}", "--json").json["details"]["reason"]
    return found


def test_pages_that_only_a_packed_sitemap_names_are_fetched(make_crawl: MakeCrawl) -> None:
    crawl = _crawled(make_crawl, "sitemap")
    assert {f"/only/{number}" for number in range(20)} <= set(crawl.requests(HOST))
    domain = crawl.domain(HOST)
    assert (domain["crawl_status"], domain["pages_crawled"], domain["pages_discovered"]) == (
        "exhausted",
        21,
        21,
    )
    assert domain["crawl_depth_reached"] == 1
    assert [_why(crawl, list_) for list_ in ("/index.xml", "/map.xml.gz")] == ["sitemap", "sitemap"]


def test_an_index_of_sitemaps_that_only_the_home_page_names_is_followed(make_crawl: MakeCrawl) -> None:
    crawl = _crawled(make_crawl, "sitemap", by_page=True)
    assert {f"/only/{number}" for number in range(20)} <= set(crawl.requests(HOST))
    assert [_why(crawl, list_) for list_ in ("/index.xml", "/map.xml.gz")] == ["sitemap", "sitemap"]


def test_a_crawl_killed_between_an_index_and_its_sitemaps_goes_on_with_them(
    make_crawl: MakeCrawl, frontier: dict[str, str], engine_name: str
) -> None:
    crawl = make_crawl(_site("sitemap"), HOST, **frontier)
    short = {"SURVEYOR_CRAWL__LEASE_SECONDS": "1", "SURVEYOR_CRAWL__RENEW_SECONDS": "0.3"}
    doomed = crawl.start("crawl", SURVEYOR_FAILPOINT="after_fetch:3", **short)
    doomed.communicate(timeout=200)
    assert doomed.returncode == -signal.SIGKILL
    assert crawl.requests(HOST)[-1] == "/map.xml.gz", (
        "the sitemap was in flight, and nothing it names is known"
    )
    if engine_name == "postgresql":
        time.sleep(1.1)  # there a dead worker's lease ends by time
    assert crawl.run("crawl").code == 0
    domain = crawl.domain(HOST)
    assert (domain["crawl_status"], domain["pages_crawled"]) == ("exhausted", 21)


def test_sitemaps_cost_no_pages_of_the_budget(make_crawl: MakeCrawl) -> None:
    crawl = _crawled(make_crawl, "sitemap", "--max-pages", "10")
    pages = [target for target in crawl.requests(HOST) if not target.endswith((".xml", ".gz"))]
    assert len(pages) == 10
    assert crawl.domain(HOST)["pages_crawled"] == 10


def test_at_depth_zero_no_list_is_asked_for(make_crawl: MakeCrawl) -> None:
    crawl = _crawled(make_crawl, "sitemap", SURVEYOR_CRAWL__DEPTH="0")
    assert crawl.requests(HOST) == ["/"]
    assert "/sitemap.xml" not in [entry.target for entry in crawl.site.log()]


def test_pages_that_only_a_feed_names_are_fetched(make_crawl: MakeCrawl) -> None:
    crawl = _crawled(make_crawl, "feed")
    assert {f"/news/{number}" for number in range(5)} <= set(crawl.requests(HOST))
    assert _why(crawl, "/news.rss") == "feed"
    assert crawl.domain(HOST)["pages_crawled"] == 6


def test_a_page_under_a_second_name_is_stored_under_the_first_alone(make_crawl: MakeCrawl) -> None:
    crawl = _crawled(make_crawl, "twins")
    states = {each["reason"]: each["urls"] for each in crawl.domain(HOST)["urls"] if each["state"] == "done"}
    assert states == {None: 7}, "the home page, four pages, the one that moved and where it went"
    reasons = {_why(crawl, f"/p/{number}?from=home") for number in range(4)}
    assert reasons <= {"duplicate", "trap_facets", "trap_session"}


def test_a_refresh_leads_on(make_crawl: MakeCrawl) -> None:
    assert "/arrived" in _crawled(make_crawl, "twins").requests(HOST)


@pytest.mark.parametrize(
    ("setting", "stopped_by"),
    [("MAX_BYTES_PER_RUN", "budget_bytes"), ("MAX_SECONDS_PER_RUN", "budget_seconds")],
)
def test_a_budget_of_bytes_or_seconds_ends_the_visit_with_its_frontier(
    make_crawl: MakeCrawl, setting: str, stopped_by: str
) -> None:
    spec = SiteSpec(SiteGraph(seed=4, hosts=1, pages_per_host=40, body_bytes=5_000), latency=0.01)
    host = spec.graph.names[0]
    most = {"MAX_BYTES_PER_RUN": "40000", "MAX_SECONDS_PER_RUN": "0.08"}[setting]
    crawl = make_crawl(spec, **{f"SURVEYOR_CRAWL__{setting}": most})
    assert crawl.run("crawl").code == 0
    domain = crawl.domain(host)
    assert (domain["crawl_status"], domain["stopped_by"]) == ("active", stopped_by)
    # How many fit into the seconds depends on the machine; that some did and others wait does not.
    assert 0 < domain["pages_crawled"] < 20 and domain["frontier_size"]
    before = len(crawl.requests(host))
    assert crawl.run("crawl").code == 0, "a new run has a budget of its own"
    assert len(crawl.requests(host)) > before
