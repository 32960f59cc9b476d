"""Makes domains due that nobody holds, as their pages or a person ask for; their states stay."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime

from sqlalchemy import select, update
from sqlalchemy.ext.asyncio import AsyncConnection

from surveyor.db import now
from surveyor.db.tables import domain_crawl, domains
from surveyor.registry.lifecycle import CrawlStatus, QualityStatus, ReviewStatus


async def make_due_now(tx: AsyncConnection, no: int) -> None:
    """For a domain that nobody holds: a worker may take it at once."""
    free = (domain_crawl.c.no == no, domain_crawl.c.claimed_by.is_(None))
    await tx.execute(update(domain_crawl).where(*free).values(due_at=now(), ready=False))


async def make_due_by(tx: AsyncConnection, no: int, when: datetime) -> None:
    """For a domain at its end that nobody holds: due at this time, if not sooner."""
    c = domain_crawl.c
    free = (c.no == no, c.claimed_by.is_(None), c.crawl_status == CrawlStatus.EXHAUSTED, c.due_at > when)
    await tx.execute(update(domain_crawl).where(*free).values(due_at=when, ready=False))


async def make_due_for_new(tx: AsyncConnection, numbers: Sequence[int]) -> None:
    """Domains that may be crawled are due for URLs that are new, unless they rest or somebody has them."""
    if not numbers:
        return
    c, d = domain_crawl.c, domains.c
    allowed = select(d.no).where(
        d.no.in_(numbers),
        d.review_status == ReviewStatus.APPROVED,
        d.quality_status != QualityStatus.BLACKLISTED,
    )
    resting = (CrawlStatus.BLOCKED, CrawlStatus.UNREACHABLE)
    free = (c.no.in_(allowed), c.claimed_by.is_(None), c.crawl_status.not_in(resting))
    await tx.execute(update(domain_crawl).where(*free).values(due_at=now(), ready=False))
