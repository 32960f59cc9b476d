"""Makes a domain due that nobody holds, as its pages or a person ask for; its states stay."""

from __future__ import annotations

from datetime import datetime

from sqlalchemy import update
from sqlalchemy.ext.asyncio import AsyncConnection

from surveyor.db import now
from surveyor.db.tables import domain_crawl
from surveyor.registry.lifecycle import CrawlStatus


async def make_due_now(tx: AsyncConnection, no: int) -> None:
    """For a domain that nobody holds: a worker may take it at once."""
    free = (domain_crawl.c.no == no, domain_crawl.c.claimed_by.is_(None))
    await tx.execute(update(domain_crawl).where(*free).values(due_at=now(), ready=False))


async def make_due_by(tx: AsyncConnection, no: int, when: datetime) -> None:
    """For a domain at its end that nobody holds: due at this time, if not sooner."""
    c = domain_crawl.c
    free = (c.no == no, c.claimed_by.is_(None), c.crawl_status == CrawlStatus.EXHAUSTED, c.due_at > when)
    await tx.execute(update(domain_crawl).where(*free).values(due_at=when, ready=False))
