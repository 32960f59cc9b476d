"""The one write path for candidates: opened, moved along their arrows, ended with their domain.

Each function runs in the caller's transaction and writes the event of what it changes. Whoever changes the
candidates of a domain holds the domain's row, so that two of them never meet.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any
from uuid import UUID

from sqlalchemy import ColumnElement, Row, Select, insert, or_, select, tuple_, update
from sqlalchemy.ext.asyncio import AsyncConnection

from surveyor.db import now
from surveyor.db.dialect import among
from surveyor.db.tables import candidates, contacts, domains
from surveyor.errors import NotFound, UsageError
from surveyor.ids import new_id
from surveyor.registry.actors import Actor
from surveyor.registry.candidates import CANDIDATE, OPEN, Candidate, CandidateStatus, NewCandidate
from surveyor.registry.events import EventKind, NewEvent
from surveyor.registry.lifecycle import QualityStatus
from surveyor.registry.store import events, records

_c = candidates.c
_MOVES = {
    CandidateStatus.IN_REVIEW: EventKind.CANDIDATE_TAKEN,
    CandidateStatus.APPROVED: EventKind.CANDIDATE_APPROVED,
    CandidateStatus.REJECTED: EventKind.CANDIDATE_REJECTED,
}
_DECIDED = (CandidateStatus.APPROVED, CandidateStatus.REJECTED)


def select_candidates() -> Select[Any]:
    return select(*_c, domains.c.domain).join_from(candidates, domains, domains.c.no == _c.domain_no)


def to_candidate(row: Row[Any]) -> Candidate:
    values = dict(row._mapping)
    values["status"] = CandidateStatus(values["status"])
    return Candidate(**values)


async def add(
    tx: AsyncConnection, domain_no: int, new: NewCandidate, by: Actor, made: UUID | None = None
) -> UUID:
    """Open a candidate, or note that its domain was skipped; the confidence decides which.

    `made` is the id of one that comes from elsewhere.
    """
    made = made or new_id()
    values = {
        "session_id": new.session_id,
        "url": new.url,
        "title": new.title,
        "organisation_name": new.organisation_name,
        "program_name": new.program_name,
        "confidence": new.confidence,
        "threshold": new.threshold,
        "scores": [dict(score) for score in new.scores],
        "reasoning": new.reasoning,
        "judge_version": new.judge_version,
        "status": new.status,
    }
    stamps = {"created_at": now(), "updated_at": now()}
    await tx.execute(insert(candidates).values(id=made, domain_no=domain_no, **values, **stamps))
    if new.status is CandidateStatus.PENDING_CRAWL:
        data = {"candidate": str(made), "confidence": str(new.confidence)}
        opened = NewEvent(EventKind.CANDIDATE_OPENED, by.name, domain_no, to_state=new.status, data=data)
        await events.append(tx, [opened])
    return made


async def advance_candidate(
    tx: AsyncConnection, candidate_id: UUID, target: CandidateStatus, by: Actor, *, reason: str | None = None
) -> Candidate:
    """Move a candidate along an arrow. Taking it names who; a rejection carries its reason."""
    candidate = await get(tx, candidate_id, lock=True)
    CANDIDATE.check(candidate.status, target)
    if target is CandidateStatus.REJECTED and not (reason or "").strip():
        raise UsageError("a rejection needs a reason")
    values: dict[str, Any] = {"status": target, "updated_at": now()}
    values["assigned_to"] = by.name if target is CandidateStatus.IN_REVIEW else candidate.assigned_to
    if target is CandidateStatus.PENDING_REVIEW:
        values["assigned_to"] = None
    if target in _DECIDED:
        values |= {"decided_by": by.name, "decided_at": now(), "decision_reason": reason}
    elif candidate.status in _DECIDED:
        values |= {"decided_by": None, "decided_at": None, "decision_reason": None}
    await tx.execute(update(candidates).where(_c.id == candidate_id).values(values))
    if candidate.status is CandidateStatus.APPROVED:
        await records.unpublish(tx, candidate.domain_no)
    if target is CandidateStatus.APPROVED:
        await records.publish(tx, candidate.domain_no)
    await events.append(tx, [_moved(candidate, target, by, reason)])
    return await get(tx, candidate_id)


def _moved(candidate: Candidate, target: CandidateStatus, by: Actor, reason: str | None) -> NewEvent:
    given_back = candidate.status is CandidateStatus.IN_REVIEW
    waiting = EventKind.CANDIDATE_GIVEN_BACK if given_back else EventKind.CANDIDATE_READY
    kind = _MOVES.get(target, waiting)
    return NewEvent(
        EventKind.CANDIDATE_REOPENED if candidate.status in _DECIDED else kind,
        by.name,
        candidate.domain_no,
        from_state=candidate.status,
        to_state=target,
        reason=reason,
        data={"candidate": str(candidate.id)},
    )


async def assign(tx: AsyncConnection, candidate: Candidate, to: str, by: Actor) -> Candidate:
    """Give one that is looked at to another reviewer. The caller holds its row."""
    await tx.execute(update(candidates).where(_c.id == candidate.id).values(assigned_to=to, updated_at=now()))
    data = {"candidate": str(candidate.id), "to": to}
    given = NewEvent(EventKind.CANDIDATE_ASSIGNED, by.name, candidate.domain_no, data=data)
    await events.append(tx, [given])
    return await get(tx, candidate.id)


async def write_notes(tx: AsyncConnection, candidate_id: UUID, notes: str | None) -> Candidate:
    """What reviewers tell each other of a candidate."""
    await tx.execute(update(candidates).where(_c.id == candidate_id).values(notes=notes, updated_at=now()))
    return await get(tx, candidate_id)


async def reject_open(tx: AsyncConnection, domain_no: int, by: Actor, reason: str) -> None:
    """Its domain was rejected or blacklisted: nobody need look at the candidate any more."""
    for candidate_id in await _ids(tx, domain_no, OPEN):
        await advance_candidate(tx, candidate_id, CandidateStatus.REJECTED, by, reason=reason)


async def domains_were_crawled(tx: AsyncConnection, crawled: Mapping[int, Actor]) -> None:
    """There is something to look at on these domains now: their candidates wait for a person."""
    if not crawled:
        return
    waiting = (among(_c.domain_no, crawled), _c.status == CandidateStatus.PENDING_CRAWL)
    found = (await tx.execute(select(_c.id, _c.domain_no).where(*waiting).order_by(_c.domain_no))).all()
    for candidate_id, no in found:
        await advance_candidate(tx, candidate_id, CandidateStatus.PENDING_REVIEW, crawled[no])


async def move(tx: AsyncConnection, source: int, target: int, by: Actor) -> None:
    """The candidates of a domain that is merged into another; of two open ones the other's stays open."""
    if await _ids(tx, target, OPEN):
        await reject_open(tx, source, by, "its domain was merged into one that has a candidate")
    await tx.execute(update(candidates).where(_c.domain_no == source).values(domain_no=target))
    there = select(contacts.c.kind, contacts.c.value).where(contacts.c.domain_no == target)
    new = tuple_(contacts.c.kind, contacts.c.value).not_in(there)  # what both have goes with the row
    await tx.execute(update(contacts).where(contacts.c.domain_no == source, new).values(domain_no=target))


