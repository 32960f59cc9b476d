"""The one write path for a domain's states, limits and notes.

Each function runs in the caller's transaction, locks the domain, checks the arrow,
writes the rows and the event. A decision that ends permission withdraws the lease
in the same transaction: a worker's next write bounces, and nothing is due.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Any

from sqlalchemy import update
from sqlalchemy.ext.asyncio import AsyncConnection

from surveyor.db import later, now
from surveyor.db.tables import domain_crawl, domains
from surveyor.errors import ForbiddenArrow, Refused, StaleVersion, UsageError
from surveyor.registry.actors import Actor, Role
from surveyor.registry.domain import FAILURE_BACKOFF, Domain
from surveyor.registry.events import CRAWL_EVENTS, EventKind, NewEvent, quality_event, review_event
from surveyor.registry.lifecycle import CRAWL, QUALITY, REVIEW, CrawlStatus, QualityStatus, ReviewStatus
from surveyor.registry.store import assets, candidates, due_dates, events, refreshes, requeue, rows

# What a person may edit with `edit`; each raises the version.
EDITABLE = (
    "is_trusted",
    "notes",
    "max_crawl_depth",
    "crawl_delay_seconds",
    "max_pages_per_run",
    "scrape_frequency_hours",
    "render",
)
# Which pages a browser shows: those that are empty without scripts, every one, none.
RENDER = ("auto", "always", "never")

# Limits that a person may set: least, most, and how they are called. Beyond the most lies a slip of the hand.
_RANGES: Mapping[str, tuple[float, float, str]] = {
    "max_crawl_depth": (0, 1_000, "a depth"),
    "crawl_delay_seconds": (0, 86_400, "a delay in seconds"),
    "max_pages_per_run": (1, 10_000_000, "a number of pages per run"),
    "scrape_frequency_hours": (1, 87_600, "a number of hours between two visits"),
}


async def advance_review(
    tx: AsyncConnection,
    no: int,
    target: ReviewStatus,
    by: Actor,
    *,
    reason: str | None = None,
    seen_version: int | None = None,
    approve_assets: bool = False,
    images_for: int | None = None,
    evidence: Mapping[str, Any] | None = None,
) -> Domain:
    """May we crawl it? Approval makes the domain due; anything else makes it never due.

    `approve_assets` approves the hosts of its images along with it. `images_for` is how that is said of
    such a host: it is approved for the images of that domain and nothing else. `evidence` is kept with the
    event.
    """
    await lock_with_assets(tx, no)
    domain = await _locked(tx, no, seen_version)
    REVIEW.check(domain.review_status, target)
    if target is ReviewStatus.REJECTED and not (reason or "").strip():
        raise UsageError("a rejection needs a reason")
    changes: dict[str, Any] = {"review_status": target}
    if target is ReviewStatus.PENDING_REVIEW:
        changes |= {"is_trusted": False, "reviewed_by": None, "reviewed_at": None}
    else:
        changes |= {"reviewed_by": by.name, "reviewed_at": now()}
    changes["rejection_reason"] = reason if target is ReviewStatus.REJECTED else None
    await _write(tx, domain, changes)
    if target is ReviewStatus.REJECTED:
        await candidates.reject_open(tx, no, by, f"its domain was rejected: {reason}")
    if target is not ReviewStatus.APPROVED:
        await withdraw(tx, no)
    elif domain.quality_status is not QualityStatus.BLACKLISTED:
        await _make_due(tx, no, domain.due_when_allowed())
    kind = review_event(domain.review_status, target)
    await _record(tx, domain, kind, by, domain.review_status, target, reason, data=evidence)
    await _permit_images(tx, domain, target, images_for)
    if target is not ReviewStatus.APPROVED:
        await _end_assets(tx, domain, by, target)
    elif approve_assets:
        await advance_assets(tx, domain, by)
    if domain.is_trusted and target is ReviewStatus.PENDING_REVIEW:
        event = NewEvent(
            EventKind.TRUST_WITHDRAWN, by.name, no, domain.version + 1, reason=reason, data=evidence
        )
        await events.append(tx, [event])
    return await rows.get(tx, no)


async def advance_assets(
    tx: AsyncConnection, domain: Domain, by: Actor, hosts: Sequence[int] | None = None
) -> list[int]:
    """Approve hosts that are known only for this domain's images, for images only; returns their numbers."""
    waiting = await assets.waiting_for_approval(tx, domain.no, hosts)
    for host in waiting:
        why = f"images of {domain.domain}"
        await advance_review(tx, host, ReviewStatus.APPROVED, by, reason=why, images_for=domain.no)
    return waiting


