"""What waits for a person: domains that a person named or that look promising, page by page."""

from __future__ import annotations

from enum import StrEnum

from surveyor.db import Database
from surveyor.errors import NotFound
from surveyor.registry.domain import Domain
from surveyor.registry.store import rows
from surveyor.review.store import domains as store

# Counting stops here: nobody reads further, and a count must not read a table.
COUNTED = 10_000


class Order(StrEnum):
    OLDEST = "oldest"  # first named, first shown
    CONFIDENT = "confident"  # best judged first
    UNCERTAIN = "uncertain"  # those about which the judges know least: a decision tells most


_PAGES = {
    Order.OLDEST: store.oldest,
    Order.CONFIDENT: store.most_confident,
    Order.UNCERTAIN: store.most_uncertain,
}


async def waiting(
    db: Database,
    order: Order = Order.OLDEST,
    limit: int = 50,
    after: str | None = None,
    *,
    everything: bool = False,
) -> list[Domain]:
    """The next domains to decide on; `everything` adds those that nobody asked about yet."""
    page = _PAGES[order]
    async with db.read() as tx:
        last = await rows.find(tx, after) if after else None
        if after and last is None:
            raise NotFound(f"{after} is not in the register; begin without --after")
        return await page(tx, everything, limit, last)


async def submitted_by(db: Database, name: str, limit: int, before: int | None = None) -> list[Domain]:
    """What a submitter named, the latest first; `before` is the number of the last one seen."""
    async with db.read() as tx:
        return await store.submitted_by(tx, name, limit, before)


async def count(db: Database, *, everything: bool = False) -> int:
    """How many wait, counted up to `COUNTED`."""
    async with db.read() as tx:
        return await store.count_waiting(tx, everything, COUNTED)
