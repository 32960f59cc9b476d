"""Which page an item comes from: pipelines are given the item alone.

`PageOutput` notes the page of each item on its way out of the spider, and `ItemPages`, the first of the
pipelines, makes it known to those behind it. They run one after the other in one task, so a context variable
is enough, whatever another pipeline makes of the item.
"""

from __future__ import annotations

from contextvars import ContextVar
from typing import Any, Self

from scrapy.crawler import Crawler

from surveyor.contrib.scrapy.pages import ScrapyPage
from surveyor.contrib.scrapy.scheduler import scheduler_of

_page: ContextVar[ScrapyPage | None] = ContextVar("surveyor_item_page", default=None)


def page_of_item() -> ScrapyPage | None:
    """The page in the register that the present item was found by; for use in a pipeline.

    What a form or a request with `dont_filter` brings is no page there: then it is the page that led to it.
    """
    page = _page.get()
    while page is not None and page.taken is None:
        page = page.parent
    return page


class ItemPages:
    """An item pipeline that changes nothing."""

    def __init__(self, crawler: Crawler) -> None:
        self._crawler = crawler

    @classmethod
    def from_crawler(cls, crawler: Crawler) -> Self:
        return cls(crawler)

    def process_item(self, item: Any) -> Any:
        scheduler = scheduler_of(self._crawler)
        _page.set(scheduler.items.pop(id(item), (None, None))[1] if scheduler is not None else None)
        return item
