"""Writes seeds to the register in whole batches: an interrupt leaves each batch in or out.

A seed that names a page below the start page queues that page too.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field, replace
from itertools import islice

from sqlalchemy.ext.asyncio import AsyncConnection

from surveyor.db import Database
from surveyor.discover.seeds.addresses import listed_addresses
from surveyor.discover.seeds.formats import BadLine, SeedLine
from surveyor.discover.seeds.shared_hosts import is_shared
from surveyor.discover.store import starts
from surveyor.errors import NotADomain, NotAUrl
from surveyor.names import NameRules, canonical_domain, parent_domain, parse_url
from surveyor.registry.actors import Actor
from surveyor.registry.domain import SubmitterType
from surveyor.registry.events import EventKind, NewEvent
from surveyor.registry.lifecycle import ReviewStatus
from surveyor.registry.store import events, register
from surveyor.registry.store.register import NewDomain, Origin

# Lines per transaction, about a second. Names come in no order, so that each transaction writes all over the
# indexes: few long ones write less. Others must get their turn.
BATCH_LINES = 20_000
# Bad lines that are named; the rest is counted.
NAMED_BAD_LINES = 10


@dataclass
class BadLines:
    """Lines that could not be read: how many, and the first of them."""

    bad: int = 0
    bad_lines: list[BadLine] = field(default_factory=list)

    def add_bad(self, line: BadLine) -> None:
        self.bad += 1
        if len(self.bad_lines) < NAMED_BAD_LINES:
            self.bad_lines.append(line)


@dataclass(kw_only=True)
class IngestReport(BadLines):
    source: str
    lines: int = 0
    new: int = 0
    known: int = 0
    undecided: int = 0  # of the known ones, those that wait for a person although they were to be approved
    pages: int = 0  # named below a start page, and queued
    held: list[str] = field(default_factory=list)  # new hosts of many owners, which wait for review
    without_address: int = 0  # rows of a table that name no website
    column: str | None = None  # of a table: where its addresses were found
    dry_run: bool = False


class _Rehearsed(Exception):
    """Ends a transaction that only wanted to see what would come of it."""


@dataclass
class _Batch:
    """Lines of the list: domains in their order, and pages of theirs."""

    domains: list[NewDomain] = field(default_factory=list)
    shared: list[NewDomain] = field(default_factory=list)  # of which the list names a page only
    pages: dict[str, list[str]] = field(default_factory=dict)

    def add(self, line: SeedLine, address: str, rules: NameRules) -> None:
        name = canonical_domain(address, rules)
        target = _page_of(address, rules)
        domains = self.shared if target and is_shared(name) else self.domains
        parent = parent_domain(name)  # here, beside the writing of the lines before
        domains.append(NewDomain(name, line.rank, context=line.context, parent=parent))
        if target:
            self.pages.setdefault(name, []).append(target)

    def __bool__(self) -> bool:
        return bool(self.domains or self.shared)


async def ingest(
    db: Database,
    lines: Iterable[SeedLine | BadLine],
    source: str,
    by: Actor,
    *,
    for_review: bool = False,
    rules: NameRules,
    progress: Callable[[IngestReport], None] = lambda _: None,
    dry_run: bool = False,
) -> IngestReport:
    """What an operator brings is approved, unless it is to be reviewed. Known domains stay as they are.

    A host of many owners of which the list names a page is reviewed: an approval would be for all of it.
    A dry run writes nothing; a domain that stands in two batches then counts as new in both.
    """
    status = ReviewStatus.PENDING_REVIEW if for_review else ReviewStatus.APPROVED
    origin = Origin(source, SubmitterType.ADMIN, by.name, status)
    report = IngestReport(source=source, dry_run=dry_run)
    remaining = iter(lines)

    def read() -> asyncio.Task[_Batch]:
        return asyncio.create_task(asyncio.to_thread(_read_batch, remaining, rules, report))

    reading = read()
    try:
        while batch := await reading:
            reading = read()  # the next lines are read while these are written
            try:
                async with db.write() as tx:
                    await _write_batch(tx, batch, origin, report)
                    if dry_run:
                        raise _Rehearsed
            except _Rehearsed:
                pass
            progress(report)
    finally:
        reading.cancel()
    return report


async def _write_batch(tx: AsyncConnection, batch: _Batch, origin: Origin, report: IngestReport) -> None:
    added = await register.add_batch(tx, batch.domains, origin)
    to_review = replace(origin, review_status=ReviewStatus.PENDING_REVIEW)
    held = await register.add_new(tx, batch.shared, to_review)
    pages = await starts.queue(tx, batch.pages) if batch.pages else 0
    named, new = len(batch.domains) + len(batch.shared), added + len(held)
    if new:
        data = {
            "source": origin.source,
            "named": named,
            "new": new,
            "held": len(held),
            "review_status": origin.review_status.value,
        }
        await events.append(tx, [NewEvent(EventKind.SEEDS_INGESTED, origin.submitted_by, data=data)])
    report.new += new
    report.known += named - new
    if origin.review_status is ReviewStatus.APPROVED:
        if named > new:
            report.undecided += await register.count_pending(tx, [one.domain for one in batch.domains])
        report.held += sorted(held)
    report.pages += pages


def _read_batch(lines: Iterator[SeedLine | BadLine], rules: NameRules, report: IngestReport) -> _Batch:
    """The next lines as domains; empty only at the end of the list."""
    batch = _Batch()
    while not batch:
        taken = list(islice(lines, BATCH_LINES))
        if not taken:
            return batch
        report.lines += len(taken)
        for line in taken:
            if isinstance(line, BadLine):
                report.add_bad(line)
                continue
            # “https://a.org/ https://b.org/” could be one URL with a blank in it, and is two.
            several = listed_addresses(line.text, rules) if " " in line.text else []
            try:
                if len(several) < 2:
                    batch.add(line, line.text, rules)
                    continue
            except NotADomain as error:
                several = several or listed_addresses(line.text, rules)
                if not several:
                    report.add_bad(BadLine(line.number, line.text[:80], error.reason))
            for address in several:
                batch.add(line, address, rules)
    return batch


def _page_of(text: str, rules: NameRules) -> str | None:
    """The page below the start page that a seed names, if it names one."""
    host_and_more = text.partition("://")[2] or text
    if "/" not in host_and_more.rstrip("/") and "?" not in host_and_more:
        return None
    try:
        target = parse_url(text if "://" in text else f"https://{text}", rules=rules).target
    except (NotAUrl, NotADomain):
        return None  # the domain stands; such a page could not be asked for
    return target if target != "/" else None
