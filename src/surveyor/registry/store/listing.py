"""Lists of domains: keyset pages in the order of registration, totals by state."""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

from sqlalchemy import ColumnElement, Table, TextClause, and_, case, cast, func, select, text, true
from sqlalchemy.ext.asyncio import AsyncConnection
from sqlalchemy.types import Double

from surveyor.db import now
from surveyor.db.dialect import by_index
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

    def conditions(self) -> list[ColumnElement[bool] | TextClause]:
        found: list[ColumnElement[bool] | TextClause] = []
        if self.crawl_status is not None:
            found.append(_c.crawl_status == self.crawl_status)
        if self.review_status is not None:
            found.append(_d.review_status == self.review_status)
        if self.stage is not None:
            found += at_stage(self.stage)
        return found


async def page(tx: AsyncConnection, wanted: DomainFilter, limit: int, after: int = 0) -> list[Domain]:
    """Domains registered after the row `after`, in the order of registration."""
    found: list[Domain] = []
    for walk in _walks(wanted):
        found += await _along(tx, walk, wanted, limit, after)
    return sorted(found, key=lambda domain: domain.no)[:limit]


class _Walk(NamedTuple):
    """An index of one table, in the order of numbers, with few rows that are not wanted.

    Both tables in one query would leave the way to the planner, and it takes the numbers of a whole table.
    """

    table: Table
    name: str
    condition: ColumnElement[bool] | TextClause


def _walks(wanted: DomainFilter) -> list[_Walk]:
    if wanted.stage in _STAGE_WALKS:
        return _STAGE_WALKS[wanted.stage]
    if wanted.stage is not None:
        return [_Walk(domains, "ix_domains_in_review", and_(*at_stage(wanted.stage)))]
    if wanted.crawl_status is not None:
        return [_by_status(wanted.crawl_status)]
    if wanted.review_status is not None:
        return [_by_review(wanted.review_status)]
    return [_Walk(domains, "", true())]


def _by_status(status: CrawlStatus) -> _Walk:
    return _Walk(domain_crawl, "ix_domain_crawl_status", _c.crawl_status == status)


def _by_review(status: ReviewStatus) -> _Walk:
    return _Walk(domains, "ix_domains_review_status", _d.review_status == status)


# Of a million pending domains most wait for a person, and few of the others were crawled before: an active
# one is one of these, or has the status.
_STAGE_WALKS: dict[Stage | None, list[_Walk]] = {
    Stage.BLACKLISTED: [
        _Walk(domains, "ix_domains_quality_status", _d.quality_status == QualityStatus.BLACKLISTED)
    ],
    Stage.REJECTED: [_by_review(ReviewStatus.REJECTED)],
    Stage.SUSPENDED: [_by_review(ReviewStatus.SUSPENDED)],
    Stage.CRAWLING: [_Walk(domain_crawl, "ix_domain_crawl_claimed", _c.claimed_by.is_not(None))],
    Stage.PENDING_CRAWL: [_Walk(domain_crawl, "ix_domain_crawl_pending_due", text(PENDING_DUE))],
    Stage.ACTIVE: [
        _by_status(CrawlStatus.ACTIVE),
        _Walk(domain_crawl, "ix_domain_crawl_pending_again", text(PENDING_AGAIN)),
    ],
    Stage.CRAWLED: [_by_status(CrawlStatus.EXHAUSTED)],
    Stage.BLOCKED: [_by_status(CrawlStatus.BLOCKED)],
    Stage.UNREACHABLE: [_by_status(CrawlStatus.UNREACHABLE)],
}
# Rows looked at beyond a page's length, for those that turn out not to be wanted.
_SPARE = 50


async def _along(
    tx: AsyncConnection, walk: _Walk, wanted: DomainFilter, limit: int, after: int
) -> list[Domain]:
    """Up to a page of what is wanted among the rows of the walk."""
    found: list[Domain] = []
    no = walk.table.c.no
    numbers = select(no).where(walk.condition).order_by(no).limit(limit + _SPARE)
    if walk.name:
        numbers = by_index(numbers, walk.table, walk.name)
    while len(found) < limit:
        some = list((await tx.execute(numbers.where(no > after))).scalars())
        query = rows.select_domains().where(_d.no.in_(some), *wanted.conditions()).order_by(_d.no)
        if some:
            room = query.limit(limit - len(found))
            found += [rows.to_domain(row) for row in await tx.execute(room)]
        if len(some) < limit + _SPARE:
            break
        after = some[-1]
    return found


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


async def quality_totals(tx: AsyncConnection) -> dict[str, int]:
    """How many domains are of each quality."""
    query = select(_d.quality_status, func.count()).group_by(_d.quality_status)
    return {str(status): int(count) for status, count in await tx.execute(query)}


async def totals(tx: AsyncConnection) -> dict[str, int]:
    """How many domains are at each stage."""
    query = select(STAGE, func.count()).join_from(domains, domain_crawl).group_by(STAGE)
    return {str(stage): int(count) for stage, count in await tx.execute(query)}
