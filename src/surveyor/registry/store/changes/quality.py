"""Is it worth it? What judging, crawling and people say of a domain's quality."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from sqlalchemy import update
from sqlalchemy.ext.asyncio import AsyncConnection

from surveyor.db import later, now
from surveyor.db.tables import domains
from surveyor.errors import ForbiddenArrow, Refused, UsageError
from surveyor.registry.actors import Actor, Role
from surveyor.registry.domain import FAILURE_BACKOFF, Domain
from surveyor.registry.events import quality_event
from surveyor.registry.lifecycle import QUALITY, QualityStatus, ReviewStatus
from surveyor.registry.store import candidates, rows
from surveyor.registry.store.changes.review import end_assets, lock_with_assets
from surveyor.registry.store.changes.writing import locked, make_due, record, withdraw, write


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
    domain = await locked(tx, no, seen_version)
    source = domain.quality_status
    QUALITY.check(source, target)
    _check_moment(domain, target)
    if source is QualityStatus.BLACKLISTED and by.role is not Role.ADMIN:
        raise Refused(f"only an admin takes {domain.domain} off the blacklist")
    changes = _quality_columns(domain, target, by, reason, year) | dict(values or {})
    await write(tx, domain, changes)
    if target is QualityStatus.BLACKLISTED:
        await candidates.reject_open(tx, no, by, f"its domain was blacklisted: {reason}")
        await withdraw(tx, no)
        await end_assets(tx, domain, by, target)
    elif source is QualityStatus.BLACKLISTED and domain.review_status is ReviewStatus.APPROVED:
        await make_due(tx, no, domain.due_when_allowed())
    await record(tx, domain, quality_event(source, target), by, source, target, reason, data=evidence)
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