async def _permit_images(
    tx: AsyncConnection, domain: Domain, target: ReviewStatus, images_for: int | None
) -> None:
    """A decision on the host itself is stronger than what came along with another domain's."""
    if images_for is not None:
        await assets.approve_for(tx, images_for, domain.no)
    elif domain.review_status is not ReviewStatus.SUSPENDED and target is not ReviewStatus.SUSPENDED:
        await assets.in_its_own_right(tx, domain.no)


async def _end_assets(tx: AsyncConnection, domain: Domain, by: Actor, why: str) -> None:
    """Hosts that may be asked for this domain's images alone wait for a decision again."""
    hosts = await assets.only_through(tx, domain.no)
    await assets.end_permissions(tx, domain.no)
    for host in hosts:
        reason = f"images of {domain.domain}, which is {why}"
        await advance_review(tx, host, ReviewStatus.PENDING_REVIEW, by, reason=reason)


async def lock_with_assets(tx: AsyncConnection, no: int) -> None:
    """In the order of numbers, as a group of a crawl does: neither waits for the other crosswise."""
    hosts = {*await assets.waiting_for_approval(tx, no), *await assets.only_through(tx, no)}
    for one in sorted({no, *hosts}) if hosts else ():
        await rows.get(tx, one, lock=True)


async def advance_quality(
    tx: AsyncConnection,
    no: int,
    target: QualityStatus,
    by: Actor,
    *,
    reason: str | None = None,
    year: int | None = None,
    values: Mapping[str, Any] | None = None,
    seen_version: int | None = None,
    evidence: Mapping[str, Any] | None = None,
) -> Domain:
    """Is it worth it? Only blacklisting stops a crawl. `values` carries the judges' counts."""
    if target is QualityStatus.BLACKLISTED:
        await lock_with_assets(tx, no)
    domain = await _locked(tx, no, seen_version)
    source = domain.quality_status
    QUALITY.check(source, target)
    _check_moment(domain, target)
    if source is QualityStatus.BLACKLISTED and by.role is not Role.ADMIN:
        raise Refused(f"only an admin takes {domain.domain} off the blacklist")
    changes = _quality_columns(domain, target, by, reason, year) | dict(values or {})
    await _write(tx, domain, changes)
    if target is QualityStatus.BLACKLISTED:
        await candidates.reject_open(tx, no, by, f"its domain was blacklisted: {reason}")
        await withdraw(tx, no)
        await _end_assets(tx, domain, by, target)
    elif source is QualityStatus.BLACKLISTED and domain.review_status is ReviewStatus.APPROVED:
        await _make_due(tx, no, domain.due_when_allowed())
    await _record(tx, domain, quality_event(source, target), by, source, target, reason, data=evidence)
    return await rows.get(tx, no)


async def settle_judged(
    tx: AsyncConnection, domain: Domain, target: QualityStatus, by: Actor, figures: Mapping[str, Any]
) -> None:
    """What the judged results of a locked domain come to: through `processing` to the target, or no change.

    The same results found again say nothing new: they neither overturn what a crawl has shown since, nor
    make a reviewer's open page stale. Figures that move within one status raise no version either.
    """
    same = all(getattr(domain, name) == value for name, value in figures.items())
    stays = domain.quality_status is target or (same and domain.quality_status in _JUDGED)
    if stays and domain.processing_count:
        counted = {"processing_count": domain.processing_count + 1, "last_processed_at": now()}
        await tx.execute(update(domains).where(domains.c.no == domain.no).values({**figures, **counted}))
        return
    await advance_quality(tx, domain.no, QualityStatus.PROCESSING, by)
    await advance_quality(tx, domain.no, target, by, values=figures)


_JUDGED = (
    QualityStatus.DISCOVERED,
    QualityStatus.PROCESSED_HIGH_QUALITY,
    QualityStatus.PROCESSED_LOW_QUALITY,
)


def _check_moment(domain: Domain, target: QualityStatus) -> None:
    if target is not QualityStatus.PROCESSING:
        return
    source, moment = domain.quality_status, domain.read_at
    if source is QualityStatus.PROCESSING_FAILED and domain.retry_after and domain.retry_after > moment:
        raise ForbiddenArrow(
            QUALITY.column, source, target, f"not before {domain.retry_after:%Y-%m-%d %H:%M} UTC"
        )
    if source is QualityStatus.NO_FUNDS_THIS_YEAR and (domain.no_funds_year or 0) >= moment.year:
        raise ForbiddenArrow(QUALITY.column, source, target, f"not before {domain.no_funds_year} is over")


