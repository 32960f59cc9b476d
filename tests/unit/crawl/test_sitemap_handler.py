"""What lists name, and how deep they are followed."""

from __future__ import annotations

from surveyor.crawl.page_process import read_list
from surveyor.crawl.pages.scope import Scope
from surveyor.crawl.results import PageReason
from surveyor.crawl.sitemaps.handler import USUAL_PLACE, named_by_robots
from surveyor.frontier.changes import UrlKind
from surveyor.names import DomainName, parse_url

SCOPE = Scope(DomainName("example.org"))
BASE = parse_url("https://example.org/list")


def test_lists_of_lists_of_lists_are_not_followed_for_ever() -> None:
    kind: UrlKind | None = UrlKind.SITEMAP
    kinds = []
    while kind is not None:
        kinds.append(kind)
        kind = kind.of_children
    assert kinds == [UrlKind.SITEMAP, UrlKind.NESTED_SITEMAP, UrlKind.INNERMOST_SITEMAP]
    assert UrlKind.FEED.of_children is None


def test_robots_names_the_sitemaps_of_the_site_or_the_usual_place_is_tried() -> None:
    named = ["https://www.example.org/a.xml", "/b.xml", "https://other.org/c.xml", "ftp://example.org/d.xml"]
    assert named_by_robots("https://example.org", named, SCOPE) == ["/a.xml", "/b.xml"]
    assert named_by_robots("https://example.org", ["https://other.org/c.xml"], SCOPE) == [USUAL_PLACE]


def test_a_list_is_known_by_its_bytes() -> None:
    index = b"<sitemapindex><sitemap><loc>/m.xml</loc></sitemap></sitemapindex>"
    cases = {
        b"<urlset><url><loc>/a</loc></url></urlset>": (["/a"], [], PageReason.SITEMAP),
        index: ([], ["/m.xml"], PageReason.SITEMAP),
        b"<rss><channel><item><link>/n</link></item></channel></rss>": (["/n"], [], PageReason.FEED),
        b'{"items": [{"url": "https://example.org/j"}]}': (["/j"], [], PageReason.FEED),
        b"https://example.org/t\n": (["/t"], [], PageReason.SITEMAP),
        b"<!doctype html><title>Not found</title>": ([], [], PageReason.NOT_A_PAGE),
    }
    for body, listed in cases.items():
        assert tuple(read_list(body, None, BASE, SCOPE))[:3] == listed
