"""Statements of the lease protocol; every one of them says the epoch or raises it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum
from typing import TYPE_CHECKING, Any, NamedTuple
from uuid import UUID

from sqlalchemy import (
    BigInteger,
    ColumnElement,
    Select,
    and_,
    bindparam,
    case,
    func,
    literal,
    or_,
    select,
    tuple_,
    update,
)
from sqlalchemy.ext.asyncio import AsyncConnection

from surveyor.db import later, now
from surveyor.db.bulk import update_many
from surveyor.db.dialect import among
from surveyor.db.tables import domain_crawl, domains
from surveyor.registry.actors import Actor
from surveyor.registry.domain import Domain
from surveyor.registry.events import CRAWL_EVENTS, EventKind, NewEvent
from surveyor.registry.lifecycle import CRAWL, CrawlStatus, QualityStatus, ReviewStatus
from surveyor.registry.store import events, refreshes, rows

if TYPE_CHECKING:
    from surveyor.registry.leases import Lease

_crawl = domain_crawl.c
# A claim marks so many due rows as ready; one transaction stays short whatever came due at once.
_READY_AT_ONCE = 1000
_COMES_BACK = (CrawlStatus.BLOCKED, CrawlStatus.UNREACHABLE, CrawlStatus.EXHAUSTED)


class Place(NamedTuple):
    """Where a row stands in the order of priorities. A worker's next claim starts below its last one."""

    priority_key: int
    no: int


class Work(StrEnum):
    """What a worker is there for. URLs that wait on a domain that was at its end are for either."""

    CRAWL = "crawl"  # URLs that wait, and domains that were never crawled to their end
    REFRESH = "refresh"  # domains that were, for their pages that are due


@dataclass(frozen=True, slots=True)
class ClaimFilter:
    """Narrows a claim, never widens it."""

    domain_numbers: tuple[int, ...] | None = None
    # A run does not take a domain again whose pages for that run it has used up.
    run_id: UUID | None = None
    run_pages: int | None = None  # for every domain alike; none: each domain's own limit
    run_pages_default: int | None = None  # for domains without a limit of their own
    run_share: int | None = None  # of a run's budget, in the present round
    run_bytes: int | None = None  # likewise for every domain alike
    run_seconds: float | None = None
    work: Work | None = None

    def on_the_row(self) -> list[ColumnElement[bool]]:
        found: list[ColumnElement[bool]] = []
        if self.domain_numbers is not None:
            found.append(_crawl.no.in_(self.domain_numbers))
        if self.work is Work.CRAWL:
            found.append(or_(_crawl.frontier_size > 0, ~refreshes.was_exhausted()))
        elif self.work is Work.REFRESH:
            found.append(refreshes.was_exhausted())
        return found

    def on_the_domain(self) -> list[ColumnElement[bool]]:
        if self.run_id is None:
            return []
        limit = self.run_pages or func.coalesce(domains.c.max_pages_per_run, self.run_pages_default)
        within = [_crawl.run_pages < limit]
        if self.run_share is not None:
            within.append(_crawl.run_pages < self.run_share)
        if self.run_bytes is not None:
            within.append(_crawl.run_bytes < self.run_bytes)
        if self.run_seconds is not None:
            within.append(_crawl.run_seconds < self.run_seconds)
        return [or_(_crawl.last_crawl_run_id.is_distinct_from(self.run_id), and_(*within))]


async def mark_ready(tx: AsyncConnection) -> None:
    """Mark what has come due. `due_at` alone decides; no pass over the table, no second clock."""
    due = (
        select(_crawl.no)
        .where(~_crawl.ready, _crawl.due_at <= now())
        .order_by(_crawl.due_at)
        .limit(_READY_AT_ONCE)
        .with_for_update(skip_locked=True)
    )
    numbers = (await tx.execute(due)).scalars().all()
    if numbers:
        await tx.execute(update(domain_crawl).where(among(_crawl.no, numbers)).values(ready=True))


