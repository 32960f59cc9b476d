"""Contacts that must not come back: kept as hashes, so that remembering them does not keep them."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable

from sqlalchemy import select
from sqlalchemy.ext.asyncio import AsyncConnection

from surveyor.db import Database
from surveyor.db.tables import register as facts
from surveyor.registry.store import register


async def add_contact(db: Database, tx: AsyncConnection, value: str) -> None:
    await register.set_fact(db, tx, _name(value), "opt_out")


async def contacts_among(tx: AsyncConnection, values: Iterable[str]) -> set[str]:
    """Which of these were forgotten; whoever finds contacts leaves these out."""
    names = {_name(value): value for value in values}
    known = select(facts.c.name).where(facts.c.name.in_(list(names)))
    return {names[name] for name in (await tx.execute(known)).scalars()}


def _name(value: str) -> str:
    return "forgotten_contact:" + hashlib.sha256(value.strip().lower().encode()).hexdigest()
