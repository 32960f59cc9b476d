"""One run for people who watch it: how quick it is, what went wrong, which domains, and its log."""

from __future__ import annotations

from dataclasses import dataclass
from uuid import UUID

from surveyor.crawl.store import run_log, runs
from surveyor.crawl.store.run_log import MOST_LINES, DomainOfRun, Line
from surveyor.crawl.store.runs import Run
from surveyor.crawl.store.stats import Fetched, Reason
from surveyor.db import Database

__all__ = ["MOST_LINES", "DomainOfRun", "Line", "RunView", "of_job", "view"]
_REASONS, _DOMAINS = 12, 50
_LATEST = 100  # runs among which that of a job is looked for


@dataclass(frozen=True, slots=True)
class RunView:
    run: Run
    whole: bool  # all of its log was counted, else the latest lines
    minutes: list[Fetched]
    reasons: list[Reason]
    domains: list[DomainOfRun]
    lines: list[Line]

    @property
    def seconds(self) -> float:
        end = self.run.ended_at or self.run.read_at or self.run.started_at
        return max(0.0, (end - self.run.started_at).total_seconds())

    @property
    def rate(self) -> float:
        """Pages per second, over all of it."""
        return self.run.pages / self.seconds if self.seconds else 0.0


async def of_job(db: Database, job: UUID) -> UUID | None:
    """The latest run that a job asked for; one that was paused and went on has several."""
    async with db.read() as tx:
        return await runs.of_job(tx, str(job), _LATEST)


async def view(
    db: Database, run: UUID, limit: int, *, words: str = "", reason: str = "", before: int | None = None
) -> RunView:
    """The run, and lines of its log that match."""
    async with db.read() as tx:
        found = await runs.get(tx, run)
        where = await run_log.stretch(tx, found)
        return RunView(
            found,
            where.whole,
            await run_log.per_minute(tx, where),
            await run_log.by_reason(tx, where, _REASONS),
            await run_log.by_domain(tx, where, _DOMAINS),
            await run_log.lines(tx, where, limit, words=words, reason=reason, before=before),
        )
