"""From a URL that somebody names to its page: nothing is asked for before a person says yes."""

from __future__ import annotations

from tests.journey.crawl.conftest import MakeCrawl
from tests.support.site import SiteGraph, SiteSpec

SPEC = SiteSpec(SiteGraph(seed=4, hosts=2, pages_per_host=12))


def test_a_named_url_is_fetched_once_its_domain_is_approved_and_not_before(
    make_crawl: MakeCrawl, frontier: dict[str, str]
) -> None:
    first, second = SPEC.graph.names
    crawl = make_crawl(SPEC, first, **frontier)
    hidden = "/named-by-a-person"
    assert crawl.run("submit", f"http://{second}{hidden}", "--for-review").code == 0
    assert crawl.run("submit", f"http://{first}{hidden}").code == 0
    assert crawl.run("crawl", "--json").code == 0
    assert crawl.requests(first)[0] in (hidden, "/") and hidden in crawl.requests(first)
    assert [entry for entry in crawl.site.log() if entry.host.startswith(second)] == []
    assert crawl.run("approve", second).code == 0
    assert crawl.run("crawl", "--json").code == 0
    asked = crawl.requests(second)
    assert set(asked) >= {"/", hidden} | SPEC.graph.reachable(second, 3)
    assert len(asked) == len(set(asked))
    done = crawl.domain(second)
    assert (done["crawl_status"], done["frontier_size"]) == ("exhausted", 0)
    assert crawl.run("db", "check").code == 0
    # A page that is over is fetched again when staff asks, and the domain with it.
    assert crawl.run("submit", f"http://{second}{hidden}", "--json").json["outcome"] == "queued"
    assert crawl.run("crawl", "--json").json["pages"] == 1
    assert crawl.requests(second)[len(asked) :] == [hidden]
