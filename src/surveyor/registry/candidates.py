"""Candidates: judged possibilities that a domain holds what the profile looks for, and their lifecycle.

Judging opens them, review decides them, a crawl moves them on; so they belong to none of these stages.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, fields
from datetime import datetime
from decimal import Decimal
from enum import StrEnum
from typing import Any
from uuid import UUID

from surveyor.registry.lifecycle import Lifecycle


class CandidateStatus(StrEnum):
    """Where a candidate stands."""

    PENDING_CRAWL = "pending_crawl"  # at or above the threshold; its domain was not crawled yet
    PENDING_REVIEW = "pending_review"  # its domain was crawled; it waits for a person
    IN_REVIEW = "in_review"  # someone took it
    APPROVED = "approved"  # its domain's records are published
    REJECTED = "rejected"  # by a reviewer, or along with its domain
    SKIPPED_LOW_CONFIDENCE = "skipped_low_confidence"  # below the threshold; an end


_S = CandidateStatus

CANDIDATE = Lifecycle(
    "status",
    CandidateStatus,
    first=(_S.PENDING_CRAWL, _S.SKIPPED_LOW_CONFIDENCE),
    arrows={
        _S.PENDING_CRAWL: (_S.PENDING_REVIEW, _S.REJECTED),
        _S.PENDING_REVIEW: (_S.IN_REVIEW, _S.REJECTED),
        _S.IN_REVIEW: (_S.APPROVED, _S.REJECTED, _S.PENDING_REVIEW),
        _S.APPROVED: (_S.IN_REVIEW,),  # taken back by a person
        _S.REJECTED: (_S.IN_REVIEW,),
        _S.SKIPPED_LOW_CONFIDENCE: (),
    },
)

# A domain has at most one of these.
OPEN = (_S.PENDING_CRAWL, _S.PENDING_REVIEW, _S.IN_REVIEW)


@dataclass(frozen=True, slots=True, kw_only=True)
class NewCandidate:
    """What judging says of a domain's best result."""

    session_id: UUID | None
    url: str
    title: str
    organisation_name: str | None
    program_name: str | None
    confidence: Decimal
    threshold: Decimal
    scores: Sequence[Mapping[str, Any]]
    reasoning: str
    judge_version: str

    @property
    def status(self) -> CandidateStatus:
        return _S.PENDING_CRAWL if self.confidence >= self.threshold else _S.SKIPPED_LOW_CONFIDENCE


@dataclass(frozen=True, slots=True, kw_only=True)
class Candidate:
    """A row of `candidates` with the name of its domain."""

    id: UUID
    domain_no: int
    domain: str
    session_id: UUID | None
    url: str
    title: str
    organisation_name: str | None
    program_name: str | None
    confidence: Decimal
    threshold: Decimal
    scores: Sequence[Mapping[str, Any]]
    reasoning: str
    judge_version: str
    status: CandidateStatus
    assigned_to: str | None
    decided_by: str | None
    decided_at: datetime | None
    decision_reason: str | None
    notes: str | None
    created_at: datetime
    updated_at: datetime

    def row(self) -> dict[str, Any]:
        return {field.name: getattr(self, field.name) for field in fields(self)}
