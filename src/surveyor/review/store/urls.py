"""URLs that people name: rows of the frontier, written by somebody who holds no lease.

Such a row waits in `pages` like any other. Nothing is fetched before the domain is approved and
taken by a worker; an external frontier takes over waiting rows when it opens.
"""

from __future__ import annotations

from enum import StrEnum
from typing import Any, NamedTuple

from sqlalchemy import func, select, update
from sqlalchemy.ext.asyncio import AsyncConnection

from surveyor.db import now
from surveyor.db.bulk import insert_new
from surveyor.db.tables import domain_crawl, pages
from surveyor.frontier.changes import RANK_FIRST
from surveyor.names import url_key
from surveyor.registry.domain import Domain

_p, _c = pages.c, domain_crawl.c
_COLUMNS = ("domain_no", "key", "target", "state", "depth", "rank", "seq")
_START = "/"
# As in the frontier: discoveries of one epoch in a row. A submission goes behind those of its epoch.
_SEQ_BITS = 32


class Queued(StrEnum):
    NEW = "new"  # it waits now
    AGAIN = "again"  # it was fetched or given up before, and waits again
    WAITING = "waiting"  # it waited already, or is being fetched
    KNOWN = "known"  # it was fetched or given up before, and stays so


class Submitted(NamedTuple):
    target: str
    depth: int
    rank: int
    again: bool  # a page that is over may be fetched again


async def count_waiting(tx: AsyncConnection, no: int, most: int) -> int:
    """How many URLs wait, counted up to `most`."""
    some = select(_p.key).where(_p.domain_no == no, _p.state == "waiting").limit(most).subquery()
    return int((await tx.execute(select(func.count()).select_from(some))).scalar_one())


async def queue(tx: AsyncConnection, domain: Domain, url: Submitted) -> Queued:
    """Let the URL wait; the caller holds the domain's lock."""
    key = url_key(url.target)
    found = select(_p.state, _p.rank).where(_p.domain_no == domain.no, _p.key == key).with_for_update()
    row = (await tx.execute(found)).one_or_none()
    if row is None:
        count = await _insert(tx, domain, url)
        await _count(tx, domain.no, new=count, waiting=count)
        return Queued.NEW if count else Queued.WAITING
    state, rank = row
    if state in ("waiting", "taken"):
        if url.rank < rank:
            await _update(tx, domain.no, key, {"rank": url.rank})
        return Queued.WAITING
    if not url.again:
        return Queued.KNOWN
    values = {"state": "waiting", "reason": None, "attempts": 0, "suspect": 0, "rank": url.rank}
    await _update(tx, domain.no, key, values)
    await _count(tx, domain.no, new=0, waiting=1)
    return Queued.AGAIN


async def _insert(tx: AsyncConnection, domain: Domain, url: Submitted) -> int:
    seq = ((domain.lease_epoch + 1) << _SEQ_BITS) - 1
    rows = [(domain.no, url_key(url.target), url.target, "waiting", url.depth, url.rank, seq)]
    known = select(_p.key).where(_p.domain_no == domain.no).limit(1)
    if url.target != _START and (await tx.execute(known)).first() is None:
        # A domain that has a URL is not new to the frontier any more: the start page must be there too.
        rows.append((domain.no, url_key(_START), _START, "waiting", 0, RANK_FIRST, 0))
    return len(await insert_new(tx, pages, _COLUMNS, rows, ("domain_no", "key")))


async def _update(tx: AsyncConnection, no: int, key: int, values: dict[str, Any]) -> None:
    await tx.execute(update(pages).where(_p.domain_no == no, _p.key == key).values(values))


async def _count(tx: AsyncConnection, no: int, *, new: int, waiting: int) -> None:
    values = {
        "pages_discovered": _c.pages_discovered + new,
        "frontier_size": _c.frontier_size + waiting,
        "frontier_updated_at": now(),
    }
    await tx.execute(update(domain_crawl).where(_c.no == no).values(values))
