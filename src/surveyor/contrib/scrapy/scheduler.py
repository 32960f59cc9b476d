"""A scheduler whose queue is the register's frontier: what waits survives a kill, budgets hold per domain.

Requests that a URL names (GET without a body) wait in the frontier of their domain; retries, forms and
requests with `dont_filter` wait in memory, and keep the page open that yielded them. Scheme and `www.` belong
to the domain, as everywhere in the register: all its pages are asked for where the site answered.
"""

from __future__ import annotations

import logging
from collections import deque
from typing import TYPE_CHECKING, Any, Self
from weakref import WeakKeyDictionary

from scrapy import Request, Spider, signals
from scrapy.core.scheduler import BaseScheduler
from scrapy.crawler import Crawler
from scrapy.dupefilters import BaseDupeFilter
from scrapy.exceptions import CloseSpider
from scrapy.http import Response
from scrapy.utils.defer import deferred_from_coro
from scrapy.utils.misc import build_from_crawler, load_object
from twisted.internet.defer import Deferred

from surveyor.contrib.scrapy import answers, requests
from surveyor.contrib.scrapy.crawl import Crawl
from surveyor.contrib.scrapy.flags import Flags
from surveyor.contrib.scrapy.memory import MemoryQueue
from surveyor.contrib.scrapy.pages import ScrapyPage, page_of
from surveyor.contrib.scrapy.parts import Task
from surveyor.contrib.scrapy.passing import watch_requests
from surveyor.contrib.scrapy.requests import PAGE, Unkeepable, UnkeepableValue
from surveyor.contrib.scrapy.session import Session, origin_of
from surveyor.contrib.scrapy.store import Arrival
from surveyor.contrib.scrapy.urls import url_reader
from surveyor.contrib.scrapy.visit import ScrapyVisit
from surveyor.crawl.pages.response import conditions
from surveyor.crawl.plan import RunOptions
from surveyor.errors import Refused, SurveyorError
from surveyor.frontier.changes import RANK_FIRST, RANK_LATER, RANK_NORMAL, NewUrl
from surveyor.names import NameRules, PageUrl, url_key
from surveyor.registry.store.leases import Work
from surveyor.registry.workers import WorkerKind

if TYPE_CHECKING:
    from surveyor.archive.keeper import ImageKeeper
    from surveyor.bootstrap.workspace import Workspace

log = logging.getLogger("surveyor.scrapy")

_schedulers: WeakKeyDictionary[Crawler, FrontierScheduler] = WeakKeyDictionary()


def scheduler_of(crawler: Crawler) -> FrontierScheduler | None:
    return _schedulers.get(crawler)


def needs_of(crawler: Crawler) -> frozenset[str]:
    """What the project's pipelines store in the register: `images`, `records`."""
    processor = getattr(getattr(crawler.engine, "scraper", None), "itemproc", None)
    found = (getattr(one, "surveyor_needs", None) for one in getattr(processor, "middlewares", ()))
    return frozenset(need for need in found if need)


