"""Short ways to put a register into a condition; through the same doors the product uses."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from sqlalchemy.ext.asyncio import AsyncConnection

from surveyor.db import Database
from surveyor.registry.actors import Actor, Role
from surveyor.registry.domain import Domain, SubmitterType
from surveyor.registry.events import CRAWL_EVENTS
from surveyor.registry.leases import Claimer, Lease
from surveyor.registry.lifecycle import CRAWL, CrawlStatus, ReviewStatus
from surveyor.registry.store import register, rows
from surveyor.registry.store.changes.writing import record, write_crawl
from surveyor.registry.store.register import NewDomain, Origin

ADMIN = Actor("ada", Role.ADMIN)
REVIEWER = Actor("rita", Role.REVIEWER)


def origin(*, approved: bool = True, by: SubmitterType = SubmitterType.ADMIN) -> Origin:
    status = ReviewStatus.APPROVED if approved else ReviewStatus.PENDING_REVIEW
    return Origin("test", by, "ada", status)


async def add_domain(
    db: Database,
    name: str,
    *,
    approved: bool = True,
    rank: int | None = None,
    by: SubmitterType = SubmitterType.ADMIN,
) -> Domain:
    async with db.write() as tx:
        await register.add_batch(tx, [NewDomain(name, rank)], origin(approved=approved, by=by))
        found = await rows.find(tx, name)
    assert found is not None
    return found


async def add_domains(db: Database, count: int, *, approved: bool = True) -> None:
    async with db.write() as tx:
        batch = [NewDomain(f"site{index}.example", index + 1) for index in range(count)]
        await register.add_batch(tx, batch, origin(approved=approved))


async def get(db: Database, no: int) -> Domain:
    async with db.read() as tx:
        return await rows.get(tx, no)


async def claim_one(db: Database, worker: str = "w1", seconds: float = 60.0) -> Lease:
    leases = await Claimer(db, worker, seconds).claim(1)
    assert len(leases) == 1
    return leases[0]


async def advance_crawl(
    tx: AsyncConnection,
    domain: Domain,
    target: CrawlStatus,
    by: Actor,
    *,
    reason: str | None = None,
    values: Mapping[str, Any] | None = None,
) -> None:
    """Write an arrow of the crawl that nothing else writes; the caller holds the domain's lock."""
    CRAWL.check(domain.crawl_status, target)
    await write_crawl(tx, domain.no, {"crawl_status": target} | dict(values or {}))
    if target is not domain.crawl_status:
        await record(tx, domain, CRAWL_EVENTS[target], by, domain.crawl_status, target, reason, version=None)