def _quality_columns(
    domain: Domain, target: QualityStatus, by: Actor, reason: str | None, year: int | None
) -> dict[str, Any]:
    changes: dict[str, Any] = {"quality_status": target}
    if target is QualityStatus.BLACKLISTED:
        if not (reason or "").strip():
            raise UsageError("blacklisting needs a reason")
        changes |= {"blacklisted_by": by.name, "blacklisted_at": now(), "blacklist_reason": reason}
    elif domain.quality_status is QualityStatus.BLACKLISTED:
        changes |= {"blacklisted_by": None, "blacklisted_at": None, "blacklist_reason": None}
    if target is QualityStatus.NO_FUNDS_THIS_YEAR:
        chosen = domain.read_at.year if year is None else year
        if not 2020 <= chosen <= 2100:
            raise UsageError(f"the year without funds must be between 2020 and 2100, not {chosen}")
        changes["no_funds_year"] = chosen
    if target is QualityStatus.PROCESSING_FAILED:
        if not (reason or "").strip():
            raise UsageError("a failure needs a reason")
        changes |= {
            "failure_reason": reason,
            "failure_count": domain.failure_count + 1,
            "retry_after": later(FAILURE_BACKOFF.after(domain.failure_count + 1)),
        }
    elif domain.quality_status is QualityStatus.PROCESSING:
        changes |= {
            "failure_reason": None,
            "failure_count": 0,
            "retry_after": None,
            "last_processed_at": now(),
            "processing_count": domain.processing_count + 1,
        }
    return changes


async def advance_crawl(
    tx: AsyncConnection,
    domain: Domain,
    target: CrawlStatus,
    by: Actor,
    *,
    reason: str | None = None,
    values: Mapping[str, Any] | None = None,
) -> None:
    """How far are we? The caller holds the domain's lock or its lease; see `store.leases`."""
    CRAWL.check(domain.crawl_status, target)
    await _write_crawl(tx, domain.no, {"crawl_status": target} | dict(values or {}))
    if target is not domain.crawl_status:
        await _record(tx, domain, CRAWL_EVENTS[target], by, domain.crawl_status, target, reason, version=None)


async def reset(tx: AsyncConnection, no: int, by: Actor, reason: str | None) -> Domain:
    """Back to pending (an active one stays active), errors, blocks and cooldown cleared, frontier kept.

    The start page and what ended as failed wait again: the next crawl fetches.
    """
    domain = await rows.get(tx, no, lock=True)
    if domain.has_live_lease:
        raise Refused(
            f"{domain.domain} is being crawled by {domain.claimed_by}; suspend it or wait, then reset"
        )
    cleared: dict[str, Any] = {
        "consecutive_error_count": 0,
        "total_error_count": 0,
        "block_reason": None,
        "block_reason_code": None,
        "first_blocked_at": None,
        "block_count": 0,
        "stopped_by": None,
        "attempts": 0,
        "ready": False,
        "due_at": now() if _may_be_crawled(domain) else None,
    }
    target = domain.crawl_status if domain.crawl_status in _STAYS_ON_RESET else CrawlStatus.PENDING
    if target is not domain.crawl_status:
        CRAWL.check(domain.crawl_status, target)
    await _write_crawl(tx, no, {"crawl_status": target} | cleared)
    await requeue.start_and_failed(tx, no)
    await refreshes.note_exhausted(tx, [(no, None)])
    await _record(tx, domain, EventKind.DOMAIN_RESET, by, domain.crawl_status, target, reason, version=None)
    return await rows.get(tx, no)


_STAYS_ON_RESET = (CrawlStatus.ACTIVE, CrawlStatus.PENDING)


