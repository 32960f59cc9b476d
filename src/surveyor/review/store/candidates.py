"""Which candidates a reviewer looks at next, and which one was decided last."""

from __future__ import annotations

from typing import Any
from uuid import UUID

from sqlalchemy import ColumnElement, Select, and_, func, or_, select
from sqlalchemy.ext.asyncio import AsyncConnection

from surveyor.db import current_time
from surveyor.db.tables import candidates, domains, events
from surveyor.registry.candidates import Candidate, CandidateStatus
from surveyor.registry.events import EventKind
from surveyor.registry.lifecycle import QualityStatus
from surveyor.registry.store.candidates import select_candidates, to_candidate

_c, _d, _e = candidates.c, domains.c, events.c
# Events looked at, the latest first: somebody who decided nothing must not make us read all of them.
_MOST_EVENTS = 20_000
_DECISIONS = (EventKind.CANDIDATE_APPROVED, EventKind.CANDIDATE_REJECTED)


def _in_order(query: Select[Any], year: int) -> Select[Any]:
    """The most confident first, the oldest among equals; none of a domain without funds this year."""
    no_funds = _d.quality_status == QualityStatus.NO_FUNDS_THIS_YEAR
    waits = and_(_c.status == CandidateStatus.PENDING_REVIEW, or_(~no_funds, _d.no_funds_year < year))
    return query.where(waits).order_by(_c.confidence.desc(), _c.id)


def _behind(last: Candidate) -> ColumnElement[bool]:
    return or_(_c.confidence < last.confidence, and_(_c.confidence == last.confidence, _c.id > last.id))


async def next_waiting(tx: AsyncConnection, after: Candidate | None = None) -> UUID | None:
    """The first that waits; behind `after`, if that is given."""
    query = select(_c.id).join_from(candidates, domains, _d.no == _c.domain_no)
    query = _in_order(query, (await current_time(tx)).year)
    if after is not None:
        query = query.where(_behind(after))
    found: UUID | None = (await tx.execute(query.limit(1))).scalar_one_or_none()
    return found


async def waiting(tx: AsyncConnection, limit: int) -> list[Candidate]:
    query = _in_order(select_candidates(), (await current_time(tx)).year).limit(limit)
    return [to_candidate(row) for row in await tx.execute(query)]


async def decided_by(tx: AsyncConnection, name: str, limit: int) -> list[Candidate]:
    """The latest decisions of one person that still stand."""
    last = (await tx.execute(select(func.max(_e.id)))).scalar_one() or 0
    query = (
        select(_e.data)
        .where(_e.id > last - _MOST_EVENTS, _e.actor == name, _e.kind.in_(_DECISIONS))
        .order_by(_e.id.desc())
        .limit(limit)
    )
    ids = dict.fromkeys(UUID(data["candidate"]) for data in (await tx.execute(query)).scalars())
    stand = select_candidates().where(_c.id.in_(list(ids)), _c.decided_by == name)
    found = {row.id: to_candidate(row) for row in await tx.execute(stand)}
    return [found[each] for each in ids if each in found]
