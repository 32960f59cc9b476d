"""Start pages that a list names: rows of the frontier, written by somebody who holds no lease.

They wait in `pages` like any other URL, before what links bring. A page that is known stays as it is.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence

from sqlalchemy import select, update
from sqlalchemy.ext.asyncio import AsyncConnection

from surveyor.db import now
from surveyor.db.bulk import insert_new, update_many
from surveyor.db.dialect import among
from surveyor.db.tables import domain_crawl, domains, pages
from surveyor.frontier.changes import RANK_FIRST
from surveyor.names import url_key
from surveyor.registry.store import due_dates

_p, _c, _d = pages.c, domain_crawl.c, domains.c
_COLUMNS = ("domain_no", "key", "target", "state", "depth", "rank", "seq")
_START = "/"
_DEPTH = 1  # it counts as linked from the start page
_SEQ_BITS = 32  # as in the frontier: discoveries of one epoch in a row, this behind them


async def queue(tx: AsyncConnection, named: Mapping[str, Sequence[str]]) -> int:
    """Let these pages of domains wait, and the domains be due for them; returns how many were new."""
    found = (
        select(_d.no, _d.domain, _c.lease_epoch)
        .join_from(domains, domain_crawl)
        .where(among(_d.domain, sorted(named)))
        .order_by(_d.no)
        .with_for_update()
    )
    known = (await tx.execute(found)).all()
    numbers = [no for no, _, _ in known]
    started = set(
        (await tx.execute(select(_p.domain_no).where(among(_p.domain_no, numbers)).distinct())).scalars()
    )
    rows = []
    for no, name, epoch in known:
        seq = ((epoch + 1) << _SEQ_BITS) - 1
        targets = dict.fromkeys(named[name])
        rows += [(no, url_key(one), one, "waiting", _DEPTH, RANK_FIRST, seq) for one in targets]
        if no not in started:
            # A domain that has a URL is not new to the frontier any more: the start page must be there too.
            rows.append((no, url_key(_START), _START, "waiting", 0, RANK_FIRST, 0))
    new = Counter(no for no, _ in await insert_new(tx, pages, _COLUMNS, rows, ("domain_no", "key")))
    await _count(tx, new)
    await due_dates.make_due_for_new(tx, list(new))
    return sum(new.values()) - sum(no not in started for no in new)


async def _count(tx: AsyncConnection, new: Mapping[int, int]) -> None:
    assigned = "pages_discovered = pages_discovered + {}, frontier_size = frontier_size + {}"
    rows = [(count, count, no) for no, count in new.items()]
    await update_many(tx, domain_crawl, assigned, rows, "no = {}")
    await tx.execute(update(domain_crawl).where(among(_c.no, list(new))).values(frontier_updated_at=now()))