async def best(
    tx: AsyncConnection, count: int, only: ClaimFilter, *, below: Place | None, besides: Sequence[Place]
) -> list[Place]:
    """The best ready rows, locked."""
    query = _claimable(only, besides).order_by(_crawl.priority_key.desc(), (-_crawl.no).desc())
    if below is not None:
        last = tuple_(literal(below.priority_key, BigInteger), literal(-below.no, BigInteger))
        query = query.where(tuple_(_crawl.priority_key, -_crawl.no) < last)
    return await _locked(tx, query.limit(count))


async def longest_due(tx: AsyncConnection, count: int, only: ClaimFilter) -> list[Place]:
    """The rows that have waited longest, locked, whatever their priority."""
    return await _locked(tx, _claimable(only, ()).order_by(_crawl.due_at, _crawl.no).limit(count))


async def is_anything_due(tx: AsyncConnection, only: ClaimFilter) -> bool:
    """Whether a claim would find something, were nothing locked: passed over is not the same as none."""
    waiting = _claimable(only, (), and_(~_crawl.ready, _crawl.due_at <= now()))
    either = select(or_(_claimable(only, ()).exists(), waiting.exists()))
    return bool((await tx.execute(either)).scalar_one())


async def is_anything_held(tx: AsyncConnection) -> bool:
    """Whether a domain was claimed and not given back, be its holder alive or not."""
    held = select(_crawl.no).where(_crawl.claimed_by.is_not(None)).limit(1)
    return (await tx.execute(held)).first() is not None


async def count_due(tx: AsyncConnection, only: ClaimFilter, most: int) -> int:
    """Rows that a claim would find, ready or about to be, counted up to `most` of each."""
    waiting = and_(~_crawl.ready, _crawl.due_at <= now())
    found = 0
    for query in (_claimable(only, ()), _claimable(only, (), waiting)):
        some = query.limit(most).subquery()
        found += int((await tx.execute(select(func.count()).select_from(some))).scalar_one())
    return found


async def held_in_total(tx: AsyncConnection) -> int:
    """Live leases, whoever has them."""
    live = (_crawl.claimed_by.is_not(None), _crawl.claim_expires_at > now())
    return int((await tx.execute(select(func.count()).select_from(domain_crawl).where(*live))).scalar_one())


async def could_be_shared(tx: AsyncConnection, worker: str, only: ClaimFilter) -> bool:
    """Whether somebody else holds two or more domains that this claim would take if they were due."""
    query = (
        select(_crawl.claimed_by)
        .join_from(domain_crawl, domains, domains.c.no == _crawl.no)
        .where(_crawl.claimed_by.is_not(None), _crawl.claimed_by != worker, _crawl.claim_expires_at > now())
        .where(*only.on_the_row(), *only.on_the_domain())
        .group_by(_crawl.claimed_by)
        .having(func.count() > 1)
    )
    return (await tx.execute(query.limit(1))).first() is not None


def _claimable(
    only: ClaimFilter, besides: Sequence[Place], which: ColumnElement[bool] = _crawl.ready
) -> Select[Any]:
    """Ready rows that may be taken, in whatever order the caller asks for.

    What else must hold is looked up per row, as a value and not as a join: so there is one way
    to walk, the index that gives the order, however wrong the planner's figures are. Right
    after a million rows came due, they are.
    """
    allowed = (
        select(
            and_(
                domains.c.review_status == ReviewStatus.APPROVED,
                domains.c.quality_status != QualityStatus.BLACKLISTED,
                _crawl.due_at <= now(),
                *only.on_the_domain(),
            )
        )
        .where(domains.c.no == _crawl.no)
        .correlate(domain_crawl)
        .scalar_subquery()
    )
    query = select(_crawl.priority_key, _crawl.no).where(which, allowed, *only.on_the_row())
    return query.where(~among(_crawl.no, [place.no for place in besides])) if besides else query


async def _locked(tx: AsyncConnection, query: Select[Any]) -> list[Place]:
    # Rows another claim holds are passed over, so claims never wait for each other.
    return [Place(*row) for row in await tx.execute(query.with_for_update(skip_locked=True))]


