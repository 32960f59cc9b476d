"""Statements of a backfill: what is untouched is filled in under a lease of one transaction."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import datetime, timedelta
from typing import NamedTuple

from sqlalchemy import func, select
from sqlalchemy.ext.asyncio import AsyncConnection

from surveyor.backfill.totals import DomainTotals
from surveyor.db.bulk import converter, update_many
from surveyor.db.tables import domain_crawl, domains
from surveyor.registry.events import EventKind, NewEvent
from surveyor.registry.leases import Lease
from surveyor.registry.lifecycle import CrawlStatus
from surveyor.registry.store import events, leases
from surveyor.registry.store.changes.writing import may_be_crawled
from surveyor.registry.store.leases import Place
from surveyor.registry.store.release import Outcome, release_all

_c, _d = domain_crawl.c, domains.c
_LEASE_SECONDS = 60.0


class Known(NamedTuple):
    no: int
    is_untouched: bool  # nothing was ever crawled of it, and nobody holds it


async def known(tx: AsyncConnection, names: Sequence[str]) -> dict[str, Known]:
    query = (
        select(
            _d.domain,
            _d.no,
            _c.crawl_status,
            _c.pages_crawled,
            _c.total_error_count,
            _c.last_crawled_at,
            _c.claimed_by,
        )
        .join_from(domains, domain_crawl)
        .where(_d.domain.in_(names))
    )
    return {
        name: Known(
            no, status == CrawlStatus.PENDING and not (pages or errors or crawled_at is not None or holder)
        )
        for name, no, status, pages, errors, crawled_at, holder in await tx.execute(query)
    }


class Filling(NamedTuple):
    """What another crawler came to with a domain, and between which times."""

    outcome: Outcome
    first: datetime | None
    last: datetime | None

    @classmethod
    def of(cls, totals: DomainTotals, revisit: timedelta) -> Filling:
        return cls(_outcome(totals, revisit), totals.first, totals.last)


async def fill(
    tx: AsyncConnection, wanted: Mapping[int, Filling], worker: str, source: str, yields: str
) -> None:
    """Counters, state and dates of domains that are untouched. The caller looked in this transaction."""
    reported = [
        NewEvent(EventKind.COUNTS_REPORTED, worker, no, data={"source": source}) for no in sorted(wanted)
    ]
    await events.append(tx, reported)
    places = [Place(0, no) for no in sorted(wanted)]
    granted = await leases.grant(tx, places, worker, _LEASE_SECONDS)
    endings = [(Lease(d, worker, epoch, expires), wanted[d.no].outcome) for d, epoch, expires in granted]
    await release_all(tx, endings, yields)
    held = [domain for domain, _, _ in granted]
    time = converter(tx, _c.last_crawled_at)
    crawled = [(time(wanted[domain.no].last), domain.no) for domain in held]
    await update_many(tx, domain_crawl, "last_crawled_at = {}", crawled, "no = {}")
    # Their time begins with a person's yes.
    waiting = [(domain.no,) for domain in held if not may_be_crawled(domain)]
    await update_many(tx, domain_crawl, "due_at = NULL", waiting, "no = {}")
    seen = [(time(first), d.no) for d in held if (first := wanted[d.no].first) and first < d.first_seen_at]
    await update_many(tx, domains, "first_seen_at = {}", seen, "no = {}")


def _outcome(totals: DomainTotals, revisit: timedelta) -> Outcome:
    counts = {
        "pages_discovered": totals.rows,
        "pages_crawled": totals.crawled,
        "images_found": totals.images_found,
        "images_stored": totals.images_stored,
        "total_error_count": totals.errors,
    }
    if totals.is_blocked:
        detail = f"{totals.errors} of {totals.rows} requests failed in an old log"
        return Outcome.blocked(totals.obstacle, detail=detail, counts=counts)
    due: datetime | None = totals.last + revisit if totals.last is not None else None
    return Outcome(
        status=CrawlStatus.EXHAUSTED,
        next_visit_at=due,
        revisit_seconds=revisit.total_seconds(),
        counts=counts,
    )


class StatusLine(NamedTuple):
    """Domains of one state, of those that a backfill brought."""

    status: str
    domains: int
    avg_yield: float | None
    avg_pages: float


async def by_status(tx: AsyncConnection, source: str) -> list[StatusLine]:
    share = _c.images_stored * 1.0 / func.nullif(_c.pages_crawled, 0)
    query = (
        select(_c.crawl_status, func.count(), func.avg(share), func.avg(_c.pages_crawled))
        .join_from(domain_crawl, domains)
        .where(_d.source == source)
        .group_by(_c.crawl_status)
        .order_by(_c.crawl_status)
    )
    found = (await tx.execute(query)).all()
    return [
        StatusLine(s, n, None if y is None else round(float(y), 4), round(float(p), 2))
        for s, n, y, p in found
    ]


async def count_domains(tx: AsyncConnection, source: str | None = None) -> int:
    query = select(func.count()).select_from(domains)
    return int((await tx.execute(query.where(_d.source == source) if source else query)).scalar_one())
