"""Sitemaps and feeds of one visit: which targets are lists of pages, and what they list.

A list waits in the frontier like any URL, so it survives what the frontier survives; it is no page,
and its request counts in bytes and seconds only. Lists are read neither too often nor too deep,
whatever they name.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple

from surveyor.crawl.feeds import parse_feed
from surveyor.crawl.results import PageReason
from surveyor.crawl.scope import Scope
from surveyor.crawl.sitemaps import parse_sitemap
from surveyor.names import PageUrl, resolve
from surveyor.net.fetcher import Response
from surveyor.net.sniff import Kind, kind

# Files of one site in one visit, and how deep lists of lists may nest; the protocol has one level.
MAX_FILES = 200
MAX_LEVEL = 3
# Where a sitemap is looked for that nobody named.
USUAL_PLACE = "/sitemap.xml"


class Listed(NamedTuple):
    """What a list names."""

    pages: list[str]
    """Targets in scope."""
    lists: list[str]
    """Targets of further lists."""
    reason: PageReason


class Lists:
    """The lists that this visit knows of."""

    def __init__(self) -> None:
        self._levels: dict[str, int] = {}

    def add(self, targets: Iterable[str], level: int = 1) -> list[str]:
        """Targets that are lists; returns those to be fetched for it."""
        fresh = [target for target in dict.fromkeys(targets) if target not in self._levels]
        room = MAX_FILES - len(self._levels) if level <= MAX_LEVEL else 0
        self._levels.update(dict.fromkeys(fresh[:room], level))
        return fresh[:room]

    def __contains__(self, target: str) -> bool:
        return target in self._levels

    def level(self, target: str) -> int:
        return self._levels.get(target, 1)

    def recognise(self, target: str, response: Response) -> bool:
        """Whether an answer is that of a list: one that was expected, or one that looks like nothing else."""
        if target in self._levels:
            return True
        if not response.ok or "html" in (response.content_type or ""):
            return False
        looks_like = kind(response.body, response.content_type) in (Kind.SITEMAP, Kind.FEED)
        return looks_like and bool(self.add([target]))


def named_by_robots(origin: str, sitemaps: Iterable[str], scope: Scope) -> list[str]:
    """Targets of the sitemaps of this domain that robots.txt names; the usual place if it names none."""
    found = [resolve(f"{origin}/robots.txt", href, scope.rules) for href in sitemaps]
    return [url.target for url in found if url is not None and scope.admits(url)] or [USUAL_PLACE]


def read_list(body: bytes, content_type: str | None, base: PageUrl, scope: Scope) -> Listed:
    """What the list at `base` names. Takes a second for the largest: not for the event loop."""
    found = kind(body, content_type)
    if found is Kind.FEED or (found is Kind.TEXT and body.lstrip().startswith(b"{")):
        return Listed([target for target, _ in parse_feed(body, base, scope)], [], PageReason.FEED)
    if found in (Kind.SITEMAP, Kind.GZIP, Kind.TEXT, Kind.XML):
        sitemap = parse_sitemap(body, base, scope)
        return Listed([target for target, _ in sitemap.urls], sitemap.children, PageReason.SITEMAP)
    return Listed([], [], PageReason.NOT_A_PAGE)
