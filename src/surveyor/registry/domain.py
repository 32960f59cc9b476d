"""A domain as one value: what people decide and what workers found, read together."""

from __future__ import annotations

from datetime import datetime
from decimal import Decimal
from enum import StrEnum
from typing import Any, NamedTuple
from uuid import UUID

from surveyor.backoff import Backoff
from surveyor.registry import cooldowns, priority
from surveyor.registry.cooldowns import Obstacle
from surveyor.registry.lifecycle import CrawlStatus, QualityStatus, ReviewStatus


class Stage(StrEnum):
    """Where a domain is, in one word. Derived, never stored; the first that fits wins."""

    BLACKLISTED = "blacklisted"  # never again
    REJECTED = "rejected"  # a person said no
    SUSPENDED = "suspended"  # stopped by a person
    DISCOVERED = "discovered"  # waits to be judged
    LOW_CONFIDENCE = "low_confidence"  # judged, and not worth a reviewer's minute yet
    AWAITING_REVIEW = "awaiting_review"  # a person should decide
    CRAWLING = "crawling"  # a worker holds a live lease
    PENDING_CRAWL = "pending_crawl"  # approved, never crawled
    ACTIVE = "active"  # partly crawled
    CRAWLED = "crawled"  # crawled to its end
    BLOCKED = "blocked"  # the site does not want us
    UNREACHABLE = "unreachable"  # no connection


class SubmitterType(StrEnum):
    ADMIN = "admin"
    PUBLIC_USER = "public_user"
    SYSTEM = "system"


class Domain(NamedTuple):
    """The columns of `domains` and `domain_crawl`, and the database's time when they were read.

    A tuple: a crawl reads each of its domains twice, and a frozen dataclass sets its fields one by one.
    """

    # identity
    no: int
    id: UUID
    domain: str
    parent_domain: str
    start_url: str | None

    # where it was found
    source: str
    seed_rank: int | None
    first_seen_at: datetime
    first_session_id: UUID | None
    last_seen_at: datetime
    total_occurrences: int

    # review
    review_status: ReviewStatus
    submitted_by: str | None
    submitter_type: SubmitterType
    submission_context: str | None
    reviewed_by: str | None
    reviewed_at: datetime | None
    rejection_reason: str | None
    is_trusted: bool

    # quality
    quality_status: QualityStatus
    processing_count: int
    last_processed_at: datetime | None
    best_confidence: Decimal | None
    average_confidence: Decimal | None
    high_quality_count: int
    low_quality_count: int
    blacklisted_by: str | None
    blacklisted_at: datetime | None
    blacklist_reason: str | None
    no_funds_year: int | None
    failure_reason: str | None
    failure_count: int
    retry_after: datetime | None
    notes: str | None

    # limits that a person set
    max_crawl_depth: int | None
    crawl_delay_seconds: float | None
    max_pages_per_run: int | None
    scrape_frequency_hours: int | None
    render: str | None

    # the row itself
    version: int
    created_at: datetime
    updated_at: datetime

    # crawl
    crawl_status: CrawlStatus
    pages_discovered: int
    pages_crawled: int
    images_found: int
    images_stored: int
    records_stored: int
    bytes_fetched: int
    crawl_depth_reached: int
    frontier_checkpoint_id: str | None
    frontier_size: int
    frontier_updated_at: datetime | None
    last_crawl_run_id: UUID | None
    run_pages: int
    run_bytes: int
    run_seconds: float
    stopped_by: str | None
    last_crawled_at: datetime | None
    language: str | None

    # errors and obstacles
    total_error_count: int
    consecutive_error_count: int
    block_reason: str | None
    block_reason_code: str | None
    first_blocked_at: datetime | None
    block_count: int

    # when it is due
    due_at: datetime | None
    ready: bool
    priority_key: int

    # lease
    claimed_by: str | None
    claim_expires_at: datetime | None
    lease_epoch: int
    attempts: int

    # politeness
    next_fetch_at: datetime | None
    robots_verdict: str | None
    robots_crawl_delay: float | None

    read_at: datetime

    @property
    def has_live_lease(self) -> bool:
        return self.claim_expires_at is not None and self.claim_expires_at > self.read_at

    @property
    def stage(self) -> Stage:
        return stage_of(self)

    @property
    def image_yield_rate(self) -> float | None:
        return _per_page(self.images_stored, self.pages_crawled)

    @property
    def record_yield_rate(self) -> float | None:
        return _per_page(self.records_stored, self.pages_crawled)

    @property
    def avg_images_per_page(self) -> float | None:
        return _per_page(self.images_found, self.pages_crawled)

    @property
    def error_rate(self) -> float | None:
        return _per_page(self.total_error_count, self.pages_crawled)

    @property
    def priority_score(self) -> int:
        return priority.priority_score(self.priority_key, self.read_at)

    def yield_rate(self, counts: str) -> float | None:
        """What a page is worth to the profile: `records` or `images` per page."""
        return self.image_yield_rate if counts == "images" else self.record_yield_rate

    def due_when_allowed(self) -> datetime | None:
        """When to crawl after a person gave (back) permission: now, or after a cooldown that still runs."""
        if self.crawl_status not in _OBSTRUCTED or self.last_crawled_at is None:
            return self.read_at
        assert self.block_reason_code is not None  # a CHECK of the database
        rest = cooldowns.rest(Obstacle(self.block_reason_code), self.block_count - 1)
        return None if rest is None else max(self.read_at, self.last_crawled_at + rest)

    def row(self) -> dict[str, Any]:
        """The stored columns, without what was only read along."""
        return {name: getattr(self, name) for name in _STORED}


