"""Judging stored results again with the present judges: what would change, and with `apply` that it does.

Streams page by page and holds one page at a time. What gets another confidence is written domain by domain,
each in a transaction of its own; what only gets another version, a page at once; what stays is not written.
Stopped, it goes on from the start and finds less to do. Nothing is written unless asked for.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from decimal import Decimal
from typing import TYPE_CHECKING

from surveyor.db import Database
from surveyor.judge.candidates import open_candidate, settle
from surveyor.judge.store import results
from surveyor.judge.store.results import StoredResult
from surveyor.judge.values import Judgment, SearchHit
from surveyor.registry.actors import Actor
from surveyor.registry.events import EventKind, NewEvent
from surveyor.registry.store import events, rows

if TYPE_CHECKING:  # few ask a language model
    from surveyor.judge.model_judge import Judges, ModelJudge

_Judged = tuple[StoredResult, Judgment]

_PAGE = 200  # domains read at once
_SHOWN = 20  # changes that are shown in full: the first that cross the threshold


@dataclass(frozen=True, slots=True)
class Change:
    """A result whose confidence crosses the threshold."""

    domain: str
    url: str
    title: str
    before: Decimal
    after: Decimal
    why: str


@dataclass(slots=True)
class RejudgeReport:
    """What judging again came to."""

    version: str
    read: int = 0
    changed: int = 0  # another confidence
    now_high: int = 0  # was below the threshold, is not any more
    now_low: int = 0
    written: int = 0
    changes: list[Change] = field(default_factory=list)


async def judge_again(
    db: Database,
    panel: Judges,
    by: Actor,
    *,
    apply: bool = False,
    progress: Callable[[int], None] = lambda _: None,
    model: ModelJudge | None = None,
) -> RejudgeReport:
    """Re-score all judged results; `progress` hears how many were read."""
    report = RejudgeReport(panel.version)
    after = 0
    while True:
        async with db.read() as tx:
            numbers = await results.domains_to_judge(tx, after, _PAGE, again=True)
            page = await results.of_domains(tx, numbers)
        same = []
        for (no, name), stored in page.items():
            hits = [each.hit for each in stored]
            judges = await model.beside(panel, hits, no) if model else panel
            judged = [(each, judges.judge(each.hit)) for each in stored]
            _compare(name, judged, panel.threshold, report)
            differ = [(result, judgment) for result, judgment in judged if _differs(result, judgment)]
            if all(result.confidence == judgment.confidence for result, judgment in differ):
                same += differ  # another version, the same word: the domain stays as it is
            elif apply:
                report.written += await _apply(db, no, panel, by, judged)
            progress(report.read)
        if apply and same:
            async with db.write() as tx:
                await results.write(tx, same)
            report.written += len(same)
        if len(numbers) < _PAGE:
            break
        after = numbers[-1]
    if report.written:
        async with db.write() as tx:
            data = {"read": report.read, "changed": report.changed, "version": report.version}
            await events.append(tx, [NewEvent(EventKind.RESULTS_REJUDGED, by.name, data=data)])
    return report


async def _apply(db: Database, no: int, panel: Judges, by: Actor, judged: Sequence[_Judged]) -> int:
    """Write what differs, as the domain stands now that it is locked; how many results that were."""
    known: dict[SearchHit, Judgment] = {result.hit: judgment for result, judgment in judged}
    async with db.write() as tx:
        domain = await rows.get(tx, no, lock=True)
        if not results.may_be_judged(domain):
            return 0
        stored = await results.of_domain(tx, no, judged=True)
        present = [(each, known.get(each.hit) or panel.judge(each.hit)) for each in stored]
        differ = [(result, judgment) for result, judgment in present if _differs(result, judgment)]
        if not differ:
            return 0  # another process was quicker
        await settle(tx, domain, differ, panel.threshold, by)
        await open_candidate(tx, domain, differ, panel.threshold, by)
    return len(differ)


def _differs(result: StoredResult, judgment: Judgment) -> bool:
    return (result.confidence, result.judge_version) != (judgment.confidence, judgment.judge_version)


def _compare(
    domain: str,
    judged: Sequence[_Judged],
    threshold: Decimal,
    report: RejudgeReport,
) -> None:
    for result, judgment in judged:
        before, after = result.confidence, judgment.confidence
        assert before is not None  # a CHECK of the database: a judged result has one
        report.read += 1
        report.changed += before != after
        report.now_high += before < threshold <= after
        report.now_low += after < threshold <= before
        if (before < threshold) != (after < threshold) and len(report.changes) < _SHOWN:
            change = Change(domain, result.url, result.title, before, after, judgment.reasoning)
            report.changes.append(change)
