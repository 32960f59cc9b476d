"""`scrapy crawl discovery -a seeds=FILE -a max_pages=N`: every seed's site, page by page, within its host."""

from __future__ import annotations

from collections.abc import AsyncIterator, Iterator
from typing import Any
from urllib.parse import urlsplit

from scrapy import Request, Spider
from scrapy.exceptions import CloseSpider
from scrapy.http import Response, TextResponse
from scrapy.linkextractors import LinkExtractor

from surveyor.contrib.scrapy.seeds import read_seeds
from surveyor.errors import SurveyorError


class DiscoverySpider(Spider):
    """Reads seeds from a file of any kind that `ingest-seeds` reads, or from a Redis sorted set."""

    name = "discovery"

    def __init__(self, seeds: str | None = None, max_pages: str | None = None, **known: Any) -> None:
        super().__init__(**known)
        self._seeds = seeds
        self._max_pages = int(max_pages) if max_pages else None
        self._pages = 0
        self._links = LinkExtractor()

    async def start(self) -> AsyncIterator[Request]:
        if self._seeds is None:
            raise CloseSpider("name a list: -a seeds=FILE or -a seeds=redis://host:port/db")
        try:
            urls = read_seeds(self._seeds)
        except SurveyorError as error:
            self.logger.error("%s", error)
            raise CloseSpider("bad_seeds") from None
        for url in urls:
            yield Request(url)

    def parse(self, response: Response) -> Iterator[Request]:
        self._pages += 1
        if self._max_pages is not None and self._pages > self._max_pages:
            raise CloseSpider("max_pages")
        if not isinstance(response, TextResponse):
            return
        host = urlsplit(response.url).netloc
        for link in self._links.extract_links(response):
            if urlsplit(link.url).netloc == host:
                yield Request(link.url)
