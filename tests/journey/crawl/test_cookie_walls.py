"""Sites that show their pages only to those who send a cookie back."""

from __future__ import annotations

from typing import Any

from tests.journey.crawl.conftest import Crawl, MakeCrawl
from tests.support.site import SiteGraph, SiteSpec

HOST = "wall.example"


def crawled(make_crawl: MakeCrawl, **options: Any) -> Crawl:
    graph = SiteGraph(seed=1, hosts=1, pages_per_host=2, depth=1)
    crawl = make_crawl(SiteSpec(graph, special={HOST: {"kind": "cookies", **options}}))
    crawl.seed(HOST)
    crawl.work()
    return crawl


def test_a_site_that_checks_for_a_cookie_is_crawled_to_its_end(make_crawl: MakeCrawl) -> None:
    crawl = crawled(make_crawl)
    domain = crawl.domain(HOST)
    assert (domain["crawl_status"], domain["pages_crawled"]) == ("exhausted", 3)
    assert crawl.requests(HOST).count("/") == 2, "once without the cookie, once with it"
    assert crawl.requests(HOST).count("/one") == 1, "it is known from then on"


def test_a_site_that_sets_another_cookie_each_time_is_left_after_a_few_requests(
    make_crawl: MakeCrawl,
) -> None:
    crawl = crawled(make_crawl, changing=True)
    assert "redirect_loop" in crawl.run("why", f"http://{HOST}/").out
    assert 2 <= crawl.requests(HOST).count("/") <= 7
