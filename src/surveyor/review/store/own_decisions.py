"""The latest decisions of one person."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from typing import NamedTuple

from sqlalchemy import func, select
from sqlalchemy.ext.asyncio import AsyncConnection

from surveyor.db.tables import domains, events

# Events looked at, the latest first: somebody who decided nothing must not make us read all of them.
_MOST_EVENTS = 20_000


class DecisionRow(NamedTuple):
    domain: str
    kind: str
    at: datetime
    reason: str | None
    event_version: int | None
    version: int


async def decided_by(tx: AsyncConnection, name: str, kinds: Sequence[str], limit: int) -> list[DecisionRow]:
    last = (await tx.execute(select(func.max(events.c.id)))).scalar_one() or 0
    e = events.c
    query = (
        select(domains.c.domain, e.kind, e.at, e.reason, e.version, domains.c.version)
        .join_from(events, domains, e.domain_no == domains.c.no)
        .where(e.id > last - _MOST_EVENTS, e.actor == name, e.kind.in_(kinds))
        .order_by(e.id.desc())
        .limit(limit)
    )
    return [DecisionRow(*row) for row in await tx.execute(query)]
