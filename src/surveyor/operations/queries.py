"""How the parts are, for people."""

from __future__ import annotations

from surveyor.db import Database
from surveyor.operations import store
from surveyor.operations.store import PartLine


async def parts(db: Database) -> list[PartLine]:
    """Every part of every machine."""
    async with db.read() as tx:
        return await store.listing(tx)
