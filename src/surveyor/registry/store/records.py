"""What the register knows of records: whether they are published, how many a domain gave, whose they are."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from typing import Any

from sqlalchemy import ColumnElement, delete, exists, or_, select, tuple_, update
from sqlalchemy.ext.asyncio import AsyncConnection

from surveyor.db.bulk import converter, upsert_many
from surveyor.db.tables import (
    candidates,
    contact_sources,
    crawl_ends,
    domain_crawl,
    model_answers,
    page_snapshots,
    record_changes,
    record_corrections,
    record_sources,
    records,
)
from surveyor.registry import priority
from surveyor.registry.candidates import OPEN, CandidateStatus
from surveyor.registry.store import rows

_r = records.c


async def publish(tx: AsyncConnection, domain_no: int) -> None:
    """A person said yes to the domain's candidate: its records are given to everybody."""
    x = record_corrections.c
    taken_out = exists().where(x.record_id == _r.id, x.field == "", x.hidden, x.ended_at.is_(None))
    waiting = update(records).where(_r.domain_no == domain_no, ~_r.published, ~taken_out)
    await tx.execute(waiting.values(published=True))


async def unpublish(tx: AsyncConnection, domain_no: int) -> None:
    """The yes was taken back; where another candidate was approved, the records stay."""
    if not await are_published(tx, domain_no):
        shown = update(records).where(_r.domain_no == domain_no, _r.published)
        await tx.execute(shown.values(published=False))


async def are_published(tx: AsyncConnection, domain_no: int) -> bool:
    """Whether new records are published at once: a candidate was approved, or none waits or was refused."""
    query = select(candidates.c.status).where(candidates.c.domain_no == domain_no).distinct()
    found = set((await tx.execute(query)).scalars())
    return CandidateStatus.APPROVED in found or not found & {*OPEN, CandidateStatus.REJECTED}


def shown_of(domain_no: ColumnElement[Any]) -> ColumnElement[bool]:
    """The same as a condition, for what has no mark of its own: contacts are published with their domain."""
    c = candidates.c
    mine = exists().where(c.domain_no == domain_no)
    refused = mine.where(c.status.in_([*OPEN, CandidateStatus.REJECTED]))
    return or_(mine.where(c.status == CandidateStatus.APPROVED), ~refused)


async def count_new(tx: AsyncConnection, domain_no: int, added: int, yields: str) -> None:
    """Add to what a domain gave, which is part of its priority. The caller holds the domain's rows."""
    domain = await rows.get(tx, domain_no)
    stored = domain.records_stored + added
    gained = domain.images_stored if yields == "images" else stored
    key = priority.priority_key(
        rank=domain.seed_rank,
        yield_rate=gained / domain.pages_crawled if domain.pages_crawled else 0.0,
        frontier_size=domain.frontier_size,
        error_rate=domain.error_rate or 0.0,
        first_seen=domain.first_seen_at,
        last_crawled=domain.last_crawled_at,
    )
    values = {"records_stored": domain_crawl.c.records_stored + added, "priority_key": key}
    await tx.execute(update(domain_crawl).where(domain_crawl.c.no == domain_no).values(values))


async def note_ends(tx: AsyncConnection, ended: Sequence[tuple[int, datetime]]) -> None:
    """Domains (number, when) were crawled to their end: what was found there is to be judged once read."""
    time = converter(tx, crawl_ends.c.ended_at)
    found = [(no, time(when)) for no, when in ended]
    await upsert_many(tx, crawl_ends, ("domain_no", "ended_at"), found, ("domain_no",), ("ended_at",))


async def move(tx: AsyncConnection, source: int, target: int) -> None:
    """The records of a domain that is merged into another, with the versions that tell of them."""
    there = select(_r.kind, _r.identity).where(_r.domain_no == target)
    in_both = select(_r.id).where(_r.domain_no == source, tuple_(_r.kind, _r.identity).in_(there))
    ids = list((await tx.execute(in_both)).scalars())  # what both have goes with the row
    for table in (record_sources, record_changes, record_corrections):
        await tx.execute(delete(table).where(table.c.record_id.in_(ids)))
    await tx.execute(delete(records).where(_r.id.in_(ids)))
    for table in (records, record_sources, record_changes, record_corrections, model_answers):
        await tx.execute(update(table).where(table.c.domain_no == source).values(domain_no=target))
    await _move_versions(tx, source, target)
    for table in (contact_sources, crawl_ends):  # both are made anew by the next crawl
        await tx.execute(delete(table).where(table.c.domain_no == source))


async def _move_versions(tx: AsyncConnection, source: int, target: int) -> None:
    s, other = page_snapshots.c, page_snapshots.alias()
    same = exists().where(
        other.c.domain_no == target, other.c.key == s.key, other.c.content_hash == s.content_hash
    )
    await tx.execute(update(page_snapshots).where(s.domain_no == source, ~same).values(domain_no=target))
    await tx.execute(delete(page_snapshots).where(s.domain_no == source))
