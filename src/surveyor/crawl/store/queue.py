"""What waits: per domain, and by state."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime

from sqlalchemy import and_, or_, select, update
from sqlalchemy.ext.asyncio import AsyncConnection

from surveyor.crawl.store import images
from surveyor.db import now
from surveyor.db.tables import domain_crawl, domains, pages
from surveyor.frontier.changes import UrlKind
from surveyor.registry.domain import Domain
from surveyor.registry.events import EventKind, NewEvent
from surveyor.registry.lifecycle import ReviewStatus
from surveyor.registry.store import due_dates, events
from surveyor.registry.store import requeue as requeue_store

_c, _p = domain_crawl.c, pages.c


@dataclass(frozen=True, slots=True)
class QueueLine:
    domain: str
    crawl_status: str
    frontier_size: int
    due_at: datetime | None
    claimed_by: str | None
    stopped_by: str | None


async def lines(tx: AsyncConnection, limit: int) -> list[QueueLine]:
    """Domains with URLs waiting, the longest queues first."""
    query = (
        select(domains.c.domain, _c.crawl_status, _c.frontier_size, _c.due_at, _c.claimed_by, _c.stopped_by)
        .join_from(domain_crawl, domains)
        .where(_c.frontier_size > 0)
        .order_by(_c.frontier_size.desc(), _c.no)
        .limit(limit)
    )
    return [QueueLine(*row) for row in await tx.execute(query)]


async def requeue(tx: AsyncConnection, domain: Domain, actor: str) -> int:
    """Fetched pages and images wait again, and what failed, and sitemaps and feeds; returns how many pages.

    Their validators are kept, so unchanged ones cost little.
    """
    is_list = and_(_p.state == "ended", _p.kind != UrlKind.PAGE)
    chosen = or_(_p.state == "done", requeue_store.has_failed(), is_list)
    statement = (
        update(pages)
        .where(_p.domain_no == domain.no, chosen)
        .values(state="waiting", attempts=0, suspect=0)
        .returning(_p.kind)
    )
    kinds = (await tx.execute(statement)).scalars().all()
    count = sum(int(kind) == UrlKind.PAGE for kind in kinds)
    stored = await images.requeue(tx, domain.no)
    if domain.review_status is ReviewStatus.APPROVED:
        await due_dates.make_due_now(tx, domain.no)
    await tx.execute(
        update(domain_crawl)
        .where(_c.no == domain.no)
        .values(frontier_size=_c.frontier_size + len(kinds) + stored, frontier_updated_at=now())
    )
    data = {"pages": count, "images": stored}
    await events.append(tx, [NewEvent(EventKind.RECRAWL_ASKED, actor, domain.no, domain.version, data=data)])
    return count
