"""The reset that makes a domain crawled anew."""

from __future__ import annotations

from typing import Any

from sqlalchemy.ext.asyncio import AsyncConnection

from surveyor.db import now
from surveyor.errors import Refused
from surveyor.registry.actors import Actor
from surveyor.registry.domain import Domain
from surveyor.registry.events import EventKind
from surveyor.registry.lifecycle import CRAWL, CrawlStatus
from surveyor.registry.store import refreshes, requeue, rows
from surveyor.registry.store.changes.writing import may_be_crawled, record, write_crawl


async def reset(tx: AsyncConnection, no: int, by: Actor, reason: str | None) -> Domain:
    """Back to pending (an active one stays active), errors, blocks and cooldown cleared, frontier kept.

    The start page and what ended as failed wait again: the next crawl fetches.
    """
    domain = await rows.get(tx, no, lock=True)
    if domain.has_live_lease:
        raise Refused(
            f"{domain.domain} is being crawled by {domain.claimed_by}; suspend it or wait, then reset"
        )
    cleared: dict[str, Any] = {
        "consecutive_error_count": 0,
        "total_error_count": 0,
        "block_reason": None,
        "block_reason_code": None,
        "first_blocked_at": None,
        "block_count": 0,
        "stopped_by": None,
        "attempts": 0,
        "ready": False,
        "due_at": now() if may_be_crawled(domain) else None,
    }
    target = domain.crawl_status if domain.crawl_status in _STAYS_ON_RESET else CrawlStatus.PENDING
    if target is not domain.crawl_status:
        CRAWL.check(domain.crawl_status, target)
    await write_crawl(tx, no, {"crawl_status": target} | cleared)
    await requeue.start_and_failed(tx, no)
    await refreshes.note_exhausted(tx, [(no, None)])
    await record(tx, domain, EventKind.DOMAIN_RESET, by, domain.crawl_status, target, reason, version=None)
    return await rows.get(tx, no)


_STAYS_ON_RESET = (CrawlStatus.ACTIVE, CrawlStatus.PENDING)