async def edit(
    tx: AsyncConnection,
    no: int,
    changes: Mapping[str, Any],
    by: Actor,
    *,
    seen_version: int | None,
    reason: str | None = None,
) -> Domain:
    """Limits, notes and trust. A stale version is refused with what changed.

    A greater depth queues what depth had cut.
    """
    unknown = set(changes) - set(EDITABLE)
    if unknown:
        raise UsageError(f"{', '.join(sorted(unknown))} cannot be edited; what can: {', '.join(EDITABLE)}")
    _check_ranges(changes)
    domain = await _locked(tx, no, seen_version)
    new = {name: value for name, value in changes.items() if getattr(domain, name) != value}
    if not new:
        return domain
    await _write(tx, domain, new)
    changed = {name: {"from": getattr(domain, name), "to": value} for name, value in new.items()}
    event = NewEvent(_edit_event(new), by.name, no, domain.version + 1, reason=reason, data=changed)
    await events.append(tx, [event])
    if "max_crawl_depth" in new:
        await _reach_deeper(tx, domain, new["max_crawl_depth"])
    return await rows.get(tx, no)


async def _reach_deeper(tx: AsyncConnection, domain: Domain, depth: int | None) -> None:
    """What the old limit had cut and the new one reaches waits, and the domain is due for it."""
    if depth is None or (domain.max_crawl_depth is not None and depth <= domain.max_crawl_depth):
        return
    count = await requeue.within_depth(tx, domain.no, depth)
    if domain.has_live_lease:
        # Its holder would go on cutting by the old limit: the lease ends here, as if it had run out.
        ended = {"claim_expires_at": now(), "due_at": now(), "ready": False}
        await _write_crawl(tx, domain.no, ended | {"lease_epoch": domain_crawl.c.lease_epoch + 1})
    elif count and _may_be_crawled(domain) and domain.crawl_status not in _RESTS:
        await due_dates.make_due_now(tx, domain.no)


# Until its cooldown is over.
_RESTS = (CrawlStatus.BLOCKED, CrawlStatus.UNREACHABLE)


def _check_ranges(changes: Mapping[str, Any]) -> None:
    for name, (least, most, called) in _RANGES.items():
        value = changes.get(name)
        if value is not None and not least <= value <= most:  # so that NaN is refused too
            raise UsageError(f"{called} is {least:,} to {most:,}, not {value}")
    if (render := changes.get("render")) is not None and render not in RENDER:
        raise UsageError(f"render is one of {', '.join(RENDER)}, not {render}")


def _edit_event(new: Mapping[str, Any]) -> EventKind:
    """Trust alone is a decision with a name of its own."""
    if set(new) != {"is_trusted"}:
        return EventKind.DOMAIN_EDITED
    return EventKind.DOMAIN_TRUSTED if new["is_trusted"] else EventKind.TRUST_WITHDRAWN


async def withdraw(tx: AsyncConnection, no: int) -> None:
    """End permission: whoever holds the lease holds an old epoch now, and nothing is due."""
    await _write_crawl(
        tx,
        no,
        {
            "lease_epoch": domain_crawl.c.lease_epoch + 1,
            "claimed_by": None,
            "claim_expires_at": None,
            "due_at": None,
            "ready": False,
        },
    )


def _may_be_crawled(domain: Domain) -> bool:
    return (
        domain.review_status is ReviewStatus.APPROVED
        and domain.quality_status is not QualityStatus.BLACKLISTED
    )


async def _locked(tx: AsyncConnection, no: int, seen_version: int | None) -> Domain:
    domain = await rows.get(tx, no, lock=True)
    if seen_version is not None and seen_version != domain.version:
        since = await events.since_version(tx, no, seen_version)
        raise StaleVersion(domain.domain, seen_version, domain.version, [event.summary() for event in since])
    return domain


async def _make_due(tx: AsyncConnection, no: int, due_at: datetime | None) -> None:
    await _write_crawl(tx, no, {"due_at": due_at, "ready": False})


async def _write(tx: AsyncConnection, domain: Domain, changes: Mapping[str, Any]) -> None:
    stamped = {**changes, "version": domain.version + 1, "updated_at": now()}
    await tx.execute(update(domains).where(domains.c.no == domain.no).values(stamped))


async def _write_crawl(tx: AsyncConnection, no: int, changes: Mapping[str, Any]) -> None:
    await tx.execute(update(domain_crawl).where(domain_crawl.c.no == no).values(dict(changes)))


_RAISED = object()


async def _record(
    tx: AsyncConnection,
    domain: Domain,
    kind: EventKind,
    by: Actor,
    source: str,
    target: str,
    reason: str | None,
    *,
    version: Any = _RAISED,
    data: Mapping[str, Any] | None = None,
) -> None:
    raised = domain.version + 1 if version is _RAISED else version
    await events.append(tx, [NewEvent(kind, by.name, domain.no, raised, source, target, reason, data)])
