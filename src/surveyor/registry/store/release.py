"""Giving a domain back: new status, counters, checkpoint and due date, all under the epoch."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from datetime import datetime, timedelta
from typing import Any
from uuid import UUID

from sqlalchemy import update
from sqlalchemy.ext.asyncio import AsyncConnection

from surveyor.db import later, now
from surveyor.db.tables import domain_crawl
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
    domain = await leases.locked_under_lease(tx, lease.no, lease.worker, lease.epoch, lease.domain.domain)
    by = Actor.worker(lease.worker)
    target = outcome.status or domain.crawl_status
    if domain.crawl_status is CrawlStatus.PENDING and target in (CrawlStatus.EXHAUSTED, CrawlStatus.BLOCKED):
        # Both arrows lead through active: the crawl did start.
        await _step(tx, domain, CrawlStatus.ACTIVE, by, None, {})
        domain = replace(domain, crawl_status=CrawlStatus.ACTIVE)
    values = _progress(domain, outcome) | _schedule(domain, outcome, target)
    values["priority_key"] = _priority(domain, outcome, yields)
    values |= {"claimed_by": None, "claim_expires_at": None, "ready": False, "attempts": 0}
    await _step(tx, domain, target, by, outcome.obstacle, values)
    if target is CrawlStatus.EXHAUSTED and outcome.crawled:
        await records.note_end(tx, domain.no)
    if target is CrawlStatus.EXHAUSTED:
        await refreshes.note_exhausted(tx, domain.no, domain.read_at)
    if domain.pages_crawled + outcome.counts.get("pages_crawled", 0) > 0:
        await candidates.domain_was_crawled(tx, domain.no, by)


async def _step(
    tx: AsyncConnection,
    domain: Domain,
    target: CrawlStatus,
    by: Actor,
    reason: str | None,
    values: dict[str, Any],
) -> None:
    if target is not domain.crawl_status:
        CRAWL.check(domain.crawl_status, target)
        event = NewEvent(CRAWL_EVENTS[target], by.name, domain.no, None, domain.crawl_status, target, reason)
        await events.append(tx, [event])
    where = domain_crawl.c.no == domain.no
    await tx.execute(update(domain_crawl).where(where).values({"crawl_status": target} | values))


def _progress(domain: Domain, outcome: Outcome) -> dict[str, Any]:
    values: dict[str, Any] = {name: getattr(domain, name) + added for name, added in outcome.counts.items()}
    if outcome.frontier_size is not None:
        values["frontier_size"] = outcome.frontier_size
    if outcome.checkpoint is not None:
        values["frontier_checkpoint_id"] = outcome.checkpoint
    values |= {
        "frontier_updated_at": now(),
        "stopped_by": outcome.stopped_by,
        "consecutive_error_count": outcome.consecutive_errors,
    }
    if outcome.depth_reached is not None:
        values["crawl_depth_reached"] = max(domain.crawl_depth_reached, outcome.depth_reached)
    if outcome.next_fetch_seconds is not None:
        values["next_fetch_at"] = later(outcome.next_fetch_seconds)
    # Or its pages were committed by a worker that did not live to release it.
    if outcome.tried or (domain.last_crawled_at is None and domain.pages_crawled):
        values["last_crawled_at"] = now()
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
    return cleared | {"due_at": _due(outcome, target)}


def _due(outcome: Outcome, target: CrawlStatus) -> Any:
    if target is not CrawlStatus.EXHAUSTED:
        return later(outcome.due_in_seconds)
    if outcome.next_visit_at is None and outcome.revisit_seconds is not None:
        return later(outcome.revisit_seconds)
    return outcome.next_visit_at


def _obstructed(domain: Domain, outcome: Outcome, obstacle: Obstacle) -> dict[str, Any]:
    rest = cooldowns.rest(obstacle, domain.block_count, outcome.retry_after)
    message = COOLDOWNS[obstacle].message
    return {
        "block_reason": f"{message}: {outcome.detail}" if outcome.detail else message,
        "block_reason_code": obstacle,
        "first_blocked_at": domain.first_blocked_at or now(),
        "block_count": domain.block_count + 1,
        "due_at": None if rest is None else later(rest.total_seconds()),
    }


def _priority(domain: Domain, outcome: Outcome, yields: str) -> int:
    def total(name: str) -> int:
        return int(getattr(domain, name)) + outcome.counts.get(name, 0)

    pages = total("pages_crawled")
    gained = total("images_stored" if yields == "images" else "records_stored")
    return priority.priority_key(
        rank=domain.seed_rank,
        yield_rate=gained / pages if pages else 0.0,
        frontier_size=domain.frontier_size if outcome.frontier_size is None else outcome.frontier_size,
        error_rate=total("total_error_count") / pages if pages else 0.0,
        first_seen=domain.first_seen_at,
        last_crawled=domain.read_at if outcome.tried else domain.last_crawled_at,
    )
