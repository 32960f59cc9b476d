"""What a visit has to say to the database, collected until the next group commit."""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import datetime

from surveyor.crawl.images.outbox import ImageBox
from surveyor.crawl.results import START, PageResult
from surveyor.frontier.changes import GivenBack, NewUrl
from surveyor.net.robots import RobotsRow


@dataclass(slots=True)
class Outbox:
    results: list[PageResult] = field(default_factory=list)
    added: list[NewUrl] = field(default_factory=list)
    given_back: list[GivenBack] = field(default_factory=list)
    robots: list[RobotsRow] = field(default_factory=list)
    named: list[tuple[int, datetime]] = field(default_factory=list)  # keys that a sitemap says changed, when
    images: ImageBox = field(default_factory=ImageBox)
    want: int = 0  # URLs to take next
    unused: int = 0  # pages that were charged and not fetched
    errors: int = 0
    extra_bytes: int = 0  # of images, and of requests that leave no result, such as probes
    seconds: float = 0.0

    @property
    def is_empty(self) -> bool:
        pages = self.results or self.added or self.given_back or self.want or self.unused
        return not (pages or self.robots or self.named) and self.images.is_empty

    @property
    def has_begun(self) -> bool:
        """Whether something of the domain was fetched."""
        return bool(self.pages) or any(image.was_fetched for image in self.images.results)

    @property
    def pages(self) -> int:
        """Pages that were answered."""
        return sum(result.was_answered and result.is_page for result in self.results)

    @property
    def first_visits(self) -> tuple[int, int]:
        """Of URLs that were never had before: pages that were answered, and what is no page to be crawled.

        Of the others, pages that failed, it stays true that they were discovered and not crawled.
        """
        first = [result for result in self.results if result.past is None]
        crawled = sum(result.was_answered and result.is_page for result in first)
        # A start page that robots.txt forbids is asked about again some day, and so counts as discovered.
        no_page = sum(
            not result.is_page or (not result.was_fetched and result.target != START) for result in first
        )
        return crawled, no_page
