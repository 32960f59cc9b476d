"""New domains: whole batches in one transaction, known ones left as they are."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any
from uuid import UUID

from sqlalchemy import case, select, update
from sqlalchemy.ext.asyncio import AsyncConnection

from surveyor.db import Database, now
from surveyor.db.tables import domain_crawl, domains
from surveyor.db.tables import register as facts
from surveyor.ids import new_id
from surveyor.names import parent_domain
from surveyor.registry import priority
from surveyor.registry.domain import SubmitterType
from surveyor.registry.lifecycle import CrawlStatus, QualityStatus, ReviewStatus


@dataclass(frozen=True, slots=True)
class NewDomain:
    """A domain somebody or something named; `domain` is canonical."""

    domain: str
    rank: int | None = None


@dataclass(frozen=True, slots=True)
class Origin:
    """Who named a batch of domains, and what follows from it."""

    source: str
    submitter_type: SubmitterType
    submitted_by: str
    review_status: ReviewStatus = ReviewStatus.PENDING_REVIEW
    context: str | None = None
    session_id: UUID | None = None


async def add_batch(db: Database, tx: AsyncConnection, batch: Sequence[NewDomain], origin: Origin) -> int:
    """Add the domains that are new; returns how many. Safe beside others that add the same ones."""
    unique = {new.domain: new for new in batch}
    known = select(domains.c.domain).where(domains.c.domain.in_(list(unique)))
    for name in (await tx.execute(known)).scalars():
        del unique[name]
    if not unique:
        return 0
    moment: datetime = (await tx.execute(select(now()))).scalar_one()
    statement = (
        db.insert(domains)
        .on_conflict_do_nothing(index_elements=["domain"])  # somebody else may have been quicker
        .returning(domains.c.no, domains.c.domain)
    )
    # In the order of names, so that two batches never wait for each other crosswise.
    values = [_domain_row(unique[name], origin, moment) for name in sorted(unique)]
    added = (await tx.execute(statement, values)).all()
    if added:
        crawl = [_crawl_row(no, unique[name], origin, moment) for no, name in added]
        await tx.execute(domain_crawl.insert(), crawl)
    return len(added)


def _domain_row(new: NewDomain, origin: Origin, moment: datetime) -> dict[str, Any]:
    approved = origin.review_status is ReviewStatus.APPROVED
    return {
        "id": new_id(),
        "domain": new.domain,
        "parent_domain": parent_domain(new.domain),
        "source": origin.source,
        "seed_rank": new.rank,
        "first_seen_at": moment,
        "last_seen_at": moment,
        "first_session_id": origin.session_id,
        "review_status": origin.review_status.value,
        "submitted_by": origin.submitted_by,
        "submitter_type": origin.submitter_type.value,
        "submission_context": origin.context,
        "reviewed_by": origin.submitted_by if approved else None,
        "reviewed_at": moment if approved else None,
        "quality_status": QualityStatus.DISCOVERED.value,
        "created_at": moment,
        "updated_at": moment,
    }


def _crawl_row(no: int, new: NewDomain, origin: Origin, moment: datetime) -> dict[str, Any]:
    return {
        "no": no,
        "crawl_status": CrawlStatus.PENDING.value,
        "due_at": moment if origin.review_status is ReviewStatus.APPROVED else None,
        "priority_key": priority.priority_key(
            rank=new.rank,
            yield_rate=0.0,
            frontier_size=0,
            error_rate=0.0,
            first_seen=moment,
            last_crawled=None,
        ),
    }


async def recalculate_priorities(
    tx: AsyncConnection, after: int, limit: int, yields: str
) -> tuple[int, int, int]:
    """Write `priority_key` anew for the next rows; returns the last number, how many rows, how many new keys."""
    gained = domain_crawl.c.images_stored if yields == "images" else domain_crawl.c.records_stored
    c = domain_crawl.c
    query = (
        select(
            c.no,
            c.priority_key,
            domains.c.seed_rank,
            gained,
            c.pages_crawled,
            c.frontier_size,
            c.total_error_count,
            domains.c.first_seen_at,
            c.last_crawled_at,
        )
        .join_from(domain_crawl, domains)
        .where(c.no > after)
        .order_by(c.no)
        .limit(limit)
    )
    changed: dict[int, int] = {}
    found = (await tx.execute(query)).all()
    for no, old, rank, yielded, pages, waiting, errors, first_seen, last_crawled in found:
        new = priority.priority_key(
            rank=rank,
            yield_rate=yielded / pages if pages else 0.0,
            frontier_size=waiting,
            error_rate=errors / pages if pages else 0.0,
            first_seen=first_seen,
            last_crawled=last_crawled,
        )
        if new != old:
            changed[no] = new
    if changed:
        keys = case(changed, value=c.no)
        await tx.execute(update(domain_crawl).where(c.no.in_(list(changed))).values(priority_key=keys))
    return found[-1][0] if found else after, len(found), len(changed)


async def get_fact(tx: AsyncConnection, name: str) -> str | None:
    return (await tx.execute(select(facts.c.value).where(facts.c.name == name))).scalar_one_or_none()


async def set_fact(db: Database, tx: AsyncConnection, name: str, value: str) -> None:
    statement = db.insert(facts).values(name=name, value=value)
    await tx.execute(statement.on_conflict_do_update(index_elements=["name"], set_={"value": value}))
