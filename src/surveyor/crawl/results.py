"""What became of one URL, as a value: written by a visit, stored by a group commit.

Also what the result says about its page, and the date of the next visit. A URL that gave nothing on its
first visit is not visited again; one that was a page before may become one again.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from datetime import datetime
from enum import StrEnum

from surveyor.archive import Capture
from surveyor.frontier.changes import Taken, UrlKind
from surveyor.frontier.revisits import Habits, Next, Past, Schedule, Seen, Visited

# The start page of every domain.
START = "/"


class PageReason(StrEnum):
    """Why a URL ended, or what is worth saying about a page that was stored."""

    REDIRECT = "redirect"  # leads to another URL of the domain, which is queued
    REDIRECT_FOREIGN = "redirect_foreign"  # leads to another domain
    REDIRECT_LOOP = "redirect_loop"  # more hops than anybody needs
    NOT_FOUND = "not_found"  # 404
    GONE = "gone"  # 410
    HTTP_ERROR = "http_error"  # another answer that is no page
    LOGIN = "login_required"  # 401, or sent to a login page
    ROBOTS = "robots"  # robots.txt forbids it
    NOINDEX = "noindex"  # the page asks not to be kept
    DEPTH = "depth"  # deeper than the limit
    SCOPE = "scope"  # not a page of this domain
    NOT_A_PAGE = "not_a_page"  # nothing we read
    SITEMAP = "sitemap"  # a list of pages, which are queued
    FEED = "feed"  # the same, of what is new
    PARTIAL_LIST = "partial_list"  # a sitemap or feed with mistakes; what is certain in it is queued
    NEEDS_JAVASCRIPT = "needs_javascript"  # empty without scripts
    RENDERED = "rendered"  # empty without scripts; what a browser showed is stored
    EMBEDDED = "embedded"  # empty without scripts; the data that it carries for them is stored
    PARSE_FAILED = "parse_failed"  # could not be read as what it says it is
    SOFT_404 = "soft_404"  # says 200 and means 404
    DUPLICATE = "duplicate"  # its canonical address is another one
    FAILED = "failed"  # failed three times over two visits, or refused on two visits
    POISON = "poison"  # took its process down three times
    QUARANTINED = "quarantined"  # what came of it could not be written, three times
    NOT_AN_IMAGE = "not_an_image"  # shown as an image, and none by its bytes
    TOO_SMALL = "too_small"  # an image, but a spacer or an icon
    NOAI = "noai"  # the answer asks to leave the image alone


@dataclass(slots=True)
class PageResult:
    """One URL, finished. `state` is done or ended."""

    key: int
    url: str
    target: str
    depth: int
    state: str
    fetched_at: datetime
    reason: str | None = None
    status: int | None = None
    etag: str | None = None
    last_modified: str | None = None
    content_hash: bytes | None = None
    body: bytes | None = None  # compressed, where there is no archive and extraction is to come
    content_type: str | None = None
    title: str | None = None
    bytes: int = 0
    ms: int = 0
    images_found: int = 0
    links: list[str] = field(default_factory=list)  # targets in scope
    foreign: list[str] = field(default_factory=list)
    capture: Capture | None = None
    archive: str | None = None  # where the capture was written
    was_fetched: bool = True  # False: ended without a request, such as by robots.txt
    kind: UrlKind = UrlKind.PAGE  # the request of a list of pages counts in bytes and seconds only
    past: Past | None = None  # what the visit before showed, if there was one
    named_changed: bool | None = None  # what a sitemap said of it since then; none: nothing
    plan: Next | None = None  # when it is visited again; made by the commit

    @property
    def was_answered(self) -> bool:
        """The site gave an answer that counts: a page that failed, or was not asked for, was not had."""
        return self.was_fetched and self.status is not None and self.reason != PageReason.FAILED

    @property
    def had_at(self) -> datetime | None:
        """When the last answer that counts was given, now or before."""
        if self.was_answered:
            return self.fetched_at
        return None if self.past is None else self.past.fetched_at

    def keep_what_was(self, taken: Taken) -> PageResult:
        """Nothing new is known of its content: what the visit before showed still stands."""
        self.past, self.kind = taken.past, taken.kind
        if taken.past is not None:
            self.etag, self.last_modified = taken.etag, taken.last_modified
            self.content_hash = taken.past.content_hash
        return self

    def worthless(self, reason: PageReason, *links: str) -> PageResult:
        """The page was fetched and is not kept; `links` is where to look instead."""
        self.state, self.reason, self.links = "ended", reason, list(links)
        self.content_hash = self.capture = self.body = self.title = None
        self.foreign = []
        return self


LISTS = frozenset({PageReason.SITEMAP, PageReason.FEED, PageReason.PARTIAL_LIST})
# Ends that say nothing about the page: it was not asked for, or not answered.
_UNKNOWN = frozenset({PageReason.FAILED, PageReason.ROBOTS})
_GONE = 404, 410


def seen_of(result: PageResult) -> Seen | None:
    """None: there is nothing to come back for."""
    past = result.past
    if result.state == "done":
        if past is None:
            return Seen.NEW
        return Seen.SAME if is_same(result) else Seen.CHANGED
    if result.reason in LISTS:
        return Seen.LIST
    if past is None and result.target != START:
        return None
    return Seen.FAILED if result.reason in _UNKNOWN or not result.was_fetched else Seen.GONE


def is_same(result: PageResult) -> bool:
    """The content of the last visit, by the site's word or by its bytes."""
    past = result.past
    return result.status == 304 or (past is not None and past.content_hash == result.content_hash)


def is_gone(result: PageResult) -> bool:
    return result.status in _GONE


def plan_revisits(
    schedule: Schedule,
    habits: Habits,
    now: datetime,
    results: Iterable[PageResult],
    histories: Mapping[int, bytes | None],
) -> None:
    """Write beside each result when its page is visited again."""
    fresh: Next | None = None  # the same for all new pages of a domain
    for result in results:
        seen, history = seen_of(result), histories.get(result.key)
        if seen is Seen.NEW or (seen is Seen.CHANGED and history is None and not _was_page(result)):
            fresh = fresh or schedule.after(Visited(result.key, Seen.NEW), habits, now)
            result.plan = fresh
        elif seen is not None and (history is not None or _may_come_back(result, seen)):
            last = result.past.fetched_at if result.past else None
            visited = Visited(result.key, seen, history, last, result.target == START)
            result.plan = schedule.after(visited, habits, now)


def lastmod_counts(results: Iterable[PageResult]) -> tuple[int, int]:
    """How often a sitemap was right about a change, and how often wrong.

    A change that it kept silent about counts too; that nothing changes is no art to foretell.
    """
    right = wrong = 0
    for result in results:
        if result.named_changed is not None and result.state == "done":
            changed = not is_same(result)
            right += result.named_changed and changed
            wrong += result.named_changed is not changed
    return right, wrong


def _was_page(result: PageResult) -> bool:
    return result.past is not None and result.past.content_hash is not None


def _may_come_back(result: PageResult, seen: Seen) -> bool:
    """Without a history: lists, start pages, and pages from before there were histories."""
    was_list = result.past is not None and result.past.reason in LISTS
    return seen is Seen.LIST or was_list or result.target == START or _was_page(result)
