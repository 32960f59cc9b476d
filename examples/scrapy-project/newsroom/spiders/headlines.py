"""An ordinary spider that knows nothing of the register."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import scrapy
from scrapy.http import Response


class HeadlinesSpider(scrapy.Spider):
    name = "headlines"

    def __init__(self, start: str = "https://newsroom.example/", **known: Any) -> None:
        super().__init__(**known)
        self.start_urls = [start]

    def parse(self, response: Response) -> Iterator[Any]:
        yield {"url": response.url, "title": response.css("title::text").get()}
        yield from response.follow_all(css="a")
