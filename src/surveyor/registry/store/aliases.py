"""Names that lead to another domain, since people joined the two."""

from __future__ import annotations

from collections.abc import Collection

from sqlalchemy import insert, select, update
from sqlalchemy.ext.asyncio import AsyncConnection

from surveyor.db import now
from surveyor.db.dialect import among
from surveyor.db.tables import domain_aliases

_a = domain_aliases.c


async def kept(tx: AsyncConnection, names: Collection[str]) -> dict[str, int]:
    """Of these names those that were merged into a domain, with its number."""
    found = await tx.execute(select(_a.name, _a.kept_no).where(among(_a.name, names)))
    return {name: int(no) for name, no in found}


async def names_of(tx: AsyncConnection, no: int, limit: int) -> list[str]:
    """Names that lead to this domain."""
    query = select(_a.name).where(_a.kept_no == no).order_by(_a.name).limit(limit)
    return list((await tx.execute(query)).scalars())


async def add(tx: AsyncConnection, name: str, kept_no: int, by: str) -> None:
    await tx.execute(insert(domain_aliases).values(name=name, kept_no=kept_no, merged_by=by, merged_at=now()))


async def move(tx: AsyncConnection, source: int, target: int) -> None:
    """Whatever led to a domain that is joined with another leads there."""
    await tx.execute(update(domain_aliases).where(_a.kept_no == source).values(kept_no=target))
