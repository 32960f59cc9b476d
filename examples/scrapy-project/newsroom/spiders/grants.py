"""Grants with their deadlines and pictures; two settings make records and stored images of them."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any
from urllib.parse import urlsplit

import scrapy
from scrapy.http import TextResponse


class Grant(scrapy.Item):  # type: ignore[misc]
    title = scrapy.Field()
    deadline = scrapy.Field()
    image_urls = scrapy.Field()
    images = scrapy.Field()


class GrantsSpider(scrapy.Spider):
    name = "grants"
    custom_settings = {  # noqa: RUF012 - as Scrapy declares it
        "ITEM_PIPELINES": {
            "surveyor.contrib.scrapy.ImagePipeline": 300,
            "surveyor.contrib.scrapy.RecordPipeline": 800,
        },
        "SURVEYOR_RECORDS": {"Grant": {"kind": "funding_program", "fields": {"name": "title"}}},
    }

    def __init__(self, start: str = "https://newsroom.example/", **known: Any) -> None:
        super().__init__(**known)
        self.start_urls, self.allowed_domains = [start], [urlsplit(start).hostname]

    def parse(self, response: TextResponse) -> Iterator[Any]:
        title, deadline = response.css("h1::text").get(), response.css("time::attr(datetime)").get()
        if title and deadline:
            pictures = [response.urljoin(url) for url in response.css("img::attr(src)").getall()]
            yield Grant(title=title, deadline=deadline, image_urls=pictures)
        yield from response.follow_all(css="a")
