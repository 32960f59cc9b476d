"""What review keeps on a domain besides its states: who named it, and what they said."""

from __future__ import annotations

from collections.abc import Sequence
from decimal import Decimal
from typing import Any

from sqlalchemy import (
    ColumnElement,
    TextClause,
    exists,
    func,
    literal,
    literal_column,
    or_,
    select,
    text,
    tuple_,
    update,
)
from sqlalchemy.ext.asyncio import AsyncConnection

from surveyor.db import now
from surveyor.db.tables import domain_crawl, domains, events
from surveyor.db.tables.register import PUBLIC_WAITING, UNSURE
from surveyor.db.types import Confidence
from surveyor.registry.domain import Domain, Stage, SubmitterType
from surveyor.registry.events import EventKind
from surveyor.registry.lifecycle import QualityStatus, ReviewStatus
from surveyor.registry.store import listing, rows

_d = domains.c
_PENDING = _d.review_status == ReviewStatus.PENDING_REVIEW
# After one of these a person has looked at the domain; no policy decides for them.
_DECISIONS = (EventKind.DOMAIN_REJECTED, EventKind.DOMAIN_SUSPENDED, EventKind.DOMAIN_BACK_IN_REVIEW)


async def named_by(
    tx: AsyncConnection, domain: Domain, name: str, kind: SubmitterType, context: str | None
) -> None:
    """A person named a known domain. Neither raises the version: no decision depends on it."""
    values: dict[str, Any] = {"last_seen_at": now()}
    if context is not None:
        values["submission_context"] = context
    if domain.submitter_type is SubmitterType.SYSTEM:  # found by a stage before a person named it
        values |= {"submitter_type": kind, "submitted_by": name}
    await tx.execute(update(domains).where(_d.no == domain.no).values(values))


async def clear_texts(tx: AsyncConnection, no: int) -> None:
    """What was said about a forgotten domain, and where its crawl stood."""
    texts = {"start_url": None, "submission_context": None, "submitted_by": None, "notes": None}
    await tx.execute(update(domains).where(_d.no == no).values(texts))
    standing = {"frontier_size": 0, "block_reason": None, "robots_verdict": None}
    await tx.execute(update(domain_crawl).where(domain_crawl.c.no == no).values(standing))


async def public_waiting(tx: AsyncConnection, most: int) -> int:
    """Domains that the public named and nobody decided on, counted up to `most`."""
    some = select(_d.no).where(text(PUBLIC_WAITING)).limit(most).subquery()
    return int((await tx.execute(select(func.count()).select_from(some))).scalar_one())


# --- the queue

# An even chance, and a distance from it that no judged domain has.
_EVEN, _UNJUDGED = Decimal("0.50"), Decimal("2.00")


def _waits(everything: bool) -> list[ColumnElement[bool] | TextClause]:
    if everything:
        return [_PENDING, _d.quality_status != QualityStatus.BLACKLISTED]
    return listing.at_stage(Stage.AWAITING_REVIEW)


async def oldest(tx: AsyncConnection, everything: bool, limit: int, after: Domain | None) -> list[Domain]:
    query = rows.select_domains().where(*_waits(everything)).order_by(_d.no).limit(limit)
    if after is not None:
        query = query.where(_d.no > after.no)
    return [rows.to_domain(row) for row in await tx.execute(query)]


async def most_confident(
    tx: AsyncConnection, everything: bool, limit: int, after: Domain | None
) -> list[Domain]:
    """By confidence; those nobody judged come last, the oldest first."""
    unsure = literal_column(UNSURE, Confidence())
    query = rows.select_domains().where(*_waits(everything)).order_by(unsure, _d.no).limit(limit)
    if after is not None:
        last = literal(-(after.best_confidence or Decimal("0.00")), Confidence())
        query = query.where(tuple_(unsure, _d.no) > tuple_(last, literal(after.no, _d.no.type)))
    return [rows.to_domain(row) for row in await tx.execute(query)]


async def most_uncertain(
    tx: AsyncConnection, everything: bool, limit: int, after: Domain | None
) -> list[Domain]:
    """Nearest to an even chance first; those nobody judged come last, the oldest first."""
    distance = func.coalesce(
        func.abs(_d.best_confidence - literal(_EVEN, Confidence()), type_=Confidence()),
        literal(_UNJUDGED, Confidence()),
        type_=Confidence(),
    )
    query = rows.select_domains().where(*_waits(everything)).order_by(distance, _d.no).limit(limit)
    if after is not None:
        known = after.best_confidence
        last = literal(_UNJUDGED if known is None else abs(known - _EVEN), Confidence())
        query = query.where(tuple_(distance, _d.no) > tuple_(last, literal(after.no, _d.no.type)))
    return [rows.to_domain(row) for row in await tx.execute(query)]


async def count_waiting(tx: AsyncConnection, everything: bool, most: int) -> int:
    """How many wait, counted up to `most`."""
    some = select(_d.no).join_from(domains, domain_crawl).where(*_waits(everything)).limit(most)
    return int((await tx.execute(select(func.count()).select_from(some.subquery()))).scalar_one())


async def submitted_by(tx: AsyncConnection, name: str, limit: int, before: int | None) -> list[Domain]:
    """What somebody from outside named first, the latest first."""
    mine = (_d.submitted_by == name, text("submitter_type = 'public_user'"))
    query = rows.select_domains().where(*mine).order_by(_d.no.desc()).limit(limit)
    if before is not None:
        query = query.where(_d.no < before)
    return [rows.to_domain(row) for row in await tx.execute(query)]


# --- policies


async def undecided(
    tx: AsyncConnection, after: int, limit: int, confidence: Decimal | None, suffixes: Sequence[str]
) -> list[tuple[int, str, Decimal | None]]:
    """Domains a policy may approve: named by a stage or by staff, and never decided on by a person."""
    fits: list[ColumnElement[bool]] = []
    if confidence is not None:
        fits.append(_d.best_confidence >= confidence)
    for suffix in suffixes:
        fits += [_d.domain == suffix, _d.domain.endswith(f".{suffix}", autoescape=True)]
    earlier = exists().where(events.c.domain_no == _d.no, events.c.kind.in_(_DECISIONS))
    query = (
        select(_d.no, _d.domain, _d.best_confidence)
        .where(
            _PENDING,
            _d.no > after,
            _d.submitter_type != SubmitterType.PUBLIC_USER,
            _d.quality_status.not_in([QualityStatus.BLACKLISTED, QualityStatus.NO_FUNDS_THIS_YEAR]),
            or_(*fits),
            ~earlier,
        )
        .order_by(_d.no)
        .limit(limit)
    )
    return [(no, name, best) for no, name, best in await tx.execute(query)]
