"""Writes domains of another register: each through its lifecycles, under the names of those who decided.

The events name who imported, with who decided and when beside it; the row has those who decided. What
somebody here decided or crawled is never touched.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any
from uuid import UUID

from sqlalchemy import update
from sqlalchemy.ext.asyncio import AsyncConnection

from surveyor.backfill import store
from surveyor.backfill.registers.domains import TheirDecision, TheirDomain
from surveyor.backfill.registers.run import NAMED, LeftOut, Run
from surveyor.backfill.registers.store import sessions
from surveyor.db.tables import domains
from surveyor.registry.domain import Domain, SubmitterType
from surveyor.registry.events import EventKind, NewEvent
from surveyor.registry.lifecycle import CrawlStatus, QualityStatus, ReviewStatus
from surveyor.registry.store import aliases, changes, events, register, rows
from surveyor.registry.store.register import NewDomain, Origin
from surveyor.registry.workers import new_worker_id

_d = domains.c
_R, _Q = ReviewStatus, QualityStatus
_REVIEW_WAYS = {
    _R.PENDING_REVIEW: (),
    _R.APPROVED: (_R.APPROVED,),
    _R.REJECTED: (_R.REJECTED,),
    _R.SUSPENDED: (_R.APPROVED, _R.SUSPENDED),
}
_QUALITY_WAYS = {
    _Q.DISCOVERED: (),
    _Q.BLACKLISTED: (_Q.BLACKLISTED,),
    _Q.NO_FUNDS_THIS_YEAR: (_Q.NO_FUNDS_THIS_YEAR,),
    _Q.PROCESSED_HIGH_QUALITY: (_Q.PROCESSING, _Q.PROCESSED_HIGH_QUALITY),
    _Q.PROCESSED_LOW_QUALITY: (_Q.PROCESSING, _Q.PROCESSED_LOW_QUALITY),
    _Q.PROCESSING_FAILED: (_Q.PROCESSING, _Q.PROCESSING_FAILED),
}


async def known(tx: AsyncConnection, names: Sequence[str]) -> dict[str, Domain]:
    """Domains by the names they are asked for, also by one that leads to another since."""
    led = await aliases.kept(tx, names)
    query = rows.select_domains().where(_d.domain.in_(list(names)) | _d.no.in_(list(led.values())))
    found = [rows.to_domain(row) for row in await tx.execute(query)]
    by_no = {domain.no: domain for domain in found}
    return {domain.domain: domain for domain in found} | {name: by_no[no] for name, no in led.items()}


async def take(tx: AsyncConnection, batch: Sequence[TheirDomain], run: Run) -> None:
    """One transaction: new domains are added, untouched ones filled in."""
    there = await known(tx, [theirs.name for theirs in batch])
    wanted: dict[str, TheirDomain] = {}
    for theirs in batch:
        _plan(theirs, there.get(theirs.name), run, wanted)
    if not run.apply or not wanted:
        return
    origin = Origin(run.source, SubmitterType.ADMIN, run.by.name)
    new = [NewDomain(name, context=t.values.get("submission_context")) for name, t in wanted.items()]
    numbers = await register.add_new(tx, new, origin)
    if numbers:
        data = {"source": run.source, "named": len(batch), "new": len(numbers)}
        await events.append(tx, [NewEvent(EventKind.SEEDS_INGESTED, run.by.name, data=data)])
    numbers |= {name: there[name].no for name in wanted if name in there}
    found_by = await _sessions(tx, run, wanted.values())
    fillings = {}
    for name, theirs in wanted.items():
        if name in numbers:  # else somebody was quicker, and it is theirs
            await _write(tx, numbers[name], theirs, run, found_by.get(theirs.session or ""))
            if theirs.filling is not None:
                fillings[numbers[name]] = theirs.filling
    if fillings:
        await store.fill(tx, fillings, new_worker_id(), run.source, run.into.yields)


def _plan(theirs: TheirDomain, here: Domain | None, run: Run, wanted: dict[str, TheirDomain]) -> None:
    before = run.named.get(theirs.name)
    if before is not None and theirs.weight <= before:
        run.now.leave_out(LeftOut("another row names the same domain", theirs.name))
        return
    run.named[theirs.name] = theirs.weight
    if before is not None and theirs.name in wanted:
        wanted[theirs.name] = theirs  # of the same batch: the heavier decision
        run.now.leave_out(LeftOut("another row names the same domain", theirs.name))
        return
    if before is not None and not run.apply:
        run.now.leave_out(LeftOut("another row names the same domain", theirs.name))
        return
    if here is None:
        run.now.new += 1
    elif _is_untouched(here) and _differs(theirs, here):
        run.now.filled += 1
    else:
        run.now.kept += 1
        _note_conflict(theirs, here, run)
        return
    wanted[theirs.name] = theirs
    if theirs.quality is _Q.BLACKLISTED:
        run.blacklisted.add(theirs.name)
    elif theirs.review is _R.APPROVED:
        run.approved.add(theirs.name)
    if theirs.review is _R.REJECTED:
        run.rejected.add(theirs.name)
    decided = theirs.review is not _R.PENDING_REVIEW or theirs.quality is _Q.BLACKLISTED
    run.now.without_person += decided and _nobody(theirs)


def _nobody(theirs: TheirDomain) -> bool:
    who = theirs.judged.by if theirs.quality is _Q.BLACKLISTED else theirs.reviewed.by
    return who is None


def _is_untouched(here: Domain) -> bool:
    """Nobody decided, judged, edited or crawled it."""
    asked = here.claimed_by or here.last_crawled_at or here.pages_crawled or here.total_error_count
    return (
        here.review_status is _R.PENDING_REVIEW
        and here.quality_status is _Q.DISCOVERED
        and here.crawl_status is CrawlStatus.PENDING
        and here.version == 1
        and not asked
    )


def _differs(theirs: TheirDomain, here: Domain) -> bool:
    states = theirs.review is not here.review_status or theirs.quality is not here.quality_status
    values = {name: value for name, value in theirs.values.items() if name not in _OF_THE_FIRST}
    return states or theirs.filling is not None or any(getattr(here, n) != v for n, v in values.items())


# What a domain has from its first submission here.
_OF_THE_FIRST = ("submitted_by", "submitter_type", "submission_context", "first_seen_at", "last_seen_at")


def _note_conflict(theirs: TheirDomain, here: Domain, run: Run) -> None:
    pairs: list[tuple[str, str]] = []
    if theirs.quality is _Q.BLACKLISTED and here.quality_status is not _Q.BLACKLISTED:
        pairs.append((here.quality_status, theirs.quality))
    if theirs.review is not _R.PENDING_REVIEW and theirs.review is not here.review_status:
        pairs.append((here.review_status, theirs.review))
    if pairs and len(run.now.decided_otherwise) < NAMED:
        ours, other = pairs[0]
        run.now.decided_otherwise.append(f"{here.domain}: {ours} here, {other} there")


async def _sessions(tx: AsyncConnection, run: Run, wanted: Iterable[TheirDomain]) -> dict[str, UUID]:
    """Sessions that are in the register, by their ids there."""
    named = {theirs.session: run.id("sessions", theirs.session) for theirs in wanted if theirs.session}
    present = await sessions.there(tx, list(named.values()))
    return {said: made for said, made in named.items() if made in present}


async def _write(tx: AsyncConnection, no: int, theirs: TheirDomain, run: Run, session: UUID | None) -> None:
    values = dict(theirs.values) | ({"first_session_id": session} if session else {})
    if values:
        await tx.execute(update(domains).where(_d.no == no).values(values | {"version": 2}))
        event = NewEvent(EventKind.DOMAIN_EDITED, run.by.name, no, 2, data={"imported": run.source})
        await events.append(tx, [event])
    await _judge(tx, no, theirs, run)
    await _review(tx, no, theirs, run)


async def _judge(tx: AsyncConnection, no: int, theirs: TheirDomain, run: Run) -> None:
    reason = theirs.judged.reason or f"no reason is given in {run.source}"
    figures = {name: theirs.values[name] for name in _FIGURES if name in theirs.values}
    for target in _QUALITY_WAYS[theirs.quality]:
        await changes.advance_quality(
            tx, no, target, run.by, reason=reason, year=theirs.year, evidence=_evidence(theirs.judged, run)
        )
    kept: dict[str, Any] = {}
    if theirs.quality is _Q.BLACKLISTED:
        kept = _who_and_when("blacklisted", theirs.judged)
    elif theirs.quality is _Q.PROCESSING_FAILED and theirs.judged.at is not None:
        kept = {"retry_after": theirs.judged.at}
    if kept | figures:
        await tx.execute(update(domains).where(_d.no == no).values(kept | figures))


_FIGURES = ("processing_count", "last_processed_at", "failure_count")  # what a judging here counts anew


async def _review(tx: AsyncConnection, no: int, theirs: TheirDomain, run: Run) -> None:
    reason = theirs.reviewed.reason
    if theirs.review is _R.REJECTED and reason is None:
        reason = f"no reason is given in {run.source}"
    for target in _REVIEW_WAYS[theirs.review]:
        evidence = _evidence(theirs.reviewed, run)
        await changes.advance_review(tx, no, target, run.by, reason=reason, evidence=evidence)
    kept = _who_and_when("reviewed", theirs.reviewed)
    if kept and theirs.review is not _R.PENDING_REVIEW:
        await tx.execute(update(domains).where(_d.no == no).values(kept))


def _who_and_when(what: str, decided: TheirDecision) -> dict[str, Any]:
    return {
        name: value
        for name, value in ((f"{what}_by", decided.by), (f"{what}_at", decided.at))
        if value is not None
    }


def _evidence(decided: TheirDecision, run: Run) -> dict[str, Any]:
    at = decided.at.isoformat() if decided.at else None
    return {"imported": run.source, "decided_by": decided.by, "decided_at": at}
