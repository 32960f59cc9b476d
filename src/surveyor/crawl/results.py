"""What became of one URL, as a value: written by a visit, stored by a group commit."""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import datetime
from enum import StrEnum

from surveyor.archive import Capture
from surveyor.frontier.changes import Taken, UrlKind
from surveyor.frontier.revisits import Next, Past

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
    FAILED = "failed"  # passing failures, three times over two visits
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
    def is_page(self) -> bool:
        return self.kind is UrlKind.PAGE

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
