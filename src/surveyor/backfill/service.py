"""Carries an old log into the register, or says what would come of it.

What is alive is never overwritten: only domains that are new or untouched are filled in, so a second
run changes nothing. Each batch is a transaction of its own.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from itertools import islice

from surveyor.backfill import store
from surveyor.backfill.destination import Destination
from surveyor.backfill.jobdir import count_seen, is_jobdir, read_queue
from surveyor.backfill.pages import PagesReport, bring_pages
from surveyor.backfill.queued import bring_queue
from surveyor.backfill.sources import Mapped, read_log, read_pages, read_provenance
from surveyor.backfill.store import Filling, StatusLine
from surveyor.backfill.totals import DomainTotals, Totals
from surveyor.registry.domain import SubmitterType
from surveyor.registry.lifecycle import CrawlStatus, ReviewStatus
from surveyor.registry.store import register
from surveyor.registry.store.register import NewDomain, Origin
from surveyor.registry.workers import new_worker_id

_BATCH = 200  # domains per transaction: short enough for workers to get their turn
_ROWS_BETWEEN = 20_000  # rows between two looks at the progress


@dataclass
class Report:
    """What the log says, what became of it, and what was left out and why."""

    source: str
    applied: bool
    rows: int = 0
    log_domains: int = 0  # hosts as the log spells them
    domains: int = 0  # canonical ones
    new: int = 0
    filled: int = 0  # known before, and untouched
    kept: int = 0  # known before and alive: left as they are
    exhausted: int = 0  # of those that are new or filled in
    blocked: int = 0
    images_stored: int = 0
    rows_left_out: int = 0  # they name no domain
    images_left_out: int = 0  # of domains that the log does not know
    left_out: list[str] = field(default_factory=list)
    backfilled_domains: int = 0  # in the register now, by this source
    total_domains: int = 0
    by_status: list[dict[str, object]] = field(default_factory=list)
    seen: int = 0  # requests that a JOBDIR remembers by their hashes alone
    pages: PagesReport | None = None  # where they were asked for


@dataclass(frozen=True, slots=True)
class BackfillRequest:
    """What the operator asks for."""

    log: str
    mapped: Mapped
    provenance: str | None
    images: Mapped
    source: str
    for_review: bool
    apply: bool
    pages: bool = False
    spider: str | None = None  # whose queue it is, where its requests go on as they were


async def backfill(
    into: Destination, request: BackfillRequest, progress: Callable[[Report], None] = lambda _: None
) -> Report:
    report = Report(request.source, request.apply)
    totals = Totals(into.rules)
    async for seen in read_log(request.log, request.mapped):
        totals.add(seen)
        if totals.rows // _ROWS_BETWEEN != report.rows // _ROWS_BETWEEN:
            report.rows, report.domains = totals.rows, len(totals.domains)
            progress(report)
    if request.provenance is not None:
        counts = await read_provenance(request.provenance, request.images, totals)
        report.images_left_out = totals.add_images(counts)
    report.rows, report.domains, report.log_domains = totals.rows, len(totals.domains), totals.spellings
    report.seen = count_seen(request.log) if is_jobdir(request.log) else 0
    report.rows_left_out, report.left_out = totals.without_name, list(totals.bad)
    status = ReviewStatus.PENDING_REVIEW if request.for_review else ReviewStatus.APPROVED
    origin = Origin(request.source, SubmitterType.ADMIN, into.by.name, status)
    remaining = iter(sorted(totals.domains.items()))
    worker = new_worker_id()
    while batch := dict(islice(remaining, _BATCH)):
        await _write(into, batch, origin, worker, report)
        progress(report)
    if request.pages:
        report.pages = await _bring_pages(into, request)
    async with into.db.read() as tx:
        report.backfilled_domains = await store.count_domains(tx, request.source)
        report.total_domains = await store.count_domains(tx)
        report.by_status = [line._asdict() for line in await store.by_status(tx, request.source)]
    if not request.apply:
        report.by_status = [line._asdict() for line in _would_be(totals)]
    return report


async def _bring_pages(into: Destination, request: BackfillRequest) -> PagesReport:
    if is_jobdir(request.log):
        return await bring_queue(
            into.db, read_queue(request.log), into.rules, request.spider, apply=request.apply
        )
    answers = read_pages(request.log, request.mapped)
    return await bring_pages(into.db, answers, into.rules, into.keeper, into.revisit, apply=request.apply)


async def _write(
    into: Destination, batch: dict[str, DomainTotals], origin: Origin, worker: str, report: Report
) -> None:
    """One transaction: new domains are added, untouched ones filled in."""
    opened = into.db.write() if report.applied else into.db.read()
    async with opened as tx:
        known = await store.known(tx, list(batch))
        # What only waits somewhere was not crawled: there is nothing to fill in.
        wanted = {
            name: t for name, t in batch.items() if t.rows and (name not in known or known[name].is_untouched)
        }
        new = [name for name in batch if name not in known]
        if report.applied and (wanted or new):
            numbers = {name: one.no for name, one in known.items()}
            numbers |= await register.add_new(tx, [NewDomain(name) for name in new], origin)
            # Somebody may have added one of them since: it is theirs.
            mine = {
                numbers[name]: Filling.of(t, into.revisit) for name, t in wanted.items() if name in numbers
            }
            await store.fill(tx, mine, worker, origin.source, into.yields)
    report.new += len(new)
    report.filled += len(wanted.keys() & known.keys())
    report.kept += len(known.keys() - wanted.keys())
    report.blocked += sum(totals.is_blocked for totals in wanted.values())
    report.exhausted += sum(not totals.is_blocked for totals in wanted.values())
    report.images_stored += sum(totals.images_stored for totals in wanted.values())


def _would_be(totals: Totals) -> list[StatusLine]:
    """The same lines for a dry run, over the whole log."""
    found = []
    for status, blocked in ((CrawlStatus.BLOCKED, True), (CrawlStatus.EXHAUSTED, False)):
        mine = [one for one in totals.domains.values() if one.rows and one.is_blocked is blocked]
        shares = [one.images_stored / one.crawled for one in mine if one.crawled]
        if mine:
            share = round(sum(shares) / len(shares), 4) if shares else None
            pages = round(sum(one.crawled for one in mine) / len(mine), 2)
            found.append(StatusLine(status.value, len(mine), share, pages))
    return found
