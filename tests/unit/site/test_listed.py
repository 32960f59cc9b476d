"""The lists of a host say what the ground truth says, and nothing else leads to what they name."""

from __future__ import annotations

import re

import pytest

from tests.support.site import SiteGraph, listed
from tests.support.site.hosts import GraphHost, page_head


@pytest.mark.parametrize("seed", range(5))
def test_what_only_lists_know_is_part_of_what_must_be_stored(seed: int) -> None:
    graph = SiteGraph(seed, hosts=3, pages_per_host=12, depth=2, lists=True, images=1)
    for host in graph.by_name.values():
        index = host.lists.get(listed.INDEX) or host.lists[listed.USUAL]
        assert (host.robots is None) == (listed.USUAL in host.lists)
        assert host.robots is None or f"Sitemap: http://{host.name}{listed.INDEX}" in host.robots
        children = re.findall(f"http://{host.name}([^<]+)<", index)
        assert children == list(listed.CHILDREN)
        named = [
            t
            for each in (*children, listed.FEED)
            for t in re.findall(f"{host.name}([^<]+)<", host.lists[each])
        ]
        led_to = {host.redirects.get(target, target) for target in named}
        assert led_to <= host.reachable(1) and len(led_to) == len(named) > 8
        assert not led_to & {href for page in host.pages.values() for href in page.hrefs}
        assert listed.FEED.encode() in page_head(host, host.pages["/"])
        assert GraphHost(host, 2_000, 0.0, False).graph.image_targets >= set(host.shown_on(host.pages["/"]))
