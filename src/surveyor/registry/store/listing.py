"""Lists of domains: what is wanted, names, totals by state. `walks` has the way there, `table` goes it."""

from __future__ import annotations

from dataclasses import dataclass

from sqlalchemy import ColumnElement, TextClause, and_, case, cast, func, select, text
from sqlalchemy.ext.asyncio import AsyncConnection
from sqlalchemy.types import Double

from surveyor.db import now
from surveyor.db.dialect import behind_dot, one_process
from surveyor.db.tables import domain_crawl, domains
from surveyor.db.tables.register import IN_REVIEW, WAITS_FOR
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


STAGES_IN_REVIEW = (Stage.DISCOVERED, Stage.LOW_CONFIDENCE, Stage.AWAITING_REVIEW)


def at_stage(stage: Stage) -> list[ColumnElement[bool] | TextClause]:
    """The condition of a stage, in the words of an index where there is one."""
    if stage in STAGES_IN_REVIEW:
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
    language: str | None = None

    def of_name(self, name: ColumnElement[str]) -> list[ColumnElement[bool]]:
        """What is wanted of a name."""
        found = [name.contains(self.contains, autoescape=True)] if self.contains else []
        if self.suffix:
            found.append(name.endswith(f".{self.suffix.lstrip('.')}", autoescape=True))
        return found

    def of_rows(self, without: str) -> list[ColumnElement[bool] | TextClause]:
        """What is wanted of the other columns; the field `without` is known to fit."""
        found: list[ColumnElement[bool] | TextClause] = [
            column == value
            for field, column in _COLUMNS.items()
            if field != without and (value := getattr(self, field)) is not None
        ]
        if self.stage is not None and without != "stage":
            found += at_stage(self.stage)
        return found

    def asks_crawl(self, without: str = "") -> bool:
        """Whether the row of the crawl is needed to tell; the field `without` is known to fit."""
        columns = [field for field, column in _COLUMNS.items() if column.table is domain_crawl]
        if self.stage not in (None, *STAGES_IN_REVIEW):
            columns.append("stage")
        return any(getattr(self, field) is not None for field in columns if field != without)


# Fields of a filter that ask for one value of a column.
_COLUMNS: dict[str, ColumnElement[str]] = {
    "crawl_status": _c.crawl_status,
    "review_status": _d.review_status,
    "quality_status": _d.quality_status,
    "source": _d.source,
    "block_reason_code": _c.block_reason_code,
    "reviewed_by": _d.reviewed_by,
    "language": _c.language,
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
    await tx.execute(select(one_process()))
    found = await tx.execute(query.order_by(func.count().desc(), column).limit(most))
    return {str(value): int(count) for value, count in found}


# Numbers of domains: behind the first, up to the second.
Window = tuple[int, int]


async def last_number(tx: AsyncConnection) -> int:
    return int((await tx.execute(select(func.coalesce(func.max(_d.no), 0)))).scalar_one())


async def totals(tx: AsyncConnection, window: Window | None = None) -> dict[str, int]:
    """How many domains are at each stage."""
    query = select(STAGE, func.count()).join_from(domains, domain_crawl).where(*_within(window))
    return {str(stage): int(count) for stage, count in await tx.execute(query.group_by(STAGE))}


async def suffix_totals(tx: AsyncConnection, window: Window | None = None) -> dict[str, int]:
    """How many domains are registered under each suffix."""
    suffix = behind_dot(_d.parent_domain)
    query = select(suffix, func.count()).where(_d.parent_domain.contains("."), *_within(window))
    return {str(value): int(count) for value, count in await tx.execute(query.group_by(suffix))}


def _within(window: Window | None) -> list[ColumnElement[bool]]:
    return [] if window is None else [_d.no > window[0], _d.no <= window[1]]
