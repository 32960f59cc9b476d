"""What Scrapy's answers and errors come to: a page that is had, one to ask for again, a domain blocked."""

from __future__ import annotations

import asyncio
from datetime import UTC, datetime

from scrapy import Request
from scrapy.exceptions import IgnoreRequest
from scrapy.http import Response

from surveyor.contrib.scrapy.crawl import Crawl
from surveyor.contrib.scrapy.errors import is_no_network, obstacle_of
from surveyor.contrib.scrapy.pages import ScrapyPage, result_of
from surveyor.contrib.scrapy.visit import ScrapyVisit
from surveyor.crawl.failures import of_status
from surveyor.crawl.pages.response import is_login
from surveyor.crawl.results import PageReason, PageResult
from surveyor.frontier.changes import Taken
from surveyor.names import NameRules, PageUrl
from surveyor.net.throttle import retry_after


class Answers:
    def __init__(self, crawl: Crawl, rules: NameRules, *, keep_pages: bool) -> None:
        self._crawl, self._rules, self._keep = crawl, rules, keep_pages

    def received(self, page: ScrapyPage, response: Response) -> None:
        """An answer, before the spider sees it."""
        taken, visit = page.taken, self._visit(page)
        if taken is None or visit is None:
            self._settle(page)
            return
        visit.has_answered = True
        request = response.request
        latency = float(request.meta.get("download_latency", 0.0)) if request is not None else 0.0
        result = result_of(taken, response, _now(), latency, keep=self._keep)
        obstacle = of_status(response.status)
        if obstacle is not None:
            asked = response.headers.get("Retry-After")
            wait = retry_after(asked.decode("latin-1"), _now()) if asked else None
            result.state, result.reason = "ended", PageReason.FAILED
            page.is_over = True
            visit.failed(page, result, obstacle, wait)
            self._news(visit)
            return
        page.result = result
        page.answered(self._finish)

    def redirected(self, page: ScrapyPage, request: Request, to: PageUrl) -> bool:
        """A redirect leads from the page to another URL; returns whether that is a login wall."""
        taken, visit = page.taken, self._visit(page)
        assert taken is not None
        is_wall = is_login(to.target) and not is_login(taken.target)
        if visit is not None:
            result = self._ended(taken, request.meta.get("redirect_urls", [request.url])[-1])
            status = request.meta.get("redirect_reasons", [None])[-1]
            result.status = status if isinstance(status, int) else 200
            is_own = to.domain == page.domain
            result.reason = PageReason.REDIRECT if is_own else PageReason.REDIRECT_FOREIGN
            result.reason = PageReason.LOGIN if is_wall else result.reason
            page.result = result
            page.answered(self._finish)
            # Not before the new URL is queued, in this very call.
            asyncio.get_running_loop().call_soon(page.callback_ended)
        return is_wall

    def failed(self, page: ScrapyPage, url: str, error: BaseException) -> None:
        """No answer, and nobody tries again."""
        taken, visit = page.taken, self._visit(page)
        if taken is None or visit is None:
            self._settle(page)
            page.callback_ended()
            return
        page.is_over = visit.has_answered = True
        result = self._ended(taken, url)
        if isinstance(error, IgnoreRequest):
            result.reason = PageReason.ROBOTS if "robots" in str(error).lower() else PageReason.SCOPE
            visit.end_unfetched(page, result)
        elif is_no_network(error):
            visit.lose_network(page)
        elif (obstacle := obstacle_of(error)) is not None:
            visit.failed(page, result, obstacle)
        else:
            page.result = result
            visit.finish(page)
        self._news(visit)

    def ended(self, page: ScrapyPage, url: str) -> None:
        """It cannot be asked for."""
        visit = self._visit(page)
        if visit is not None and page.taken is not None:
            page.is_over = True
            visit.end_unfetched(page, self._ended(page.taken, url))
            self._news(visit)

    def _settle(self, page: ScrapyPage) -> None:
        """Of a page that is in no frontier: those that wait for it are notified after its callback."""
        page.answered(lambda page: None)

    def _finish(self, page: ScrapyPage) -> None:
        visit = self._visit(page)
        if visit is not None:
            self._crawl.parts.page_is_over(visit, page)
            visit.finish(page)
            self._crawl.committer.note_page(sum(image.size for image in page.images.results))
            self._news(visit)

    def _news(self, visit: ScrapyVisit) -> None:
        """Whoever has nothing more to ask does not wait for the next look."""
        if not visit.in_hand and not visit.has_next:
            self._crawl.committer.flush_soon()
            self._crawl.wake()

    def _visit(self, page: ScrapyPage) -> ScrapyVisit | None:
        """Of the page, if it is still in its hands."""
        visit = self._crawl.visits.get(page.domain) if page.domain else None
        taken = page.taken
        return visit if visit and taken and visit.in_hand.get(taken.key) is page else None

    def _ended(self, taken: Taken, url: str) -> PageResult:
        return PageResult(taken.key, url, taken.target, taken.depth, "ended", _now(), PageReason.FAILED)


def _now() -> datetime:
    return datetime.now(UTC)
