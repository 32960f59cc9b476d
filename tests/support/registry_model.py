"""The register in a few lines: what a domain must be after anything anybody may do to it."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from surveyor.registry.leases import Lease
from surveyor.registry.store.release import Outcome

# The arrows once more, by hand: a mistake in the product's table must not become the model's.
REVIEW = {
    "pending_review": "approved rejected",
    "approved": "suspended pending_review",
    "suspended": "approved rejected pending_review",
    "rejected": "pending_review",
}
_ALWAYS = " blacklisted no_funds_this_year"
QUALITY = {
    "discovered": "processing" + _ALWAYS,
    "processing": "processed_high_quality processed_low_quality discovered processing_failed" + _ALWAYS,
    "processed_high_quality": "processing processed_low_quality" + _ALWAYS,
    "processed_low_quality": "processing processed_high_quality" + _ALWAYS,
    "processing_failed": "processing" + _ALWAYS,
    "no_funds_this_year": "processing" + _ALWAYS,
    "blacklisted": "discovered",
}
CRAWL = {
    "pending": "active unreachable",
    "active": "active exhausted blocked unreachable",
    "exhausted": "pending active",
    "blocked": "pending active",
    "unreachable": "pending active",
}
RESTS = ("blocked", "unreachable", "exhausted")
OBSTRUCTED = ("blocked", "unreachable")
REVIEW_EVENTS = {
    "approved": "DomainApproved",
    "rejected": "DomainRejected",
    "suspended": "DomainSuspended",
    "pending_review": "DomainBackInReview",
}
QUALITY_EVENTS = {"blacklisted": "DomainBlacklisted", "no_funds_this_year": "NoFundsThisYear"}
CRAWL_EVENTS = {
    "pending": "CrawlDueAgain",
    "active": "CrawlStarted",
    "exhausted": "DomainExhausted",
    "blocked": "DomainBlocked",
    "unreachable": "DomainUnreachable",
}

# What a person may edit, of the many columns.
EDITED = ("notes", "is_trusted", "max_crawl_depth", "scrape_frequency_hours")

Told = tuple[str, str | None, str | None, int | None]


@dataclass
class Model:
    """What we believe of one domain."""

    no: int
    review: str = "approved"
    quality: str = "discovered"
    crawl: str = "pending"
    version: int = 1
    epoch: int = 0
    holder: tuple[str, int] | None = None  # worker and epoch, also after the lease has ended
    live: bool = False
    due: str = "now"  # now, later, never
    blocks: int = 0
    visited: bool = False
    may_retry: bool = True
    no_funds_over: bool = True
    edits: dict[str, Any] = field(default_factory=lambda: dict.fromkeys(EDITED) | {"is_trusted": False})
    told: list[Told] = field(default_factory=list)

    @property
    def permitted(self) -> bool:
        return self.review == "approved" and self.quality != "blacklisted"

    @property
    def claimable(self) -> bool:
        return self.permitted and self.due == "now" and not self.live

    def decide(self, kind: str, source: str, target: str) -> None:
        self.version += 1
        self.told.append((kind, source, target, self.version))

    def withdraw(self) -> None:
        self.epoch += 1
        self.holder, self.live, self.due = None, False, "never"

    def allow(self) -> None:
        if self.crawl not in OBSTRUCTED or not self.visited:
            self.due = "now"
        else:
            self.due = "never" if self.blocks > 3 else "later"

    def reach(self, depth: int | None) -> None:
        """A greater depth ends the lease of whoever cuts by the old one, as if it had run out."""
        old = self.edits["max_crawl_depth"]
        if self.live and depth is not None and (old is None or depth > old):
            self.epoch += 1
            self.live, self.due = False, "now"

    def step(self, target: str) -> None:
        if target != self.crawl:
            self.told.append((CRAWL_EVENTS[target], self.crawl, target, None))
            self.crawl = target

    def set_pending_by_hand(self) -> None:
        """Without a holder that would give it back, the database makes it due."""
        if self.holder is None and self.permitted:
            self.due = "now"

    def holds(self, lease: Lease) -> bool:
        return self.live and self.holder == (lease.worker, lease.epoch)

    def too_early(self, target: str) -> bool:
        failed = self.quality == "processing_failed" and not self.may_retry
        no_funds = self.quality == "no_funds_this_year" and not self.no_funds_over
        return target == "processing" and (failed or no_funds)

    def judge(self, target: str, year: int) -> None:
        back = self.quality == "blacklisted"
        kind = "DomainUnblacklisted" if back else QUALITY_EVENTS.get(target, "QualityChanged")
        self.decide(kind, self.quality, target)
        self.quality = target
        if target == "no_funds_this_year":
            self.no_funds_over = year == 2020
        if target == "processing_failed":
            self.may_retry = False
        if target == "blacklisted":
            self.withdraw()
        elif back and self.review == "approved":
            self.allow()

    def reaches(self, target: str) -> bool:
        through_active = self.crawl == "pending" and target in ("exhausted", "blocked")
        return target == self.crawl or through_active or target in CRAWL[self.crawl].split()

    def give_back(self, outcome: Outcome, target: str) -> None:
        if self.crawl == "pending" and target in ("exhausted", "blocked"):
            self.step("active")
        self.step(target)
        self.holder, self.live = None, False
        self.visited = self.visited or outcome.tried
        if outcome.obstacle:
            self.due = "never" if self.blocks >= 3 else "later"
            self.blocks += 1
            return
        rests = "later" if outcome.next_visit_at else "never"
        self.due = rests if target == "exhausted" else "now"
        if target in ("active", "exhausted") and outcome.crawled:
            self.blocks = 0
