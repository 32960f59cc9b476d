"""Requests of a log joined per canonical domain; pure.

One small value per domain, however long the log is. Twins (`www.`, case, ports, international
spelling) become one domain, and what names none is counted with its reason.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime

from surveyor.crawl.failures import of_status
from surveyor.errors import NotADomain
from surveyor.names import NameRules, canonical_domain
from surveyor.registry.cooldowns import Obstacle

# Texts that are named in the report; the rest is counted.
NAMED_BAD = 10


@dataclass(frozen=True, slots=True)
class Requests:
    """Some rows of a log about one host: `answered` by status."""

    host: str  # a domain or a URL, as it is written
    rows: int
    errors: Mapping[int, int]  # status of 400 and above -> how many; 0 stands for no answer
    images: int = 0
    first: datetime | None = None
    last: datetime | None = None
    waiting: int = 0  # requests that were not made yet


@dataclass(slots=True)
class DomainTotals:
    rows: int = 0
    errors: int = 0
    images_found: int = 0
    images_stored: int = 0
    first: datetime | None = None
    last: datetime | None = None
    obstacles: Counter[Obstacle] = field(default_factory=Counter)

    @property
    def crawled(self) -> int:
        return self.rows - self.errors

    @property
    def is_blocked(self) -> bool:
        """More than half of its requests failed."""
        return self.errors * 2 > self.rows

    @property
    def obstacle(self) -> Obstacle:
        """The commonest kind of error; missing pages say nothing of the site."""
        return self.obstacles.most_common(1)[0][0] if self.obstacles else Obstacle.OLD_ERRORS

    def add(self, seen: Requests) -> None:
        self.rows += seen.rows
        self.images_found += seen.images
        for status, count in seen.errors.items():
            self.errors += count
            if (obstacle := of_status(status)) is not None:
                self.obstacles[obstacle] += count
        self.first = min(filter(None, (self.first, seen.first)), default=None)
        self.last = max(filter(None, (self.last, seen.last)), default=None)


@dataclass(eq=False)
class Totals:
    """All domains of a log."""

    _rules: NameRules
    domains: dict[str, DomainTotals] = field(default_factory=dict)
    spellings: int = 0  # hosts as they are written
    rows: int = 0
    without_name: int = 0  # rows that name no domain that could be held
    bad: Counter[str] = field(default_factory=Counter)
    _known: dict[str, str | None] = field(default_factory=dict)

    def add(self, seen: Requests) -> None:
        self.rows += seen.rows + seen.waiting
        name = self.name_of(seen.host)
        if name is None:
            self.without_name += seen.rows + seen.waiting
            return
        self.domains.setdefault(name, DomainTotals()).add(seen)

    def add_images(self, counts: Mapping[str, int]) -> int:
        """Stored images per canonical domain; returns how many belong to no domain of the log."""
        strange = 0
        for name, count in counts.items():
            if name in self.domains:
                self.domains[name].images_stored += count
            else:
                strange += count
        return strange

    def name_of(self, host: str) -> str | None:
        text = host.strip() if "://" not in host else host.strip().split("/", 3)[2]
        if text not in self._known:
            self._known[text] = self._canonical(text)
            self.spellings += 1
        return self._known[text]

    def _canonical(self, text: str) -> str | None:
        try:
            return canonical_domain(text, self._rules)
        except NotADomain as error:
            if len(self.bad) < NAMED_BAD:
                self.bad[f"{text[:60] or 'nothing'}: {error.reason}"] += 1
            return None
