"""What people decide on domains, alone or in bulk: each act is one transaction and one event.

In bulk, every domain is decided on by itself: those in the right state are done, the others are
named with the reason. A decision may carry the version its person saw; if the domain was
changed since, it is refused with what changed.
"""

from __future__ import annotations

import asyncio
import random
from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import Any

from sqlalchemy.ext.asyncio import AsyncConnection

from surveyor.db import Database
from surveyor.errors import NotFound, Refused, RefusedByDatabase, StaleVersion, UsageError
from surveyor.registry.actors import Actor, Role
from surveyor.registry.domain import Domain, SubmitterType
from surveyor.registry.lifecycle import QualityStatus, ReviewStatus
from surveyor.registry.store import changes, register, rows
from surveyor.registry.store.register import NewDomain, Origin

_R, _Q = ReviewStatus, QualityStatus
LONGEST_REASON = 2_000  # characters
# Looks at a domain that others change at the same time; each of them was done with it meanwhile.
_TRIES, _PAUSE_SECONDS = 20, 0.05


class Verb(StrEnum):
    """The decisions, by the names of their commands."""

    APPROVE = "approve"  # it may be crawled, and is due at once
    REJECT = "reject"  # it may not; needs a reason
    SUSPEND = "suspend"  # a running crawl stops within one request
    RESUME = "resume"  # a suspended domain is approved again
    REOPEN = "reopen"  # back to review, whatever was decided; a running crawl stops
    TRUST = "trust"  # URLs that anybody submits are fetched first
    UNTRUST = "untrust"  # they are not any more
    BLACKLIST = "blacklist"  # never judged, crawled or suggested again; needs a reason
    UNBLACKLIST = "unblacklist"  # for admins
    NO_FUNDS = "no-funds"  # nothing is to be had there until the year ends


@dataclass(frozen=True, slots=True)
class Target:
    """A domain to decide on, and the version that the person saw."""

    domain: str
    version: int | None = None


@dataclass(frozen=True, slots=True)
class Refusal:
    domain: str
    why: str
    version: int | None = None  # the present one, when a stale one was named


@dataclass(frozen=True, slots=True)
class Report:
    done: list[Domain]
    refused: list[Refusal]


# What became of a domain, in words.
DONE: Mapping[Verb, str] = {
    Verb.APPROVE: "approved",
    Verb.REJECT: "rejected",
    Verb.SUSPEND: "suspended",
    Verb.RESUME: "resumed",
    Verb.REOPEN: "back in review",
    Verb.TRUST: "trusted",
    Verb.UNTRUST: "not trusted any more",
    Verb.BLACKLIST: "blacklisted",
    Verb.UNBLACKLIST: "off the blacklist",
    Verb.NO_FUNDS: "no funds this year",
}


@dataclass(frozen=True, slots=True)
class Decision:
    verb: Verb
    by: Actor
    reason: str | None = None
    year: int | None = None
    approve_assets: bool = False  # by the profile: hosts of the domain's images go along
    adds_unknown: bool = False  # to the blacklist: names that the register does not know are kept out too

    def __post_init__(self) -> None:
        _check_role(self.by)
        if self.verb in _NEED_A_REASON and not (self.reason or "").strip():
            raise UsageError(f"say why: {self.verb} needs a reason")
        if self.reason is not None and len(self.reason) > LONGEST_REASON:
            raise UsageError(f"a reason has at most {LONGEST_REASON:,} characters")


def _check_role(by: Actor) -> None:
    if by.role is Role.SUBMITTER:
        raise Refused(f"{by.name} may submit, not decide; ask a reviewer")


_NEED_A_REASON = (Verb.REJECT, Verb.BLACKLIST)


async def decide(db: Database, decision: Decision, targets: Sequence[Target]) -> Report:
    """Decide on each; returns those that were done and those that were refused, in their order."""
    return await in_bulk(targets, lambda target: decide_one(db, decision, target))


async def decide_one(db: Database, decision: Decision, target: Target) -> Domain:
    """Decide on one domain, or raise why not."""
    for _ in range(_TRIES):
        try:
            async with db.write() as tx:
                return await _decide(tx, decision, target)
        except StaleVersion:
            if target.version is not None:
                raise
            # The person named no version: what it is now is looked at again, out of step with the others.
            await asyncio.sleep(random.uniform(0, _PAUSE_SECONDS))
    raise Refused(f"{target.domain} is being changed all the time; try again")


async def _decide(tx: AsyncConnection, decision: Decision, target: Target) -> Domain:
    # Read without a lock: the act locks what it needs in its own order, and refuses another version.
    domain = await rows.find(tx, target.domain)
    if domain is None and decision.adds_unknown and decision.verb is Verb.BLACKLIST:
        origin = Origin("blacklist", SubmitterType.ADMIN, decision.by.name)
        await register.add_batch(tx, [NewDomain(target.domain)], origin)
        domain = await rows.find(tx, target.domain)
    if domain is None:
        raise NotFound(f"{target.domain} is not in the register; `surveyor submit` proposes it")
    if target.version in (None, domain.version):
        _check_state(decision.verb, domain)
    seen = domain.version if target.version is None else target.version
    return await _ACTS[decision.verb](tx, domain.no, decision, seen)


