"""Domains that were crawled to their end, and what was found on them."""

from __future__ import annotations

from collections.abc import Sequence

from sqlalchemy import delete, exists, select, text, update
from sqlalchemy.ext.asyncio import AsyncConnection

from surveyor.db.tables import (
    contact_sources,
    crawl_ends,
    domains,
    page_snapshots,
    pages,
    record_sources,
    records,
)
from surveyor.registry.lifecycle import QualityStatus, ReviewStatus

_e, _s, _o, _r = crawl_ends.c, page_snapshots.c, record_sources.c, records.c
# Reasons for which a page that gave records gives none now.
LEFT = ("not_found", "gone", "soft_404", "redirect", "redirect_foreign", "noindex", "duplicate")


async def finished(tx: AsyncConnection, limit: int, among: Sequence[int] | None = None) -> list[int]:
    """Domains crawled to their end of which every version is read."""
    waits = exists(
        select(1)
        .select_from(page_snapshots)
        .where(_s.domain_no == _e.domain_no, text("page_snapshots.extract_state = 'waiting'"))
    )
    taken = select(_s.domain_no).where(text("page_snapshots.extract_state = 'taken'"))
    allowed = exists().where(
        domains.c.no == _e.domain_no,
        domains.c.review_status == ReviewStatus.APPROVED,
        domains.c.quality_status != QualityStatus.BLACKLISTED,
    )
    query = (
        select(_e.domain_no)
        .where(allowed, ~waits, _e.domain_no.not_in(taken))
        .order_by(_e.domain_no)
        .limit(limit)
    )
    if among is not None:
        query = query.where(_e.domain_no.in_(among))
    return list((await tx.execute(query)).scalars())


async def take(tx: AsyncConnection, no: int) -> bool:
    """Whether this end is still to be judged; it is not any more."""
    done = await tx.execute(delete(crawl_ends).where(_e.domain_no == no).returning(_e.domain_no))
    return done.first() is not None


async def has_relevant_record(tx: AsyncConnection, no: int) -> bool:
    query = (
        select(_r.id)
        .join_from(records, record_sources, _o.record_id == _r.id)
        .join(page_snapshots, _s.id == _o.snapshot_id)
        .where(_r.domain_no == no, _r.gone_at.is_(None), _o.gone_at.is_(None), _s.is_relevant)
        .limit(1)
    )
    return (await tx.execute(query)).first() is not None


async def left_pages(tx: AsyncConnection, no: int) -> list[int]:
    """Pages that gave records and are no more."""
    with_records = select(_o.key).where(_o.domain_no == no, _o.gone_at.is_(None))
    offered = select(contact_sources.c.key).where(contact_sources.c.domain_no == no)
    ended = (pages.c.domain_no == no, pages.c.state == "ended", pages.c.reason.in_(LEFT))
    query = select(pages.c.key).where(*ended, pages.c.key.in_(with_records.union(offered)))
    return list((await tx.execute(query)).scalars())


async def read_again_when_seen(tx: AsyncConnection, no: int, keys: Sequence[int]) -> None:
    """Should such a page come back as it was, what it tells is taken anew."""
    mine = (_s.domain_no == no, _s.key.in_(keys))
    await tx.execute(update(page_snapshots).where(*mine).values(extractor_version=None))


async def newest(tx: AsyncConnection, no: int, keys: Sequence[int]) -> dict[int, int]:
    """The latest version of each of these pages."""
    query = select(_s.key, _s.id).where(_s.domain_no == no, _s.key.in_(keys))
    ordered = await tx.execute(query.order_by(_s.last_seen_at, _s.id))
    return {row.key: row.id for row in ordered}  # the last one of each stays
