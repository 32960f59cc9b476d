"""What all changes of a domain share: the lock with the version seen, the writes, the event."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime
from typing import Any

from sqlalchemy import update
from sqlalchemy.ext.asyncio import AsyncConnection

from surveyor.db import now
from surveyor.db.tables import domain_crawl, domains
from surveyor.errors import StaleVersion
from surveyor.registry.actors import Actor
from surveyor.registry.domain import Domain
from surveyor.registry.events import EventKind, NewEvent
from surveyor.registry.lifecycle import QualityStatus, ReviewStatus
from surveyor.registry.store import events, rows


async def withdraw(tx: AsyncConnection, no: int) -> None:
    """End permission: whoever holds the lease holds an old epoch now, and nothing is due."""
    await write_crawl(
        tx,
        no,
        {
            "lease_epoch": domain_crawl.c.lease_epoch + 1,
            "claimed_by": None,
            "claim_expires_at": None,
            "due_at": None,
            "ready": False,
        },
    )


def may_be_crawled(domain: Domain) -> bool:
    return (
        domain.review_status is ReviewStatus.APPROVED
        and domain.quality_status is not QualityStatus.BLACKLISTED
    )


async def locked(tx: AsyncConnection, no: int, seen_version: int | None) -> Domain:
    domain = await rows.get(tx, no, lock=True)
    if seen_version is not None and seen_version != domain.version:
        since = await events.since_version(tx, no, seen_version)
        raise StaleVersion(domain.domain, seen_version, domain.version, [event.summary() for event in since])
    return domain


async def make_due(tx: AsyncConnection, no: int, due_at: datetime | None) -> None:
    await write_crawl(tx, no, {"due_at": due_at, "ready": False})


async def write(tx: AsyncConnection, domain: Domain, changes: Mapping[str, Any]) -> None:
    stamped = {**changes, "version": domain.version + 1, "updated_at": now()}
    await tx.execute(update(domains).where(domains.c.no == domain.no).values(stamped))


async def write_crawl(tx: AsyncConnection, no: int, changes: Mapping[str, Any]) -> None:
    await tx.execute(update(domain_crawl).where(domain_crawl.c.no == no).values(dict(changes)))


_RAISED = object()


async def record(
    tx: AsyncConnection,
    domain: Domain,
    kind: EventKind,
    by: Actor,
    source: str,
    target: str,
    reason: str | None,
    *,
    version: Any = _RAISED,
    data: Mapping[str, Any] | None = None,
) -> None:
    raised = domain.version + 1 if version is _RAISED else version
    await events.append(tx, [NewEvent(kind, by.name, domain.no, raised, source, target, reason, data)])
