"""Carries decisions of a spreadsheet into the register, each through its lifecycle and with its event.

Each decision is a transaction of its own: an interrupt leaves every domain decided or not, and the
same sheet given again changes nothing.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Iterable
from dataclasses import dataclass
from itertools import islice

from sqlalchemy.ext.asyncio import AsyncConnection

from surveyor.db import Database
from surveyor.discover.seeds.decisions import Decision, DecisionLine
from surveyor.discover.seeds.formats import BadLine
from surveyor.discover.seeds.ingest import BadLines
from surveyor.errors import NotADomain, Refused
from surveyor.names import NameRules, canonical_domain
from surveyor.registry.actors import Actor
from surveyor.registry.domain import Domain, SubmitterType
from surveyor.registry.lifecycle import QualityStatus, ReviewStatus
from surveyor.registry.store import changes, register, rows
from surveyor.registry.store.register import NewDomain, Origin

_BATCH_LINES = 500  # domains registered at once, before their decisions

_R = ReviewStatus
# The arrows that lead from where a domain is to where the decision wants it.
_WAYS = {
    Decision.APPROVE: {
        _R.PENDING_REVIEW: (_R.APPROVED,),
        _R.SUSPENDED: (_R.APPROVED,),
        _R.REJECTED: (_R.PENDING_REVIEW, _R.APPROVED),
        _R.APPROVED: (),
    },
    Decision.REJECT: {
        _R.PENDING_REVIEW: (_R.REJECTED,),
        _R.SUSPENDED: (_R.REJECTED,),
        _R.APPROVED: (_R.SUSPENDED, _R.REJECTED),
        _R.REJECTED: (),
    },
    Decision.SUSPEND: {
        _R.PENDING_REVIEW: (_R.APPROVED, _R.SUSPENDED),
        _R.APPROVED: (_R.SUSPENDED,),
        _R.SUSPENDED: (),
    },
}


@dataclass(kw_only=True)
class DecisionsReport(BadLines):
    """What became of the sheet; `unchanged` were decided so already, or still wait for a person."""

    source: str
    lines: int = 0
    new: int = 0
    approved: int = 0
    rejected: int = 0
    suspended: int = 0
    blacklisted: int = 0
    unchanged: int = 0
    dry_run: bool = False


_COUNTED = {
    Decision.APPROVE: "approved",
    Decision.REJECT: "rejected",
    Decision.SUSPEND: "suspended",
    Decision.BLACKLIST: "blacklisted",
}


async def decide(
    db: Database,
    lines: Iterable[DecisionLine | BadLine],
    source: str,
    by: Actor,
    rules: NameRules,
    progress: Callable[[DecisionsReport], None] = lambda _: None,
    *,
    dry_run: bool = False,
) -> DecisionsReport:
    """Register what is unknown, then decide line by line. A reason that is missing names the sheet."""
    report = DecisionsReport(source=source, dry_run=dry_run)
    origin = Origin(source, SubmitterType.ADMIN, by.name)
    remaining = iter(lines)
    while taken := list(islice(remaining, _BATCH_LINES)):
        report.lines += len(taken)
        batch = [pair for line in taken if (pair := _named(line, rules, report))]
        if dry_run:
            await _rehearse(db, batch, origin, by, report)
            continue
        async with db.write() as tx:
            report.new += await register.add_batch(tx, [NewDomain(name) for name, _ in batch], origin)
        for name, line in batch:
            await _decide_one(db, name, line, by, report)
        progress(report)
    return report


def _named(
    line: DecisionLine | BadLine, rules: NameRules, report: DecisionsReport
) -> tuple[str, DecisionLine] | None:
    if isinstance(line, BadLine):
        report.add_bad(line)
        return None
    try:
        return canonical_domain(line.text, rules), line
    except NotADomain as error:
        report.add_bad(BadLine(line.number, line.text[:80], error.reason))
        return None


class _Rehearsed(Exception):
    """Ends a transaction that only wanted to see what would come of it."""


async def _rehearse(
    db: Database, batch: list[tuple[str, DecisionLine]], origin: Origin, by: Actor, report: DecisionsReport
) -> None:
    """Decide a whole batch in one transaction, count, and take all of it back."""
    try:
        async with db.write() as tx:
            report.new += await register.add_batch(tx, [NewDomain(name) for name, _ in batch], origin)
            for name, line in batch:
                await _counted(_decide_in(tx, name, line, by, report.source), name, line, report)
            raise _Rehearsed
    except _Rehearsed:
        pass


async def _decide_one(
    db: Database, name: str, line: DecisionLine, by: Actor, report: DecisionsReport
) -> None:
    async def act() -> bool:
        async with db.write() as tx:
            return await _decide_in(tx, name, line, by, report.source)

    await _counted(act(), name, line, report)


async def _decide_in(tx: AsyncConnection, name: str, line: DecisionLine, by: Actor, source: str) -> bool:
    domain = await rows.get(tx, await rows.find_no(tx, name), lock=True)
    changed = await _apply(tx, domain, line, by, line.reason or f"decided in {source}")
    await _note(tx, domain, line.notes, by)
    return changed


async def _counted(act: Awaitable[bool], name: str, line: DecisionLine, report: DecisionsReport) -> None:
    try:
        changed = await act
    except Refused as refusal:
        report.add_bad(BadLine(line.number, name, str(refusal)))
        return
    counted = _COUNTED[line.decision] if changed else "unchanged"
    setattr(report, counted, getattr(report, counted) + 1)


async def _apply(tx: AsyncConnection, domain: Domain, line: DecisionLine, by: Actor, reason: str) -> bool:
    if line.decision is Decision.REVIEW:
        return False
    blacklisted = domain.quality_status is QualityStatus.BLACKLISTED
    if line.decision is Decision.BLACKLIST:
        if not blacklisted:
            await changes.advance_quality(tx, domain.no, QualityStatus.BLACKLISTED, by, reason=reason)
        return not blacklisted
    if blacklisted and line.decision is Decision.APPROVE:
        raise Refused(f"{domain.domain} is blacklisted ({domain.blacklist_reason}); take it off first")
    way = _WAYS[line.decision].get(domain.review_status)
    if way is None:
        raise Refused(f"{domain.domain} is {domain.review_status}; only an approved domain can be suspended")
    for target in way:
        await changes.advance_review(tx, domain.no, target, by, reason=reason)
    return bool(way)


async def _note(tx: AsyncConnection, domain: Domain, notes: str, by: Actor) -> None:
    """Notes are added to what is there, once."""
    before = domain.notes or ""
    if notes and notes not in before:
        joined = f"{before}\n{notes}" if before else notes
        await changes.edit(tx, domain.no, {"notes": joined}, by, seen_version=None)
