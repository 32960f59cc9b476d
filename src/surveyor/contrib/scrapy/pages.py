"""A request that was handed out, until everything that came of it is safe; and what its answer says.

A page is finished when its callback has ended, its items have left the pipelines, and the requests it
yielded are queued. What cannot be queued, such as a form that is posted, keeps the page open that yielded
it: killed in between, the page is asked for again and yields it again.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable
from dataclasses import dataclass, field
from datetime import datetime

from scrapy.http import Response

from surveyor.archive import Capture
from surveyor.contrib.scrapy.requests import PAGE
from surveyor.crawl.images.outbox import ImageBox
from surveyor.crawl.pages.response import ended_by, is_login
from surveyor.crawl.results import PageReason, PageResult
from surveyor.extract.values import FoundRecord
from surveyor.frontier.changes import Taken

_IMAGE = b"<img"


@dataclass(eq=False, slots=True)
class ScrapyPage:
    """One request in Scrapy's hands. Without `taken` it waits in memory alone."""

    domain: str | None = None
    taken: Taken | None = None
    parent: ScrapyPage | None = None
    result: PageResult | None = None
    links: list[str] = field(default_factory=list)
    foreign: list[str] = field(default_factory=list)
    url: str | None = None  # of one in the frontier
    records: list[FoundRecord] = field(default_factory=list)  # of its items
    is_whole: bool = True  # neither an item nor a callback failed
    images: ImageBox = field(default_factory=ImageBox)
    is_over: bool = False
    in_callback: bool = False
    _pending: int = 0
    _then: Callable[[ScrapyPage], None] | None = None

    def hold(self) -> None:
        """Something that came of it is not safe yet."""
        self._pending += 1

    def let_go(self) -> None:
        self._pending -= 1
        self._close_if_done()

    def answered(self, then: Callable[[ScrapyPage], None]) -> None:
        """Its answer goes to the spider; `then` is called once that has ended and nothing is pending."""
        self._then, self.in_callback = then, True
        self.hold()

    def callback_ended(self) -> None:
        if self.in_callback:
            self.in_callback = False
            self.let_go()

    def abort(self) -> None:
        """What it would have led to is not known: it is never over, and goes back to the queue."""
        self.is_over = True

    def _close_if_done(self) -> None:
        if self._pending <= 0 and self._then is not None and not self.is_over:
            self.is_over = True
            self._then(self)
            if self.parent is not None:
                self.parent.let_go()


def page_of(response: Response | None) -> ScrapyPage | None:
    """The page that an answer belongs to; none of what did not go through the queue."""
    request = getattr(response, "request", None)
    found: ScrapyPage | None = request.meta.get(PAGE) if request is not None else None
    return found


def result_of(taken: Taken, response: Response, now: datetime, latency: float, *, keep: bool) -> PageResult:
    """What the answer says; `keep`: its content is stored for those who read pages."""
    result = PageResult(
        taken.key,
        response.url,
        taken.target,
        taken.depth,
        "done",
        now,
        status=response.status,
        bytes=len(response.body),
        ms=int(latency * 1000),
        past=taken.past,
        kind=taken.kind,
    )
    if response.status == 304:
        result.etag, result.last_modified = taken.etag, taken.last_modified
        if taken.past is not None:
            result.content_hash, result.reason = taken.past.content_hash, taken.past.reason
    elif not 200 <= response.status < 300:
        result.state, result.reason = "ended", ended_by(response.status)
    elif is_login(response.url) and not is_login(taken.target):
        result.state, result.reason = "ended", PageReason.LOGIN
    else:
        _of_page(result, response, keep=keep)
    return result


def _of_page(result: PageResult, response: Response, *, keep: bool) -> None:
    result.etag, result.last_modified = _header(response, "ETag"), _header(response, "Last-Modified")
    result.images_found = response.body.count(_IMAGE)
    if not keep:
        return
    result.content_type = _header(response, "Content-Type")
    result.content_hash = hashlib.sha256(response.body).digest()
    if result.past is None or result.past.content_hash != result.content_hash:
        headers = tuple(
            (name.decode("utf-8", "surrogateescape"), value.decode("utf-8", "surrogateescape"))
            for name, values in response.headers.items()
            for value in values
        )
        result.capture = Capture(response.url, result.fetched_at, response.status, headers, response.body)


def _header(response: Response, name: str) -> str | None:
    value = response.headers.get(name)
    return None if value is None else value.decode("latin-1").strip() or None
