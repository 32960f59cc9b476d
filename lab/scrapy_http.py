"""The spider `discovery` on a site that is served without TLS: its links say https here and there."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from scrapy import Request
from scrapy.http import Response

from surveyor.contrib.scrapy.spiders.discovery import DiscoverySpider


class HttpSpider(DiscoverySpider):
    name = "discovery_http"

    def parse(self, response: Response) -> Iterator[Request | dict[str, Any]]:
        for each in super().parse(response):
            if isinstance(each, Request):
                each = each.replace(url=each.url.replace("https://", "http://", 1))
            yield each
