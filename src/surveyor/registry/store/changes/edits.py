"""What people set on a domain: limits, notes, trust, and whether a browser shows its pages."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from sqlalchemy.ext.asyncio import AsyncConnection

from surveyor.db import now
from surveyor.db.tables import domain_crawl
from surveyor.errors import UsageError
from surveyor.registry.actors import Actor
from surveyor.registry.domain import Domain
from surveyor.registry.events import EventKind, NewEvent
from surveyor.registry.lifecycle import CrawlStatus
from surveyor.registry.store import due_dates, events, requeue, rows
from surveyor.registry.store.changes.writing import locked, may_be_crawled, write, write_crawl

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

# Limits that a person may set: least, most, and how they are called. Beyond the most it is a typing error.
_RANGES: Mapping[str, tuple[float, float, str]] = {
    "max_crawl_depth": (0, 1_000, "a depth"),
    "crawl_delay_seconds": (0, 86_400, "a delay in seconds"),
    "max_pages_per_run": (1, 10_000_000, "a number of pages per run"),
    "scrape_frequency_hours": (1, 87_600, "a number of hours between two visits"),
}


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
    domain = await locked(tx, no, seen_version)
    new = {name: value for name, value in changes.items() if getattr(domain, name) != value}
    if not new:
        return domain
    await write(tx, domain, new)
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
        await write_crawl(tx, domain.no, ended | {"lease_epoch": domain_crawl.c.lease_epoch + 1})
    elif count and may_be_crawled(domain) and domain.crawl_status not in _RESTS:
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
