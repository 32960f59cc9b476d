"""Writes seeds to the register in whole batches: an interrupt leaves each batch in or out."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from itertools import islice

from surveyor.db import Database
from surveyor.discover.seeds.formats import BadLine, SeedLine
from surveyor.errors import NotADomain
from surveyor.names import NameRules, canonical_domain
from surveyor.registry.actors import Actor
from surveyor.registry.domain import SubmitterType
from surveyor.registry.events import EventKind, NewEvent
from surveyor.registry.lifecycle import ReviewStatus
from surveyor.registry.store import events, register
from surveyor.registry.store.register import NewDomain, Origin

# Lines per transaction: long enough to be quick, short enough for others to get their turn.
BATCH_LINES = 5_000
# Bad lines that are named; the rest is counted.
NAMED_BAD_LINES = 10


@dataclass
class IngestReport:
    source: str
    lines: int = 0
    new: int = 0
    known: int = 0
    bad: int = 0
    bad_lines: list[BadLine] = field(default_factory=list)

    def add_bad(self, line: BadLine) -> None:
        self.bad += 1
        if len(self.bad_lines) < NAMED_BAD_LINES:
            self.bad_lines.append(line)


async def ingest(
    db: Database,
    lines: Iterable[SeedLine | BadLine],
    source: str,
    by: Actor,
    *,
    for_review: bool = False,
    rules: NameRules,
    progress: Callable[[IngestReport], None] = lambda _: None,
) -> IngestReport:
    """What an operator brings is approved, unless it is to be reviewed. Known domains stay as they are."""
    status = ReviewStatus.PENDING_REVIEW if for_review else ReviewStatus.APPROVED
    origin = Origin(source, SubmitterType.ADMIN, by.name, status)
    report = IngestReport(source)
    remaining = iter(lines)

    def read() -> asyncio.Task[list[NewDomain]]:
        return asyncio.create_task(asyncio.to_thread(_read_batch, remaining, rules, report))

    reading = read()
    try:
        while batch := await reading:
            reading = read()  # the next lines are read while these are written
            added = await _write_batch(db, batch, origin)
            report.new += added
            report.known += len(batch) - added
            progress(report)
    finally:
        reading.cancel()
    return report


async def _write_batch(db: Database, batch: list[NewDomain], origin: Origin) -> int:
    async with db.write() as tx:
        added = await register.add_batch(tx, batch, origin)
        if added:
            data = {
                "source": origin.source,
                "named": len(batch),
                "new": added,
                "review_status": origin.review_status.value,
            }
            await events.append(tx, [NewEvent(EventKind.SEEDS_INGESTED, origin.submitted_by, data=data)])
    return added


def _read_batch(
    lines: Iterator[SeedLine | BadLine], rules: NameRules, report: IngestReport
) -> list[NewDomain]:
    """The next lines as domains; empty only at the end of the list."""
    batch: list[NewDomain] = []
    while not batch:
        taken = list(islice(lines, BATCH_LINES))
        if not taken:
            return []
        report.lines += len(taken)
        for line in taken:
            if isinstance(line, BadLine):
                report.add_bad(line)
                continue
            try:
                batch.append(NewDomain(canonical_domain(line.text, rules), line.rank))
            except NotADomain as error:
                report.add_bad(BadLine(line.number, line.text[:80], error.reason))
    return batch
