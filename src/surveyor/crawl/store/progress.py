"""How a run stands at this moment: its totals, and the domains that workers have claimed."""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple
from uuid import UUID

from sqlalchemy import func, select
from sqlalchemy.ext.asyncio import AsyncConnection

from surveyor.db.tables import crawl_runs, domain_crawl, domains

_c, _r = domain_crawl.c, crawl_runs.c


class ClaimedDomain(NamedTuple):
    """A domain under a lease."""

    domain: str
    pages: int  # fetched, in all runs
    known: int  # found so far
    errors: int  # in a row


@dataclass(frozen=True, slots=True)
class RunProgress:
    pages: int
    errors: int
    domains: int  # claimed
    waiting: int  # URLs of these
    claimed: list[ClaimedDomain]  # the longest claimed first, as many as were asked for


async def progress_of(tx: AsyncConnection, run: UUID, limit: int) -> RunProgress:
    pages, errors = (await tx.execute(select(_r.pages, _r.errors).where(_r.id == run))).one()
    held = _c.claimed_by.is_not(None)
    totals = select(func.count(), func.coalesce(func.sum(_c.frontier_size), 0)).where(held)
    number, waiting = (await tx.execute(totals)).one()
    query = (
        select(domains.c.domain, _c.pages_crawled, _c.pages_discovered, _c.consecutive_error_count)
        .join_from(domain_crawl, domains)
        .where(held)
        .order_by(_c.claim_expires_at, _c.no)
        .limit(limit)
    )
    return RunProgress(
        pages, errors, number, int(waiting), [ClaimedDomain(*row) for row in await tx.execute(query)]
    )
