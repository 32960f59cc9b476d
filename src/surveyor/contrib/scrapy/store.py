"""Rows of requests that wait in the frontier, and URLs queued by who holds no lease."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from datetime import datetime
from typing import NamedTuple

from sqlalchemy import and_, delete, exists, false, func, or_, select, tuple_, update
from sqlalchemy.ext.asyncio import AsyncConnection

from surveyor.db import now
from surveyor.db.bulk import execute_many, insert_many, insert_new, update_many
from surveyor.db.tables import (
    crawl_runs,
    domain_crawl,
    domains,
    image_urls,
    images,
    pages,
    scrapy_requests,
)
from surveyor.registry.store import aliases, due_dates

Place = tuple[int, int]  # a domain's number and a URL's key

_p, _c, _d, _s = pages.c, domain_crawl.c, domains.c, scrapy_requests.c
_SEQ_BITS = 32  # as in the frontier: discoveries of one epoch in a row, this behind them
_AT_ONCE = 1_000
_SCRAPY = "scrapy:"  # before the names of spiders, where runs say who began them
_started_by = (
    select(crawl_runs.c.started_by)
    .where(crawl_runs.c.id == _c.last_crawl_run_id)
    .correlate(domain_crawl)
    .scalar_subquery()
)
_OVER = ("done", "ended")  # states of pages that were asked for
_ADD_NEW = (
    "INSERT INTO scrapy_requests (domain_no, key, request)"
    " SELECT CAST({} AS BIGINT), CAST({} AS BIGINT), CAST({} AS TEXT)"
    " WHERE NOT EXISTS (SELECT 1 FROM pages"
    " WHERE pages.domain_no = {} AND pages.key = {} AND pages.state IN ('done', 'ended'))"
    " ON CONFLICT (domain_no, key) DO NOTHING"
)
# What a frontier outside the database has not finished stands at the end of its checkpoint.
_unfinished_elsewhere = and_(
    _c.frontier_checkpoint_id.like("%:%:%"), _c.frontier_checkpoint_id.not_like("%:0")
)
# Something waits, or was taken by a process that may be dead by now.
_GOES_ON = or_(
    _c.frontier_size > 0,
    exists().where(_p.domain_no == _c.no, _p.state == "taken"),
    func.coalesce(_unfinished_elsewhere, false()),
)


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
    await insert_many(
        tx, scrapy_requests, ("domain_no", "key", "request"), rows, ignore_known=("domain_no", "key")
    )


async def add_new(tx: AsyncConnection, rows: Sequence[tuple[int, int, str]]) -> None:
    """Those of pages that are over already are left out: nobody would ever take them away."""
    await execute_many(tx, _ADD_NEW, [(*row, *row[:2]) for row in rows])


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


class StoredImage(NamedTuple):
    file: str
    sha256: bytes
    fetched_at: datetime


async def stored_image(tx: AsyncConnection, domain: str, key: int) -> StoredImage | None:
    """What this URL of the domain showed last."""
    query = (
        select(images.c.file, images.c.sha256, image_urls.c.fetched_at)
        .join_from(image_urls, images, images.c.id == image_urls.c.image_id)
        .join(domains, _d.no == image_urls.c.domain_no)
        .where(_d.domain == domain, image_urls.c.key == key, image_urls.c.state == "done")
    )
    row = (await tx.execute(query)).first()
    return None if row is None else StoredImage(*row)


async def images_waiting(tx: AsyncConnection, places: Sequence[Place]) -> Counter[int]:
    """How many of these URLs of images wait, by their host."""
    u = image_urls.c
    some = (tuple_(u.domain_no, u.key).in_(places), u.state == "waiting")
    return Counter((await tx.execute(select(u.domain_no).where(*some))).scalars())


class Held(NamedTuple):
    """A domain that somebody holds now."""

    no: int
    domain: str
    worker: str
    until: datetime
    now: datetime


async def held_among(tx: AsyncConnection, numbers: Sequence[int]) -> list[Held]:
    query = (
        select(_c.no, _d.domain, _c.claimed_by, _c.claim_expires_at, now())
        .join_from(domain_crawl, domains, _d.no == _c.no)
        .where(_c.no.in_(numbers), _c.claimed_by.is_not(None), _c.claim_expires_at > now())
        .order_by(_c.no)
    )
    return [Held(*row) for row in await tx.execute(query)]


async def queue(tx: AsyncConnection, arrivals: Iterable[Arrival], by: str = "") -> dict[str, int]:
    """Let these URLs wait, and their domains be due for what is new; returns the domains' numbers by name.

    `by` is the spider as runs name it: the crawl of a domain that another one left unfinished is not its own.
    """
    named: dict[str, list[Arrival]] = {}
    for arrival in arrivals:
        named.setdefault(arrival.domain, []).append(arrival)
    merged = await aliases.kept(tx, named)  # names that are another domain by now
    query = (
        select(_d.no, _d.domain, _c.lease_epoch, _GOES_ON, _started_by)
        .join_from(domains, domain_crawl)
        .where(or_(_d.domain.in_(sorted(named)), _d.no.in_(list(merged.values()))))
        .order_by(_d.no)
        .with_for_update(of=(domains, domain_crawl))
    )
    known = (await tx.execute(query)).all()
    for name, no in merged.items():
        kept = next(row.domain for row in known if row.no == no)
        named.setdefault(kept, []).extend(named.pop(name))
    rows, texts, again = [], [], []
    for no, name, epoch, goes_on, started_by in known:
        is_others = started_by is not None and started_by.startswith(_SCRAPY) and started_by != by
        seq = ((epoch + 1) << _SEQ_BITS) - 1
        for one in named[name]:
            rows.append((no, one.key, one.target, "waiting", one.depth, one.rank, seq))
            texts += [(no, one.key, one.request)] if one.request is not None else []
            again += [(no, one.key)] if one.again and (not goes_on or is_others) else []
    await _remember_origins(tx, [(named[row.domain][0].origin, row.no) for row in known])
    columns = ("domain_no", "key", "target", "state", "depth", "rank", "seq")
    new = {
        (int(no), int(key)) for no, key in await insert_new(tx, pages, columns, rows, ("domain_no", "key"))
    }
    revived = await _again(tx, [place for place in again if place not in new])
    await remove(tx, sorted(revived))  # what an earlier run wanted of it
    await add(tx, [row for row in texts if row[:2] in new or row[:2] in revived])
    await _count(tx, new, revived)
    return {str(row.domain): int(row.no) for row in known}


async def _remember_origins(tx: AsyncConnection, origins: Sequence[tuple[str, int]]) -> None:
    """How a site is reached that nobody has reached yet: as the spider asks for it."""
    rows = [(f"{origin}/", no) for origin, no in origins]
    await update_many(tx, domains, "start_url = {}", rows, "no = {} AND start_url IS NULL")


async def _again(tx: AsyncConnection, places: Sequence[Place]) -> set[Place]:
    """What is over waits once more."""
    if not places:
        return set()
    over = (tuple_(_p.domain_no, _p.key).in_(places), _p.state.in_(_OVER))
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
    await due_dates.make_due_for_new(tx, sorted(counts))


def _rows(counts: Mapping[int, tuple[int, int]]) -> list[tuple[int, int, int]]:
    return [(discovered, waiting, no) for no, (discovered, waiting) in sorted(counts.items())]