# Looked up once: a listing asks for every row.
_STORED = tuple(name for name in Domain._fields if name != "read_at")
_OBSTRUCTED = (CrawlStatus.BLOCKED, CrawlStatus.UNREACHABLE)
# What is computed, never stored, and shown along with the columns.
DERIVED = ("stage", "image_yield_rate", "avg_images_per_page", "error_rate", "priority_score")


def to_json(domain: Domain, yields: str) -> dict[str, Any]:
    """Both rows as one object, under their column names, with the computed rates."""
    computed = {name: getattr(domain, name) for name in DERIVED}
    return domain.row() | computed | {"yield_rate": domain.yield_rate(yields)}


def _per_page(count: int, pages: int) -> float | None:
    return count / pages if pages else None


def stage_of(d: Domain) -> Stage:
    """The one word for a domain. `registry.store.listing` says the same in SQL; a test holds them equal."""
    if d.quality_status is QualityStatus.BLACKLISTED:
        return Stage.BLACKLISTED
    if d.review_status is ReviewStatus.REJECTED:
        return Stage.REJECTED
    if d.review_status is ReviewStatus.SUSPENDED:
        return Stage.SUSPENDED
    if d.review_status is ReviewStatus.PENDING_REVIEW:
        return _stage_in_review(d)
    if d.has_live_lease:
        return Stage.CRAWLING
    if d.crawl_status is CrawlStatus.PENDING:
        return Stage.ACTIVE if d.pages_crawled else Stage.PENDING_CRAWL
    return _CRAWL_STAGES[d.crawl_status]


def _stage_in_review(d: Domain) -> Stage:
    if d.submitter_type is not SubmitterType.SYSTEM:
        return Stage.AWAITING_REVIEW
    if d.quality_status is QualityStatus.NO_FUNDS_THIS_YEAR:
        return Stage.LOW_CONFIDENCE
    if d.high_quality_count:
        return Stage.AWAITING_REVIEW
    return Stage.LOW_CONFIDENCE if d.processing_count else Stage.DISCOVERED


_CRAWL_STAGES = {
    CrawlStatus.ACTIVE: Stage.ACTIVE,
    CrawlStatus.EXHAUSTED: Stage.CRAWLED,
    CrawlStatus.BLOCKED: Stage.BLOCKED,
    CrawlStatus.UNREACHABLE: Stage.UNREACHABLE,
}

# Judging that failed is tried again after these, in this order; the last one repeats.
FAILURE_BACKOFF = Backoff((3_600.0, 4 * 3_600.0, 86_400.0, 7 * 86_400.0))
