"""Listens to Scrapy's signals, counts per domain, and writes at the end and every 200 pages.

Tracking never stops a crawl: what cannot be written is said once and counts with the next report. The
one exception is the guard: a process that may not start beside another one is closed with its reason.
"""

from __future__ import annotations

import asyncio
import logging
from typing import Any, Self

from scrapy import Request, Spider, signals
from scrapy.crawler import Crawler
from scrapy.exceptions import CloseSpider, IgnoreRequest, NotConfigured
from scrapy.http import Response
from scrapy.http.request import NO_CALLBACK
from scrapy.utils.reactor import is_asyncio_reactor_installed

from surveyor.contrib.scrapy.errors import obstacle_of
from surveyor.contrib.scrapy.flags import Flags
from surveyor.contrib.scrapy.passing import watch_queue
from surveyor.contrib.scrapy.reports import Reporter
from surveyor.contrib.scrapy.scheduler import scheduler_of
from surveyor.contrib.scrapy.session import Session, origin_of
from surveyor.contrib.scrapy.tally import Tally
from surveyor.contrib.scrapy.urls import url_reader
from surveyor.crawl.pages.response import is_login
from surveyor.errors import Refused, SurveyorError
from surveyor.names import DEFAULT_RULES
from surveyor.registry.cooldowns import Obstacle
from surveyor.registry.workers import WorkerKind

# Pages between two reports: what a killed process loses at most of its counts.
REPORT_PAGES = 200
# So long after the first news a report is made, however few pages there are (seconds).
REPORT_SECONDS = 10.0
_IMAGE = b"<img"

log = logging.getLogger("surveyor.scrapy")


