"""Scrapy with its images pipeline, as its documentation sets it up; run by `bench images` in .venv-bench.

JOBDIR keeps requests on disk, the pipeline stores each picture once under a hash of its URL, decoded and
encoded again as JPEG, and one line of JSON per page names its pictures. No transaction, no fsync, no
perceptual hash, no identity by content, no provenance beyond that line.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from scrapy.http import TextResponse
from scrapy.linkextractors import LinkExtractor
from scrapy.spiders import CrawlSpider, Rule

from bench.scrapy_spider import crawl


class PicturesSpider(CrawlSpider):
    name = "pictures"
    rules = (Rule(LinkExtractor(), callback="keep", follow=True),)

    def parse_start_url(self, response: TextResponse, **kwargs: Any) -> Iterator[dict[str, Any]]:
        return self.keep(response)

    def keep(self, response: TextResponse) -> Iterator[dict[str, Any]]:
        urls = [response.urljoin(source) for source in response.css("img::attr(src)").getall()]
        yield {"url": response.url, "image_urls": urls}


if __name__ == "__main__":
    crawl(PicturesSpider, ITEM_PIPELINES={"scrapy.pipelines.images.ImagesPipeline": 1})
