"""What a crawl did, counted per domain until it is written; pure."""

from __future__ import annotations

from dataclasses import dataclass, field

from surveyor.crawl.failures import Failures, of_status
from surveyor.registry.cooldowns import Obstacle


@dataclass
class DomainTally:
    """Counts since the last report, and the errors in a row, which go on."""

    failures: Failures
    counts: dict[str, int] = field(default_factory=dict)
    depth: int = 0
    pages: int = 0  # of the whole run
    obstacle: Obstacle | None = None
    is_new: bool = True  # never reported

    def add(self, counter: str, number: int = 1) -> None:
        if number:
            self.counts[counter] = self.counts.get(counter, 0) + number

    @property
    def has_news(self) -> bool:
        return self.is_new or bool(self.counts)

    def take(self) -> dict[str, int]:
        """The counts, to be written; what comes from now on counts anew."""
        taken, self.counts, self.is_new = self.counts, {}, False
        return taken

    def put_back(self, counts: dict[str, int]) -> None:
        """They could not be written: they count with the next."""
        for name, number in counts.items():
            self.add(name, number)


class Tally:
    """All domains of one crawl."""

    def __init__(self, error_limit: int) -> None:
        self._limit = error_limit
        self.domains: dict[str, DomainTally] = {}
        self.pages = 0  # since the last report

    def of(self, domain: str) -> DomainTally:
        found = self.domains.get(domain)
        if found is None:
            found = self.domains[domain] = DomainTally(Failures(self._limit, 0))
        return found

    def queued(self, domain: str) -> None:
        self.of(domain).add("pages_discovered")

    def answered(self, domain: str, status: int, depth: int, size: int, images: int) -> None:
        one = self.of(domain)
        one.add("bytes_fetched", size)
        obstacle = of_status(status)
        if obstacle is not None:
            self._failed(one, obstacle)
            return
        one.failures.success()
        one.obstacle = None
        one.depth = max(one.depth, depth)
        one.pages += 1
        self.pages += 1
        one.add("pages_crawled")
        one.add("images_found", images)

    def failed(self, domain: str, obstacle: Obstacle) -> None:
        self._failed(self.of(domain), obstacle)

    def stored_images(self, domain: str, number: int) -> None:
        self.of(domain).add("images_stored", number)

    def _failed(self, one: DomainTally, obstacle: Obstacle) -> None:
        one.failures.add(obstacle)
        one.add("total_error_count")
        one.obstacle = one.failures.verdict()

    def news(self) -> list[tuple[str, DomainTally]]:
        """What may be written while the crawl goes on; an obstacle is reported once, at the end."""
        return [(name, one) for name, one in self.domains.items() if one.has_news and one.obstacle is None]

    def all(self) -> list[tuple[str, DomainTally]]:
        """What is written at the end."""
        return [(name, one) for name, one in self.domains.items() if one.has_news or one.pages]