async def free_among(tx: AsyncConnection, numbers: Sequence[int]) -> list[Place]:
    """Of these domains those that may be crawled and that nobody holds, locked, due or not.

    For a crawler that decides by itself what it crawls, and only reports.
    """
    free = or_(_crawl.claimed_by.is_(None), _crawl.claim_expires_at <= now())
    may_be = select(domains.c.no).where(
        domains.c.no.in_(numbers),
        domains.c.review_status == ReviewStatus.APPROVED,
        domains.c.quality_status != QualityStatus.BLACKLISTED,
    )
    query = select(_crawl.priority_key, _crawl.no).where(_crawl.no.in_(may_be), free).order_by(_crawl.no)
    return await _locked(tx, query)


async def grant(
    tx: AsyncConnection, places: Sequence[Place], worker: str, seconds: float
) -> list[tuple[Domain, int, datetime]]:
    """Give the locked rows to the worker: a new epoch, and not due until the lease ends."""
    if not places:
        return []
    numbers = [place.no for place in places]
    found = await tx.execute(rows.select_domains().where(among(domains.c.no, numbers)))
    taken = {domain.no: domain for domain in map(rows.to_domain, found)}
    statement = (
        update(domain_crawl)
        .where(among(_crawl.no, numbers))
        .values(
            ready=False,
            due_at=later(seconds),
            claimed_by=worker,
            claim_expires_at=later(seconds),
            lease_epoch=_crawl.lease_epoch + 1,
            attempts=_crawl.attempts + 1,
            crawl_status=case(
                (_crawl.crawl_status.in_(_COMES_BACK), CrawlStatus.PENDING), else_=_crawl.crawl_status
            ),
        )
        .returning(_crawl.no, _crawl.lease_epoch, _crawl.claim_expires_at)
    )
    granted = {no: (epoch, expires) for no, epoch, expires in await tx.execute(statement)}
    back = [taken[no] for no in numbers if taken[no].crawl_status in _COMES_BACK]
    kind = CRAWL_EVENTS[CrawlStatus.PENDING]
    await events.append(
        tx,
        [
            NewEvent(kind, worker, d.no, None, d.crawl_status, CrawlStatus.PENDING, "its time has come")
            for d in back
        ],
    )
    return [(taken[no], *granted[no]) for no in numbers]


async def renew(tx: AsyncConnection, worker: str, epochs: Mapping[int, int], seconds: float) -> set[int]:
    """Prolong what is still held under these epochs; returns their numbers.

    Locked first, in the order of numbers: two statements over many rows never wait for each
    other crosswise. Another's claim may have marked a lease as due that ran out while we
    waited for the lock; whoever gets the lock first wins, so the mark is taken back.
    """
    named = among(_crawl.no, epochs)
    mine = and_(named, _crawl.claimed_by == worker, _crawl.claim_expires_at > now())
    found = select(_crawl.no, _crawl.lease_epoch).where(mine).order_by(_crawl.no).with_for_update()
    kept = {int(no) for no, epoch in await tx.execute(found) if epochs[no] == epoch}
    if kept:
        prolonged = {"claim_expires_at": later(seconds), "due_at": later(seconds), "ready": False}
        still = among(_crawl.no, sorted(kept))
        await tx.execute(update(domain_crawl).where(still).values(prolonged))
    return kept


def held(no: int, worker: str, epoch: int) -> ColumnElement[bool]:
    """The guard of every write a worker makes: this lease, this epoch, and still running."""
    return and_(
        _crawl.no == no,
        _crawl.lease_epoch == epoch,
        _crawl.claimed_by == worker,
        _crawl.claim_expires_at > now(),
    )


async def held_by(tx: AsyncConnection, worker: str) -> dict[int, int]:
    query = select(_crawl.no, _crawl.lease_epoch).where(
        _crawl.claimed_by == worker, _crawl.claim_expires_at > now()
    )
    return {int(no): int(epoch) for no, epoch in await tx.execute(query)}


class Held(NamedTuple):
    """All that one worker holds."""

    domains: int
    numbers: int  # summed up
    epochs: int  # likewise


_HELD_IN_SUM = select(
    func.count(), *(func.coalesce(func.sum(each), 0) for each in (_crawl.no, _crawl.lease_epoch))
).where(_crawl.claimed_by == bindparam("worker"), _crawl.claim_expires_at > now())


async def held_in_sum(tx: AsyncConnection, worker: str) -> Held:
    return Held(*map(int, (await tx.execute(_HELD_IN_SUM, {"worker": worker})).one()))