class DomainTracking:
    """Phase A: domains and their counters in the register; Scrapy works as it did."""

    def __init__(self, crawler: Crawler, flags: Flags) -> None:
        self._crawler, self.flags = crawler, flags
        self._read = url_reader(DEFAULT_RULES)
        self._tally = Tally(error_limit=1)
        self._session: Session | None = None
        self._reporter: Reporter | None = None
        self._reporting: asyncio.Task[None] | None = None
        self._wake = asyncio.Event()
        self._has_failed = False

    @classmethod
    def from_crawler(cls, crawler: Crawler) -> Self:
        flags = Flags.read(crawler.settings)
        if not flags.domain_tracking:
            raise NotConfigured("ENABLE_DOMAIN_TRACKING is off: nothing is written to the register")
        if not is_asyncio_reactor_installed():
            raise NotConfigured("the register needs Scrapy's asyncio reactor; leave TWISTED_REACTOR as it is")
        made = cls(crawler, flags)
        connect = crawler.signals.connect
        connect(made.spider_opened, signals.spider_opened)
        connect(made.spider_closed, signals.spider_closed)
        connect(made.response_received, signals.response_received)
        connect(made.item_scraped, signals.item_scraped)
        return made

    # -- signals

    async def spider_opened(self, spider: Spider) -> None:
        watch_queue(self._crawler, self.queued)
        origin = origin_of(spider.name, self._crawler.settings)
        try:
            self._session = await Session.open(self._crawler.settings, origin, WorkerKind.PASSIVE)
        except Refused as refusal:
            log.error("not started: %s", refusal)
            raise CloseSpider("surveyor_refused") from None
        except (SurveyorError, OSError) as error:
            self._note("tracking is off for this run: %s", error)
            return
        workspace = self._session.workspace
        self._read = url_reader(workspace.name_rules)
        before, self._tally = self._tally, Tally(workspace.settings.crawl.max_domain_errors)
        for name, one in before.domains.items():
            self._tally.of(name).put_back(one.take())
        self._reporter = Reporter(
            workspace.db,
            self._session.worker,
            self._session.run,
            origin,
            workspace.profile.yields,
            workspace.profile.limits.scrape_frequency_hours * 3600.0,
        )
        self._reporting = asyncio.create_task(self._report_now_and_then())

    async def spider_closed(self, spider: Spider, reason: str) -> None:
        if self._session is None:
            return
        if self._reporting is not None:
            self._reporting.cancel()
        await self._report(finished=reason == "finished")
        try:
            await self._session.close(reason)
        except (SurveyorError, OSError) as error:
            self._note("the run was not ended: %s", error)

    def queued(self, request: Request) -> None:
        try:
            if not _is_repeat(request) and (domain := self._domain(request.url)):
                self._tally.queued(domain)
        except Exception as error:  # it is called within Scrapy's engine, which would lose the page
            self._note("a request was not counted: %s", error)

    def response_received(self, response: Response, request: Request, spider: Spider) -> None:
        if request.callback is NO_CALLBACK or not (domain := self._domain(response.url)):
            return  # robots.txt and files of pipelines are no pages
        if _is_login_wall(request, response):
            self._tally.failed(domain, Obstacle.LOGIN_REQUIRED)
            return
        depth = int(request.meta.get("depth", 0))
        self._tally.answered(domain, response.status, depth, len(response.body), response.body.count(_IMAGE))
        if self._tally.pages >= REPORT_PAGES:
            self._wake.set()

    def item_scraped(self, item: Any, response: Response | None, spider: Spider) -> None:
        """What Scrapy's own pipeline for images stored."""
        stored = item.get("images") if hasattr(item, "get") else getattr(item, "images", None)
        if stored and response is not None and (domain := self._domain(response.url)):
            self._tally.stored_images(domain, len(stored))

    def failed(self, request: Request, error: BaseException) -> None:
        """A request that Scrapy gave up."""
        if request.callback is NO_CALLBACK or isinstance(error, IgnoreRequest):
            return
        if (obstacle := obstacle_of(error)) and (domain := self._domain(request.url)):
            self._tally.failed(domain, obstacle)

    # -- reports

    async def _report_now_and_then(self) -> None:
        while True:
            try:
                async with asyncio.timeout(REPORT_SECONDS):
                    await self._wake.wait()
            except TimeoutError:
                pass
            self._wake.clear()
            await self._report(finished=None)

    async def _report(self, *, finished: bool | None) -> None:
        assert self._reporter is not None
        self._tally.pages = 0
        news = self._tally.news() if finished is None else self._tally.all()
        try:
            await self._reporter.report(news, finished=finished)
        except (SurveyorError, OSError) as error:
            self._note("counts are kept for the next report: %s", error)

    def _note(self, text: str, error: Exception) -> None:
        """Said once aloud: a database that is away would fill the log."""
        log.log(logging.DEBUG if self._has_failed else logging.ERROR, text, error)
        self._has_failed = True

    def _domain(self, url: str) -> str | None:
        found = self._read(url)
        return None if found is None else found.domain


class DownloadErrors:
    """A downloader middleware beside the engine: it sees the errors that nobody else took care of."""

    def __init__(self, crawler: Crawler) -> None:
        self._crawler = crawler

    @classmethod
    def from_crawler(cls, crawler: Crawler) -> Self:
        return cls(crawler)

    def process_exception(self, request: Request, exception: Exception) -> None:
        tracking = self._crawler.get_extension(DomainTracking)
        scheduler = scheduler_of(self._crawler)
        if tracking is not None:
            tracking.failed(request, exception)
        elif scheduler is not None:
            scheduler.failed(request, exception)


def _is_login_wall(request: Request, response: Response) -> bool:
    """Whether another page was asked for, and redirects led to where one logs in."""
    asked: list[str] = request.meta.get("redirect_urls") or []
    return any(asked) and is_login(response.url) and not is_login(asked[0])


def _is_repeat(request: Request) -> bool:
    """The same page once more: a retry, or where a redirect led."""
    return bool(request.meta.get("retry_times") or request.meta.get("redirect_times"))
