"""May we crawl it? A person's decision, with what it means for the hosts of the domain's images."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from sqlalchemy.ext.asyncio import AsyncConnection

from surveyor.db import now
from surveyor.errors import UsageError
from surveyor.registry.actors import Actor
from surveyor.registry.domain import Domain
from surveyor.registry.events import EventKind, NewEvent, review_event
from surveyor.registry.lifecycle import REVIEW, QualityStatus, ReviewStatus
from surveyor.registry.store import assets, candidates, events, rows
from surveyor.registry.store.changes.writing import locked, make_due, record, withdraw, write


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
    domain = await locked(tx, no, seen_version)
    REVIEW.check(domain.review_status, target)
    if target is ReviewStatus.REJECTED and not (reason or "").strip():
        raise UsageError("a rejection needs a reason")
    await write(tx, domain, _review_columns(target, by, reason))
    if target is ReviewStatus.REJECTED:
        await candidates.reject_open(tx, no, by, f"its domain was rejected: {reason}")
    if target is not ReviewStatus.APPROVED:
        await withdraw(tx, no)
    elif domain.quality_status is not QualityStatus.BLACKLISTED:
        await make_due(tx, no, domain.due_when_allowed())
    kind = review_event(domain.review_status, target)
    await record(tx, domain, kind, by, domain.review_status, target, reason, data=evidence)
    await _permit_images(tx, domain, target, images_for)
    if target is not ReviewStatus.APPROVED:
        await end_assets(tx, domain, by, target)
    elif approve_assets:
        await advance_assets(tx, domain, by)
    if domain.is_trusted and target is ReviewStatus.PENDING_REVIEW:
        event = NewEvent(
            EventKind.TRUST_WITHDRAWN, by.name, no, domain.version + 1, reason=reason, data=evidence
        )
        await events.append(tx, [event])
    return await rows.get(tx, no)


def _review_columns(target: ReviewStatus, by: Actor, reason: str | None) -> dict[str, Any]:
    changes: dict[str, Any] = {"review_status": target}
    if target is ReviewStatus.PENDING_REVIEW:
        changes |= {"is_trusted": False, "reviewed_by": None, "reviewed_at": None}
    else:
        changes |= {"reviewed_by": by.name, "reviewed_at": now()}
    return changes | {"rejection_reason": reason if target is ReviewStatus.REJECTED else None}


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


async def end_assets(tx: AsyncConnection, domain: Domain, by: Actor, why: str) -> None:
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
