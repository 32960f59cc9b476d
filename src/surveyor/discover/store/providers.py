"""Rows of providers: what each query cost and brought, and who is suspended until when."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any

from sqlalchemy import delete, func, select
from sqlalchemy.ext.asyncio import AsyncConnection

from surveyor.db import current_time, now
from surveyor.db.bulk import upsert_many
from surveyor.db.dialect import turn
from surveyor.db.tables import provider_suspensions, provider_usage

_s, _u = provider_suspensions.c, provider_usage.c
_ASKED_LATELY = timedelta(days=62)  # longer ago is as good as never


@dataclass(frozen=True, slots=True)
class Usage:
    """What one provider, or one query at one provider, cost and brought."""

    provider: str
    query: str | None
    calls: int
    failures: int
    results: int
    new_domains: int
    millicredits: int

    @property
    def credits(self) -> float:
        return self.millicredits / 1000

    @property
    def new_domains_per_credit(self) -> float | None:
        return self.new_domains * 1000 / self.millicredits if self.millicredits else None


@dataclass(frozen=True, slots=True)
class Suspended:
    """A provider's suspension; it may be over, and is then kept for the count of failures in a row."""

    provider: str
    error: str
    detail: str
    suspended_at: datetime
    until: datetime
    strikes: int
    account: str
    read_at: datetime

    @property
    def is_live(self) -> bool:
        return self.until > self.read_at


async def record(tx: AsyncConnection, usage: Usage) -> None:
    """Add to the usage of the present UTC day."""
    day = f"{await current_time(tx):%Y-%m-%d}"
    figures = ("calls", "failures", "results", "new_domains", "millicredits")
    row = (usage.provider, usage.query, day, *(getattr(usage, name) for name in figures))
    key = ("provider", "query", "day")
    summed = ", ".join(f"{name} = provider_usage.{name} + excluded.{name}" for name in figures)
    await upsert_many(tx, provider_usage, (*key, *figures), [row], key, (), summed)


async def usage(tx: AsyncConnection, days: int, *, by_query: bool, limit: int | None = None) -> list[Usage]:
    """Sums of the last days per provider, or per provider and query; those that brought most first."""
    since = f"{await current_time(tx) - timedelta(days=days - 1):%Y-%m-%d}"
    keys: list[Any] = [_u.provider, _u.query] if by_query else [_u.provider]
    figures = (_u.calls, _u.failures, _u.results, _u.new_domains, _u.millicredits)
    sums = [func.sum(figure).label(figure.name) for figure in figures]
    query = select(*keys, *sums).where(_u.day >= since).group_by(*keys)
    query = query.order_by(sums[3].desc(), sums[4], *keys)
    found = await tx.execute(query if limit is None else query.limit(limit))
    return [Usage(row[0], row[1] if by_query else None, *map(int, row[-5:])) for row in found]


async def last_asked(tx: AsyncConnection) -> dict[str, str]:
    """The UTC day on which each query was asked last, of any provider, within the time that is looked at."""
    since = f"{await current_time(tx) - _ASKED_LATELY:%Y-%m-%d}"
    query = select(_u.query, func.max(_u.day)).where(_u.day >= since).group_by(_u.query)
    return {row[0]: row[1] for row in await tx.execute(query)}


async def suspensions(tx: AsyncConnection, names: Sequence[str] | None = None) -> dict[str, Suspended]:
    query = select(provider_suspensions, now())
    if names is not None:
        query = query.where(_s.provider.in_(names))
    return {row[0]: Suspended(*row) for row in await tx.execute(query)}


async def enter_alone(tx: AsyncConnection, provider: str) -> None:
    """Who looks at a provider's suspension and then changes it does both before the next one looks."""
    await tx.execute(select(turn(f"provider {provider}")))


async def suspend(tx: AsyncConnection, row: Suspended) -> None:
    columns = [column.name for column in _s]
    values = {name: getattr(row, name) for name in columns}
    await tx.execute(delete(provider_suspensions).where(_s.provider == row.provider))
    await tx.execute(provider_suspensions.insert().values(values))


async def forgive(tx: AsyncConnection, provider: str, *, only_past: bool) -> bool:
    """Forget a suspension, and with it the failures in a row; a live one only where that is asked for."""
    statement = delete(provider_suspensions).where(_s.provider == provider)
    changed = await tx.execute(statement.where(_s.until <= now()) if only_past else statement)
    return changed.rowcount > 0
