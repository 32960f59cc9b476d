"""Judging stored search results, one domain in one transaction: results, quality, candidate, events.

A domain enters and leaves `processing` within the transaction, so nothing is stuck there after a crash; one
whose status stays leaves no event and keeps its version.
Two processes may judge at once: whoever locks a domain second finds nothing left to judge there.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from decimal import Decimal
from typing import TYPE_CHECKING
from uuid import UUID

from sqlalchemy.ext.asyncio import AsyncConnection

from surveyor.db import Database
from surveyor.judge.statistics import JudgingStatistics
from surveyor.judge.store import results
from surveyor.judge.store.results import Standing, StoredResult
from surveyor.judge.values import Judgment
from surveyor.process.failpoints import failpoint
from surveyor.registry.actors import Actor
from surveyor.registry.candidates import CandidateStatus, NewCandidate
from surveyor.registry.domain import Domain
from surveyor.registry.lifecycle import QualityStatus, ReviewStatus
from surveyor.registry.store import candidates, changes, languages, rows

if TYPE_CHECKING:  # few ask a language model
    from surveyor.judge.model_judge import Judges, ModelJudge

# Low results, and no high one, that make a domain low: fewer may be chance.
LOW_RESULTS = 3
# Domains asked for at once; each is judged in a transaction of its own.
_PAGE = 200
_LONGEST_REASON = 300  # characters of a failure that are kept


@dataclass(slots=True)
class _Tally:
    """Statistics in all and by session, on their way to where they are kept."""

    total: JudgingStatistics = field(default_factory=JudgingStatistics)
    unsaved: dict[UUID, JudgingStatistics] = field(default_factory=dict)

    def of(self, session_id: UUID) -> JudgingStatistics:
        return self.unsaved.setdefault(session_id, JudgingStatistics())

    def each_once(self, found: Sequence[StoredResult]) -> list[JudgingStatistics]:
        """In all, and of each session that brought results of one domain."""
        return [self.total, *(self.of(each) for each in {result.session_id for result in found})]


async def judge_stored(
    db: Database,
    panel: Judges,
    by: Actor,
    progress: Callable[[int], None] = lambda _: None,
    model: ModelJudge | None = None,
) -> JudgingStatistics:
    """Judge all results that wait; `progress` hears how many results are done."""
    started = time.monotonic()
    tally = _Tally()
    async with db.read() as tx:
        tally.total.blacklisted = await results.blacklisted_waiting(tx)
    after = 0
    while True:
        async with db.read() as tx:
            numbers = await results.domains_to_judge(tx, after, _PAGE, again=False)
        try:
            for no in numbers:
                judges = await _with_words(db, no, panel, model) if model else panel
                await _judge_domain(db, no, judges, by, tally)
                progress(tally.total.processed)
        finally:
            await _keep(db, tally)
        if len(numbers) < _PAGE:
            break
        after = numbers[-1]
    tally.total.milliseconds = int((time.monotonic() - started) * 1000)
    return tally.total


async def _with_words(db: Database, no: int, panel: Judges, model: ModelJudge) -> Judges:
    """The panel with what a language model says of the domain's results; asked before anything is locked."""
    async with db.read() as tx:
        waiting = await results.of_domain(tx, no, judged=False)
    return await model.beside(panel, [each.hit for each in waiting], no)


async def _judge_domain(db: Database, no: int, panel: Judges, by: Actor, tally: _Tally) -> None:
    started = time.monotonic()
    failed, judged, opened = False, list[tuple[StoredResult, Judgment]](), None
    async with db.write() as tx:
        domain = await rows.get(tx, no, lock=True)
        if not results.may_be_judged(domain):
            return
        waiting = await results.of_domain(tx, no, judged=False)
        if not waiting:
            return  # another process was quicker
        try:
            judged = [(result, panel.judge(result.hit)) for result in waiting]
        except Exception as error:
            reason = f"{type(error).__name__}: {error}"[:_LONGEST_REASON]
            await changes.advance_quality(tx, no, QualityStatus.PROCESSING, by)
            await changes.advance_quality(tx, no, QualityStatus.PROCESSING_FAILED, by, reason=reason)
            failed = True
        else:
            await settle(tx, domain, judged, panel.threshold, by)
            opened = await open_candidate(tx, domain, judged, panel.threshold, by)
            failpoint("in_judging")
    if failed:
        _count_failed(tally, waiting)
        return
    failpoint("after_judging")
    _count(tally, judged, opened, panel.threshold)
    tally.of(waiting[0].session_id).milliseconds += int((time.monotonic() - started) * 1000)


