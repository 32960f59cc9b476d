"""Scrapy with its images pipeline, as its documentation sets it up; run by `bench images` in .venv-bench.

JOBDIR keeps requests on disk, the pipeline stores each picture once under a hash of its URL, decoded and
encoded again as JPEG, and one line of JSON per page names its pictures. No transaction, no fsync, no
perceptual hash, no identity by content, no provenance beyond that line.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator
from typing import Any

from scrapy.crawler import CrawlerProcess
from scrapy.http import TextResponse
from scrapy.linkextractors import LinkExtractor
from scrapy.spiders import CrawlSpider, Rule


class PicturesSpider(CrawlSpider):
    name = "pictures"
    rules = (Rule(LinkExtractor(), callback="keep", follow=True),)

    def parse_start_url(self, response: TextResponse, **kwargs: Any) -> Iterator[dict[str, Any]]:
        return self.keep(response)

    def keep(self, response: TextResponse) -> Iterator[dict[str, Any]]:
        urls = [response.urljoin(source) for source in response.css("img::attr(src)").getall()]
        yield {"url": response.url, "image_urls": urls}


def main() -> None:
    told = json.loads(sys.argv[1])
    process = CrawlerProcess(
        {
            "JOBDIR": f"{told['folder']}/job",
            "FEEDS": {f"{told['folder']}/pages.jsonl": {"format": "jsonlines"}},
            "ITEM_PIPELINES": {"scrapy.pipelines.images.ImagesPipeline": 1},
            "IMAGES_STORE": f"{told['folder']}/images",
            "ROBOTSTXT_OBEY": True,
            "CONCURRENT_REQUESTS": len(told["hosts"]),
            "CONCURRENT_REQUESTS_PER_DOMAIN": 1,
            "DOWNLOAD_DELAY": 0,
            "COOKIES_ENABLED": False,
            "TELNETCONSOLE_ENABLED": False,
            "LOG_LEVEL": "WARNING",
        }
    )
    starts = [f"http://{host}:{told['port']}/" for host in told["hosts"]]
    process.crawl(PicturesSpider, start_urls=starts, allowed_domains=told["hosts"])
    process.start()


if __name__ == "__main__":
    main()
