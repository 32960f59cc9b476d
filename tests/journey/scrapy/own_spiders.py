"""Spiders as people have them, for the tests: rules, loaders, forms, keyword arguments, errbacks."""

from __future__ import annotations

from collections.abc import AsyncIterator, Iterator
from typing import Any

from itemloaders.processors import TakeFirst
from scrapy import Field, FormRequest, Item, Request, Spider
from scrapy.exceptions import CannotResolveHostError
from scrapy.http import Response, TextResponse
from scrapy.linkextractors import LinkExtractor
from scrapy.loader import ItemLoader
from scrapy.spiders import CrawlSpider, Rule


class Grant(Item):  # type: ignore[misc]
    title = Field(output_processor=TakeFirst())
    deadline = Field(output_processor=TakeFirst())
    image_urls = Field()
    images = Field()


class GrantsSpider(CrawlSpider):
    """Rules; what they ask for goes through `meta` and keyword arguments."""

    name = "grants"
    rules = (
        Rule(LinkExtractor(), callback="grant", follow=True, process_request="marked", errback="failed"),
    )

    def __init__(self, start: str, **known: Any) -> None:
        super().__init__(**known)
        self.start_urls = [start]

    def marked(self, request: Request, response: Response) -> Request:
        plain = request.url.replace("https://", "http://", 1)
        return request.replace(url=plain, cb_kwargs={"section": "grants"}, priority=len(plain) % 3)

    def grant(self, response: TextResponse, section: str) -> Iterator[Item]:
        assert section == "grants"
        loader = ItemLoader(item=Grant(), response=response)
        loader.add_css("title", "h1::text")
        loader.add_value("deadline", "soon" if "page6" in response.url else "2026-06-30")
        made = loader.load_item()
        made["image_urls"] = [response.urljoin(url) for url in response.css("img::attr(src)").getall()]
        yield made

    def failed(self, failure: Any) -> None:
        self.logger.info("errback: %s", failure.value)


class FormSpider(Spider):
    """A form, a page asked for twice, an object in `meta`, a lambda; starts without `dont_filter`."""

    name = "forms"
    max_pages = "5 of each listing"  # names that the register must not take for its own
    start_domains = ("partners",)

    def __init__(self, start: str, **known: Any) -> None:
        super().__init__(**known)
        self._start = start

    async def start(self) -> AsyncIterator[Request]:
        yield Request(self._start, self.first, cb_kwargs={"number": 1})

    def first(self, response: TextResponse, number: int) -> Iterator[Request]:
        every = {"handle_httpstatus_all": True}
        yield FormRequest(response.urljoin("/search"), formdata={"q": "a"}, callback=self.found, meta=every)
        yield Request(response.url, self.found, dont_filter=True)
        carried = {"of": "a form", "number": number, "item": Grant(title="x"), **every}
        yield Request(response.urljoin("/with-an-object"), self.carried, meta=carried)
        yield Request(response.urljoin("/lambda"), callback=lambda response: None)

    def found(self, response: TextResponse) -> Iterator[dict[str, Any]]:
        yield {"found": response.url, "method": response.request.method if response.request else ""}

    def carried(self, response: TextResponse) -> Iterator[dict[str, Any]]:
        yield {"found": response.url, "method": response.meta["item"]["title"]}


class NoResolver:
    """A machine whose resolver can ask nobody."""

    def process_request(self, request: Request) -> None:
        raise CannotResolveHostError("address not found: [Errno -3] Temporary failure in name resolution")
