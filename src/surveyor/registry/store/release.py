"""Giving a domain back: new status, counters, checkpoint and due date, all under the epoch."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from itertools import pairwise
from typing import Any, NamedTuple
from uuid import UUID

from sqlalchemy.ext.asyncio import AsyncConnection

from surveyor.db.bulk import Converter, converter, update_many
from surveyor.db.tables import domain_crawl
from surveyor.errors import LeaseLost
from surveyor.registry import cooldowns, priority
from surveyor.registry.actors import Actor
from surveyor.registry.cooldowns import COOLDOWNS, Obstacle
from surveyor.registry.domain import Domain
from surveyor.registry.events import CRAWL_EVENTS, NewEvent
from surveyor.registry.leases import Lease
from surveyor.registry.lifecycle import CRAWL, CrawlStatus
from surveyor.registry.store import candidates, events, leases, records, refreshes

# Counters a release may add to.
COUNTERS = (
    "pages_discovered",
    "pages_crawled",
    "images_found",
    "images_stored",
    "records_stored",
    "bytes_fetched",
    "total_error_count",
)


_OBSTRUCTED = (CrawlStatus.BLOCKED, CrawlStatus.UNREACHABLE)


@dataclass(frozen=True, slots=True, kw_only=True)
class Outcome:
    """What a visit came to. Without a status the domain goes back as it was."""

    status: CrawlStatus | None = None
    obstacle: Obstacle | None = None  # with blocked and unreachable
    detail: str | None = None  # what a person should know of the obstacle
    retry_after: timedelta | None = None  # the site's own wish
    next_visit_at: datetime | None = None  # with exhausted
    revisit_seconds: float | None = None  # with exhausted, where no date is given; none: never by itself
    due_in_seconds: float = 0.0  # with any other status
    frontier_size: int | None = None  # none: as the commits left it
    checkpoint: str | None = None  # none: as the commits left it
    stopped_by: str | None = None
    next_fetch_seconds: float | None = None  # politeness for whoever comes next
    depth_reached: int | None = None
    consecutive_errors: int = 0
    crawled: bool = True  # at least one request was made
    run_id: UUID | None = None
    counts: Mapping[str, int] = field(default_factory=dict)  # added to the counters

    def __post_init__(self) -> None:
        obstructs = COOLDOWNS[self.obstacle].status if self.obstacle else None
        if obstructs is not (self.status if self.status in _OBSTRUCTED else None):
            raise ValueError(f"{self.obstacle or 'no obstacle'} does not lead to {self.status}")
        if unknown := set(self.counts) - set(COUNTERS):
            raise ValueError(f"no such counters: {', '.join(sorted(unknown))}")

    @property
    def tried(self) -> bool:
        """The site was asked, or could not be: either way it counts as a visit."""
        return self.crawled or self.obstacle is not None

    @classmethod
    def blocked(cls, obstacle: Obstacle, **known: Any) -> Outcome:
        return cls(status=COOLDOWNS[obstacle].status, obstacle=obstacle, **known)


async def release(tx: AsyncConnection, lease: Lease, outcome: Outcome, yields: str) -> None:
    """End the lease. A stale epoch changes nothing and raises `LeaseLost`."""
    if not await release_all(tx, [(lease, outcome)], yields):
        raise LeaseLost(lease.domain.domain, lease.epoch)


async def release_all(tx: AsyncConnection, endings: Sequence[tuple[Lease, Outcome]], yields: str) -> set[int]:
    """End leases, in the same few statements for one and for many. Stale ones are left alone.

    Returns the numbers of the domains that were released.
    """
    held = await leases.locked_under_leases(tx, [lease for lease, _ in endings])
    steps = [_Step.of(held[lease.no], lease, outcome) for lease, outcome in endings if lease.no in held]
    begun = [(step.domain.no,) for step in steps if step.through_active]
    await update_many(tx, domain_crawl, "crawl_status = 'active'", begun, "no = {}")
    await events.append(tx, [event for step in steps for event in step.events()])
    converters = [(name, converter(tx, domain_crawl.c[name])) for name in _WRITTEN]
    written = [step.written(yields, converters) for step in steps]
    await update_many(tx, domain_crawl, _ASSIGNED, written, "no = {}")
    ended = [step for step in steps if step.target is CrawlStatus.EXHAUSTED]
    if ended:
        await records.note_ends(tx, [(s.domain.no, s.domain.read_at) for s in ended if s.outcome.crawled])
        await refreshes.note_exhausted(tx, [(step.domain.no, step.domain.read_at) for step in ended])
    pages = {s.domain.no: s.domain.pages_crawled + s.outcome.counts.get("pages_crawled", 0) for s in steps}
    await candidates.domains_were_crawled(tx, {s.domain.no: s.by for s in steps if pages[s.domain.no]})
    return set(held)


class _Step(NamedTuple):
    """From the locked row to the one that is written."""

    domain: Domain
    by: Actor
    outcome: Outcome
    target: CrawlStatus
    through_active: bool
    """Both arrows lead through active: the crawl did start."""

    @classmethod
    def of(cls, domain: Domain, lease: Lease, outcome: Outcome) -> _Step:
        target = outcome.status or domain.crawl_status
        ends = target in (CrawlStatus.EXHAUSTED, CrawlStatus.BLOCKED)
        through = domain.crawl_status is CrawlStatus.PENDING and ends
        return cls(domain, Actor.worker(lease.worker), outcome, target, through)

    def events(self) -> Iterator[NewEvent]:
        way = [self.domain.crawl_status, *([CrawlStatus.ACTIVE] if self.through_active else []), self.target]
        for number, (source, target) in enumerate(pairwise(way)):
            if source is not target:
                CRAWL.check(source, target)
                reason = self.outcome.obstacle if number == len(way) - 2 else None
                yield NewEvent(
                    CRAWL_EVENTS[target], self.by.name, self.domain.no, None, source, target, reason
                )

    def written(self, yields: str, converters: Sequence[tuple[str, Converter]]) -> tuple[Any, ...]:
        """The row, and the number of its domain."""
        domain, outcome = self.domain, self.outcome
        values = _progress(domain, outcome) | _schedule(domain, outcome, self.target)
        values["priority_key"] = _priority(domain, outcome, yields)
        values |= {"claimed_by": None, "claim_expires_at": None, "ready": False, "attempts": 0}
        values["crawl_status"] = self.target
        assert values.keys() <= set(_WRITTEN)
        row = [to(values[name] if name in values else getattr(domain, name)) for name, to in converters]
        return (*row, domain.no)


# All that a release may write; what one leaves alone is written as it was, under the lock.
_WRITTEN = (
    "crawl_status",
    *COUNTERS,
    "frontier_size",
    "frontier_checkpoint_id",
    "frontier_updated_at",
    "stopped_by",
    "consecutive_error_count",
    "crawl_depth_reached",
    "next_fetch_at",
    "last_crawled_at",
    "last_crawl_run_id",
    "block_reason",
    "block_reason_code",
    "first_blocked_at",
    "block_count",
    "due_at",
    "priority_key",
    "claimed_by",
    "claim_expires_at",
    "ready",
    "attempts",
)
_ASSIGNED = ", ".join(f"{name} = {{}}" for name in _WRITTEN)


def _progress(domain: Domain, outcome: Outcome) -> dict[str, Any]:
    values: dict[str, Any] = {name: getattr(domain, name) + added for name, added in outcome.counts.items()}
    if outcome.frontier_size is not None:
        values["frontier_size"] = outcome.frontier_size
    if outcome.checkpoint is not None:
        values["frontier_checkpoint_id"] = outcome.checkpoint
    values |= {
        "frontier_updated_at": domain.read_at,
        "stopped_by": outcome.stopped_by,
        "consecutive_error_count": outcome.consecutive_errors,
    }
    if outcome.depth_reached is not None:
        values["crawl_depth_reached"] = max(domain.crawl_depth_reached, outcome.depth_reached)
    if outcome.next_fetch_seconds is not None:
        values["next_fetch_at"] = _later(domain, outcome.next_fetch_seconds)
    # Or its pages were committed by a worker that did not live to release it.
    if outcome.tried or (domain.last_crawled_at is None and domain.pages_crawled):
        values["last_crawled_at"] = domain.read_at
    if outcome.run_id is not None:
        values["last_crawl_run_id"] = outcome.run_id
    return values


def _schedule(domain: Domain, outcome: Outcome, target: CrawlStatus) -> dict[str, Any]:
    if outcome.obstacle is not None:
        return _obstructed(domain, outcome, outcome.obstacle)
    if target in (CrawlStatus.ACTIVE, CrawlStatus.EXHAUSTED) and outcome.crawled:
        cleared = {
            "block_reason": None,
            "block_reason_code": None,
            "first_blocked_at": None,
            "block_count": 0,
        }
    else:
        cleared = {}
    due: datetime | None = outcome.next_visit_at
    if target is not CrawlStatus.EXHAUSTED:
        due = _later(domain, outcome.due_in_seconds)
    elif due is None and outcome.revisit_seconds is not None:
        due = _later(domain, outcome.revisit_seconds)
    return cleared | {"due_at": due}


def _later(domain: Domain, seconds: float) -> datetime:
    """By the database's clock, which was read with the locked row."""
    return domain.read_at + timedelta(seconds=seconds)


def _obstructed(domain: Domain, outcome: Outcome, obstacle: Obstacle) -> dict[str, Any]:
    rest = cooldowns.rest(obstacle, domain.block_count, outcome.retry_after)
    message = COOLDOWNS[obstacle].message
    return {
        "block_reason": f"{message}: {outcome.detail}" if outcome.detail else message,
        "block_reason_code": obstacle,
        "first_blocked_at": domain.first_blocked_at or domain.read_at,
        "block_count": domain.block_count + 1,
        "due_at": None if rest is None else domain.read_at + rest,
    }


def _priority(domain: Domain, outcome: Outcome, yields: str) -> int:
    wanted = "images_stored" if yields == "images" else "records_stored"
    names = ("pages_crawled", wanted, "total_error_count")
    pages, gained, errors = (getattr(domain, name) + outcome.counts.get(name, 0) for name in names)
    return priority.priority_key(
        rank=domain.seed_rank,
        yield_rate=gained / pages if pages else 0.0,
        frontier_size=domain.frontier_size if outcome.frontier_size is None else outcome.frontier_size,
        error_rate=errors / pages if pages else 0.0,
        first_seen=domain.first_seen_at,
        last_crawled=domain.read_at if outcome.tried else domain.last_crawled_at,
    )
