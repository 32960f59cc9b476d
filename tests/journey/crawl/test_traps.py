"""Sites that never end: their real pages are fetched all the same, and each cut is there to see."""

from __future__ import annotations

import pytest

from tests.journey.crawl.conftest import MakeCrawl
from tests.support.site import SiteGraph, SiteSpec
from tests.support.site.special import build
from tests.support.site.traps import FAMILIES, Trap

pytestmark = pytest.mark.slow
_REAL = 200


@pytest.mark.timeout(300)
@pytest.mark.parametrize("engine_name", ["sqlite"])
def test_the_real_pages_of_trapped_sites_are_fetched_and_every_cut_is_told(make_crawl: MakeCrawl) -> None:
    special = {
        f"{family}.trap.example": {"kind": "trap", "family": family, "pages": _REAL} for family in FAMILIES
    }
    spec = SiteSpec(SiteGraph(seed=1, hosts=1, pages_per_host=5, depth=2), special=special)
    crawl = make_crawl(spec, *special, SURVEYOR_CRAWL__DELAY_SECONDS="0.001", SURVEYOR_CRAWL__DEPTH="12")
    ran = crawl.run("crawl", "--max-pages-per-domain", "600", "--json")
    assert ran.code == 0, ran.err
    seen_to_be_cut = []
    for host, options in special.items():
        site = build(host, dict(options))
        assert isinstance(site, Trap)
        real, asked = site.graph.reachable(12), crawl.requests(host)
        found = real & set(asked)
        assert len(found) >= 0.95 * len(real), f"{host}: {len(found)} of {len(real)}"
        assert len(asked) - len(found) <= 300, f"{host}: {len(asked)} requests for {len(found)} pages"
        told = crawl.run("why", host, "--json").json["details"]
        shown = {f"{each['state']} ({each['reason']})" for each in crawl.domain(host)["urls"]}
        cuts = {name for name in told if "trap_" in name or "soft_404" in name}
        assert cuts <= shown
        seen_to_be_cut += [host] if cuts else []
    # Some families end by themselves at this depth; nobody is cut without need.
    assert len(seen_to_be_cut) >= 4, seen_to_be_cut
