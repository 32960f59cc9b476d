"""Assigning candidates to people: one takes it, decides, or gives it back; nobody else decides meanwhile."""

from __future__ import annotations

from uuid import UUID

from sqlalchemy.ext.asyncio import AsyncConnection

from surveyor.db import Database
from surveyor.errors import Refused, UsageError
from surveyor.people import Scope
from surveyor.people import store as people
from surveyor.registry.actors import Actor, Role
from surveyor.registry.candidates import Candidate, CandidateStatus
from surveyor.registry.lifecycle import QualityStatus, ReviewStatus
from surveyor.registry.store import candidates, rows
from surveyor.review.store import candidates as store

_S = CandidateStatus
# Looks at a queue from which others take at the same time.
_TRIES = 20
LONGEST_NOTES = 5_000  # characters


async def take(db: Database, candidate_id: UUID, by: Actor) -> Candidate:
    """Take one that waits; one that is assigned already stays so."""
    _check_role(by)
    async with db.write() as tx:
        candidate = await candidates.get(tx, candidate_id, lock=True)
        if candidate.status is _S.IN_REVIEW and candidate.assigned_to == by.name:
            return candidate
        _check_waits(candidate)
        return await candidates.advance_candidate(tx, candidate_id, _S.IN_REVIEW, by)


async def take_next(db: Database, by: Actor, after: Candidate | None = None) -> Candidate | None:
    """Take the most promising one that waits; behind `after`, so that one that was skipped is passed."""
    _check_role(by)
    for _ in range(_TRIES):
        async with db.read() as tx:
            found = await store.next_waiting(tx, after)
        if found is None:
            return None
        try:
            return await take(db, found, by)
        except Refused:
            continue  # somebody was quicker
    raise Refused("others take candidates at this moment; try again")


async def give_back(db: Database, candidate_id: UUID, by: Actor) -> Candidate:
    """It waits for somebody else."""
    _check_role(by)
    async with db.write() as tx:
        candidate = await candidates.get(tx, candidate_id, lock=True)
        if candidate.status is not _S.IN_REVIEW:
            raise Refused(f"candidate {candidate_id} is {candidate.status}; nobody has taken it")
        _check_holder(candidate, by)
        return await candidates.advance_candidate(tx, candidate_id, _S.PENDING_REVIEW, by)


async def decide(
    db: Database, candidate_id: UUID, approved: bool, by: Actor, reason: str | None = None
) -> Candidate:
    """Approve or reject one that waits or that this person took. Approval publishes its domain's records."""
    _check_role(by)
    if not approved and not (reason or "").strip():
        raise UsageError("say why: a rejection needs a reason")
    async with db.write() as tx:
        candidate = await candidates.get(tx, candidate_id, lock=True)
        candidate = await _claimed_by(tx, candidate, approved, by)
        target = _S.APPROVED if approved else _S.REJECTED
        return await candidates.advance_candidate(tx, candidate.id, target, by, reason=reason)


async def reopen(db: Database, candidate_id: UUID, by: Actor) -> Candidate:
    """Take a decision back, one's own or as an admin anybody's; the candidate is assigned to who does."""
    _check_role(by)
    async with db.write() as tx:
        candidate = await candidates.get(tx, candidate_id, lock=True)
        if candidate.status not in (_S.APPROVED, _S.REJECTED):
            raise Refused(f"candidate {candidate_id} is {candidate.status}; nobody decided on it yet")
        if candidate.decided_by != by.name and by.role is not Role.ADMIN:
            raise Refused(f"{candidate.decided_by} decided on it; ask them or an admin to take it back")
        domain = await rows.get(tx, candidate.domain_no)
        if (
            domain.review_status is ReviewStatus.REJECTED
            or domain.quality_status is QualityStatus.BLACKLISTED
        ):
            raise Refused(f"{candidate.domain} itself was refused; reopen the domain first")
        if await candidates.open_of(tx, [candidate.domain_no]):
            raise Refused(f"{candidate.domain} has another open candidate; decide on that one")
        return await candidates.advance_candidate(tx, candidate_id, _S.IN_REVIEW, by)


async def assign(db: Database, candidate_id: UUID, to: str, by: Actor) -> Candidate:
    """Give one that waits, or that this person took, to another reviewer."""
    _check_role(by)
    async with db.write() as tx:
        user = await people.get_user(tx, to.strip().lower())
        if not user.may(Scope.REVIEW):
            raise Refused(f"{user.name} cannot decide on candidates; name a reviewer")
        candidate = await candidates.get(tx, candidate_id, lock=True)
        candidate = await _claimed_by(tx, candidate, True, by)
        return await candidates.assign(tx, candidate, user.name, by)


async def write_notes(db: Database, candidate_id: UUID, notes: str | None, by: Actor) -> Candidate:
    """What reviewers tell each other; nothing of it leaves the register."""
    _check_role(by)
    if len(notes or "") > LONGEST_NOTES:
        raise UsageError(f"notes have at most {LONGEST_NOTES:,} characters")
    async with db.write() as tx:
        await candidates.get(tx, candidate_id, lock=True)
        return await candidates.write_notes(tx, candidate_id, notes)


async def decided_by(db: Database, name: str, limit: int = 10) -> list[Candidate]:
    """What one person decided lately and nobody changed since, the latest first."""
    async with db.read() as tx:
        return await store.decided_by(tx, name, limit)


async def waiting(db: Database, limit: int) -> list[Candidate]:
    """Those that wait, in the order in which they are taken."""
    async with db.read() as tx:
        return await store.waiting(tx, limit)


async def _claimed_by(tx: AsyncConnection, candidate: Candidate, approved: bool, by: Actor) -> Candidate:
    if candidate.status is _S.IN_REVIEW:
        _check_holder(candidate, by)
        return candidate
    if candidate.status is _S.PENDING_CRAWL and not approved:
        return candidate  # a no needs no look at its pages
    _check_waits(candidate)
    return await candidates.advance_candidate(tx, candidate.id, _S.IN_REVIEW, by)


def _check_waits(candidate: Candidate) -> None:
    if candidate.status is _S.PENDING_REVIEW:
        return
    outcome = {
        _S.IN_REVIEW: f"was taken by {candidate.assigned_to}",
        _S.PENDING_CRAWL: f"waits until {candidate.domain} is crawled",
        _S.SKIPPED_LOW_CONFIDENCE: "was skipped: its confidence is too low",
    }.get(candidate.status, f"was {candidate.status} by {candidate.decided_by}")
    raise Refused(f"candidate {candidate.id} of {candidate.domain} {outcome}")


def _check_holder(candidate: Candidate, by: Actor) -> None:
    if candidate.assigned_to != by.name and by.role is not Role.ADMIN:
        raise Refused(f"candidate {candidate.id} of {candidate.domain} was taken by {candidate.assigned_to}")


def _check_role(by: Actor) -> None:
    if by.role is Role.SUBMITTER:
        raise Refused(f"{by.name} may submit, not decide; ask a reviewer")
