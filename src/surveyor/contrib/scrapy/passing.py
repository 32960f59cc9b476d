"""Requests on their way from the spider into the queue.

Scrapy's signals `request_scheduled` and `request_dropped` say the same, but both are sent for every link that
was met before, which are most links of a site: listening to them was a fifth of a crawl's CPU. So the two
methods that all requests pass are wrapped, of whichever engine and scheduler the project has.
"""

from __future__ import annotations

from collections.abc import Callable

from scrapy import Request
from scrapy.crawler import Crawler


def watch_queue(crawler: Crawler, note: Callable[[Request], None]) -> None:
    """Call `note` with each request that the scheduler takes from now on; the spider has to be open."""
    scheduler = crawler.engine._slot.scheduler  # type: ignore[union-attr]
    enqueue = scheduler.enqueue_request

    def enqueue_and_note(request: Request) -> bool:
        is_queued = enqueue(request)
        if is_queued:
            note(request)
        return is_queued

    scheduler.enqueue_request = enqueue_and_note  # type: ignore[method-assign]


def watch_requests(crawler: Crawler, note: Callable[[Request], None]) -> None:
    """Call `note` with each request that was queued, or dropped by a middleware that may do so."""
    engine = crawler.engine
    assert engine is not None
    crawl = engine.crawl

    def crawl_and_note(request: Request) -> None:
        try:
            crawl(request)
        finally:
            note(request)

    engine.crawl = crawl_and_note  # type: ignore[method-assign]
