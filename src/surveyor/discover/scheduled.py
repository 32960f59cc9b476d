"""Which of a profile's queries a scheduled search asks today: within a bound, those asked longest ago first.

Providers bill by the query. A profile's long plan has hundreds, so it is spread over the days of its week;
how much a day may cost is known, and said, before the first query is sent.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from decimal import Decimal

from surveyor.db import Database
from surveyor.discover.adapters import SearchQuery
from surveyor.discover.provider import Account
from surveyor.discover.session import SessionType
from surveyor.discover.store import providers, sessions

KINDS = (SessionType.NIGHTLY_DISCOVERY, SessionType.WEEKLY_DEEP_CRAWL)


@dataclass(frozen=True, slots=True)
class Share:
    """What one kind of scheduled search may ask on one day."""

    kind: SessionType
    planned: int  # queries in its whole plan
    per_day: int


def shares(planned: Mapping[SessionType, int], per_day: int) -> dict[SessionType, Share]:
    """The short plan first, the long one gets what is left of the day."""
    left, found = per_day, {}
    for kind in KINDS:
        size = planned.get(kind, 0)
        found[kind] = Share(kind, size, min(size, left))
        left -= found[kind].per_day
    return found


async def left_today(db: Database, share: Share) -> int:
    """Queries of this kind that may still be asked on this UTC day."""
    async with db.read() as tx:
        return max(0, share.per_day - await sessions.planned_today(tx, share.kind))


async def todays(db: Database, share: Share, plan: Sequence[SearchQuery]) -> tuple[SearchQuery, ...]:
    """The part of the plan that is asked now: what was never asked first, then what was longest ago."""
    async with db.read() as tx:
        asked = await providers.last_asked(tx)
    in_turn = sorted(plan, key=lambda query: asked.get(query.text, ""))
    return tuple(in_turn[: await left_today(db, share)])


async def is_unfinished(db: Database, plan: Iterable[SearchQuery], since: datetime) -> bool:
    """Whether a query of the plan was not asked since then."""
    async with db.read() as tx:
        asked = await providers.last_asked(tx)
    return any(asked.get(query.text, "") < f"{since:%Y-%m-%d}" for query in plan)


def announcement(found: Collection[Share], accounts: Sequence[Account]) -> str:
    """What scheduled searches will ask and cost, for the operator, before any of it happens."""
    parts = [f"{share.per_day} of {share.planned} of {share.kind.value}" for share in found if share.per_day]
    total = sum(share.per_day for share in found)
    costs = ", ".join(f"{cost:f} at {name}" for name, cost in credits_of(accounts, total).items())
    return (
        f"searches by itself: {total} queries a day at most ({', '.join(parts)}), "
        f"about {costs or 'no'} credits a day; `schedule.queries_per_day` sets the bound"
    )


def credits_of(accounts: Sequence[Account], queries: int) -> dict[str, Decimal]:
    return {one.name: (one.call_credits * queries).normalize() for one in accounts}
