"""`scrapy crawl discovery -a seeds=FILE -a max_pages=N`: every seed's site, page by page, within its host."""

from __future__ import annotations

from collections.abc import AsyncIterator, Iterator
from typing import Any
from urllib.parse import urlsplit

from scrapy import Request, Spider
from scrapy.exceptions import CloseSpider
from scrapy.http import Response, TextResponse
from scrapy.linkextractors import LinkExtractor
from selectolax.lexbor import LexborHTMLParser

from surveyor.contrib.scrapy.flags import Flags
from surveyor.contrib.scrapy.scheduler import needs_of
from surveyor.contrib.scrapy.seeds import domains_of, read_seeds
from surveyor.crawl.images.refs import images_of
from surveyor.errors import SurveyorError
from surveyor.names import NameRules


class DiscoverySpider(Spider):
    """Reads seeds from a file of any kind that `ingest-seeds` reads, or from a Redis sorted set.

    Without seeds it crawls what is due in the register, which then decides (ENABLE_SMART_SCHEDULING).
    """

    name = "discovery"
    # Its only items are the images of a page, for `ImagePipeline`: the rest is for Surveyor to read.
    custom_settings = {"SURVEYOR_KEEP_PAGES": True}  # noqa: RUF012 - as Scrapy declares it

    def __init__(self, seeds: str | None = None, max_pages: str | None = None, **known: Any) -> None:
        super().__init__(**known)
        self._seeds = seeds
        self.max_pages = int(max_pages) if max_pages else None
        self._pages = 0
        self._links = LinkExtractor()
        self._urls: list[str] | None = None

    def start_domains(self) -> list[str]:
        """What a budget of the whole run is shared out among."""
        return domains_of(self._read()) if self._seeds else []

    async def start(self) -> AsyncIterator[Request]:
        if self._seeds is None and not Flags.read(self.settings).smart_scheduling:
            raise CloseSpider("name a list: -a seeds=FILE or -a seeds=redis://host:port/db")
        try:
            urls = self._read()
        except SurveyorError as error:
            self.logger.error("%s", error)
            raise CloseSpider("bad_seeds") from None
        for url in urls:
            yield Request(url)

    def parse(self, response: Response) -> Iterator[Request | dict[str, Any]]:
        self._pages += 1
        if self.max_pages is not None and self._pages > self.max_pages:
            raise CloseSpider("max_pages")
        if not isinstance(response, TextResponse):
            return
        if "images" in needs_of(self.crawler):
            yield {"url": response.url, "image_urls": _images(response)}
        host = urlsplit(response.url).netloc
        for link in self._links.extract_links(response):
            if urlsplit(link.url).netloc == host:
                yield Request(link.url)

    def _read(self) -> list[str]:
        if self._urls is None:
            self._urls = read_seeds(self._seeds) if self._seeds else []
        return self._urls


def _images(response: TextResponse) -> list[str]:
    found = images_of(LexborHTMLParser(response.text), response.url, NameRules(allow_hosts=True))
    return [image.url for image in found]
