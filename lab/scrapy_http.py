"""The spider `discovery` on a site that is served without TLS: its links say https here and there."""

from __future__ import annotations

from collections.abc import Iterator

from scrapy import Request
from scrapy.http import Response

from surveyor.contrib.scrapy.spiders.discovery import DiscoverySpider


class HttpSpider(DiscoverySpider):
    name = "discovery_http"

    def parse(self, response: Response) -> Iterator[Request]:
        for request in super().parse(response):
            yield request.replace(url=request.url.replace("https://", "http://", 1))
