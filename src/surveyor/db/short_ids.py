"""Ids by their ends: people are shown the last characters of an id, and may type them."""

from __future__ import annotations

import re
from typing import Final
from uuid import UUID

from sqlalchemy import String, cast, func, select
from sqlalchemy.ext.asyncio import AsyncConnection

from surveyor.db.tables import metadata

# Fewer characters would fit too many.
_ENDING: Final = re.compile(r"[0-9a-f]{6,31}")


def is_ending(text: str) -> bool:
    return _ENDING.fullmatch(text.replace("-", "").lower()) is not None


async def ending_in(tx: AsyncConnection, table: str, text: str) -> list[UUID]:
    """The ids of the table's rows that end so, two at most. Looks at all of them, for a person."""
    column = metadata.tables[table].c.id
    plain = func.replace(cast(column, String), "-", "")
    query = select(column).where(plain.like(f"%{text.replace('-', '').lower()}")).order_by(column).limit(2)
    return list((await tx.execute(query)).scalars())
