"""What a discovery session is: its kinds, its states and the statistics it keeps; values only."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, fields, replace
from datetime import datetime
from enum import StrEnum
from typing import Any
from uuid import UUID


class SessionType(StrEnum):
    """Why a session is run."""

    NIGHTLY_DISCOVERY = "nightly_discovery"  # the profile's short plan of queries
    WEEKLY_DEEP_CRAWL = "weekly_deep_crawl"  # the profile's long plan
    MANUAL_SEARCH = "manual_search"  # queries that a person gave


class SessionStatus(StrEnum):
    """How far a session is; the last three are ends."""

    RUNNING = "running"  # its process is at work, or was killed and nobody has noticed yet
    COMPLETED = "completed"  # every provider answered every query
    PARTIAL_SUCCESS = "partial_success"  # something was answered, something was not
    FAILED = "failed"  # no provider answered anything


# Kept by the database too, see the migration; an end is for good.
ARROWS = {
    SessionStatus.RUNNING: (SessionStatus.COMPLETED, SessionStatus.PARTIAL_SUCCESS, SessionStatus.FAILED),
}


@dataclass(frozen=True, slots=True)
class Totals:
    """The counts of a session. Every result found is one of the five kinds below it."""

    queries_executed: int = 0
    results_found: int = 0
    new_domains: int = 0
    duplicates_skipped: int = 0
    spam_filtered: int = 0
    blacklisted_skipped: int = 0
    invalid: int = 0
    provider_results: Mapping[str, int] = field(default_factory=dict)

    def plus(self, provider: str, batch: BatchCounts, queries_executed: int) -> Totals:
        sums = {f.name: getattr(self, f.name) + getattr(batch, f.name) for f in fields(batch)}
        found = batch.results_found
        per_provider = {**self.provider_results, provider: self.provider_results.get(provider, 0) + found}
        return replace(self, **sums, queries_executed=queries_executed, provider_results=per_provider)


@dataclass(frozen=True, slots=True)
class BatchCounts:
    """What became of the results of one answer."""

    new_domains: int = 0
    duplicates_skipped: int = 0
    spam_filtered: int = 0
    blacklisted_skipped: int = 0
    invalid: int = 0
    results_found: int = 0


@dataclass(frozen=True, slots=True)
class Session:
    """A session as it is kept."""

    id: UUID
    type: SessionType
    status: SessionStatus
    started_by: str
    started_at: datetime
    completed_at: datetime | None
    worker: str
    last_seen_at: datetime
    queries_planned: int
    queries_executed: int
    results_found: int
    new_domains: int
    duplicates_skipped: int
    spam_filtered: int
    blacklisted_skipped: int
    invalid: int
    provider_results: Mapping[str, int]
    provider_errors: Mapping[str, str]
    error_message: str | None
    judging: Mapping[str, Any] | None
