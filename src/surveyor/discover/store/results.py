"""A batch of search results in the caller's transaction: domains, results, occurrences, spam.

Sessions that meet the same new domain at once are safe. Whoever inserts first has it, the others
wait for that commit and find it known. Rows are locked in one order (new ones by name, known ones
by number), so that two batches never wait for each other crosswise.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any, NamedTuple
from uuid import UUID

from sqlalchemy import or_, select
from sqlalchemy.ext.asyncio import AsyncConnection

from surveyor.db import current_time
from surveyor.db.bulk import converter, insert_many, update_many, upsert_many
from surveyor.db.tables import domains, search_results, spam_verdicts
from surveyor.discover.results import Result, Verdict
from surveyor.discover.session import BatchCounts
from surveyor.registry.domain import SubmitterType
from surveyor.registry.lifecycle import QualityStatus
from surveyor.registry.store import aliases, register
from surveyor.registry.store.register import NewDomain, Origin


@dataclass(frozen=True, slots=True)
class Batch:
    """What one provider answered to one query, sorted into results, spam and what was refused."""

    session: UUID
    provider: str
    query: str
    language: str | None
    results: Sequence[Result]
    spam: Sequence[tuple[Result, Verdict]]
    invalid: int


class _Known(NamedTuple):
    no: int
    blacklisted: bool


async def write(tx: AsyncConnection, batch: Batch, by: str) -> BatchCounts:
    """Store the batch; returns what became of it."""
    moment = await current_time(tx)
    created = await _create_domains(tx, batch, by)
    known = await _lock(tx, {result.domain for result in batch.results})
    kept = [result for result in batch.results if not known[result.domain].blacklisted]
    await _count_occurrences(tx, kept, known, moment)
    await _insert_results(tx, batch, kept, known, set(created), moment)
    await _remember_spam(tx, batch, moment)
    new = sum(1 for name in created if not known[name].blacklisted)
    return BatchCounts(
        new_domains=new,
        duplicates_skipped=len(kept) - new,
        spam_filtered=len(batch.spam),
        blacklisted_skipped=len(batch.results) - len(kept),
        invalid=batch.invalid,
        results_found=len(batch.results) + len(batch.spam) + batch.invalid,
    )


async def _create_domains(tx: AsyncConnection, batch: Batch, by: str) -> dict[str, int]:
    context = f"found by {batch.provider} for “{batch.query}”"
    origin = Origin(
        f"search:{batch.provider}", SubmitterType.SYSTEM, by, context=context, session_id=batch.session
    )
    return await register.add_new(tx, [NewDomain(result.domain) for result in batch.results], origin)


async def _lock(tx: AsyncConnection, names: set[str]) -> dict[str, _Known]:
    """All domains of the batch, which stay as they are until the transaction ends."""
    merged = await aliases.kept(tx, names)
    columns = (domains.c.domain, domains.c.no, domains.c.quality_status)
    mine = or_(domains.c.domain.in_(names), domains.c.no.in_(list(merged.values())))
    query = select(*columns).where(mine).order_by(domains.c.no)
    locked = (await tx.execute(query.with_for_update(key_share=True))).all()
    known = {no: _Known(no, status == QualityStatus.BLACKLISTED) for _, no, status in locked}
    found = {name: known[no] for name, no, _ in locked}
    return found | {name: known[no] for name, no in merged.items()}


async def _count_occurrences(
    tx: AsyncConnection, kept: Sequence[Result], known: dict[str, _Known], moment: datetime
) -> None:
    time = converter(tx, domains.c.last_seen_at)(moment)
    seen = Counter(known[result.domain].no for result in kept)
    rows = [(time, times, no) for no, times in sorted(seen.items())]
    assigned = "last_seen_at = {}, total_occurrences = total_occurrences + {}"
    await update_many(tx, domains, assigned, rows, "no = {}")


_COLUMNS = (
    "session_id",
    "domain_no",
    "provider",
    "query",
    "language",
    "position",
    "url",
    "title",
    "description",
    "is_duplicate",
    "found_at",
)


async def _insert_results(
    tx: AsyncConnection,
    batch: Batch,
    kept: Sequence[Result],
    known: dict[str, _Known],
    unseen: set[str],
    moment: datetime,
) -> None:
    time = converter(tx, search_results.c.found_at)(moment)
    session = converter(tx, search_results.c.session_id)(batch.session)
    rows: list[tuple[Any, ...]] = []
    for result in kept:
        first = result.domain in unseen
        unseen.discard(result.domain)
        origin = (session, known[result.domain].no, batch.provider, batch.query, batch.language)
        shown = (result.position, result.url, result.title, result.description)
        rows.append((*origin, *shown, not first, time))
    await insert_many(tx, search_results, _COLUMNS, rows)


_SPAM_SAMPLE = (
    "last_seen_at",
    "session_id",
    "provider",
    "url",
    "title",
    "description",
    "score",
    "reasons",
)
_SPAM_COLUMNS = ("domain", "verdicts", "first_seen_at", *_SPAM_SAMPLE)


async def _remember_spam(tx: AsyncConnection, batch: Batch, moment: datetime) -> None:
    """One row per accused domain: the number of verdicts, and the latest as the sample."""
    time = converter(tx, spam_verdicts.c.first_seen_at)(moment)
    session = converter(tx, spam_verdicts.c.session_id)(batch.session)
    to_json = converter(tx, spam_verdicts.c.reasons)
    times = Counter(result.domain for result, _ in batch.spam)
    latest = {result.domain: (result, verdict) for result, verdict in batch.spam}
    rows = []
    for name in sorted(latest):
        result, verdict = latest[name]
        shown = (result.url, result.title, result.description, float(verdict.score))
        sample = (time, session, batch.provider, *shown, to_json(list(verdict.reasons)))
        rows.append((name, times[name], time, *sample))
    summed = "verdicts = spam_verdicts.verdicts + excluded.verdicts"
    await upsert_many(tx, spam_verdicts, _SPAM_COLUMNS, rows, ("domain",), _SPAM_SAMPLE, summed)


async def verdicts_of(
    tx: AsyncConnection, names: Sequence[str], least: int
) -> dict[str, tuple[int, list[str]]]:
    """Domains with at least so many verdicts of spam: how many, and the latest reasons."""
    query = select(spam_verdicts.c.domain, spam_verdicts.c.verdicts, spam_verdicts.c.reasons).where(
        spam_verdicts.c.domain.in_(names), spam_verdicts.c.verdicts >= least
    )
    return {name: (count, reasons) for name, count, reasons in await tx.execute(query)}
