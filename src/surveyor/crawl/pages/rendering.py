"""Pages that are empty without scripts: read from the data they carry, else shown in a browser.

Requests of a page while it is shown follow the same rules as all others: one at a time, robots.txt, the
site's delay for data, bytes and seconds counted for the domain. Scripts and styles are fetched once a visit.
"""

from __future__ import annotations

import asyncio
from dataclasses import replace
from typing import Final

from surveyor import logs
from surveyor.archive import Capture
from surveyor.crawl.context import no_renderer
from surveyor.crawl.pages.response import PageAnswer, ResponseReader, capture_of
from surveyor.crawl.results import PageReason
from surveyor.crawl.session import SiteSession
from surveyor.errors import NetError, SurveyorError
from surveyor.frontier.changes import Taken
from surveyor.names import PageUrl, resolve
from surveyor.net.fetcher import Response
from surveyor.net.response_parser import Headers
from surveyor.render import Browsed, NoBrowser, Rendered, RenderFailed

log = logs.get("crawl")

# Redirects of a script or of data that are followed.
_MOST_HOPS = 3
# Bytes of scripts and styles kept for the visit.
_KEPT_FILES = 20_000_000
# Pages in a row that could not be shown, after which a visit shows no more: each may hold a browser to its
# deadline, and one site must not keep it from the others.
_MOST_FAILURES = 3
_HTML: Final = (b"Content-Type", b"text/html; charset=utf-8")


class Rendering:
    """Of one visit."""

    def __init__(self, session: SiteSession, reader: ResponseReader) -> None:
        self._session, self._reader = session, reader
        self._one_at_a_time = asyncio.Lock()
        self._files: dict[str, Response] = {}  # scripts and styles
        self._kept = self._failures = 0

    async def read(self, url: PageUrl, taken: Taken, response: Response, plain: PageAnswer) -> PageAnswer:
        """The page as its data or a browser shows it; as it was fetched, where neither does."""
        assert plain.facts is not None
        if plain.facts.needs_javascript:
            found = await self._reader.pages.embedded(
                response.body, response.content_type, url, self._reader.scope
            )
            if found is not None:
                return await self._again(url, taken, response, found, PageReason.EMBEDDED)
        shown = await self._shown(url, response)
        if shown is None:
            return plain
        answer = await self._again(url, taken, response, shown.html, PageReason.RENDERED)
        assert answer.facts is not None
        if not answer.facts.text_chars:
            answer = plain
        elif answer.result.capture is not None:
            answer.result.capture = replace(answer.result.capture, screenshot=shown.screenshot)
        if shown.leads_to is not None:
            self._add_link(url, answer, shown.leads_to)
        return answer

    async def _again(
        self, url: PageUrl, taken: Taken, response: Response, html: bytes, reason: PageReason
    ) -> PageAnswer:
        """Read what was made of the page as the page. The site's validators are of another content. With its
        text, since who wants it later would read the response, which is another content as well."""
        kept = tuple(pair for pair in response.raw_headers if pair[0].lower() == b"x-robots-tag")
        raw = (*kept, _HTML)
        made = response._replace(body=html, headers=Headers(raw), raw_headers=raw)
        now = self._session.context.clock.now()
        answer = await self._reader.read(url, taken, made, now, want_text=True)
        result = answer.result
        result.reason = result.reason or reason
        if result.capture is not None:
            result.capture = _conversion(result.capture, response)
        return answer

    def _add_link(self, url: PageUrl, answer: PageAnswer, address: str) -> None:
        """Where its scripts wanted to go: like a redirect it is a page of its own."""
        to = resolve(url.text, address, self._session.context.rules)
        if to is None or to.target == url.target:
            return
        if self._reader.scope.admits(to):
            answer.links = [*answer.links, (to.target, 0)]
            answer.result.links.append(to.target)
        else:
            answer.result.foreign = [*answer.result.foreign, to.text]

    # -- in a browser

    async def _shown(self, url: PageUrl, response: Response) -> Rendered | None:
        context = self._session.context
        if self._failures >= _MOST_FAILURES:
            return None
        if context.renderer is None:
            context.renderer = context.new_renderer()
        if context.renderer is None:
            return None
        try:
            site = self._session.domain
            wanted = context.wanted.screenshots
            rendered = await context.renderer.render(
                url.text, response, self._ask, site=site, screenshot=wanted
            )
        except RenderFailed as error:
            self._failures += 1
            is_last = self._failures == _MOST_FAILURES
            log.warning("page not shown", url=url.text, why=error.reason, gives_up_the_site=is_last)
            return None
        except NoBrowser as error:
            log.warning("browser not available", error=str(error))
            context.renderer, context.new_renderer = None, no_renderer  # said once for the worker
            return None
        self._failures = 0
        return rendered

    async def _ask(self, request: Browsed) -> Response | None:
        """One request of a page, redirects followed; None if it may not be, or brings nothing."""
        address = request.url
        async with self._one_at_a_time:
            if (known := self._files.get(address)) is not None:
                return known
            for _ in range(_MOST_HOPS):
                response = await self._hop(address, request.kind)
                if response is None or response.location is None:
                    break
                address = response.location
            else:
                return None
            if response is not None and request.kind != "data" and response.ok:
                self._keep(request.url, response)
            return response

    async def _hop(self, address: str, kind: str) -> Response | None:
        session = self._session
        url = resolve(address, address, session.context.rules)
        if url is not None and self._reader.scope.admits(url):
            robots = session.site.robots
            if robots is not None and not robots.allows(url.target):
                return None
            if kind == "data":
                await session.turn()
        try:
            return await session.fetch_for_page(address)
        except NetError:
            return None
        except SurveyorError:  # no address at all
            return None

    def _keep(self, address: str, response: Response) -> None:
        if self._kept + len(response.body) <= _KEPT_FILES:
            self._kept += len(response.body)
            self._files[address] = response


def _conversion(made: Capture, response: Response) -> Capture:
    return replace(made, original=capture_of(response, made.url, made.fetched_at))
