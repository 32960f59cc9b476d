"""`scrapy crawl refresh -a max_pages=N`: pages that are due, of domains that were crawled to their end."""

from __future__ import annotations

from collections.abc import AsyncIterator
from typing import Any

from scrapy import Request

from surveyor.contrib.scrapy.spiders.discovery import DiscoverySpider


class RefreshSpider(DiscoverySpider):
    """The register says which domains and pages; they are asked for with conditions, and new links followed.

    Needs ENABLE_REFRESH_MODE.
    """

    name = "refresh"
    surveyor_work = "refresh"  # what the scheduler takes domains for

    def __init__(self, max_pages: str | None = None, **known: Any) -> None:
        super().__init__(max_pages=max_pages, **known)

    def surveyor_start_domains(self) -> list[str]:
        return []

    async def start(self) -> AsyncIterator[Request]:
        """There are no seeds."""
        none: tuple[Request, ...] = ()
        for request in none:
            yield request
