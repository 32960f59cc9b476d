"""From an order to rows in a file or a stream: one moment of the register, a page in memory at a time."""

from __future__ import annotations

from collections.abc import AsyncGenerator, AsyncIterator, Callable
from contextlib import closing
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import Final

from sqlalchemy.ext.asyncio import AsyncConnection

from surveyor.db import Database
from surveyor.db.dump import one_moment
from surveyor.export import target, writers
from surveyor.export.columns import columns_of
from surveyor.export.store import crawled, findings, register, texts
from surveyor.export.values import Row, Stream, Wanted, What
from surveyor.extract.queries import RecordRow
from surveyor.names import NameRules
from surveyor.registry.store import rows

Progress = Callable[[int], None]
"""Hears how many rows were written so far."""

_ROWS: Final[dict[What, Callable[[AsyncConnection, Wanted], AsyncIterator[list[Row]]]]] = {
    What.DOMAINS: register.domain_rows,
    What.CANDIDATES: register.candidate_rows,
    What.RECORDS: findings.record_rows,
    What.CONTACTS: findings.contact_rows,
    What.PAGES: crawled.page_rows,
    What.TEXTS: texts.text_rows,
    What.IMAGES: crawled.image_rows,
    What.LINKS: crawled.link_rows,
}


@dataclass(frozen=True, slots=True)
class Order:
    """What is to be written, and how. `domain` is a name as the register knows it."""

    what: What
    kind: str
    yields: str
    rules: NameRules
    domain: str | None = None
    since: datetime | None = None
    everything: bool = False
    bom: bool = False


async def rows_of(db: Database, what: What, wanted: Wanted) -> AsyncGenerator[list[Row]]:
    """Pages of rows of one moment, for programs."""
    async with one_moment(db) as tx:
        async for page in _ROWS[what](tx, wanted):
            yield page


async def records_told(db: Database, found: list[RecordRow]) -> list[Row]:
    """Records that somebody else has found, as they are given out."""
    async with db.read() as tx:
        return await findings.export_rows(tx, found)


async def to_file(db: Database, order: Order, file: Path, progress: Progress, *, force: bool = False) -> int:
    """Write the file, whole or not at all; returns how many rows it has."""
    writers.require(order.kind)
    with target.growing(file, force=force) as stream:
        return await to_stream(db, order, stream, progress)


async def to_stream(db: Database, order: Order, stream: Stream, progress: Progress) -> int:
    """Write rows as they are read; returns how many there were.

    Writing blocks the loop: nothing else runs in the process of an export, and rows that nobody takes from
    the stream must not pile up.
    """
    count = 0
    async with one_moment(db) as tx:
        no = await rows.find_no(tx, order.domain) if order.domain else None
        wanted = Wanted(order.yields, order.rules, no, order.since, order.everything)
        with closing(writers.made(order.kind, stream, columns_of(order.what), bom=order.bom)) as writer:
            async for page in _ROWS[order.what](tx, wanted):
                writer.write(page)
                count += len(page)
                progress(count)
    return count
