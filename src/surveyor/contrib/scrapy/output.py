"""Sees what a spider yields for a page, so that the page is not over before that is safe."""

from __future__ import annotations

from collections.abc import AsyncIterator
from typing import Any, Self

from scrapy import Request
from scrapy.crawler import Crawler
from scrapy.exceptions import CloseSpider
from scrapy.http import Response

from surveyor.contrib.scrapy.pages import Page
from surveyor.contrib.scrapy.requests import PAGE
from surveyor.contrib.scrapy.scheduler import scheduler_of


class PageOutput:
    """A spider middleware next to the engine: what passes here is final."""

    def __init__(self, crawler: Crawler) -> None:
        self._crawler = crawler

    @classmethod
    def from_crawler(cls, crawler: Crawler) -> Self:
        return cls(crawler)

    async def process_spider_output(
        self, response: Response, result: AsyncIterator[Any]
    ) -> AsyncIterator[Any]:
        page, scheduler = _page_of(response), scheduler_of(self._crawler)
        async for each in result:
            if page is not None and scheduler is not None and each is not None:
                page.hold()
                if isinstance(each, Request):
                    each.meta.pop(PAGE, None)  # spiders like to pass `response.meta` on
                    scheduler.children[each] = page
                else:
                    scheduler.items[id(each)] = (each, page)
            yield each
        if page is not None:
            page.callback_ended()

    def process_spider_exception(self, response: Response, exception: Exception) -> None:
        """The callback failed, or an error page was filtered before it."""
        page = _page_of(response)
        if page is not None and isinstance(exception, CloseSpider):
            page.abort()
        elif page is not None:
            page.is_whole = False
            page.callback_ended()


def _page_of(response: Response) -> Page | None:
    request = response.request
    found: Page | None = request.meta.get(PAGE) if request is not None else None
    return found
