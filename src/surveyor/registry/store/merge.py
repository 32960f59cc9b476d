"""Joins rows that are one domain: left apart by older rules or by an import, or chosen by a person.

The oldest row is kept, or the chosen one; counters are summed, and a decision against the domain on
either row holds for the joined one. Events are never moved; the kept row's merge
event names the number under which the others' events are found.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from sqlalchemy import delete, select, update
from sqlalchemy.ext.asyncio import AsyncConnection

from surveyor.db import now
from surveyor.db.tables import domain_crawl, domains, search_results
from surveyor.errors import NotADomain, Refused
from surveyor.names import parent_domain
from surveyor.registry.actors import Actor
from surveyor.registry.domain import Domain
from surveyor.registry.events import EventKind, NewEvent
from surveyor.registry.lifecycle import QualityStatus, ReviewStatus
from surveyor.registry.store import aliases, candidates, changes, events, known_urls, records, rows

_SUMMED_CRAWL = (
    "pages_discovered",
    "pages_crawled",
    "images_found",
    "images_stored",
    "records_stored",
    "bytes_fetched",
    "total_error_count",
)  # not frontier_size: what waited at the other is found again
_SUMMED = ("total_occurrences", "processing_count", "high_quality_count", "low_quality_count")


@dataclass(frozen=True, slots=True)
class Twins:
    """Rows that are one domain under the present rules."""

    name: str
    numbers: tuple[int, ...]


async def find_twins(
    tx: AsyncConnection, canonical: Callable[[str], str], page_size: int = 10_000
) -> tuple[list[Twins], list[str]]:
    """Rows to join (or to rename), and names that are no domain under the present rules."""
    groups: dict[str, list[int]] = {}
    bad: list[str] = []
    after = 0
    while True:
        query = select(domains.c.no, domains.c.domain).where(domains.c.no > after).order_by(domains.c.no)
        batch = (await tx.execute(query.limit(page_size))).all()
        for no, name in batch:
            after = no
            try:
                wanted = canonical(name)
            except NotADomain:
                bad.append(name)
                continue
            if wanted != name:
                groups.setdefault(wanted, []).append(no)
        if len(batch) < page_size:
            break
    named = select(domains.c.domain, domains.c.no).where(domains.c.domain.in_(list(groups)))
    for name, no in await tx.execute(named):
        groups[name].append(no)
    return [Twins(name, tuple(sorted(numbers))) for name, numbers in sorted(groups.items())], bad


async def merge(tx: AsyncConnection, twins: Twins, by: Actor) -> Domain | None:
    """Join the rows into the oldest one under the canonical name; None while one is being crawled."""
    rows_found = [await rows.get(tx, no, lock=True) for no in twins.numbers]
    if any(row.has_live_lease for row in rows_found):
        return None
    kept, *others = sorted(rows_found, key=lambda row: (row.first_seen_at, row.no))
    for other in others:
        kept = await _join(tx, kept, other, by)
    await tx.execute(
        update(domains)
        .where(domains.c.no == kept.no)
        .values(domain=twins.name, parent_domain=parent_domain(twins.name), updated_at=now())
    )
    await events.append(tx, _merge_events(kept, others, by) or [_renamed(kept, by)])
    return await rows.get(tx, kept.no)


async def merge_chosen(tx: AsyncConnection, kept_no: int, other_no: int, by: Actor) -> Domain:
    """Join one domain with another that stays; the name of the first leads there from now on."""
    numbers = sorted((kept_no, other_no))  # in one order, whoever joins the two the other way round
    found = {no: await rows.get(tx, no, lock=True) for no in numbers}
    held = [row.domain for row in found.values() if row.has_live_lease]
    if held:
        raise Refused(f"{held[0]} is being crawled; merge it when its worker is done")
    kept, other = found[kept_no], found[other_no]
    done = await _join(tx, kept, other, by)
    await aliases.add(tx, other.domain, kept.no, by.name)
    await events.append(tx, _merge_events(done, [other], by))
    return await rows.get(tx, kept.no)


async def _join(tx: AsyncConnection, kept: Domain, other: Domain, by: Actor) -> Domain:
    await _take_over_decisions(tx, kept, other, by)
    kept = await rows.get(tx, kept.no)
    await _sum(tx, kept, other)
    moved = update(search_results).where(search_results.c.domain_no == other.no)
    await tx.execute(moved.values(domain_no=kept.no))  # or they would go with the row
    await candidates.move(tx, other.no, kept.no, by)
    await records.move(tx, other.no, kept.no)
    await known_urls.move(tx, other.no, kept.no)
    await aliases.move(tx, other.no, kept.no)
    await tx.execute(delete(domains).where(domains.c.no == other.no))
    return await rows.get(tx, kept.no)


def _merge_events(kept: Domain, others: Sequence[Domain], by: Actor) -> list[NewEvent]:
    return [
        NewEvent(
            EventKind.DOMAINS_MERGED,
            by.name,
            kept.no,
            kept.version,
            data={"merged_no": other.no, "merged_domain": other.domain, "was": kept.domain},
        )
        for other in others
    ]


def _renamed(kept: Domain, by: Actor) -> NewEvent:
    data = {"merged_no": kept.no, "merged_domain": kept.domain, "was": kept.domain}
    return NewEvent(EventKind.DOMAINS_MERGED, by.name, kept.no, kept.version, data=data)


async def _take_over_decisions(tx: AsyncConnection, kept: Domain, other: Domain, by: Actor) -> None:
    reason = f"merged with {other.domain}"
    if (
        other.quality_status is QualityStatus.BLACKLISTED
        and kept.quality_status is not QualityStatus.BLACKLISTED
    ):
        why = f"{reason}: {other.blacklist_reason}"
        await changes.advance_quality(tx, kept.no, QualityStatus.BLACKLISTED, by, reason=why)
    against = other.review_status in (ReviewStatus.REJECTED, ReviewStatus.SUSPENDED)
    if against and kept.review_status is ReviewStatus.APPROVED:
        await changes.advance_review(tx, kept.no, ReviewStatus.SUSPENDED, by, reason=reason)
    elif other.review_status is ReviewStatus.REJECTED and kept.review_status is ReviewStatus.PENDING_REVIEW:
        why = f"{reason}: {other.rejection_reason}"
        await changes.advance_review(tx, kept.no, ReviewStatus.REJECTED, by, reason=why)
    elif other.review_status is ReviewStatus.APPROVED and kept.review_status is ReviewStatus.PENDING_REVIEW:
        await changes.advance_review(tx, kept.no, ReviewStatus.APPROVED, by, reason=reason)


async def _sum(tx: AsyncConnection, kept: Domain, other: Domain) -> None:
    people: dict[str, Any] = {name: getattr(kept, name) + getattr(other, name) for name in _SUMMED}
    people |= {
        "last_seen_at": max(kept.last_seen_at, other.last_seen_at),
        "seed_rank": _smallest(kept.seed_rank, other.seed_rank),
        "best_confidence": _largest(kept.best_confidence, other.best_confidence),
        "notes": "\n".join(note for note in (kept.notes, other.notes) if note) or None,
        "version": kept.version + 1,
        "updated_at": now(),
    }
    await tx.execute(update(domains).where(domains.c.no == kept.no).values(people))
    crawl: dict[str, Any] = {name: getattr(kept, name) + getattr(other, name) for name in _SUMMED_CRAWL}
    crawl |= {
        "crawl_depth_reached": max(kept.crawl_depth_reached, other.crawl_depth_reached),
        "last_crawled_at": _largest(kept.last_crawled_at, other.last_crawled_at),
        "language": kept.language or other.language,
        "lease_epoch": max(kept.lease_epoch, other.lease_epoch) + 1,
    }
    await tx.execute(update(domain_crawl).where(domain_crawl.c.no == kept.no).values(crawl))


def _smallest(*values: Any) -> Any:
    return min((value for value in values if value is not None), default=None)


def _largest(*values: Any) -> Any:
    return max((value for value in values if value is not None), default=None)