async def locked_under_leases(tx: AsyncConnection, held: Sequence[Lease]) -> dict[int, Domain]:
    """The domains of those leases that still hold, locked in the order of numbers, by number."""
    holders = {lease.no: (lease.epoch, lease.worker) for lease in held}
    query = (
        rows.select_domains()
        .where(
            # What others hold by now is not locked: whoever waits for it might hold what we wait for.
            among(_crawl.no, holders),
            _crawl.claimed_by.in_({lease.worker for lease in held}),
            _crawl.claim_expires_at > now(),
        )
        .order_by(_crawl.no)
        .with_for_update(of=domain_crawl)
    )
    found = {domain.no: domain for domain in map(rows.to_domain, await tx.execute(query))}
    return {no: d for no, d in found.items() if (d.lease_epoch, d.claimed_by) == holders[no]}


async def started(tx: AsyncConnection, worker: str, numbers: Sequence[int]) -> None:
    """The first pages of these domains are stored: they are active from now on. Their leases hold."""
    if not numbers:
        return
    source, target = CrawlStatus.PENDING, CrawlStatus.ACTIVE
    CRAWL.check(source, target)
    found = select(_crawl.no).where(among(_crawl.no, numbers), _crawl.crawl_status == source)
    pending = sorted((await tx.execute(found)).scalars())
    await update_many(tx, domain_crawl, "crawl_status = 'active'", [(no,) for no in pending], "no = {}")
    kind = CRAWL_EVENTS[target]
    await events.append(tx, [NewEvent(kind, worker, no, None, source, target) for no in pending])


async def free_claims_of(tx: AsyncConnection, dead: Sequence[str]) -> int:
    """Workers whose process is gone: what they hold is due now. Their epochs end with the next claim."""
    statement = (
        update(domain_crawl)
        .where(_crawl.claimed_by.in_(dead), _crawl.claim_expires_at > now())
        .values(due_at=now(), claim_expires_at=now())
        .returning(_crawl.no)
    )
    return len((await tx.execute(statement)).all())


async def let_go(tx: AsyncConnection, no: int, epoch: int, worker: str) -> bool:
    """The holder stopped working on a domain before its lease ran out: it is due now, if it is still its."""
    statement = (
        update(domain_crawl)
        .where(_crawl.no == no, _crawl.lease_epoch == epoch, _crawl.claimed_by == worker)
        .where(_crawl.claim_expires_at > now())
        .values(due_at=now(), claim_expires_at=now())
        .returning(_crawl.no)
    )
    return (await tx.execute(statement)).first() is not None


async def claimants(tx: AsyncConnection) -> list[str]:
    query = select(_crawl.claimed_by).where(_crawl.claimed_by.is_not(None)).distinct()
    return list((await tx.execute(query)).scalars())


async def release_claims(
    tx: AsyncConnection, by: Actor, *, worker: str | None, expired_only: bool
) -> list[str]:
    """A person ends claims, their epochs with them, and the domains are due. Returns the names."""
    conditions: list[ColumnElement[bool]] = [_crawl.claimed_by.is_not(None)]
    if worker is not None:
        conditions.append(_crawl.claimed_by == worker)
    if expired_only:
        conditions.append(_crawl.claim_expires_at <= now())
    found = select(_crawl.no, _crawl.claimed_by).where(*conditions).order_by(_crawl.no).with_for_update()
    claims = {int(no): str(holder) for no, holder in await tx.execute(found)}
    if not claims:
        return []
    await tx.execute(
        update(domain_crawl)
        .where(_crawl.no.in_(list(claims)))
        .values(
            claimed_by=None,
            claim_expires_at=None,
            lease_epoch=_crawl.lease_epoch + 1,
            due_at=now(),
            ready=False,
        )
    )
    await events.append(
        tx,
        [
            NewEvent(EventKind.CLAIM_RELEASED, by.name, no, data={"worker": holder})
            for no, holder in claims.items()
        ],
    )
    names = await tx.execute(
        select(domains.c.domain).where(domains.c.no.in_(list(claims))).order_by(domains.c.domain)
    )
    return list(names.scalars())