async def _ids(tx: AsyncConnection, domain_no: int, among: Sequence[CandidateStatus]) -> list[UUID]:
    query = select(_c.id).where(_c.domain_no == domain_no, _c.status.in_(among))
    return list((await tx.execute(query)).scalars())


async def statuses_of(tx: AsyncConnection, domain_no: int) -> set[CandidateStatus]:
    found = await tx.execute(select(_c.status).where(_c.domain_no == domain_no))
    return {CandidateStatus(status) for status in found.scalars()}


async def get(tx: AsyncConnection, candidate_id: UUID, *, lock: bool = False) -> Candidate:
    if lock:
        # The domain first, as every decision does; then its candidate.
        no = select(_c.domain_no).where(_c.id == candidate_id).scalar_subquery()
        await tx.execute(select(domains.c.no).where(domains.c.no == no).with_for_update())
        await tx.execute(select(_c.id).where(_c.id == candidate_id).with_for_update())
    row = (await tx.execute(select_candidates().where(_c.id == candidate_id))).one_or_none()
    if row is None:
        raise NotFound(f"there is no candidate {candidate_id}; `surveyor candidates` lists them")
    return to_candidate(row)


async def page(
    tx: AsyncConnection,
    status: CandidateStatus | None,
    limit: int,
    after: UUID | None = None,
    *,
    year: int,
) -> list[Candidate]:
    """Newest first. Those of domains without funds this year are hidden until the year ends."""
    query = select_candidates().where(has_funds(year))
    if status is not None:
        query = query.where(_c.status == status)
    if after is not None:
        query = query.where(_c.id < after)
    found = await tx.execute(query.order_by(_c.id.desc()).limit(limit))
    return [to_candidate(row) for row in found]


def has_funds(year: int) -> ColumnElement[bool]:
    """False of what is hidden until the year ends."""
    no_funds = domains.c.quality_status == QualityStatus.NO_FUNDS_THIS_YEAR
    return or_(~no_funds, domains.c.no_funds_year < year)


async def of_domain(tx: AsyncConnection, domain_no: int, limit: int) -> list[Candidate]:
    """All of one domain, newest first."""
    query = select_candidates().where(_c.domain_no == domain_no).order_by(_c.id.desc()).limit(limit)
    return [to_candidate(row) for row in await tx.execute(query)]


async def open_of(tx: AsyncConnection, numbers: Sequence[int]) -> list[Candidate]:
    """The open ones of these domains: at most one of each."""
    query = select_candidates().where(_c.domain_no.in_(numbers), _c.status.in_(OPEN))
    return [to_candidate(row) for row in await tx.execute(query)]
