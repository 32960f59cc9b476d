"""URLs of a domain that are over and wait again, by somebody who holds no lease.

A frontier that lies elsewhere takes over rows that wait in `pages` when it opens. Whoever calls holds the
domain's lock.
"""

from __future__ import annotations

from typing import Any

from sqlalchemy import ColumnElement, and_, or_, update
from sqlalchemy.ext.asyncio import AsyncConnection

from surveyor.db import now
from surveyor.db.tables import domain_crawl, pages
from surveyor.names import url_key

_p, _c = pages.c, domain_crawl.c
# Reasons of URLs that were asked for and not had. A test holds them against those of the crawl.
FAILED = (
    "failed",
    "too_large",
    "bad_response",
    "decompress_error",
    "bad_url",
    "forbidden_address",
    "forbidden_port",
    "forbidden_scheme",
)
_AGAIN: dict[str, Any] = {"state": "waiting", "attempts": 0, "suspect": 0}


def has_failed() -> ColumnElement[bool]:
    return and_(_p.state == "ended", _p.reason.in_(FAILED))


async def start_and_failed(tx: AsyncConnection, no: int) -> int:
    """The start page and what ended as failed wait again; returns how many."""
    is_start = and_(_p.key == url_key("/"), _p.state.in_(("done", "ended")))
    chosen = (_p.domain_no == no, or_(is_start, has_failed()))
    found = await tx.execute(update(pages).where(*chosen).values(_AGAIN).returning(_p.key))
    count = len(found.all())
    await _count(tx, no, waiting=count, discovered=0)
    return count


async def within_depth(tx: AsyncConnection, no: int, depth: int) -> int:
    """What depth had cut and is within the limit now waits; returns how many. It was not counted before."""
    cut = (_p.state == "ended", _p.reason == "depth", _p.fetched_at.is_(None), _p.depth <= depth)
    again = _AGAIN | {"reason": None}
    found = await tx.execute(update(pages).where(_p.domain_no == no, *cut).values(again).returning(_p.key))
    count = len(found.all())
    await _count(tx, no, waiting=count, discovered=count)
    return count


async def _count(tx: AsyncConnection, no: int, *, waiting: int, discovered: int) -> None:
    values = {
        "frontier_size": _c.frontier_size + waiting,
        "pages_discovered": _c.pages_discovered + discovered,
        "frontier_updated_at": now(),
    }
    await tx.execute(update(domain_crawl).where(_c.no == no).values(values))
