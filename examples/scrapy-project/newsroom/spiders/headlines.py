"""An ordinary spider that knows nothing of the register."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any
from urllib.parse import urlsplit

import scrapy
from scrapy.http import Response


class HeadlinesSpider(scrapy.Spider):
    name = "headlines"

    def __init__(self, start: str = "https://newsroom.example/", **known: Any) -> None:
        super().__init__(**known)
        self.start_urls, self.allowed_domains = [start], [urlsplit(start).hostname]

    def parse(self, response: Response) -> Iterator[Any]:
        yield {"url": response.url, "title": response.css("title::text").get()}
        yield from response.follow_all(css="a")
