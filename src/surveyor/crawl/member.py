"""One visit's side of the group commit: what is to be written, and what was committed and not picked up.

The committer knows nothing else of a visit, and never calls it: it takes the outbox, and leaves a delivery
with what was committed and the URLs that were handed out. The visit picks it up when it needs a URL.
"""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import NamedTuple

from surveyor.backoff import Alarm
from surveyor.crawl.images.outbox import ImageBox
from surveyor.crawl.results import START, PageResult
from surveyor.frontier.changes import GivenBack, NewUrl, Taken
from surveyor.frontier.revisits import Habits
from surveyor.net.robots import RobotsRow


@dataclass(slots=True)
class Outbox:
    """What a visit wants written, collected until the next group commit."""

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
        return not (pages or self.robots or self.named or self.images)

    @property
    def found_more(self) -> bool:
        """Whether there is more to take once it is committed."""
        return bool(self.added or self.given_back)

    @property
    def has_begun(self) -> bool:
        """Whether something of the domain was fetched."""
        return bool(self.pages) or any(image.was_fetched for image in self.images.results)

    @property
    def pages(self) -> int:
        """Pages that were answered."""
        return sum(result.was_answered and not result.kind.is_list for result in self.results)

    @property
    def first_visits(self) -> tuple[int, int]:
        """Of URLs that were never had before: pages that were answered, and what is no page to be crawled.

        Of the others, pages that failed, it stays true that they were discovered and not crawled.
        """
        first = [result for result in self.results if result.past is None]
        crawled = sum(result.was_answered and not result.kind.is_list for result in first)
        # A start page that robots.txt forbids is asked about again some day, and so counts as discovered.
        no_page = sum(
            result.kind.is_list or (not result.was_fetched and result.target != START) for result in first
        )
        return crawled, no_page


class Delivery(NamedTuple):
    """An outbox that is committed now."""

    box: Outbox
    taken: Sequence[Taken]  # URLs for what it wanted
    granted: int  # pages that the run had left for it


@dataclass(eq=False)
class Member:
    """One domain under one epoch, in the groups of its worker."""

    no: int
    epoch: int
    habits: Habits  # asked for only where there is a schedule
    is_pending: bool = field(kw_only=True)  # until its first page is stored, not just fetched
    is_lost: bool = False
    is_waiting: bool = False  # for the commit, with nothing else to do
    is_under_way: bool = False  # an outbox was taken, and its answer did not come yet
    outbox: Outbox = field(default_factory=Outbox)
    is_to_end: Alarm = field(default_factory=Alarm)
    delivered: asyncio.Event = field(default_factory=asyncio.Event)
    _deliveries: list[Delivery] = field(default_factory=list)

    @property
    def is_asking(self) -> bool:
        """For URLs."""
        return bool(self.outbox.want or self.outbox.images.want)

    def take_outbox(self) -> Outbox | None:
        if self.outbox.is_empty:
            return None
        box, self.outbox = self.outbox, Outbox()
        self.is_under_way = True
        return box

    def deliver(self, delivery: Delivery) -> None:
        self.is_pending = self.is_pending and not delivery.box.has_begun
        self.is_under_way = False
        self._deliveries.append(delivery)
        self.delivered.set()

    def lose(self) -> None:
        """The lease is gone, or nobody can say: nothing more is asked for or written."""
        self.is_lost = True
        self.is_to_end.set()
        self.delivered.set()

    def receive(self) -> list[Delivery]:
        """What was committed since the last time."""
        found, self._deliveries = self._deliveries, []
        if not self.is_lost:
            self.delivered.clear()
        return found
