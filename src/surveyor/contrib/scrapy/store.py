"""Rows of requests that wait in the frontier, and URLs queued by who holds no lease."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import NamedTuple

from sqlalchemy import delete, or_, select, tuple_, update
from sqlalchemy.ext.asyncio import AsyncConnection

from surveyor.db import now
from surveyor.db.bulk import insert_new, update_many
from surveyor.db.tables import domain_crawl, domains, pages, scrapy_requests
from surveyor.registry.lifecycle import CrawlStatus, QualityStatus, ReviewStatus
from surveyor.registry.store import aliases

Place = tuple[int, int]  # a domain's number and a URL's key

_p, _c, _d, _s = pages.c, domain_crawl.c, domains.c, scrapy_requests.c
_SEQ_BITS = 32  # as in the frontier: discoveries of one epoch in a row, this behind them
_AT_ONCE = 1_000


class Arrival(NamedTuple):
    """A URL of a domain that this process does not hold."""

    domain: str
    key: int
    origin: str
    target: str
    depth: int
    rank: int
    request: str | None  # what it carries beside its URL
    again: bool  # it is asked for once more where it is over, unless the domain's crawl goes on


async def add(tx: AsyncConnection, rows: Sequence[tuple[int, int, str]]) -> None:
    if rows:
        await insert_new(tx, scrapy_requests, ("domain_no", "key", "request"), rows, ("domain_no", "key"))


async def of(tx: AsyncConnection, places: Sequence[Place]) -> dict[Place, str]:
    found: dict[Place, str] = {}
    for start in range(0, len(places), _AT_ONCE):
        some = tuple_(_s.domain_no, _s.key).in_(places[start : start + _AT_ONCE])
        rows = await tx.execute(select(_s.domain_no, _s.key, _s.request).where(some))
        found |= {(no, key): text for no, key, text in rows}
    return found


async def remove(tx: AsyncConnection, places: Sequence[Place]) -> None:
    if places:
        await tx.execute(delete(scrapy_requests).where(tuple_(_s.domain_no, _s.key).in_(places)))


async def queue(tx: AsyncConnection, arrivals: Iterable[Arrival]) -> dict[str, int]:
    """Let these URLs wait, and their domains be due for what is new; returns the domains' numbers by name."""
    named: dict[str, list[Arrival]] = {}
    for arrival in arrivals:
        named.setdefault(arrival.domain, []).append(arrival)
    merged = await aliases.kept(tx, named)  # names that are another domain by now
    query = (
        select(_d.no, _d.domain, _c.lease_epoch, _c.frontier_size)
        .join_from(domains, domain_crawl)
        .where(or_(_d.domain.in_(sorted(named)), _d.no.in_(list(merged.values()))))
        .order_by(_d.no)
        .with_for_update()
    )
    known = (await tx.execute(query)).all()
    for name, no in merged.items():
        kept = next(found for number, found, _, _ in known if number == no)
        named.setdefault(kept, []).extend(named.pop(name))
    rows, texts, again = [], [], []
    for no, name, epoch, waiting in known:
        seq = ((epoch + 1) << _SEQ_BITS) - 1
        for one in named[name]:
            rows.append((no, one.key, one.target, "waiting", one.depth, one.rank, seq))
            texts += [(no, one.key, one.request)] if one.request is not None else []
            again += [(no, one.key)] if one.again and not waiting else []
    await _remember_origins(tx, [(named[name][0].origin, no) for no, name, _, _ in known])
    columns = ("domain_no", "key", "target", "state", "depth", "rank", "seq")
    new = {
        (int(no), int(key)) for no, key in await insert_new(tx, pages, columns, rows, ("domain_no", "key"))
    }
    revived = await _again(tx, [place for place in again if place not in new])
    await add(tx, [row for row in texts if row[:2] in new or row[:2] in revived])
    await _count(tx, new, revived)
    return {str(name): int(no) for no, name, _, _ in known}


async def _remember_origins(tx: AsyncConnection, origins: Sequence[tuple[str, int]]) -> None:
    """How a site is reached that nobody has reached yet: as the spider asks for it."""
    rows = [(f"{origin}/", no) for origin, no in origins]
    await update_many(tx, domains, "start_url = {}", rows, "no = {} AND start_url IS NULL")


async def _again(tx: AsyncConnection, places: Sequence[Place]) -> set[Place]:
    """What is over waits once more."""
    if not places:
        return set()
    over = (tuple_(_p.domain_no, _p.key).in_(places), _p.state.in_(("done", "ended")))
    values = {"state": "waiting", "reason": None, "attempts": 0, "suspect": 0}
    found = await tx.execute(update(pages).where(*over).values(values).returning(_p.domain_no, _p.key))
    return {(int(no), int(key)) for no, key in found}


async def _count(tx: AsyncConnection, new: set[Place], revived: set[Place]) -> None:
    counts: dict[int, tuple[int, int]] = {}
    for no, is_new in [*((no, 1) for no, _ in new), *((no, 0) for no, _ in revived)]:
        discovered, waiting = counts.get(no, (0, 0))
        counts[no] = (discovered + is_new, waiting + 1)
    assigned = "pages_discovered = pages_discovered + {}, frontier_size = frontier_size + {}"
    await update_many(tx, domain_crawl, assigned, _rows(counts), "no = {}")
    await _make_due(tx, sorted(counts))


def _rows(counts: Mapping[int, tuple[int, int]]) -> list[tuple[int, int, int]]:
    return [(discovered, waiting, no) for no, (discovered, waiting) in sorted(counts.items())]


async def _make_due(tx: AsyncConnection, numbers: Sequence[int]) -> None:
    """Domains that may be crawled are due for what is new, unless they rest or somebody has them."""
    if not numbers:
        return
    allowed = select(_d.no).where(
        _d.no.in_(numbers),
        _d.review_status == ReviewStatus.APPROVED,
        _d.quality_status != QualityStatus.BLACKLISTED,
    )
    resting = (CrawlStatus.BLOCKED, CrawlStatus.UNREACHABLE)
    free = (_c.no.in_(allowed), _c.claimed_by.is_(None), _c.crawl_status.not_in(resting))
    await tx.execute(update(domain_crawl).where(*free).values(due_at=now(), ready=False))
