"""Stored search results, as judging reads and writes them; and what they add up to per domain."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from decimal import ROUND_HALF_UP, Decimal
from typing import Any
from uuid import UUID

from sqlalchemy import ColumnElement, Select, and_, case, func, not_, or_, select, type_coerce, update
from sqlalchemy.ext.asyncio import AsyncConnection

from surveyor.db import current_time, now
from surveyor.db.bulk import converter, update_many
from surveyor.db.tables import discovery_sessions, domains, search_results
from surveyor.db.types import Confidence
from surveyor.judge.statistics import JudgingStatistics
from surveyor.judge.values import Judgment, SearchHit
from surveyor.registry.domain import Domain
from surveyor.registry.lifecycle import QualityStatus

_r, _d = search_results.c, domains.c
_HUNDREDTH = Decimal("0.01")


@dataclass(frozen=True, slots=True)
class StoredResult:
    """A search result of one domain, with what judging said of it before, if it did."""

    id: int
    session_id: UUID
    url: str
    title: str
    description: str
    position: int
    language: str | None
    confidence: Decimal | None
    judge_version: str | None

    @property
    def hit(self) -> SearchHit:
        return SearchHit(self.url, self.title, self.description, self.position, self.language)


@dataclass(frozen=True, slots=True)
class Standing:
    """What all judged results of a domain come to; results with one URL count once, by the best."""

    high: int
    low: int
    best: Decimal | None
    average: Decimal | None


_COLUMNS = (
    _r.id,
    _r.session_id,
    _r.url,
    _r.title,
    _r.description,
    _r.position,
    _r.language,
    _r.confidence,
    _r.judge_version,
)


def may_be_judged(domain: Domain) -> bool:
    """The rule of `_ready`, for a domain that is locked now."""
    if domain.quality_status is QualityStatus.PROCESSING_FAILED:
        return domain.retry_after is None or domain.retry_after <= domain.read_at
    if domain.quality_status is QualityStatus.NO_FUNDS_THIS_YEAR:
        return (domain.no_funds_year or 0) < domain.read_at.year
    return domain.quality_status is not QualityStatus.BLACKLISTED


def _ready(year: int) -> ColumnElement[bool]:
    failed = _d.quality_status == QualityStatus.PROCESSING_FAILED
    no_funds = _d.quality_status == QualityStatus.NO_FUNDS_THIS_YEAR
    return and_(
        _d.quality_status != QualityStatus.BLACKLISTED,
        or_(not_(failed), _d.retry_after <= now()),
        or_(not_(no_funds), _d.no_funds_year < year),
    )


async def domains_to_judge(tx: AsyncConnection, after: int, limit: int, *, again: bool) -> list[int]:
    """Domains with results that wait to be judged, or with judged ones; in the order of their numbers."""
    ready = _ready((await current_time(tx)).year)
    wanted = _r.judged_at.is_not(None) if again else _r.judged_at.is_(None)
    query = (
        select(_r.domain_no)
        .join_from(search_results, domains, _d.no == _r.domain_no)
        .where(wanted, _r.domain_no > after, ready)
        .group_by(_r.domain_no)
        .order_by(_r.domain_no)
        .limit(limit)
    )
    return list((await tx.execute(query)).scalars())


async def count_to_judge(tx: AsyncConnection, *, again: bool) -> int:
    wanted = _r.judged_at.is_not(None) if again else _r.judged_at.is_(None)
    return int(
        (await tx.execute(select(func.count()).select_from(search_results).where(wanted))).scalar_one()
    )


async def blacklisted_waiting(tx: AsyncConnection) -> int:
    """Results that will never be judged, because their domain is blacklisted."""
    query = (
        select(func.count())
        .join_from(search_results, domains, _d.no == _r.domain_no)
        .where(_r.judged_at.is_(None), _d.quality_status == QualityStatus.BLACKLISTED)
    )
    return int((await tx.execute(query)).scalar_one())


async def of_domain(tx: AsyncConnection, domain_no: int, *, judged: bool) -> list[StoredResult]:
    query: Select[Any] = select(*_COLUMNS).where(_r.domain_no == domain_no)
    query = query.where(_r.judged_at.is_not(None) if judged else _r.judged_at.is_(None))
    return [StoredResult(*row) for row in await tx.execute(query.order_by(_r.id))]


async def of_domains(
    tx: AsyncConnection, numbers: Sequence[int]
) -> dict[tuple[int, str], list[StoredResult]]:
    """The judged results of some domains, by their number and name, in the order of the numbers."""
    query = (
        select(_d.no, _d.domain, *_COLUMNS)
        .join_from(search_results, domains, _d.no == _r.domain_no)
        .where(_r.domain_no.in_(numbers), _r.judged_at.is_not(None))
        .order_by(_r.domain_no, _r.id)
    )
    found: dict[tuple[int, str], list[StoredResult]] = {}
    for no, name, *values in await tx.execute(query):
        found.setdefault((no, name), []).append(StoredResult(*values))
    return found


async def write(tx: AsyncConnection, judged: Sequence[tuple[StoredResult, Judgment]]) -> None:
    """Keep what the judges said of each result, with their version."""
    to_driver = converter(tx, search_results.c.confidence)
    moment = await current_time(tx)
    time = converter(tx, search_results.c.judged_at)(moment)
    rows = [
        (to_driver(judgment.confidence), judgment.judge_version, time, result.id)
        for result, judgment in judged
    ]
    assigned = "confidence = {}, judge_version = {}, judged_at = {}"
    await update_many(tx, search_results, assigned, rows, "id = {}")


async def standing(tx: AsyncConnection, domain_no: int, threshold: Decimal) -> Standing:
    judged = (_r.domain_no == domain_no, _r.judged_at.is_not(None))
    best = func.max(_r.confidence).label("best")
    urls = select(_r.url, best).where(*judged).group_by(_r.url).subquery()
    high = func.coalesce(func.sum(case((urls.c.best >= threshold, 1), else_=0)), 0)
    summed = type_coerce(func.sum(urls.c.best), Confidence())
    query = select(func.count(), high, func.max(urls.c.best), summed).select_from(urls)
    count, above, top, total = (await tx.execute(query)).one()
    if not count:
        return Standing(0, 0, None, None)
    average = (total / count).quantize(_HUNDREDTH, ROUND_HALF_UP)
    return Standing(int(above), int(count) - int(above), top, average)


async def add_to_session(tx: AsyncConnection, session_id: UUID, counted: JudgingStatistics) -> None:
    """Add to what is kept with a session."""
    session = discovery_sessions.c.id == session_id
    query = select(discovery_sessions.c.judging).where(session).with_for_update()
    found = JudgingStatistics.from_json((await tx.execute(query)).scalar_one_or_none() or {})
    found.add(counted)
    await tx.execute(update(discovery_sessions).where(session).values(judging=found.to_json()))
