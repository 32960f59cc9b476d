"""Sitemaps and a feed of one host: an index, its children (one of them packed), and what only they know."""

from __future__ import annotations

from collections.abc import Sequence
from random import Random
from typing import NamedTuple

# Where robots.txt says it is; a host without one has it in the usual place.
INDEX, USUAL = "/maps/index.xml", "/sitemap.xml"
CHILDREN = ("/maps/first.xml", "/maps/second.xml.gz")
FEED = "/news.rss"
_PER_CHILD, _IN_FEED = (3, 6), (2, 4)  # pages, from and to
_SPACE = "http://www.sitemaps.org/schemas/sitemap/0.9"


class Listed(NamedTuple):
    lists: dict[str, str]
    pages: list[str]
    """Targets that nothing else leads to."""
    redirects: dict[str, str]
    """One entry of a sitemap has moved to a page that is named nowhere."""


def lists(name: str, random: Random, *, named_by_robots: bool) -> Listed:
    found = Listed({}, ["/listed/moved"], {"/old/listed": "/listed/moved"})
    index = INDEX if named_by_robots else USUAL
    found.lists[index] = _xml("sitemapindex", "sitemap", name, CHILDREN)
    for number, child in enumerate(CHILDREN):
        targets = [f"/listed/{number}/{page}" for page in range(random.randint(*_PER_CHILD))]
        found.pages.extend(targets)
        found.lists[child] = _xml("urlset", "url", name, [*targets, *found.redirects] if number else targets)
    news = [f"/news/{page}" for page in range(random.randint(*_IN_FEED))]
    found.pages.extend(news)
    items = "".join(f"<item><link>http://{name}{target}</link></item>" for target in news)
    found.lists[FEED] = f'<?xml version="1.0"?><rss version="2.0"><channel>{items}</channel></rss>'
    return found


def _xml(root: str, item: str, name: str, targets: Sequence[str]) -> str:
    entries = "".join(f"<{item}><loc>http://{name}{target}</loc></{item}>" for target in targets)
    return f'<?xml version="1.0" encoding="UTF-8"?><{root} xmlns="{_SPACE}">{entries}</{root}>'
