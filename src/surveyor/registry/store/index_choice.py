"""Which index leads to the domains that a filter wants.

Both tables in one query would leave the way to the planner, and it takes the numbers of a whole table. So a
look goes along one index, in the order of numbers, and asks the rows it leads to for whatever else is wanted.
"""

from __future__ import annotations

from typing import Any, NamedTuple

from sqlalchemy import (
    BinaryExpression,
    ColumnElement,
    Select,
    Table,
    TextClause,
    and_,
    case,
    func,
    select,
    text,
    true,
    tuple_,
)
from sqlalchemy.ext.asyncio import AsyncConnection
from sqlalchemy.sql.operators import eq

from surveyor.db.dialect import by_index, index_walks
from surveyor.db.tables import domain_crawl, domains
from surveyor.db.tables.register import PENDING_AGAIN, PENDING_DUE
from surveyor.registry.domain import Stage
from surveyor.registry.lifecycle import CrawlStatus, QualityStatus, ReviewStatus
from surveyor.registry.store.listing import STAGES_IN_REVIEW, DomainFilter, at_stage

_d, _c = domains.c, domain_crawl.c
# Rows that are counted to find the shortest way; among longer ones the first is taken.
_PROBED = 2_000
_BEHIND_ALL = 1 << 62  # a number that no domain has


class Walk(NamedTuple):
    """Rows of one table in the order of numbers, with few that are not wanted."""

    table: Table
    name: str
    condition: ColumnElement[bool] | TextClause
    covers: str = ""  # the field of the filter that fits every row of this walk

    def rows(self) -> Select[Any]:
        no = self.table.c.no
        query = select(no, no.label("key")).where(self.condition)
        return by_index(query, self.table, self.name) if self.name else query


_EVERYTHING = Walk(domains, "", true())
# Names and nothing else: a million are read in the time that ten thousand whole rows take.
NAMES = Walk(domains, "ix_domains_names", true())


async def shortest(tx: AsyncConnection, wanted: DomainFilter) -> list[Walk]:
    """The ways to what is wanted that together have the fewest rows; their domains may overlap."""
    ways = _ways(wanted)
    asks_for_names = bool(wanted.contains or wanted.suffix)
    if len(ways) == 1 and not asks_for_names:
        return ways[0]
    lengths = [sum([await _length(tx, walk) for walk in way]) for way in ways]
    if lengths and (min(lengths) < _PROBED or not wanted.contains):
        return ways[lengths.index(min(lengths))]
    return [NAMES] if asks_for_names else [_EVERYTHING]


async def beginning(tx: AsyncConnection, wanted: DomainFilter, after: int) -> int:
    """No domain behind `after` and up to this number fits: each way tells by one look at its index."""
    ways = _ways(wanted)
    if len(ways) < 2 and not (wanted.contains or wanted.suffix):
        return after  # the walk itself begins there
    await tx.execute(select(index_walks()))
    for way in ways:
        found = [await _first(tx, walk, after) for walk in way]
        after = min((no for no in found if no is not None), default=_BEHIND_ALL) - 1
    return after


async def _first(tx: AsyncConnection, walk: Walk, after: int) -> int | None:
    found: int | None = (await tx.execute(first_behind(walk, after))).scalar_one_or_none()
    return found


def first_behind(walk: Walk, after: int) -> Select[Any]:
    """The first row of a walk behind a number."""
    no, condition = walk.table.c.no, walk.condition
    if not (isinstance(condition, BinaryExpression) and condition.operator is eq):
        return walk.rows().where(no > after).order_by(no).limit(1).with_only_columns(no)
    # As a row, which only the index of both columns has in order. For a number alone PostgreSQL may go along
    # those of all domains, and read a million before it meets the first.
    column, value = condition.left, condition.right
    query = select(case((condition, no))).where(tuple_(column, no) > tuple_(value, after))
    query = query.where(column.is_not(None)).order_by(column, no).limit(1)
    return by_index(query, walk.table, walk.name)


async def _length(tx: AsyncConnection, walk: Walk) -> int:
    some = walk.rows().limit(_PROBED).subquery()
    return int((await tx.execute(select(func.count()).select_from(some))).scalar_one())


def _ways(wanted: DomainFilter) -> list[list[Walk]]:
    """Each leads to everything that is wanted."""
    found: list[list[Walk]] = []
    if wanted.stage is not None:
        found.append(_by_stage(wanted.stage))
    if wanted.crawl_status is not None:
        found.append([_by_status(wanted.crawl_status, "crawl_status")])
    if wanted.block_reason_code is not None:
        same = _c.block_reason_code == wanted.block_reason_code
        found.append([Walk(domain_crawl, "ix_domain_crawl_reason", same, "block_reason_code")])
    if wanted.reviewed_by is not None:
        same = _d.reviewed_by == wanted.reviewed_by
        found.append([Walk(domains, "ix_domains_reviewed_by", same, "reviewed_by")])
    if wanted.language is not None:
        same = _c.language == wanted.language
        found.append([Walk(domain_crawl, "ix_domain_crawl_language", same, "language")])
    if wanted.review_status is not None:
        found.append([_by_review(wanted.review_status, "review_status")])
    if wanted.source is not None:
        found.append([Walk(domains, "ix_domains_source", _d.source == wanted.source, "source")])
    if wanted.quality_status is not None:
        found.append([_by_quality(wanted.quality_status, "quality_status")])
    return found


def _by_stage(stage: Stage) -> list[Walk]:
    if stage in STAGES_IN_REVIEW:
        return [Walk(domains, "ix_domains_in_review", and_(*at_stage(stage)), "stage")]
    return _STAGES[stage]


def _by_status(status: CrawlStatus, covers: str = "") -> Walk:
    return Walk(domain_crawl, "ix_domain_crawl_status", _c.crawl_status == status, covers)


def _by_review(status: ReviewStatus, covers: str = "") -> Walk:
    return Walk(domains, "ix_domains_review_status", _d.review_status == status, covers)


def _by_quality(status: QualityStatus, covers: str = "") -> Walk:
    return Walk(domains, "ix_domains_quality_status", _d.quality_status == status, covers)


# Of a million pending domains most wait for a person, and few of the others were crawled before: an active
# one is one of these, or has the status.
_STAGES: dict[Stage, list[Walk]] = {
    Stage.BLACKLISTED: [_by_quality(QualityStatus.BLACKLISTED, "stage")],
    # Not in the words of the stage: with a column that the index does not hold, PostgreSQL leaves the index.
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
