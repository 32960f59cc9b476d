"""Lists of domains: keyset pages in the order of registration, totals by state."""

from __future__ import annotations

from dataclasses import dataclass

from sqlalchemy import ColumnElement, and_, case, cast, func, select
from sqlalchemy.ext.asyncio import AsyncConnection
from sqlalchemy.types import Double

from surveyor.db import now
from surveyor.db.tables import domain_crawl, domains
from surveyor.registry.domain import Domain, Stage, SubmitterType
from surveyor.registry.lifecycle import CrawlStatus, QualityStatus, ReviewStatus
from surveyor.registry.store import rows

_d, _c = domains.c, domain_crawl.c
_in_review = _d.review_status == ReviewStatus.PENDING_REVIEW
_by_a_person = _d.submitter_type != SubmitterType.SYSTEM


# `domain.stage_of` in SQL, in the same order.
STAGE: ColumnElement[str] = case(
    (_d.quality_status == QualityStatus.BLACKLISTED, Stage.BLACKLISTED.value),
    (_d.review_status == ReviewStatus.REJECTED, Stage.REJECTED.value),
    (_d.review_status == ReviewStatus.SUSPENDED, Stage.SUSPENDED.value),
    (and_(_in_review, _by_a_person), Stage.AWAITING_REVIEW.value),
    (and_(_in_review, _d.quality_status == QualityStatus.NO_FUNDS_THIS_YEAR), Stage.LOW_CONFIDENCE.value),
    (and_(_in_review, _d.high_quality_count > 0), Stage.AWAITING_REVIEW.value),
    (and_(_in_review, _d.processing_count > 0), Stage.LOW_CONFIDENCE.value),
    (_in_review, Stage.DISCOVERED.value),
    (_c.claim_expires_at > now(), Stage.CRAWLING.value),
    (and_(_c.crawl_status == CrawlStatus.PENDING, _c.pages_crawled > 0), Stage.ACTIVE.value),
    (_c.crawl_status == CrawlStatus.PENDING, Stage.PENDING_CRAWL.value),
    (_c.crawl_status == CrawlStatus.ACTIVE, Stage.ACTIVE.value),
    (_c.crawl_status == CrawlStatus.EXHAUSTED, Stage.CRAWLED.value),
    (_c.crawl_status == CrawlStatus.BLOCKED, Stage.BLOCKED.value),
    else_=Stage.UNREACHABLE.value,
)


@dataclass(frozen=True, slots=True)
class DomainFilter:
    crawl_status: CrawlStatus | None = None
    review_status: ReviewStatus | None = None
    stage: Stage | None = None

    def conditions(self) -> list[ColumnElement[bool]]:
        found: list[ColumnElement[bool]] = []
        if self.crawl_status is not None:
            found.append(_c.crawl_status == self.crawl_status)
        if self.review_status is not None:
            found.append(_d.review_status == self.review_status)
        if self.stage is not None:
            found.append(STAGE.in_([self.stage.value]))
        return found


async def page(tx: AsyncConnection, wanted: DomainFilter, limit: int, after: int = 0) -> list[Domain]:
    """Domains registered after the row `after`, in the order of registration."""
    query = rows.select_domains().where(_d.no > after, *wanted.conditions()).order_by(_d.no).limit(limit)
    return [rows.to_domain(row) for row in await tx.execute(query)]


async def top(tx: AsyncConnection, yields: str, limit: int) -> list[Domain]:
    """Crawled domains by what a page of theirs is worth, best first."""
    gained = _c.images_stored if yields == "images" else _c.records_stored
    rate = cast(gained, Double) / func.nullif(_c.pages_crawled, 0)
    query = (
        rows.select_domains()
        .where(_c.pages_crawled > 0)
        .order_by(rate.desc(), _c.pages_crawled.desc(), _d.no)
        .limit(limit)
    )
    return [rows.to_domain(row) for row in await tx.execute(query)]


async def totals(tx: AsyncConnection) -> dict[str, int]:
    """How many domains are at each stage."""
    query = select(STAGE, func.count()).join_from(domains, domain_crawl).group_by(STAGE)
    return {str(stage): int(count) for stage, count in await tx.execute(query)}