async def settle(
    tx: AsyncConnection,
    domain: Domain,
    judged: Sequence[tuple[StoredResult, Judgment]],
    threshold: Decimal,
    by: Actor,
) -> None:
    """Write the judgments, and what all results of the domain come to."""
    await results.write(tx, judged)
    if domain.language is None and (language := _best(judged)[1].language):
        await languages.guess(tx, domain.no, language)
    standing = await results.standing(tx, domain.no, threshold)
    figures = {
        "high_quality_count": standing.high,
        "low_quality_count": standing.low,
        "best_confidence": standing.best,
        "average_confidence": standing.average,
    }
    await changes.settle_judged(tx, domain, quality_of(standing), by, figures)


def quality_of(standing: Standing) -> QualityStatus:
    """One high result makes a domain high; three low ones and no high one make it low."""
    if standing.high:
        return QualityStatus.PROCESSED_HIGH_QUALITY
    if standing.low >= LOW_RESULTS:
        return QualityStatus.PROCESSED_LOW_QUALITY
    return QualityStatus.DISCOVERED


async def open_candidate(
    tx: AsyncConnection,
    domain: Domain,
    judged: Sequence[tuple[StoredResult, Judgment]],
    threshold: Decimal,
    by: Actor,
) -> CandidateStatus | None:
    """The best result makes a candidate, unless the domain has one; None if nothing was added."""
    known = await candidates.statuses_of(tx, domain.no)
    result, judgment = _best(judged)
    low = judgment.confidence < threshold
    # A decided one settles the matter; a skipped one does not count against a better result.
    if known - {CandidateStatus.SKIPPED_LOW_CONFIDENCE} or (low and known):
        return None
    if not low and domain.review_status is ReviewStatus.REJECTED:
        return None
    new = _candidate(result, judgment, threshold)
    await candidates.add(tx, domain.no, new, by)
    if not low and domain.pages_crawled:
        await candidates.domains_were_crawled(tx, {domain.no: by})
    return new.status


def _candidate(result: StoredResult, judgment: Judgment, threshold: Decimal) -> NewCandidate:
    named = judgment.names()
    return NewCandidate(
        session_id=result.session_id,
        url=result.url,
        title=result.title,
        organisation_name=named.organisation,
        program_name=named.program,
        confidence=judgment.confidence,
        threshold=threshold,
        scores=[score.row() for score in judgment.scores],
        reasoning=judgment.reasoning,
        judge_version=judgment.judge_version,
    )


def _count(
    tally: _Tally,
    judged: Sequence[tuple[StoredResult, Judgment]],
    opened: CandidateStatus | None,
    threshold: Decimal,
) -> None:
    best, _ = _best(judged)
    for result, judgment in judged:
        created = result is best and opened is CandidateStatus.PENDING_CRAWL
        for statistics in (tally.total, tally.of(result.session_id)):
            low = judgment.confidence < threshold
            statistics.judged(judgment.confidence, low=low, created=created)
    for statistics in tally.each_once([result for result, _ in judged]):
        statistics.domains += 1


def _count_failed(tally: _Tally, waiting: Sequence[StoredResult]) -> None:
    for result in waiting:
        for statistics in (tally.total, tally.of(result.session_id)):
            statistics.failures += 1
    for statistics in tally.each_once(waiting):
        statistics.domains_failed += 1


def _best(judged: Sequence[tuple[StoredResult, Judgment]]) -> tuple[StoredResult, Judgment]:
    return max(judged, key=lambda each: (each[1].confidence, -each[0].id))


async def _keep(db: Database, tally: _Tally) -> None:
    """Add what was counted to what each session keeps."""
    for session_id in sorted(tally.unsaved):
        async with db.write() as tx:
            await results.add_to_session(tx, session_id, tally.unsaved[session_id])
    tally.unsaved.clear()