async def edit(db: Database, by: Actor, values: Mapping[str, Any], targets: Sequence[Target]) -> Report:
    """Change limits or notes of each."""
    _check_role(by)
    return await in_bulk(targets, lambda target: edit_one(db, by, values, target))


async def edit_one(db: Database, by: Actor, values: Mapping[str, Any], target: Target) -> Domain:
    """Change limits or notes of one domain, or raise why not."""
    _check_role(by)
    async with db.write() as tx:
        no = await rows.find_no(tx, target.domain)
        return await changes.edit(tx, no, values, by, seen_version=target.version)


async def in_bulk(targets: Sequence[Target], act: Callable[[Target], Awaitable[Domain]]) -> Report:
    report = Report([], [])
    for target in dict.fromkeys(targets):
        try:
            report.done.append(await act(target))
        except StaleVersion as stale:
            report.refused.append(Refusal(target.domain, str(stale), stale.current))
        except (Refused, NotFound, RefusedByDatabase) as error:
            report.refused.append(Refusal(target.domain, str(error)))
    return report


# --- states


_RIGHT_STATE = {
    Verb.APPROVE: (_R.PENDING_REVIEW,),
    Verb.REJECT: (_R.PENDING_REVIEW, _R.SUSPENDED),
    Verb.SUSPEND: (_R.APPROVED,),
    Verb.RESUME: (_R.SUSPENDED,),
    Verb.REOPEN: (_R.APPROVED, _R.REJECTED, _R.SUSPENDED),
    Verb.TRUST: (_R.APPROVED,),
}
_NOT_WHEN_BLACKLISTED = (
    Verb.APPROVE,
    Verb.RESUME,
    Verb.REOPEN,
    Verb.TRUST,
    Verb.NO_FUNDS,
    Verb.BLACKLIST,
)


def _check_state(verb: Verb, domain: Domain) -> None:
    is_blacklisted = domain.quality_status is _Q.BLACKLISTED
    if is_blacklisted and verb in _NOT_WHEN_BLACKLISTED:
        raise Refused(f"{domain.domain} is blacklisted ({domain.blacklist_reason}); unblacklist it first")
    if verb is Verb.UNBLACKLIST and not is_blacklisted:
        raise Refused(f"{domain.domain} is not blacklisted")
    right = _RIGHT_STATE.get(verb)
    if right is not None and domain.review_status not in right:
        raise Refused(f"{domain.domain} is {_message(domain)}; {verb} is for {' and '.join(right)} domains")
    if verb in (Verb.TRUST, Verb.UNTRUST) and domain.is_trusted is (verb is Verb.TRUST):
        raise Refused(f"{domain.domain} is {'' if domain.is_trusted else 'not '}trusted already")


def may(verb: Verb, domain: Domain) -> bool:
    """Whether the domain, as it is, is in the right state for this decision."""
    try:
        _check_state(verb, domain)
    except Refused:
        return False
    return True


def _message(domain: Domain) -> str:
    decided = domain.reviewed_by and domain.review_status is not _R.PENDING_REVIEW
    return f"{domain.review_status} by {domain.reviewed_by}" if decided else domain.review_status


# --- acts

_Act = Callable[[AsyncConnection, int, Decision, int], Awaitable[Domain]]


def _review(target: ReviewStatus) -> _Act:
    async def act(tx: AsyncConnection, no: int, decision: Decision, seen: int) -> Domain:
        by, reason = decision.by, decision.reason
        assets = decision.approve_assets
        return await changes.advance_review(
            tx, no, target, by, reason=reason, seen_version=seen, approve_assets=assets
        )

    return act


def _quality(target: QualityStatus) -> _Act:
    async def act(tx: AsyncConnection, no: int, decision: Decision, seen: int) -> Domain:
        by, reason, year = decision.by, decision.reason, decision.year
        return await changes.advance_quality(tx, no, target, by, reason=reason, year=year, seen_version=seen)

    return act


def _trust(trusted: bool) -> _Act:
    async def act(tx: AsyncConnection, no: int, decision: Decision, seen: int) -> Domain:
        by, reason = decision.by, decision.reason
        return await changes.edit(tx, no, {"is_trusted": trusted}, by, seen_version=seen, reason=reason)

    return act


_ACTS: dict[Verb, _Act] = {
    Verb.APPROVE: _review(_R.APPROVED),
    Verb.REJECT: _review(_R.REJECTED),
    Verb.SUSPEND: _review(_R.SUSPENDED),
    Verb.RESUME: _review(_R.APPROVED),
    Verb.REOPEN: _review(_R.PENDING_REVIEW),
    Verb.TRUST: _trust(True),
    Verb.UNTRUST: _trust(False),
    Verb.BLACKLIST: _quality(_Q.BLACKLISTED),
    Verb.UNBLACKLIST: _quality(_Q.DISCOVERED),
    Verb.NO_FUNDS: _quality(_Q.NO_FUNDS_THIS_YEAR),
}
