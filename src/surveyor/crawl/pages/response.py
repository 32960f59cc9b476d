"""From an answer to a result: what is stored of a page, which URLs it has, and what it says about itself."""

from __future__ import annotations

import asyncio
import re
from dataclasses import dataclass, field
from datetime import datetime
from hashlib import sha256

from surveyor.archive import Capture
from surveyor.crawl.page_process import PageReader
from surveyor.crawl.pages.html import PageFacts
from surveyor.crawl.pages.links import base_of, refresh_target
from surveyor.crawl.pages.scope import Scope
from surveyor.crawl.results import PageReason, PageResult, is_same
from surveyor.frontier.changes import Taken
from surveyor.names import NameRules, PageUrl, resolve
from surveyor.net import robots_meta
from surveyor.net.fetcher import Response
from surveyor.net.markup import LIGHT_BYTES
from surveyor.net.robots_meta import NOTHING_ASKED, PageRobots
from surveyor.net.sniff import Kind, kind

# Pages that a site sends people to who have not logged in.
_LOGIN = re.compile(r"(?:^|[/._-])(?:log-?in|sign-?in|anmelden|connexion|auth)(?:[/._?-]|$)", re.IGNORECASE)
_TITLE_CHARS = 500


@dataclass(slots=True)
class PageAnswer:
    """A result, and what follows from it for the frontier."""

    result: PageResult
    links: list[tuple[str, int]] = field(default_factory=list)  # targets with their ranks
    redirect: PageUrl | None = None  # within the domain
    facts: PageFacts | None = None
    canonical: str | None = None  # the target that the page names as its own, if it is another one


@dataclass(frozen=True, slots=True)
class ResponseReader:
    """What all pages of one visit are read with."""

    scope: Scope
    rules: NameRules
    agent: str
    want_images: bool
    keep_captures: bool
    pages: PageReader

    async def read(
        self, url: PageUrl, taken: Taken, response: Response, now: datetime, *, want_text: bool = False
    ) -> PageAnswer:
        result = PageResult(
            taken.key,
            url.text,
            taken.target,
            taken.depth,
            "ended",
            now,
            status=response.status,
            bytes=response.wire_bytes,
            ms=int(response.seconds * 1000),
            past=taken.past,
            kind=taken.kind,
        )
        if response.status == 304:
            result.state, result.etag, result.last_modified = "done", taken.etag, taken.last_modified
            if taken.past is not None:
                result.content_hash, result.reason = taken.past.content_hash, taken.past.reason
            return PageAnswer(result)
        if 300 <= response.status < 400:
            return self._redirect(url, response, result)
        if not response.ok:
            result.reason = ended_by(response.status)
            return PageAnswer(result)
        return await self._page(url, response, result, want_text)

    def _redirect(self, url: PageUrl, response: Response, result: PageResult) -> PageAnswer:
        to = resolve(url.text, response.location, self.rules) if response.location else None
        if to is None:
            result.reason = PageReason.HTTP_ERROR
            return PageAnswer(result)
        if not self.scope.admits(to):
            result.reason, result.foreign = PageReason.REDIRECT_FOREIGN, [to.text]
            return PageAnswer(result)
        result.reason, result.links = PageReason.REDIRECT, [to.target]
        return PageAnswer(result, redirect=to)

    async def _page(
        self, url: PageUrl, response: Response, result: PageResult, want_text: bool
    ) -> PageAnswer:
        tags = response.headers.getall("X-Robots-Tag")
        asked = robots_meta.from_headers(tags, self.agent) if tags else NOTHING_ASKED
        found = kind(response.body, response.content_type)
        result.content_type = response.content_type
        if found in (Kind.HTML, Kind.TEXT):
            return await self._html(url, response, result, asked, want_text)
        if found is Kind.PDF:
            await self._keep(response, result, asked)
            return PageAnswer(result)
        result.reason = PageReason.NOT_A_PAGE
        return PageAnswer(result)

    async def _html(
        self, url: PageUrl, response: Response, result: PageResult, asked: PageRobots, want_text: bool
    ) -> PageAnswer:
        facts = await self.pages.page(
            response.body,
            response.content_type,
            url,
            self.scope,
            agent_token=self.agent.lower(),
            asked=asked,
            want_images=self.want_images,
            want_text=want_text,
        )
        await self._keep(response, result, facts.robots)
        result.title = facts.title[:_TITLE_CHARS] or None
        result.images_found = len(facts.images)
        result.foreign = facts.foreign
        if facts.needs_javascript:
            result.reason = PageReason.NEEDS_JAVASCRIPT
        elif facts.cut == "parse_failed":
            result.reason = PageReason.PARSE_FAILED
        links, canonical = self._also(url, response, result, facts)
        result.links = [target for target, _ in links]
        if canonical is not None:
            result.links.append(canonical)
        return PageAnswer(result, links, facts=facts, canonical=canonical)

    def _also(
        self, url: PageUrl, response: Response, result: PageResult, facts: PageFacts
    ) -> tuple[list[tuple[str, int]], str | None]:
        """The links and where else the page leads: by a refresh, and to the name it prefers."""
        links, canonical = facts.links, None
        header = response.headers.address("Refresh")
        to = facts.refresh
        if to is None and header:
            to = refresh_target(header, url, base_of(url, None, self.scope), self.scope)
        if to is not None and self.scope.admits(to):
            links = [*links, (to.target, 0)]
        elif to is not None:
            result.foreign = [*result.foreign, to.text]
        if facts.canonical is not None and self.scope.admits(facts.canonical):
            canonical = facts.canonical.target if facts.canonical.target != url.target else None
        return links, canonical

    async def _keep(self, response: Response, result: PageResult, asked: PageRobots) -> None:
        if PageRobots.NOINDEX in asked:
            result.reason = PageReason.NOINDEX
            return
        result.state = "done"
        # Ten megabytes take tens of milliseconds.
        is_light = len(response.body) <= LIGHT_BYTES
        hashed = sha256(response.body) if is_light else await asyncio.to_thread(sha256, response.body)
        result.content_hash = hashed.digest()
        result.etag, result.last_modified = response.validators
        if self.keep_captures and not is_same(result):  # its content is in the archive already
            result.capture = capture_of(response, result.url, result.fetched_at)


def conditions(taken: Taken) -> dict[str, str]:
    """Headers to ask only for what changed, where the last answer gave something to compare."""
    headers = {}
    if taken.etag:
        headers["If-None-Match"] = taken.etag
    if taken.last_modified:
        headers["If-Modified-Since"] = taken.last_modified
    return headers


def is_login(target: str) -> bool:
    return _LOGIN.search(target) is not None


def ended_by(status: int) -> PageReason:
    return {404: PageReason.NOT_FOUND, 410: PageReason.GONE}.get(status, PageReason.HTTP_ERROR)


def capture_of(response: Response, url: str, fetched_at: datetime) -> Capture:
    headers = tuple(
        (name.decode("utf-8", "surrogateescape"), value.decode("utf-8", "surrogateescape"))
        for name, value in response.raw_headers
    )
    return Capture(
        url,
        fetched_at,
        response.status,
        headers,
        response.body,
        response.phrase,
        response.http_version,
    )
