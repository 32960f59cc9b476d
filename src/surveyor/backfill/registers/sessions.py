"""Discovery sessions of another register as values; pure."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from uuid import UUID

from surveyor.backfill.cells import Cells
from surveyor.backfill.registers.run import LeftOut, Run
from surveyor.backfill.rows import squashed
from surveyor.discover.session import SessionStatus, SessionType, Totals

_PROVIDERS = ("brave", "searxng", "serper", "tavily", "perplexity", "browserbase")
_COUNTS = ("queries_executed", "new_domains", "duplicates_skipped", "spam_filtered")
_S = SessionStatus
_STATUSES = {squashed(one): one for one in _S} | {"success": _S.COMPLETED, "cancelled": _S.FAILED}
_TYPES = {squashed(one): one for one in SessionType}


@dataclass(frozen=True, slots=True)
class TheirSession:
    id: UUID
    type: SessionType
    status: SessionStatus  # an end
    started_by: str
    started_at: datetime
    completed_at: datetime
    totals: Totals
    error_message: str | None


def read(cells: Cells, run: Run) -> TheirSession:
    started = cells.moment("started_at")
    if started is None:
        raise LeftOut("no date says when it began", cells.text("id") or "")
    word = squashed(cells.text("status") or "completed")
    status, error = _STATUSES.get(word, _S.FAILED), cells.text("error_message")
    if status is _S.RUNNING:
        status, error = _S.FAILED, error or "it was running when it was imported"
    return TheirSession(
        run.id("sessions", cells.text("id"), started.isoformat()),
        _TYPES.get(squashed(cells.text("type") or ""), SessionType.MANUAL_SEARCH),
        status,
        run.person(cells, "started_by") or run.source,
        started,
        max(started, cells.moment("completed_at") or started),
        _totals(cells),
        error,
    )


def _totals(cells: Cells) -> Totals:
    """Results per provider add up to all of them; what no provider is named for has its own line."""
    counts = {name: max(0, cells.number(name) or 0) for name in _COUNTS}
    per_provider = {name: max(0, cells.number(name) or 0) for name in _PROVIDERS if name in cells.row}
    named = sum(per_provider.values())
    # A session that counts fewer results than it sorted has counted them somewhere else.
    found = max(
        named, cells.number("results_found") or 0, counts["new_domains"] + counts["duplicates_skipped"]
    )
    if found > named:
        per_provider["unknown"] = found - named
    return Totals(results_found=found, provider_results=per_provider, **counts)