class FrontierScheduler(BaseScheduler):
    def __init__(self, crawler: Crawler, dupefilter: BaseDupeFilter) -> None:
        self._crawler, self._dupefilter = crawler, dupefilter
        self._flags = Flags.read(crawler.settings)
        self._keep_pages = crawler.settings.getbool("SURVEYOR_KEEP_PAGES")
        self._per_domain = crawler.settings.getint("CONCURRENT_REQUESTS_PER_DOMAIN") or 1
        self._memory = MemoryQueue()
        self._turns: deque[str] = deque()
        self._said: set[str] = set()
        self.children: dict[Request, ScrapyPage] = {}  # pages by what they yielded, until it is queued
        self.items: dict[int, tuple[Any, ScrapyPage]] = {}  # by id, on their way to the pipelines
        self._read = url_reader(NameRules())
        self._crawl: Crawl | None = None
        self._is_refresh = False  # pages that did not change need not be sent
        self._refusal: str | None = None  # why the spider is closed before its first request

    @classmethod
    def from_crawler(cls, crawler: Crawler) -> Self:
        dupefilter = build_from_crawler(load_object(crawler.settings["DUPEFILTER_CLASS"]), crawler)
        made = cls(crawler, dupefilter)
        _schedulers[crawler] = made
        connect = crawler.signals.connect
        connect(made.spider_opened, signals.spider_opened)
        connect(made.response_received, signals.response_received)
        for signal in (signals.item_scraped, signals.item_dropped):
            connect(made.item_left, signal)
        connect(made.item_failed, signals.item_error)
        return made

    @property
    def _spider(self) -> Spider:
        assert self._crawler.spider is not None
        return self._crawler.spider

    @property
    def register(self) -> Workspace | None:
        """Open, if the register has the queue."""
        return None if self._crawl is None else self._crawl.session.workspace

    @property
    def images(self) -> ImageKeeper | None:
        return None if self._crawl is None else self._crawl.parts.images

    # -- what Scrapy's engine asks

    def open(self, spider: Spider) -> Deferred[None] | None:
        watch_requests(self._crawler, self.request_passed)
        self._dupefilter.open()
        return deferred_from_coro(self._open(spider))

    def close(self, reason: str) -> Deferred[None] | None:
        self._dupefilter.close(reason)
        return deferred_from_coro(self._close(reason))

    def has_pending_requests(self) -> bool:
        return bool(self._memory) or (self._crawl is not None and self._crawl.is_pending)

    def enqueue_request(self, request: Request) -> bool:
        if self._refusal is not None:
            return False
        page: ScrapyPage | None = request.meta.get(PAGE)
        parent = self.children.get(request)
        if page is not None:
            return self._enqueue_again(request, page)
        url = self._url(request)
        if self._crawl is None or url is None or _must_be_made(request):
            return self._remember(request, parent)
        return self._enqueue(request, url, parent)

    def next_request(self) -> Request | None:
        if self._memory:
            return self._memory.pop()
        if self._crawl is None:
            return None
        if self._crawl.is_full:
            self._crawl.committer.flush_soon()
            return None
        while (visit := self._next_visit(self._crawl)) is not None:
            request = self._request(self._crawl, visit)
            if request is not None:
                return request
        return None

    # -- requests

    def _url(self, request: Request) -> PageUrl | None:
        return self._read(request.url) if requests.is_plain_get(request) else None

    def _remember(self, request: Request, parent: ScrapyPage | None) -> bool:
        """It waits in this process; the page that yielded it stays open until it was made."""
        if not request.dont_filter and self._dupefilter.request_seen(request):
            return False
        if self._crawl is not None:
            request.meta[PAGE] = ScrapyPage(parent=parent)
            if parent is not None:
                parent.hold()
        self._memory.push(request)
        return True

    def _enqueue_again(self, request: Request, page: ScrapyPage) -> bool:
        """A copy of a request that is held: a retry, or where a redirect led."""
        url = self._url(request)
        taken = page.taken
        if taken is None or url is None or (url.domain == page.domain and url_key(url.target) == taken.key):
            visit = self._crawl.visits.get(url.domain) if self._crawl and url else None
            if visit is not None and url is not None and "redirect_times" in request.meta:
                visit.session.origin = _origin(url)  # the same page, in the site's own spelling
            self._memory.push(request)
            return True
        request.meta.pop(PAGE)
        is_login = self._answers.redirected(page, request, url)
        return not is_login and self._enqueue(request, url, page, rank=RANK_FIRST)

    def _enqueue(
        self, request: Request, url: PageUrl, parent: ScrapyPage | None, rank: int | None = None
    ) -> bool:
        assert self._crawl is not None
        visit = self._crawl.visits.get(url.domain)
        depth, key = int(request.meta.get("depth", 0)), url_key(url.target)
        _note_link(parent, url)
        if visit is not None and visit.knows(key, depth):
            return False
        try:
            text = requests.pack(request, self._spider)
        except UnkeepableValue as refusal:
            self._say_once(
                refusal.kind, f"it waits in memory, and the page that yielded it with it: {refusal}"
            )
            return self._remember(request, parent)
        except Unkeepable as refusal:
            self._say_once(refusal.kind, f"not queued: {refusal}")
            return False
        rank = _rank(request.priority) if rank is None else rank
        if visit is None:
            place = (url.domain, key, _origin(url), url.target, depth, rank)
            is_again = request.dont_filter or bool(request.meta.get("is_start_request"))
            arrival = Arrival(*place, text, again=is_again)
            self._crawl.arrive(arrival, parent)
            return True
        found_on = parent.taken.key if parent and parent.taken and parent.domain == url.domain else None
        visit.add(NewUrl(key, url.target, depth, rank, found_on))
        if text is not None:
            self._crawl.parts.frontier.offer(visit.no, key, text)
        if not visit.has_next:
            self._crawl.committer.flush_soon()
        return True

    def _say_once(self, kind: str, message: str) -> None:
        """One line for each kind of mistake, not for each URL."""
        if kind not in self._said:
            self._said.add(kind)
            log.error("%s", message)

    def _next_visit(self, crawl: Crawl) -> ScrapyVisit | None:
        """The next domain whose turn it is: none waits for another's slow server."""
        if len(self._turns) != len(crawl.visits):
            known = set(self._turns) & crawl.visits.keys()
            self._turns = deque([name for name in self._turns if name in known])
            self._turns.extend(name for name in crawl.visits if name not in known)
        for _ in range(len(self._turns)):
            name = self._turns[0]
            self._turns.rotate(-1)
            visit = crawl.visits.get(name)
            most = self._per_domain if visit is not None and visit.has_answered else 1
            if visit is not None and visit.has_next and len(visit.in_hand) < most:
                return visit
        return None

    def _request(self, crawl: Crawl, visit: ScrapyVisit) -> Request | None:
        page = visit.next()
        taken = page.taken
        assert taken is not None
        text = crawl.parts.frontier.text_of(visit.no, taken.key)
        owner = requests.spider_of(text) or self._spider.name
        if self._is_refresh or (owner != self._spider.name and taken.past is not None):
            text = None  # it was had in the way of another spider; this one reads it in its own
        elif owner != self._spider.name:
            visit.leave(page)
            self._say_once(owner, f"URLs of {visit.domain} wait for the spider “{owner}”, and are left to it")
            return None
        try:
            request = requests.unpack(text, visit.session.origin + taken.target, taken.depth, self._spider)
        except Unkeepable as refusal:
            self._say_once(refusal.kind, f"not asked for: {refusal}")
            self._answers.ended(page, visit.session.origin + taken.target)
            return None
        if taken.past is not None and self._is_refresh:
            for name, value in conditions(taken).items():
                request.headers.setdefault(name, value)
        request.meta[PAGE], page.url = page, request.url
        return request

    # -- callbacks of Scrapy

    def spider_opened(self, spider: Spider) -> None:
        """Not in `open`: Scrapy has not opened its scraper by then, and would fail to close it."""
        if self._refusal is not None:
            raise CloseSpider(self._refusal)

    def request_passed(self, request: Request) -> None:
        """It is queued by now, or dropped: either way its page need not wait for that any longer."""
        page = self.children.pop(request, None)
        if page is not None:
            page.let_go()

    def item_left(self, item: Any, response: Response | None, spider: Spider) -> None:
        """The pipelines are done with it."""
        page = page_of(response)
        if page is not None:
            page.let_go()

    def item_failed(self, item: Any, response: Response | None, spider: Spider) -> None:
        page = page_of(response)
        if page is not None:
            page.is_whole = False
            page.let_go()

    def response_received(self, response: Response, request: Request, spider: Spider) -> None:
        page = request.meta.get(PAGE)
        if page is not None and self._crawl is not None:
            self._answers.received(page, response)

    def failed(self, request: Request, error: BaseException) -> None:
        """Scrapy gave a request up."""
        page = request.meta.get(PAGE)
        if page is not None and self._crawl is not None:
            self._answers.failed(page, request.url, error)

    # -- the register

    async def _open(self, spider: Spider) -> None:
        flags, settings = self._flags, self._crawler.settings
        self._is_refresh = getattr(spider, "surveyor_work", None) == "refresh"
        work = Work.REFRESH if self._is_refresh else Work.CRAWL
        if work is Work.REFRESH and not flags.refresh_mode:
            message = f"ENABLE_REFRESH_MODE is off, and the spider “{spider.name}” refreshes"
            self._refuse("refresh_mode_off", message)
            return
        origin = origin_of(spider.name, settings)
        kind = WorkerKind.CLAIMING if flags.claim_protocol else WorkerKind.PASSIVE
        try:
            # Not names that other people's spiders use: `max_pages` is often of a listing.
            most = getattr(spider, "surveyor_max_pages", None) if flags.per_domain_budget else None
            seeds = spider.surveyor_start_domains() if hasattr(spider, "surveyor_start_domains") else ()
            options = RunOptions(max_pages=most)
        except (SurveyorError, OSError) as error:
            self._refuse("bad_arguments", str(error))
            return
        try:
            session = await Session.open(settings, origin, kind, options, work, seeds)
        except (SurveyorError, OSError) as error:
            if flags.claim_protocol or isinstance(error, Refused):
                self._refuse("surveyor_refused", str(error))
            else:
                log.error("the register is left out of this run, requests wait in memory: %s", error)
            return
        rules = session.workspace.name_rules
        self._read = url_reader(rules)
        task = Task(flags, origin, options, work, needs_of(self._crawler))
        crawl = await Crawl.open(session, task, self._poke)
        self._answers = answers.Answers(crawl, rules, keep_pages=self._keep_pages)
        self._crawl = crawl

    def _refuse(self, reason: str, message: str) -> None:
        log.error("not started: %s", message)
        self._refusal = reason

    async def _close(self, reason: str) -> None:
        crawl, self._crawl = self._crawl, None
        if crawl is None:
            return
        try:
            await crawl.close()
            await crawl.session.close(reason)
        except (SurveyorError, OSError) as error:
            log.error("not everything was released; the leases expire: %s", error)

    def _poke(self) -> None:
        """There may be requests now. Without this Scrapy would look again after five seconds."""
        slot = getattr(self._crawler.engine, "_slot", None)
        if slot is not None:
            slot.nextcall.schedule()


def _must_be_made(request: Request) -> bool:
    """The spider wants it made in any case. Start URLs have that by default, and mean: unless it goes on."""
    return request.dont_filter and not request.meta.get("is_start_request")


def _origin(url: PageUrl) -> str:
    return f"{url.scheme}://{url.host}"


def _rank(priority: int) -> int:
    if priority == 0:
        return RANK_NORMAL
    return RANK_FIRST if priority > 0 else RANK_LATER


def _note_link(parent: ScrapyPage | None, url: PageUrl) -> None:
    if parent is not None and parent.taken is not None:
        if parent.domain == url.domain:
            parent.links.append(url.target)
        else:
            parent.foreign.append(url.text)
