"""Candidates of another register as values; pure."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from decimal import Decimal
from uuid import UUID

from surveyor.backfill.cells import Cells
from surveyor.backfill.registers.domains import TheirDecision
from surveyor.backfill.registers.run import LeftOut, Run
from surveyor.backfill.rows import squashed
from surveyor.registry.candidates import CandidateStatus, NewCandidate

_S = CandidateStatus
_STATUSES = {squashed(one): one for one in _S} | {
    "new": _S.PENDING_CRAWL,
    "pending": _S.PENDING_REVIEW,
    "skipped": _S.SKIPPED_LOW_CONFIDENCE,
}
_USUAL = Decimal("0.60")  # the threshold where none is given
_STEP = Decimal("0.01")


@dataclass(frozen=True, slots=True)
class TheirCandidate:
    id: UUID
    domain: str
    session: UUID | None
    new: NewCandidate
    status: CandidateStatus
    assigned_to: str | None
    decided: TheirDecision
    notes: str | None
    created_at: datetime | None


def read(cells: Cells, run: Run) -> TheirCandidate:
    domain = run.domain(cells)
    word = cells.text("status") or ""
    status = _STATUSES.get(squashed(word))
    if status is None:
        raise LeftOut(
            f"status says “{word[:40]}”, which is no state of a candidate; --map or change it", domain
        )
    confidence = cells.share("confidence")
    if confidence is None:
        raise LeftOut("no confidence from 0 to 1", domain)
    url = cells.text("url", 2_000) or f"https://{domain}/"
    said = cells.text("session")
    session = run.id("sessions", said) if said else None
    assigned = run.person(cells, "assigned_to")
    if status is _S.IN_REVIEW and assigned is None:
        status = _S.PENDING_REVIEW  # nobody is named who looks at it
    return TheirCandidate(
        run.id("candidates", cells.text("id"), domain, url, cells.text("created_at")),
        domain,
        session,
        NewCandidate(
            session_id=session,
            url=url,
            title=cells.text("title", 500) or domain,
            organisation_name=cells.text("organisation_name", 500),
            program_name=cells.text("program_name", 500),
            confidence=confidence,
            threshold=_threshold(cells.share("threshold"), confidence, status, domain),
            scores=(),
            reasoning=cells.text("reasoning") or "",
            judge_version=run.source,
        ),
        status,
        assigned,
        _decided(cells, run),
        cells.text("notes"),
        cells.moment("created_at"),
    )


def _decided(cells: Cells, run: Run) -> TheirDecision:
    at = cells.moment("decided_at") or cells.moment("updated_at")
    return TheirDecision(run.person(cells, "decided_by"), at, cells.text("decision_reason"))


def _threshold(said: Decimal | None, confidence: Decimal, status: CandidateStatus, domain: str) -> Decimal:
    """What was skipped was below the threshold, anything else was not: where none is given, this decides."""
    threshold = _USUAL if said is None else said
    if status is not _S.SKIPPED_LOW_CONFIDENCE:
        return min(threshold, confidence)
    if confidence == 1:
        raise LeftOut("it was skipped with a confidence of 1", domain)
    return max(threshold, confidence + _STEP)
