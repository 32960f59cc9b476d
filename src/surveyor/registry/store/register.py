"""New domains: whole batches in one transaction, known ones left as they are."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any
from uuid import UUID

from sqlalchemy import case, func, select, update
from sqlalchemy.ext.asyncio import AsyncConnection

from surveyor.db import Database, current_time
from surveyor.db.bulk import Converter, converter, copy_many, insert_many, reserve
from surveyor.db.dialect import among
from surveyor.db.tables import domain_crawl, domains
from surveyor.db.tables import register as facts
from surveyor.ids import new_ids
from surveyor.names import parent_domain
from surveyor.registry import priority
from surveyor.registry.domain import SubmitterType
from surveyor.registry.lifecycle import CrawlStatus, QualityStatus, ReviewStatus
from surveyor.registry.store import aliases


@dataclass(frozen=True, slots=True)
class NewDomain:
    """A domain somebody or something named; `domain` is canonical."""

    domain: str
    rank: int | None = None
    source: str | None = None  # where it is not the whole batch's
    context: str | None = None
    parent: str | None = None  # its registrable domain, where it was found already


@dataclass(frozen=True, slots=True)
class Origin:
    """Who named a batch of domains, and what follows from it."""

    source: str
    submitter_type: SubmitterType
    submitted_by: str
    review_status: ReviewStatus = ReviewStatus.PENDING_REVIEW
    context: str | None = None
    session_id: UUID | None = None
    max_crawl_depth: int | None = None
    crawl_delay_seconds: float | None = None
    max_pages_per_run: int | None = None


async def add_batch(tx: AsyncConnection, batch: Sequence[NewDomain], origin: Origin) -> int:
    """Add the domains that are new; returns how many. Safe beside others that add the same ones."""
    return len(await add_new(tx, batch, origin))


async def add_new(tx: AsyncConnection, batch: Sequence[NewDomain], origin: Origin) -> dict[str, int]:
    """Add the domains that are new; returns those that this call created, with their numbers."""
    unique: dict[str, NewDomain] = {}
    for new in batch:
        unique.setdefault(new.domain, new)  # the first mention has the best rank
    known = select(domains.c.domain).where(among(domains.c.domain, unique))
    for name in (await tx.execute(known)).scalars():
        del unique[name]
    for name in await aliases.kept(tx, unique):
        del unique[name]  # it is another domain by now
    if not unique:
        return {}
    moment = await current_time(tx)
    time = converter(tx, domains.c.created_at)(moment)
    identity = converter(tx, domains.c.id)
    # In the order of names, so that two batches never wait for each other crosswise.
    names = sorted(unique)
    shared = _shared(origin, time, identity)
    new_rows = [
        (no, identity(new), name, *_own(unique[name], origin), *shared)
        for name, new, no in zip(
            names, new_ids(len(names)), await reserve(tx, domains, len(names)), strict=True
        )
    ]
    added = await _added(tx, new_rows)
    due = time if origin.review_status is ReviewStatus.APPROVED else None
    pending = CrawlStatus.PENDING.value
    crawl_rows = [(no, pending, due, _first_priority(unique[name], moment)) for name, no in added.items()]
    if not await copy_many(tx, domain_crawl, _CRAWL_COLUMNS, crawl_rows):
        await insert_many(tx, domain_crawl, _CRAWL_COLUMNS, crawl_rows)
    return added


async def count_pending(tx: AsyncConnection, names: Sequence[str]) -> int:
    """How many of these domains wait for a person's decision."""
    waits = (among(domains.c.domain, names), domains.c.review_status == ReviewStatus.PENDING_REVIEW)
    return int((await tx.execute(select(func.count()).select_from(domains).where(*waits))).scalar_one())


async def _added(tx: AsyncConnection, new: Sequence[tuple[Any, ...]]) -> dict[str, int]:
    """Names and numbers of those rows that nobody else was quicker to add."""
    if await copy_many(tx, domains, _DOMAIN_COLUMNS, new):
        return {row[2]: row[0] for row in new}
    await insert_many(tx, domains, _DOMAIN_COLUMNS, new, ignore_known=("domain",))
    ours = select(domains.c.domain, domains.c.no).where(among(domains.c.no, [row[0] for row in new]))
    return {row.domain: row.no for row in await tx.execute(ours)}


_CRAWL_COLUMNS = ("no", "crawl_status", "due_at", "priority_key")
_DOMAIN_COLUMNS = (
    "no",
    "id",
    "domain",
    "parent_domain",
    "seed_rank",
    "source",
    "submission_context",
    # the same for a whole batch
    "first_seen_at",
    "last_seen_at",
    "first_session_id",
    "review_status",
    "submitted_by",
    "submitter_type",
    "reviewed_by",
    "reviewed_at",
    "quality_status",
    "max_crawl_depth",
    "crawl_delay_seconds",
    "max_pages_per_run",
    "created_at",
    "updated_at",
)


def _own(new: NewDomain, origin: Origin) -> tuple[Any, ...]:
    parent = new.parent or parent_domain(new.domain)
    return (parent, new.rank, new.source or origin.source, new.context or origin.context)


def _shared(origin: Origin, time: Any, identity: Converter) -> tuple[Any, ...]:
    approved = origin.review_status is ReviewStatus.APPROVED
    return (
        time,
        time,
        identity(origin.session_id) if origin.session_id else None,
        origin.review_status.value,
        origin.submitted_by,
        origin.submitter_type.value,
        origin.submitted_by if approved else None,
        time if approved else None,
        QualityStatus.DISCOVERED.value,
        origin.max_crawl_depth,
        origin.crawl_delay_seconds,
        origin.max_pages_per_run,
        time,
        time,
    )


def _first_priority(new: NewDomain, moment: datetime) -> int:
    return priority.priority_key(
        rank=new.rank, yield_rate=0.0, frontier_size=0, error_rate=0.0, first_seen=moment, last_crawled=None
    )


async def recalculate_priorities(
    tx: AsyncConnection, after: int, limit: int, yields: str
) -> tuple[int, int, int]:
    """Write `priority_key` anew for the next rows; returns the last number, rows read, rows changed."""
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
