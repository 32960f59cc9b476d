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
from surveyor.errors import BadSettings, SurveyorError
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
        self._seeds, self._max_pages = seeds, max_pages or None
        self._pages = 0
        self._links = LinkExtractor()
        self._urls: list[str] | None = None

    @property
    def surveyor_max_pages(self) -> int | None:
        """Pages of the whole run."""
        if self._max_pages is None:
            return None
        if not (self._max_pages.isascii() and self._max_pages.isdigit()):
            raise BadSettings(f"max_pages is “{self._max_pages[:40]}”; write a number: -a max_pages=100")
        return int(self._max_pages)

    def surveyor_start_domains(self) -> list[str]:
        """What a budget of the whole run is shared out among."""
        if self._seeds is None and not Flags.read(self.settings).smart_scheduling:
            raise BadSettings("name a list: -a seeds=FILE or -a seeds=redis://host:port/db")
        return domains_of(self._read()) if self._seeds else []

    async def start(self) -> AsyncIterator[Request]:
        try:
            self.surveyor_start_domains()
            urls = self._read()
        except (SurveyorError, OSError) as error:
            self.logger.error("%s", error)
            raise CloseSpider("bad_arguments") from None
        for url in urls:
            yield Request(url)

    def parse(self, response: Response) -> Iterator[Request | dict[str, Any]]:
        self._pages += 1
        most = self.surveyor_max_pages
        if most is not None and self._pages > most:
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
