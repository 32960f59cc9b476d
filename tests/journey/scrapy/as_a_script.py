"""A program as people have them beside `scrapy crawl`: `CrawlerProcess`, a cache of answers, a feed.

Called with the start of a site and a folder for cache and feed.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Self

from scrapy import Request, Spider, signals
from scrapy.crawler import Crawler, CrawlerProcess
from scrapy.exceptions import IgnoreRequest
from scrapy.http import TextResponse
from scrapy.spiders import SitemapSpider


class ListedSpider(SitemapSpider):
    """What robots.txt names as sitemaps, their children, and the pages in these."""

    name = "listed"
    sitemap_rules = (("/listed", "listed"),)

    def listed(self, response: TextResponse) -> Iterator[dict[str, Any]]:
        yield {"url": response.url, "title": response.css("h1::text").get()}


class Refuses:
    """An extension that keeps a request from the queue, as Scrapy allows any listener to."""

    @classmethod
    def from_crawler(cls, crawler: Crawler) -> Self:
        made = cls()
        crawler.signals.connect(made.request_scheduled, signals.request_scheduled)
        return made

    def request_scheduled(self, request: Request, spider: Spider) -> None:
        if request.url.endswith("/listed/0/1"):
            raise IgnoreRequest


def main(start: str, folder: Path) -> None:
    process = CrawlerProcess(
        {
            "ADDONS": {"surveyor.contrib.scrapy.Addon": 500},
            "EXTENSIONS": {Refuses: 100},
            "ROBOTSTXT_OBEY": True,
            "HTTPCACHE_ENABLED": True,
            "HTTPCACHE_DIR": str(folder / "cache"),
            "FEEDS": {folder / "pages.jsonl": {"format": "jsonlines", "overwrite": True}},
            "LOG_LEVEL": "INFO",
        }
    )
    process.crawl(ListedSpider, sitemap_urls=[f"{start}/robots.txt"])
    process.start()


if __name__ == "__main__":
    main(sys.argv[1], Path(sys.argv[2]))
