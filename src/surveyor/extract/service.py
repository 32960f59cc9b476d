"""Whole acts of the extract stage that a shell asks for: each opens its own transactions."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence

from surveyor.db import Database
from surveyor.errors import NotFound
from surveyor.extract.difference import Difference, difference
from surveyor.extract.store import queue, version_queries
from surveyor.registry.actors import Actor
from surveyor.registry.events import EventKind, NewEvent
from surveyor.registry.lifecycle import QualityStatus, ReviewStatus
from surveyor.registry.store import events, rows


async def count_waiting(db: Database, only: Sequence[int] | None = None) -> int:
    """Versions of pages that may be read now, counted up to a bound."""
    async with db.read() as tx:
        return await queue.count_waiting(tx, only)


async def narrow(db: Database, names: Sequence[str]) -> tuple[tuple[int, ...], list[str]]:
    """The numbers of the named domains that may be read, and why the others may not."""
    numbers: list[int] = []
    refused: list[str] = []
    async with db.read() as tx:
        for name in names:
            domain = await rows.find(tx, name)
            if domain is None:
                refused.append(f"{name} is not in the register")
            elif domain.quality_status is QualityStatus.BLACKLISTED:
                refused.append(f"{name} is blacklisted; nothing of it is read")
            elif domain.review_status is not ReviewStatus.APPROVED:
                refused.append(f"{name} is {domain.review_status}; a person must approve it")
            else:
                numbers.append(domain.no)
    return tuple(numbers), refused


async def read_again(db: Database, by: Actor, no: int | None = None, key: int | None = None) -> int:
    """Let pages in quarantine wait for another reader: all, those of a domain, or one; returns how many."""
    total, after = 0, 0
    while True:
        async with db.write() as tx:
            if (batch := await queue.release(tx, no, key, after)) is None:
                return total
            after, counts = batch
            kind = EventKind.QUARANTINE_LIFTED
            lifted = [NewEvent(kind, by.name, one, data={"pages": count}) for one, count in counts.items()]
            await events.append(tx, lifted)
        total += sum(counts.values())


async def differences(db: Database, older: int, newer: int) -> Difference:
    """What the main content of one version has that the other has not."""
    async with db.read() as tx:
        texts = [(id_, await version_queries.markdown_of(tx, id_)) for id_ in (older, newer)]
    for id_, text in texts:
        if text is None:
            raise NotFound(
                f"snapshot {id_} was not read yet, or its content was not kept; run `surveyor extract`"
            )
    # A second of work for the longest texts: not on the loop that answers others.
    return await asyncio.to_thread(difference, texts[0][1] or "", texts[1][1] or "")
