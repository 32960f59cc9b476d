"""Lists of domains: which index leads to what is wanted, names, totals by state. `table` walks along it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

from sqlalchemy import ColumnElement, Table, TextClause, and_, case, cast, func, select, text, true
from sqlalchemy.ext.asyncio import AsyncConnection
from sqlalchemy.types import Double

from surveyor.db import now
from surveyor.db.tables import domain_crawl, domains
from surveyor.db.tables.register import IN_REVIEW, PENDING_AGAIN, PENDING_DUE, WAITS_FOR
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


_IN_REVIEW = (Stage.DISCOVERED, Stage.LOW_CONFIDENCE, Stage.AWAITING_REVIEW)


def at_stage(stage: Stage) -> list[ColumnElement[bool] | TextClause]:
    """The condition of a stage, in the words of an index where there is one."""
    if stage in _IN_REVIEW:
        return [text(IN_REVIEW), text(f"({WAITS_FOR}) = '{stage.value}'")]
    return [STAGE.in_([stage.value])]


@dataclass(frozen=True, slots=True)
class DomainFilter:
    crawl_status: CrawlStatus | None = None
    review_status: ReviewStatus | None = None
    stage: Stage | None = None
    quality_status: QualityStatus | None = None
    contains: str | None = None  # anywhere in the name
    suffix: str | None = None  # of the name, such as `org` or `gov.uk`
    source: str | None = None
    block_reason_code: str | None = None
    reviewed_by: str | None = None

    def conditions(self) -> list[ColumnElement[bool] | TextClause]:
        found: list[ColumnElement[bool] | TextClause] = [
            column == value
            for column, value in (
                (_d.quality_status, self.quality_status),
                (_d.source, self.source),
                (_c.block_reason_code, self.block_reason_code),
                (_d.reviewed_by, self.reviewed_by),
            )
            if value is not None
        ]
        if self.contains:
            found.append(_d.domain.contains(self.contains, autoescape=True))
        if self.suffix:
            found.append(_d.domain.endswith(f".{self.suffix.lstrip('.')}", autoescape=True))
        if self.crawl_status is not None:
            found.append(_c.crawl_status == self.crawl_status)
        if self.review_status is not None:
            found.append(_d.review_status == self.review_status)
        if self.stage is not None:
            found += at_stage(self.stage)
        return found


class Walk(NamedTuple):
    """An index of one table, in the order of numbers, with few rows that are not wanted.

    Both tables in one query would leave the way to the planner, and it takes the numbers of a whole table.
    """

    table: Table
    name: str
    condition: ColumnElement[bool] | TextClause


def walks(wanted: DomainFilter) -> list[Walk]:
    if wanted.stage in _STAGE_WALKS:
        return _STAGE_WALKS[wanted.stage]
    if wanted.stage is not None:
        return [Walk(domains, "ix_domains_in_review", and_(*at_stage(wanted.stage)))]
    if wanted.crawl_status is not None:
        return [_by_status(wanted.crawl_status)]
    if wanted.review_status is not None:
        return [_by_review(wanted.review_status)]
    if wanted.quality_status is not None:
        return [_by_quality(wanted.quality_status)]
    return [Walk(domains, "", true())]


def _by_status(status: CrawlStatus) -> Walk:
    return Walk(domain_crawl, "ix_domain_crawl_status", _c.crawl_status == status)


def _by_review(status: ReviewStatus) -> Walk:
    return Walk(domains, "ix_domains_review_status", _d.review_status == status)


def _by_quality(status: QualityStatus) -> Walk:
    return Walk(domains, "ix_domains_quality_status", _d.quality_status == status)


# Of a million pending domains most wait for a person, and few of the others were crawled before: an active
# one is one of these, or has the status.
_STAGE_WALKS: dict[Stage | None, list[Walk]] = {
    Stage.BLACKLISTED: [_by_quality(QualityStatus.BLACKLISTED)],
    Stage.REJECTED: [_by_review(ReviewStatus.REJECTED)],
    Stage.SUSPENDED: [_by_review(ReviewStatus.SUSPENDED)],
    Stage.CRAWLING: [Walk(domain_crawl, "ix_domain_crawl_claimed", _c.claimed_by.is_not(None))],
    Stage.PENDING_CRAWL: [Walk(domain_crawl, "ix_domain_crawl_pending_due", text(PENDING_DUE))],
    Stage.ACTIVE: [
        _by_status(CrawlStatus.ACTIVE),
        Walk(domain_crawl, "ix_domain_crawl_pending_again", text(PENDING_AGAIN)),
    ],
    Stage.CRAWLED: [_by_status(CrawlStatus.EXHAUSTED)],
    Stage.BLOCKED: [_by_status(CrawlStatus.BLOCKED)],
    Stage.UNREACHABLE: [_by_status(CrawlStatus.UNREACHABLE)],
}


async def named(tx: AsyncConnection, beginning: str, limit: int, after: str = "") -> list[Domain]:
    """Domains whose name begins so, in the order of names."""
    within = (_d.domain >= beginning, _d.domain < beginning + _LAST, _d.domain > after)
    query = rows.select_domains().where(*within).order_by(_d.domain).limit(limit)
    return [rows.to_domain(row) for row in await tx.execute(query)]


# Stands behind every character that a canonical name has.
_LAST = "\x7f"


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


async def value_totals(tx: AsyncConnection, name: str, most: int) -> dict[str, int]:
    """How many domains have each value of a column, the most frequent first."""
    column = _d[name] if name in _d else _c[name]
    query = select(column, func.count()).where(column.is_not(None)).group_by(column)
    found = await tx.execute(query.order_by(func.count().desc(), column).limit(most))
    return {str(value): int(count) for value, count in found}


async def quality_totals(tx: AsyncConnection) -> dict[str, int]:
    """How many domains are of each quality."""
    query = select(_d.quality_status, func.count()).group_by(_d.quality_status)
    return {str(status): int(count) for status, count in await tx.execute(query)}


async def totals(tx: AsyncConnection) -> dict[str, int]:
    """How many domains are at each stage."""
    query = select(STAGE, func.count()).join_from(domains, domain_crawl).group_by(STAGE)
    return {str(stage): int(count) for stage, count in await tx.execute(query)}
