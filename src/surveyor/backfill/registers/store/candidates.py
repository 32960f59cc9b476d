"""Writes candidates of another register along their arrows; those who decided stay named."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from sqlalchemy import select, update
from sqlalchemy.ext.asyncio import AsyncConnection

from surveyor.backfill.registers.candidates import TheirCandidate
from surveyor.backfill.registers.run import LeftOut, Run
from surveyor.backfill.registers.store.domains import known
from surveyor.backfill.registers.store.sessions import there
from surveyor.db.tables import candidates
from surveyor.registry.candidates import OPEN, CandidateStatus
from surveyor.registry.domain import Domain, SubmitterType
from surveyor.registry.lifecycle import QualityStatus, ReviewStatus
from surveyor.registry.store import candidates as registry_candidates
from surveyor.registry.store import register
from surveyor.registry.store.register import NewDomain, Origin

_c = candidates.c
_S = CandidateStatus
_WAYS = {
    _S.PENDING_CRAWL: (),
    _S.SKIPPED_LOW_CONFIDENCE: (),
    _S.PENDING_REVIEW: (_S.PENDING_REVIEW,),
    _S.IN_REVIEW: (_S.PENDING_REVIEW, _S.IN_REVIEW),
    _S.APPROVED: (_S.PENDING_REVIEW, _S.IN_REVIEW, _S.APPROVED),
    _S.REJECTED: (_S.REJECTED,),
}
_DECIDED = (_S.APPROVED, _S.REJECTED)


async def take(tx: AsyncConnection, batch: Sequence[TheirCandidate], run: Run) -> None:
    names = list({one.domain for one in batch})
    if run.apply:
        origin = Origin(run.source, SubmitterType.SYSTEM, run.by.name)
        await register.add_new(tx, [NewDomain(name) for name in names], origin)
    domains = await known(tx, names)
    ids = select(_c.id).where(_c.id.in_([one.id for one in batch]))
    present = set((await tx.execute(ids)).scalars())
    have_open = await _open_of(tx, list(domains.values()))
    sessions = await there(tx, [one.session for one in batch if one.session])
    for one in batch:
        if one.id in present:
            run.now.kept += 1
            continue
        present.add(one.id)
        try:
            _check(one, domains.get(one.domain), run, have_open)
        except LeftOut as left:
            run.now.leave_out(left)
            continue
        run.now.new += 1
        run.now.without_person += one.status in _DECIDED and one.decided.by is None
        if run.apply and one.domain in domains:
            session = one.session if one.session in sessions else None
            await _write(tx, domains[one.domain].no, replace(one, session=session), run)


async def _open_of(tx: AsyncConnection, domains: Sequence[Domain]) -> set[str]:
    by_no = {domain.no: domain.domain for domain in domains}
    query = select(_c.domain_no).where(_c.domain_no.in_(list(by_no)), _c.status.in_(OPEN))
    return {by_no[no] for no in (await tx.execute(query)).scalars()}


def _check(one: TheirCandidate, domain: Domain | None, run: Run, have_open: set[str]) -> None:
    if one.status not in OPEN:
        return
    if one.domain in run.blacklisted | run.rejected or (domain is not None and _is_closed(domain)):
        raise LeftOut("it is open, and its domain is rejected or blacklisted", one.domain)
    if one.domain in have_open or one.domain in run.opened:
        raise LeftOut("its domain has an open candidate", one.domain)
    run.opened.add(one.domain)


def _is_closed(domain: Domain) -> bool:
    rejected = domain.review_status is ReviewStatus.REJECTED
    return rejected or domain.quality_status is QualityStatus.BLACKLISTED


async def _write(tx: AsyncConnection, no: int, one: TheirCandidate, run: Run) -> None:
    new = replace(one.new, session_id=one.session)
    await registry_candidates.add(tx, no, new, run.by, one.id)
    reason = one.decided.reason
    if one.status is _S.REJECTED and reason is None:
        reason = f"no reason is given in {run.source}"
    for target in _WAYS[one.status]:
        await registry_candidates.advance_candidate(tx, one.id, target, run.by, reason=reason)
    kept: dict[str, Any] = {"notes": one.notes, "created_at": one.created_at}
    if one.status in (_S.IN_REVIEW, *_DECIDED):
        kept["assigned_to"] = one.assigned_to or one.decided.by
    if one.status in _DECIDED:
        kept |= {"decided_by": one.decided.by, "decided_at": one.decided.at}
    values = {name: value for name, value in kept.items() if value is not None}
    if values:
        await tx.execute(update(candidates).where(_c.id == one.id).values(values))
