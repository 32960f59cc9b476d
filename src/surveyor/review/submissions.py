"""What becomes of a domain or a URL that somebody names: one function for command, form and API.

What anybody may do from outside is limited in number and size, and never leads to a request
to a domain that no person approved: a URL of such a domain only waits with it.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from dataclasses import dataclass, replace

from sqlalchemy.ext.asyncio import AsyncConnection

from surveyor.db import Database
from surveyor.errors import Refused
from surveyor.frontier.changes import RANK_FIRST, RANK_LATER
from surveyor.names import url_key
from surveyor.people import Limit
from surveyor.people import limits as rate
from surveyor.registry.actors import Actor, Role
from surveyor.registry.domain import Domain
from surveyor.registry.events import EventKind, NewEvent
from surveyor.registry.lifecycle import CrawlStatus, QualityStatus, ReviewStatus
from surveyor.registry.store import changes, due_dates, events, register, rows
from surveyor.registry.store.register import NewDomain, Origin
from surveyor.review.store import domains as store
from surveyor.review.store import urls
from surveyor.review.store.urls import Queued, Submitted
from surveyor.review.submission_values import (
    DEPTH,
    Intake,
    Named,
    Outcome,
    Submission,
    SubmissionAnswer,
    Submitter,
    clean,
    read,
)
from surveyor.settings import ReviewSettings

__all__ = ["Intake", "Outcome", "Submission", "SubmissionAnswer", "Submitter", "submit"]

# A submitted URL counts as linked from the start page.
_URL_DEPTH = 1
_LONGEST_CONTEXTS = 10_000  # characters of all submissions of one domain together
_HOUR, _DAY = 3_600.0, 86_400.0


async def submit(db: Database, given: Submission, by: Submitter, intake: Intake) -> SubmissionAnswer:
    """Take a submission in; the answer says what became of it."""
    named = read(given, by, intake.rules)
    async with db.write() as tx:
        if not by.is_staff:
            await _count(tx, by, intake.limits)
        domain = await _find_locked(tx, named.domain)
        if domain is None:
            answer = await _new(tx, named, given, by, intake.limits.waiting_domains)
            if answer is not None:
                return answer
            domain = await _find_locked(tx, named.domain)  # somebody was quicker
        assert domain is not None
        act = _answer_for(domain)
        return await act(await _with_limits(_Case(tx, domain, named, given, by, intake)))


async def _with_limits(case: _Case) -> _Case:
    """Limits that a reviewer names along with a known domain hold from now on."""
    given, status = case.given, case.domain.review_status
    is_over = status is ReviewStatus.SUSPENDED or (
        status is ReviewStatus.REJECTED and not case.given.for_review
    )
    named = {
        "max_crawl_depth": given.depth,
        "crawl_delay_seconds": given.delay_seconds,
        "max_pages_per_run": given.max_pages,
    }
    limits = {name: value for name, value in named.items() if value is not None}
    if not limits or is_over or case.domain.quality_status is QualityStatus.BLACKLISTED:
        return replace(case, keeps_limits=bool(limits))
    actor = Actor(case.by.name, Role.ADMIN)
    domain = await changes.edit(case.tx, case.domain.no, limits, actor, seen_version=None)
    return replace(case, domain=domain)


async def _count(tx: AsyncConnection, by: Submitter, limits: ReviewSettings) -> None:
    own = by.name if by.name != "public" else rate.address_prefix(by.address)
    await rate.count(tx, Limit("submissions from one address", limits.per_address, _HOUR), own)
    await rate.count(tx, Limit("submissions at this hour", limits.in_total, _HOUR))


async def _find_locked(tx: AsyncConnection, name: str) -> Domain | None:
    found = await rows.find(tx, name)
    return await rows.get(tx, found.no, lock=True) if found else None


async def _new(
    tx: AsyncConnection, named: Named, given: Submission, by: Submitter, most_waiting: int
) -> SubmissionAnswer | None:
    if named.url and not given.for_review:
        return _asks(named, f"{named.domain} is not known yet; would you like to submit it for review?")
    if not by.is_staff and await store.public_waiting(tx, most_waiting) >= most_waiting:
        raise Refused("too many domains wait for review already; try again in a few days")
    origin = Origin(
        "submission",
        by.kind,
        by.name,
        context=clean(given.context),
        max_crawl_depth=DEPTH if given.depth is None else given.depth,
        crawl_delay_seconds=given.delay_seconds,
        max_pages_per_run=given.max_pages,
    )
    if not await register.add_batch(tx, [NewDomain(named.domain)], origin):
        return None
    domain = await rows.find(tx, named.domain)
    assert domain is not None
    if named.url:
        await _remember(tx, domain, named, by)
    await _record(tx, EventKind.DOMAIN_SUBMITTED, domain, by)
    return SubmissionAnswer(
        Outcome.SUBMITTED, domain.domain, _with_url("submitted for review", named), named.url
    )


@dataclass(frozen=True, slots=True)
class _Case:
    """A submission that names a known domain."""

    tx: AsyncConnection
    domain: Domain
    named: Named
    given: Submission
    by: Submitter
    intake: Intake
    keeps_limits: bool = False  # some were named, and nothing is changed

    def answer(self, outcome: Outcome, message: str, offers: str | None = None) -> SubmissionAnswer:
        if self.keeps_limits:
            message += "; its limits stay as they are"
        return SubmissionAnswer(outcome, self.domain.domain, message, self.named.url, offers)


def _answer_for(domain: Domain) -> Callable[[_Case], Awaitable[SubmissionAnswer]]:
    if domain.quality_status is QualityStatus.BLACKLISTED:
        return _blacklisted
    return {
        ReviewStatus.PENDING_REVIEW: _pending,
        ReviewStatus.APPROVED: _approved,
        ReviewStatus.REJECTED: _rejected,
        ReviewStatus.SUSPENDED: _suspended,
    }[domain.review_status]


async def _blacklisted(case: _Case) -> SubmissionAnswer:
    return case.answer(Outcome.BLACKLISTED, "is blacklisted and will not be crawled")


async def _suspended(case: _Case) -> SubmissionAnswer:
    return case.answer(Outcome.SUSPENDED, "is suspended; a reviewer may resume it")


async def _rejected(case: _Case) -> SubmissionAnswer:
    domain, by = case.domain, case.by
    if not case.given.for_review:
        message = f"was rejected: {domain.rejection_reason}; it may be submitted again"
        return replace(case.answer(Outcome.REJECTED, message, "review"), reason=domain.rejection_reason)
    actor = Actor(by.name, Role.ADMIN if by.is_staff else Role.SUBMITTER)
    reason = f"submitted again by {by.name}"
    await changes.advance_review(case.tx, domain.no, ReviewStatus.PENDING_REVIEW, actor, reason=reason)
    await _note(case)
    return case.answer(Outcome.SUBMITTED_AGAIN, _with_url("submitted for review again", case.named))


async def _pending(case: _Case) -> SubmissionAnswer:
    await _note(case)
    await _record(case.tx, EventKind.DOMAIN_SUBMITTED, case.domain, case.by)
    message = _with_url("already submitted for review", case.named)
    return case.answer(Outcome.ALREADY_SUBMITTED, message)


async def _approved(case: _Case) -> SubmissionAnswer:
    if case.named.url is None:
        return case.answer(
            Outcome.ALREADY_APPROVED, "is already approved; it may be crawled again now", "recrawl"
        )
    domain = case.domain
    deepest = case.intake.max_depth if domain.max_crawl_depth is None else domain.max_crawl_depth
    if deepest is not None and deepest < _URL_DEPTH:
        return case.answer(Outcome.OUT_OF_REACH, "only its start page is crawled; its depth is 0")
    first = case.by.is_staff or domain.is_trusted
    if not case.by.is_staff:
        daily = Limit(f"URLs of {domain.domain} today", case.intake.limits.daily_urls, _DAY)
        await rate.count(case.tx, daily)
    rank = RANK_FIRST if first else RANK_LATER
    queued = await urls.queue(case.tx, domain, Submitted(case.named.target, _URL_DEPTH, rank, first))
    if queued in (Queued.NEW, Queued.AGAIN):
        await _make_due(case)
        await _record(case.tx, EventKind.URL_SUBMITTED, domain, case.by, case.named, queued)
        return case.answer(Outcome.QUEUED, f"{case.named.url} waits to be fetched")
    message = "waits already" if queued is Queued.WAITING else "was looked at before"
    return case.answer(Outcome.ALREADY_KNOWN, f"{case.named.url} {message}")


async def _make_due(case: _Case) -> None:
    """The domain is due for the new URL, unless it must rest."""
    if case.domain.crawl_status not in (CrawlStatus.BLOCKED, CrawlStatus.UNREACHABLE):
        await due_dates.make_due_now(case.tx, case.domain.no)


async def _note(case: _Case) -> None:
    """Add what this person said to what others said, and keep the URL for the day of approval."""
    before, added = case.domain.submission_context, clean(case.given.context)
    context = None
    if added and added not in (before or ""):
        context = "\n".join(filter(None, (before, added)))
    if context is not None and len(context) > _LONGEST_CONTEXTS:
        context = None
    await store.named_by(case.tx, case.domain, case.by.name, case.by.kind, context)
    if case.named.url:
        await _remember(case.tx, case.domain, case.named, case.by, case.intake.limits.waiting_urls)


async def _remember(tx: AsyncConnection, domain: Domain, named: Named, by: Submitter, most: int = 1) -> None:
    if await urls.count_waiting(tx, domain.no, most) < most:
        rank = RANK_FIRST if by.is_staff else RANK_LATER
        await urls.queue(tx, domain, Submitted(named.target, _URL_DEPTH, rank, again=False))


async def _record(
    tx: AsyncConnection,
    kind: EventKind,
    domain: Domain,
    by: Submitter,
    named: Named | None = None,
    queued: Queued | None = None,
) -> None:
    # Not what was said or which page: events can never be erased, a forgotten domain must be.
    data = {"submitter_type": by.kind.value}
    if named and queued:
        data |= {"page": str(url_key(named.target)), "outcome": queued.value}
    await events.append(tx, [NewEvent(kind, by.name, domain.no, data=data)])


def _asks(named: Named, message: str) -> SubmissionAnswer:
    return SubmissionAnswer(Outcome.ASKS, named.domain, message, named.url, "review")


def _with_url(message: str, named: Named) -> str:
    return f"{message}; {named.url} is fetched once it is approved" if named.url else message
