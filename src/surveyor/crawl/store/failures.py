"""Counts how often what came of a URL could not be written, and what the database said the last time."""

from __future__ import annotations

from typing import Literal

from sqlalchemy import func, select
from sqlalchemy.ext.asyncio import AsyncConnection

from surveyor.db import Database, now
from surveyor.db.tables import write_failures

_f = write_failures.c
# Characters of an error that are kept: the value it quotes may be a megabyte.
_MOST_ERROR = 300

# So often what came of a URL may be refused.
ATTEMPTS = 3

Kind = Literal["page", "image"]


async def count(db: Database, tx: AsyncConnection, no: int, kind: Kind, key: int, error: str) -> int:
    """One more; returns how many there are."""
    values = {"tries": 1, "error": _plain(error), "failed_at": now()}
    statement = db.insert(write_failures).values(domain_no=no, kind=kind, key=key, **values)
    again = {"tries": _f.tries + 1, "error": statement.excluded.error, "failed_at": now()}
    statement = statement.on_conflict_do_update(index_elements=["domain_no", "kind", "key"], set_=again)
    return int((await tx.execute(statement.returning(_f.tries))).scalar_one())


async def total(tx: AsyncConnection, tries: int) -> int:
    """URLs that failed so often."""
    query = select(func.count()).select_from(write_failures).where(_f.tries >= tries)
    return int((await tx.execute(query)).scalar_one())


def _plain(error: str) -> str:
    """Safe to write itself, whatever it quotes."""
    text = error.encode("utf-8", "replace").decode("utf-8")
    return "".join(letter if letter.isprintable() else "\N{REPLACEMENT CHARACTER}" for letter in text)[
        :_MOST_ERROR
    ]
