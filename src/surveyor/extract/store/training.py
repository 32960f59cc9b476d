"""Pages that people decided on by deciding on their domains, as text to learn from; and what was learned."""

from __future__ import annotations

from typing import NamedTuple

from sqlalchemy import and_, exists, func, or_, select
from sqlalchemy.ext.asyncio import AsyncConnection

from surveyor.db import Database
from surveyor.db.tables import candidates, domains, page_snapshots, pages, record_sources
from surveyor.extract.states import ExtractState
from surveyor.extract.store.queries import address
from surveyor.extract.store.snapshots import readable
from surveyor.registry.candidates import CandidateStatus
from surveyor.registry.store import register

_FACT = "relevance_model"
_c, _d, _s, _p = candidates.c, domains.c, page_snapshots.c, pages.c
# Domains that are learned from, the latest decisions first, and pages of each: no site speaks for all.
_DOMAINS, _PAGES = 2_000, 20


class Decided(NamedTuple):
    """A page of a domain whose candidate a person approved or rejected."""

    domain_no: int
    wanted: bool
    url: str
    title: str
    markdown: str


async def decisions(tx: AsyncConnection) -> dict[int, bool]:
    """Domains whose candidate was decided, the latest first: whether it was approved."""
    query = (
        select(_c.domain_no, _c.status)
        .where(_c.status.in_((CandidateStatus.APPROVED, CandidateStatus.REJECTED)))
        .order_by(_c.decided_at.desc(), _c.id.desc())
        .limit(_DOMAINS)
    )
    found: dict[int, bool] = {}
    for no, status in await tx.execute(query):
        found.setdefault(no, status == CandidateStatus.APPROVED)
    return found


async def pages_of(tx: AsyncConnection, no: int, *, wanted: bool) -> list[Decided]:
    """Pages that stand for the decision: of a wanted domain those that were relevant or gave a record,
    of an unwanted one those that looked like it first."""
    o = record_sources.c
    with_records = exists().where(o.domain_no == _s.domain_no, o.key == _s.key, o.gone_at.is_(None))
    query = (
        select(_d.domain, _d.start_url, _p.target, _s.title, _s.markdown)
        .join_from(page_snapshots, domains, _d.no == _s.domain_no)
        .outerjoin(pages, and_(_p.domain_no == _s.domain_no, _p.key == _s.key))
        .where(_s.domain_no == no, _s.extract_state == ExtractState.DONE, _s.markdown.is_not(None))
        .order_by(func.coalesce(_s.relevance, 0).desc(), _s.id)
        .limit(_PAGES)
    )
    if wanted:
        query = query.where(or_(_s.is_relevant, with_records))
    return [
        Decided(no, wanted, address(*row[:3]), row[3] or "", readable(row[4]) or "")
        for row in await tx.execute(query)
    ]


async def keep(db: Database, tx: AsyncConnection, model: bytes) -> None:
    await register.set_fact(db, tx, _FACT, model.decode())


async def kept(tx: AsyncConnection) -> bytes | None:
    found = await register.get_fact(tx, _FACT)
    return found.encode() if found is not None else None
