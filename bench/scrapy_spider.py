"""Scrapy as its documentation sets up a crawl that can be resumed; run by `bench crawl` in .venv-bench.

What it does: robots.txt obeyed, one request at a time per host, requests and fingerprints in a folder
on disk (JOBDIR), links by CrawlSpider and LinkExtractor, off-site links dropped, one line of JSON per
page with URL, title and a hash of its content. What it does not: a transaction around any of that, a
log of fetches, a table of links, leases, per-domain budgets and counters, traps, charset by content.
"""

from __future__ import annotations

import hashlib
import json
import sys
from collections.abc import AsyncIterator, Iterator
from typing import Any

from scrapy import Request
from scrapy.crawler import CrawlerProcess
from scrapy.http import TextResponse
from scrapy.linkextractors import LinkExtractor
from scrapy.spiders import CrawlSpider, Rule


class PagesSpider(CrawlSpider):
    name = "pages"
    rules = (Rule(LinkExtractor(), callback="keep", follow=True),)

    async def start(self) -> AsyncIterator[Request]:
        """Through the filter of known requests, which Scrapy's own start goes past: a start page that the
        site links to would be fetched twice."""
        for url in self.start_urls:
            yield Request(url)

    def parse_start_url(self, response: TextResponse, **kwargs: Any) -> Iterator[dict[str, str | None]]:
        return self.keep(response)

    def keep(self, response: TextResponse) -> Iterator[dict[str, str | None]]:
        yield {
            "url": response.url,
            "title": response.css("title::text").get(),
            "hash": hashlib.sha256(response.body).hexdigest(),
        }


def crawl(spider: type[CrawlSpider], **more: Any) -> None:
    """Run it over the hosts that the command line names, with settings `more` than these."""
    run = json.loads(sys.argv[1])
    process = CrawlerProcess(
        {
            "JOBDIR": f"{run['folder']}/job",
            "FEEDS": {f"{run['folder']}/pages.jsonl": {"format": "jsonlines"}},
            "ROBOTSTXT_OBEY": True,
            "CONCURRENT_REQUESTS": len(run["hosts"]),
            "CONCURRENT_REQUESTS_PER_DOMAIN": 1,
            "DOWNLOAD_DELAY": 0,
            "COOKIES_ENABLED": False,
            "TELNETCONSOLE_ENABLED": False,
            "LOG_LEVEL": "WARNING",
            "IMAGES_STORE": f"{run['folder']}/images",
            **more,
        }
    )
    starts = [f"http://{host}:{run['port']}/" for host in run["hosts"]]
    process.crawl(spider, start_urls=starts, allowed_domains=run["hosts"])
    process.start()


if __name__ == "__main__":
    crawl(PagesSpider)
