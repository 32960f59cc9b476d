"""Sitemaps and feeds of one visit: which targets are lists of pages, and what they list.

A list waits in the frontier like any URL, with what it is taken for, so it survives what the frontier
survives; it is no page, and its request counts in bytes and seconds only. Lists that name lists are not
followed for ever.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Protocol

from surveyor import logs
from surveyor.crawl import failures
from surveyor.crawl.context import WorkerContext
from surveyor.crawl.outbox import Outbox
from surveyor.crawl.pages.response import ended_by
from surveyor.crawl.pages.scope import Scope
from surveyor.crawl.prefetch import Prefetch
from surveyor.crawl.results import PageReason, PageResult
from surveyor.crawl.site import Site
from surveyor.crawl.sitemaps.dates import SitemapDates
from surveyor.frontier.changes import RANK_NORMAL, GivenBack, Taken, UrlKind
from surveyor.names import resolve
from surveyor.net.fetcher import Response
from surveyor.net.sniff import Kind, kind

_log = logs.get("crawl")

# Lists that one visit reads without paying for them. None is forgotten: the rest costs a page each.
FREE_FILES = 200
# Where a sitemap is looked for that nobody named.
USUAL_PLACE = "/sitemap.xml"
# URLs of a list offered between two commits; one transaction stays short.
_SLICE = 2_000
_ATTEMPTS = 3


class Visiting(Protocol):
    """What is known here of the visit."""

    tools: WorkerContext
    site: Site
    scope: Scope
    hand: Prefetch
    outbox: Outbox
    lastmods: SitemapDates

    def offer(self, target: str, depth: int, rank: int, found_on: Taken | None) -> None: ...
    def offer_list(self, target: str, kind: UrlKind, found_on: Taken | None) -> None: ...
    def uncharge(self) -> None: ...
    async def until_committed(self) -> None: ...


class SitemapHandler:
    """Offers the lists of a visit to its frontier, and reads those that were fetched."""

    def __init__(self, visit: Visiting) -> None:
        self._visit = visit
        self._read = 0

    def offer(self, targets: Iterable[str], kind: UrlKind | None, found_on: Taken | None) -> None:
        """Targets that are lists of this kind; without one they are not followed."""
        if kind is not None:
            for target in dict.fromkeys(targets):
                self._visit.offer_list(target, kind, found_on)

    async def read(self, taken: Taken, response: Response) -> None:
        """A list was answered: what it names is one link away from the start."""
        if not taken.kind.is_list:
            taken = taken._replace(kind=UrlKind.SITEMAP)
        if failures.of_status(response.status) is not None:
            self.failed(taken, response)
            return
        if response.status == 304 and taken.past is not None and taken.past.reason:
            self._end(taken, taken.past.reason, response)
            return
        if not response.ok:
            self._end(taken, ended_by(response.status), response)
            return
        visit, url = self._visit, self._visit.site.page(taken.target, self._visit.tools.rules)
        listed = await visit.tools.reader.list(response.body, response.content_type, url, visit.scope)
        for start in range(0, len(listed.pages), _SLICE):
            if start:
                await visit.until_committed()
            some = listed.pages[start : start + _SLICE]
            for target in some:
                visit.offer(target, 1, RANK_NORMAL, taken)
            dated = {target: listed.lastmods[target] for target in some if target in listed.lastmods}
            visit.outbox.named += visit.lastmods.note(dated)
        if listed.reason is PageReason.FEED:
            taken = taken._replace(kind=UrlKind.FEED)
        self.offer(listed.lists, taken.kind.of_children, taken)
        reason = listed.reason
        if listed.cut is not None:
            _log.info("list not read whole", url=url.text, why=listed.cut, pages=len(listed.pages))
            reason = PageReason.PARTIAL_LIST
        self._end(taken, reason, response, [*listed.pages, *listed.lists])

    def failed(self, taken: Taken, response: Response | None = None) -> None:
        """A list that cannot be had says nothing about the pages; it is asked for again, later."""
        if taken.attempts + 1 >= _ATTEMPTS:
            self._end(taken, PageReason.FAILED, response)
            return
        visit = self._visit
        visit.hand.in_flight = None
        visit.outbox.given_back.append(GivenBack(taken.key, taken.attempts + 1, True))
        self._uncharge()
        visit.hand.refill_expected()

    def _end(self, taken: Taken, reason: str, response: Response | None, links: Sequence[str] = ()) -> None:
        visit = self._visit
        url, now = visit.site.url(taken.target), visit.tools.clock.now()
        result = PageResult(taken.key, url, taken.target, 0, "ended", now, reason)
        result.kind, result.links, result.past = taken.kind, list(links), taken.past
        if response is not None:
            kept = taken if response.status == 304 or reason == PageReason.FAILED else None
            result.etag = kept.etag if kept else response.etag
            result.last_modified = kept.last_modified if kept else response.last_modified
            result.status, result.bytes = response.status, response.wire_bytes
            result.ms = int(response.seconds * 1000)
        visit.hand.in_flight = None
        visit.outbox.results.append(result)
        self._uncharge()

    def _uncharge(self) -> None:
        """A list is no page. One too many costs a page all the same, so that a visit of nothing else ends."""
        self._read += 1
        if self._read <= FREE_FILES:
            self._visit.uncharge()


def looks_like_a_list(response: Response) -> bool:
    """Whether an answer that was expected to be a page is a sitemap or a feed."""
    if not response.ok or "html" in (response.content_type or ""):
        return False
    return kind(response.body, response.content_type) in (Kind.SITEMAP, Kind.FEED)


def named_by_robots(origin: str, sitemaps: Iterable[str], scope: Scope) -> list[str]:
    """Targets of the sitemaps of this domain that robots.txt names; the usual place if it names none."""
    found = [resolve(f"{origin}/robots.txt", href, scope.rules) for href in sitemaps]
    return [url.target for url in found if url is not None and scope.admits(url)] or [USUAL_PLACE]
