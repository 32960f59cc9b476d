"""Sitemaps and feeds of one visit: which targets are lists of pages, and what they list.

A list waits in the frontier like any URL, together with its kind, so it is still known as a list after a
restart. It does not count as a page; its request counts in bytes and seconds only. Nested lists are followed
to a limited depth.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime, time
from types import MappingProxyType
from typing import NamedTuple

from surveyor import logs
from surveyor.crawl import failures
from surveyor.crawl.pages.response import ended_by
from surveyor.crawl.pages.scope import Scope
from surveyor.crawl.results import PageReason, PageResult
from surveyor.crawl.session import SiteSession
from surveyor.frontier.changes import GivenBack, Taken, UrlKind
from surveyor.names import resolve, url_key
from surveyor.net.fetcher import Response
from surveyor.net.sniff import Kind, kind

# Pages of one visit whose dates are kept, 10 MB; what is beyond that is visited in its own time.
_MOST = 100_000


@dataclass(eq=False)
class SitemapDates:
    """What the sitemaps of one visit say of changes: held against what is found, followed once believed."""

    are_believed: bool = False
    _dates: dict[int, datetime] = field(default_factory=dict)

    def note(self, dates: Mapping[str, datetime]) -> list[tuple[int, datetime]]:
        """Targets with their dates; returns keys and dates of pages to be visited soon if they are older."""
        named = [(url_key(target), when) for target, when in dates.items()]
        self._dates.update(named[: max(0, _MOST - len(self._dates))])
        return named if self.are_believed else []

    def names_changed(self, taken: Taken) -> bool | None:
        """Whether a page changed since its last visit, as a sitemap says; None if none says so or not."""
        when = self._dates.get(taken.key)
        if when is None or taken.past is None or taken.past.content_hash is None:
            return None
        last = taken.past.fetched_at
        if when.time() == time() and when.date() == last.date():
            return None  # a date without a time, and the page was fetched on that day
        return when > last


_log = logs.get("crawl")

# Lists that one visit reads without paying for them. None is forgotten: the rest costs a page each.
FREE_LISTS = 200
# Where a sitemap is looked for that nobody named.
USUAL_PLACE = "/sitemap.xml"
# URLs of a list offered between two commits; one transaction stays short.
SLICE = 2_000
_ATTEMPTS = 3


class ReadList(NamedTuple):
    """What became of a list that was asked for: it is over, or it goes back to be asked for again."""

    taken: Taken
    result: PageResult | None
    back: GivenBack | None = None
    is_postponed: bool = False
    """It goes back with the end of the visit."""
    pages: Sequence[str] = ()
    lists: Sequence[str] = ()
    dates: Mapping[str, datetime] = MappingProxyType({})


@dataclass(eq=False)
class SitemapHandler:
    """Reads the lists of one visit."""

    _session: SiteSession
    _scope: Scope

    async def read(self, taken: Taken, response: Response) -> ReadList:
        """A list was answered: what it names is one link away from the start."""
        if not taken.kind.is_list:
            taken = taken._replace(kind=UrlKind.SITEMAP)
        if failures.of_status(response.status) is not None:
            return self.failed(taken, response)
        if response.status == 304 and taken.past is not None and taken.past.reason:
            return self._over(taken, taken.past.reason, response)
        if not response.ok:
            return self._over(taken, ended_by(response.status), response)
        url = self._session.site.page(taken.target)
        reader = self._session.context.reader
        listed = await reader.list(response.body, response.content_type, url, self._scope)
        if listed.reason is PageReason.FEED:
            taken = taken._replace(kind=UrlKind.FEED)
        reason = listed.reason
        if listed.cut is not None:
            _log.info("list not read whole", url=url.text, why=listed.cut, pages=len(listed.pages))
            reason = PageReason.PARTIAL_LIST
        over = self._over(taken, reason, response, [*listed.pages, *listed.lists])
        return over._replace(pages=listed.pages, lists=listed.lists, dates=listed.lastmods)

    def failed(self, taken: Taken, response: Response | None = None) -> ReadList:
        """A list that cannot be had says nothing about the pages; it is asked for again, later.

        Not in this visit where the site has answered nothing yet: then it is the site that cannot be had.
        Where it answers and refuses the list, that is its answer.
        """
        is_site_there = self._session.outcomes.has_any
        is_refused = response is not None and failures.is_refusal(response.status)
        if taken.attempts + 1 >= _ATTEMPTS or (is_site_there and is_refused):
            return self._over(taken, PageReason.FAILED, response)
        back = GivenBack(taken.key, taken.attempts + 1, True)
        return ReadList(taken, None, back, is_postponed=not is_site_there)

    def _over(
        self, taken: Taken, reason: str, response: Response | None, links: Sequence[str] = ()
    ) -> ReadList:
        url, now = self._session.site.url(taken.target), self._session.context.clock.now()
        result = PageResult(taken.key, url, taken.target, 0, "ended", now, reason)
        result.kind, result.links, result.past = taken.kind, list(links), taken.past
        if response is not None:
            is_kept = response.status == 304 or reason == PageReason.FAILED
            known = (taken.etag, taken.last_modified) if is_kept else response.validators
            result.etag, result.last_modified = known
            result.status, result.bytes = response.status, response.wire_bytes
            result.ms = int(response.seconds * 1000)
        return ReadList(taken, result)


def looks_like_a_list(response: Response) -> bool:
    """Whether an answer that was expected to be a page is a sitemap or a feed."""
    if not response.ok or "html" in (response.content_type or ""):
        return False
    return kind(response.body, response.content_type) in (Kind.SITEMAP, Kind.FEED)


def named_by_robots(origin: str, sitemaps: Iterable[str], scope: Scope) -> list[str]:
    """Targets of the sitemaps of this domain that robots.txt names; the usual place if it names none."""
    found = [resolve(f"{origin}/robots.txt", href, scope.rules) for href in sitemaps]
    return [url.target for url in found if url is not None and scope.admits(url)] or [USUAL_PLACE]
