"""Sees what a spider yields for a page, so that the page is not over before that is safe."""

from __future__ import annotations

from collections.abc import AsyncIterator, Iterable, Iterator
from typing import Any, Self

from scrapy import Request
from scrapy.crawler import Crawler
from scrapy.exceptions import CloseSpider
from scrapy.http import Response

from surveyor.contrib.scrapy.pages import ScrapyPage, page_of
from surveyor.contrib.scrapy.requests import PAGE
from surveyor.contrib.scrapy.scheduler import scheduler_of


class PageOutput:
    """A spider middleware next to the engine: what passes here is final."""

    def __init__(self, crawler: Crawler) -> None:
        self._crawler = crawler

    @classmethod
    def from_crawler(cls, crawler: Crawler) -> Self:
        return cls(crawler)

    def process_spider_output(self, response: Response, result: Iterable[Any]) -> Iterator[Any]:
        page = page_of(response)
        for each in result:
            self._hold(page, each)
            yield each
        if page is not None:
            page.callback_ended()

    async def process_spider_output_async(
        self, response: Response, result: AsyncIterator[Any]
    ) -> AsyncIterator[Any]:
        page = page_of(response)
        async for each in result:
            self._hold(page, each)
            yield each
        if page is not None:
            page.callback_ended()

    def _hold(self, page: ScrapyPage | None, each: Any) -> None:
        scheduler = scheduler_of(self._crawler)
        if page is None or scheduler is None or each is None:
            return
        if not isinstance(each, Request):
            page.hold()
            scheduler.items[id(each)] = (each, page)
        elif each not in scheduler.children:  # the same object yielded twice
            page.hold()
            each.meta.pop(PAGE, None)  # spiders like to pass `response.meta` on
            scheduler.children[each] = page

    def process_spider_exception(self, response: Response, exception: Exception) -> None:
        """The callback failed, or an error page was filtered before it."""
        page = page_of(response)
        if page is not None and isinstance(exception, CloseSpider):
            page.abort()
        elif page is not None:
            page.is_whole = False
            page.callback_ended()
