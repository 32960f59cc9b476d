"""Writes records that another register read, beside those that extraction reads; each once.

Only for domains that are approved here. A page that was read or was gone here since is left as it is; one
that is not known waits for a crawl.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from datetime import date, datetime
from itertools import groupby
from typing import NamedTuple

from sqlalchemy import select, tuple_
from sqlalchemy.ext.asyncio import AsyncConnection

from surveyor.backfill import store_pages
from surveyor.backfill.queued import QueuedUrl
from surveyor.backfill.registers.extractions import TheirRecord
from surveyor.backfill.registers.run import LeftOut, Run
from surveyor.crawl.results import START
from surveyor.db.tables import pages
from surveyor.extract.contributed import PageRecords, RecordWriter, merge
from surveyor.extract.record_set import Contributor
from surveyor.extract.store import queue, snapshots
from surveyor.extract.store.completion import LEFT
from surveyor.frontier.changes import RANK_NORMAL

_p = pages.c
Place = tuple[int, int]  # number of the domain, key of the page


class _Here(NamedTuple):
    """What is known of the domains and pages of a batch."""

    numbers: Mapping[str, int]
    held: set[str]
    allowed: set[int]
    known: set[Place]
    settled: Mapping[Place, datetime]  # when a page was read here, or found to be no more


async def take(tx: AsyncConnection, batch: Sequence[TheirRecord], run: Run) -> None:
    here = await _look(tx, batch)
    wanted = []
    for one in batch:
        if reason := _refusal(one, here, run):
            run.now.leave_out(LeftOut(reason, one.url.text))
        elif _is_settled(one, here):
            run.now.kept += 1
        else:
            wanted.append(one)
    if run.apply:
        await _queue_pages(tx, wanted, here)
    wanted.sort(key=lambda one: (here.numbers.get(one.domain, 0), one.domain))
    for domain, theirs in groupby(wanted, key=lambda one: one.domain):
        await _merge_records(tx, here.numbers.get(domain, 0), list(theirs), run)


async def _look(tx: AsyncConnection, batch: Sequence[TheirRecord]) -> _Here:
    numbers, held = await store_pages.find_domains(tx, {one.domain for one in batch})
    allowed = await queue.lock_domains(tx, numbers.values())
    places = sorted({(numbers[one.domain], one.key) for one in batch if one.domain in numbers})
    settled = await snapshots.read_at(tx, places) if places else {}
    query = select(_p.domain_no, _p.key, _p.state, _p.reason, _p.fetched_at)
    known = set()
    for no, key, state, reason, at in await tx.execute(query.where(tuple_(_p.domain_no, _p.key).in_(places))):
        known.add((no, key))
        if state == "ended" and reason in LEFT and at is not None:
            settled[no, key] = max(at, settled.get((no, key), at))
    return _Here(numbers, held, allowed, known, settled)


def _refusal(one: TheirRecord, here: _Here, run: Run) -> str | None:
    if one.domain in here.held:
        return "a worker holds its domain"
    if here.numbers.get(one.domain) in here.allowed or (not run.apply and one.domain in run.approved):
        return None
    if one.domain in here.numbers or one.domain in run.named:
        return "its domain is not approved"
    return "its domain is not in the register"


def _is_settled(one: TheirRecord, here: _Here) -> bool:
    at = here.settled.get((here.numbers.get(one.domain, 0), one.key))
    return at is not None and at >= one.seen_at


async def _queue_pages(tx: AsyncConnection, wanted: Iterable[TheirRecord], here: _Here) -> None:
    new: dict[Place, QueuedUrl] = {}
    for one in wanted:
        place = here.numbers[one.domain], one.key
        if place not in here.known:
            new.setdefault(place, QueuedUrl(one.url, int(one.url.target != START), RANK_NORMAL, None))
    if new:
        await store_pages.queue(tx, list(new.values()), here.numbers)
        await store_pages.queue_starts(tx, sorted({no for no, _ in new}))


async def _merge_records(tx: AsyncConnection, no: int, theirs: Sequence[TheirRecord], run: Run) -> None:
    """Records of one domain, the earliest first: those that were read on a page on one day stand together."""
    by_page: dict[tuple[date, int], list[TheirRecord]] = {}
    for one in sorted(theirs, key=lambda one: one.seen_at):
        by_page.setdefault((one.seen_at.date(), one.key), []).append(one)
    given = [
        PageRecords(key, [one.record for one in rows], Contributor.IMPORT, rows[-1].seen_at)
        for (_, key), rows in by_page.items()
    ]
    if run.apply:
        writer = RecordWriter(run.by, run.into.yields, {"imported": run.source})
        merged = await writer.write(tx, no, given)
    else:
        merged = await merge(tx, no, given)
    new = sum(one.outcome.new.total() for one in merged.pages)
    filled = sum(one.outcome.filled for one in merged.pages)
    if not run.apply:  # what an earlier batch would have made is not there
        made = {(theirs[0].domain, one.identity) for one in merged.record_set.records.values() if one.is_new}
        again = len(made & run.made)
        run.made |= made
        new, filled = new - again, filled + again
    run.now.new += new
    run.now.filled += filled
    run.now.kept += len(theirs) - new - filled
