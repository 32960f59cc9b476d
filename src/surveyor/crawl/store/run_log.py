"""What the log says of one run: by minute, by reason, by domain, and line by line.

Only the latest lines of a run are looked at, so that its page is quick however long it was.
"""

from __future__ import annotations

from datetime import datetime, timedelta
from typing import Any, NamedTuple
from uuid import UUID

from sqlalchemy import BigInteger, ColumnElement, Text, cast, func, select
from sqlalchemy.ext.asyncio import AsyncConnection

from surveyor.crawl.store import stats
from surveyor.crawl.store.runs import Run
from surveyor.crawl.store.stats import Fetched, Reason
from surveyor.db.tables import crawl_log, domain_crawl, domains

_l, _c = crawl_log.c, domain_crawl.c
# Lines of the log that the figures of one run are counted from: some 10 ms.
MOST_LINES = 10_000
# A line may be committed a moment after the run that it belongs to was ended.
_LATE = timedelta(minutes=1)
_MINUTE, _MINUTES = 16, 60


class Stretch(NamedTuple):
    """Where in the log a run's latest lines are; `whole` if they are all of them."""

    run: UUID
    low: int
    high: int
    whole: bool

    def lines(self) -> tuple[ColumnElement[bool], ...]:
        return (_l.id > self.low, _l.id <= self.high, _l.run_id == self.run)


class DomainOfRun(NamedTuple):
    """What a run did on a domain, and how far the domain is."""

    domain: str
    requests: int
    errors: int
    bytes: int
    last: datetime
    crawl_status: str
    pages_crawled: int
    pages_discovered: int
    frontier_size: int
    claimed_by: str | None


class Line(NamedTuple):
    id: int
    domain: str | None
    url: str
    status: int | None
    reason: str | None
    bytes: int
    ms: int
    fetched_at: datetime


async def stretch(tx: AsyncConnection, run: Run) -> Stretch:
    last = int((await tx.execute(select(func.coalesce(func.max(_l.id), 0)))).scalar_one())
    high = last if run.ended_at is None else await stats.id_before(tx, run.ended_at + _LATE, 0, last)
    low = await stats.id_before(tx, run.started_at - _LATE, 0, high)
    return Stretch(run.id, max(low, high - MOST_LINES), high, high - low <= MOST_LINES)


async def per_minute(tx: AsyncConnection, where: Stretch) -> list[Fetched]:
    """The last hour of it."""
    when = func.substr(cast(_l.fetched_at, Text), 1, _MINUTE)
    wrong, images = func.count().filter(stats.is_error()), func.coalesce(func.sum(_l.images_found), 0)
    query = select(when, func.count(), wrong, images).where(*where.lines()).group_by(when)
    found = await tx.execute(query.order_by(when.desc()).limit(_MINUTES))
    return [Fetched(str(w), int(p), int(e), int(i)) for w, p, e, i in found][::-1]


async def by_reason(tx: AsyncConnection, where: Stretch, limit: int) -> list[Reason]:
    count = func.count()
    query = select(_l.reason, count).where(*where.lines(), stats.is_error()).group_by(_l.reason)
    found = await tx.execute(query.order_by(count.desc(), _l.reason).limit(limit))
    return [Reason(str(reason), int(times)) for reason, times in found]


async def by_domain(tx: AsyncConnection, where: Stretch, limit: int) -> list[DomainOfRun]:
    """The domains that were asked last."""
    some = (
        select(
            _l.domain_no,
            func.count().label("requests"),
            func.count().filter(stats.is_error()).label("errors"),
            cast(func.sum(_l.bytes), BigInteger).label("bytes"),
            func.max(_l.fetched_at).label("last"),
            func.max(_l.id).label("latest"),
        )
        .where(*where.lines())
        .group_by(_l.domain_no)
        .order_by(func.max(_l.id).desc())
        .limit(limit)
        .subquery()
    )
    progress = (_c.crawl_status, _c.pages_crawled, _c.pages_discovered, _c.frontier_size, _c.claimed_by)
    counted = (some.c.requests, some.c.errors, some.c.bytes, some.c.last)
    query = (
        select(domains.c.domain, *counted, *progress)
        .join_from(some, domains, domains.c.no == some.c.domain_no)
        .join(domain_crawl, _c.no == some.c.domain_no)
        .order_by(some.c.latest.desc())
    )
    return [DomainOfRun._make(row) for row in await tx.execute(query)]


async def lines(
    tx: AsyncConnection, where: Stretch, limit: int, *, words: str, reason: str, before: int | None
) -> list[Line]:
    """The latest first; those whose address has the words, and whose reason is this one."""
    wanted: list[Any] = [*where.lines()]
    if words:
        wanted.append(_l.url.icontains(words, autoescape=True))
    if reason:
        wanted.append(_l.reason == reason)
    if before is not None:
        wanted.append(_l.id < before)
    columns = (_l.id, domains.c.domain, _l.url, _l.status, _l.reason, _l.bytes, _l.ms, _l.fetched_at)
    query = select(*columns).outerjoin_from(crawl_log, domains, domains.c.no == _l.domain_no)
    return [Line(*row) for row in await tx.execute(query.where(*wanted).order_by(_l.id.desc()).limit(limit))]
