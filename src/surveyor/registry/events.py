"""What happened, as values. The table is append-only; both databases refuse anything else."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum
from typing import Any

from surveyor.registry.lifecycle import CrawlStatus, QualityStatus, ReviewStatus


class EventKind(StrEnum):
    """Names that listeners rely on."""

    SEEDS_INGESTED = "SeedsIngested"
    LINKS_DISCOVERED = "LinksDiscovered"
    DISCOVERY_STARTED = "DiscoveryStarted"
    DISCOVERY_ENDED = "DiscoveryEnded"
    PROVIDER_SUSPENDED = "ProviderSuspended"
    PROVIDER_RESUMED = "ProviderResumed"
    DOMAIN_APPROVED = "DomainApproved"
    DOMAIN_REJECTED = "DomainRejected"
    DOMAIN_SUSPENDED = "DomainSuspended"
    DOMAIN_RESUMED = "DomainResumed"
    DOMAIN_BACK_IN_REVIEW = "DomainBackInReview"
    QUALITY_CHANGED = "QualityChanged"
    CANDIDATE_OPENED = "CandidateOpened"  # a result reached the threshold; `data`: candidate, confidence
    CANDIDATE_READY = "CandidateReady"  # its domain was crawled: it waits for a person; `data`: candidate
    CANDIDATE_TAKEN = "CandidateTaken"  # a reviewer looks at it; `data`: candidate
    CANDIDATE_GIVEN_BACK = "CandidateGivenBack"  # it waits for another reviewer; `data`: candidate
    CANDIDATE_APPROVED = "CandidateApproved"  # its domain's records are published; `data`: candidate
    CANDIDATE_REJECTED = "CandidateRejected"  # by a reviewer, or along with its domain; `data`: candidate
    CANDIDATE_REOPENED = "CandidateReopened"  # its decision was taken back; `data`: candidate
    CANDIDATE_ASSIGNED = "CandidateAssigned"  # given to a reviewer by another; `data`: candidate, to
    RESULTS_REJUDGED = "ResultsRejudged"  # stored results were judged again; `data`: read, changed, version
    DOMAIN_BLACKLISTED = "DomainBlacklisted"
    DOMAIN_UNBLACKLISTED = "DomainUnblacklisted"
    NO_FUNDS_THIS_YEAR = "NoFundsThisYear"
    CRAWL_STARTED = "CrawlStarted"
    CRAWL_DUE_AGAIN = "CrawlDueAgain"
    DOMAIN_EXHAUSTED = "DomainExhausted"
    DOMAIN_BLOCKED = "DomainBlocked"
    DOMAIN_UNREACHABLE = "DomainUnreachable"
    DOMAIN_RESET = "DomainReset"
    DOMAIN_EDITED = "DomainEdited"
    DOMAINS_MERGED = "DomainsMerged"
    COUNTS_REPORTED = "CountsReported"  # another crawler counts here, whose pages are not ours; `data.source`
    RECRAWL_ASKED = "RecrawlAsked"
    CLAIM_RELEASED = "ClaimReleased"
    PRIORITIES_RECALCULATED = "PrioritiesRecalculated"
    PAGE_FLAGGED = "PageFlagged"  # a version of a page is relevant; `data`: snapshot, relevance
    PAGE_QUARANTINED = "PageQuarantined"  # a version stopped three readers; `data`: snapshot
    QUARANTINE_LIFTED = "QuarantineLifted"  # its pages are read once more, a person asked; `data`: pages
    RECORDS_EXTRACTED = "RecordsExtracted"  # a version brought them; `data`: snapshot, new, changed by kind
    RECORD_CHANGED = "RecordChanged"  # its page says it differently; `data`: record, kind, fields, snapshot
    RECORD_GONE = "RecordGone"  # no page tells of it any more; `data`: record, kind
    RECORD_CORRECTED = "RecordCorrected"  # a person put a field right; `data`: record, kind, field
    RECORD_HIDDEN = "RecordHidden"  # a person took it out; `data`: record, kind
    RECORD_SHOWN = "RecordShown"  # it is given again; `data`: record, kind
    RECORD_ADDED = "RecordAdded"  # a person wrote it down; `data`: record, kind
    RELEVANCE_TRAINED = "RelevanceTrained"  # a model learned from decisions; `data`: pages, domains, accuracy
    JUDGE_TRAINED = "JudgeTrained"  # or set back to the shipped model; `data`: domains, results, model
    RECORD_BACK = "RecordBack"  # a page tells of it again; `data`: record, kind
    DOMAIN_SUBMITTED = "DomainSubmitted"  # somebody named it for review; `data`: context, url
    URL_SUBMITTED = "UrlSubmitted"  # somebody named one page of it; `data`: url, outcome
    DOMAIN_TRUSTED = "DomainTrusted"  # URLs submitted for it need no review
    TRUST_WITHDRAWN = "TrustWithdrawn"  # they do again
    DOMAIN_FORGOTTEN = "DomainForgotten"  # its content was erased; `data`: what, how much
    CONTACT_FORGOTTEN = "ContactForgotten"  # a contact was erased everywhere; `data`: how many rows
    JOB_ASKED = "JobAsked"  # work was asked for in the admin; `data`: job, kind
    JOB_ENDED = "JobEnded"  # it is done, failed or was stopped; `data`: job, kind
    USER_ADDED = "UserAdded"  # a person got an account; `data`: user, role
    USER_DISABLED = "UserDisabled"  # sessions and tokens ended at once; `data`: user
    USER_ENABLED = "UserEnabled"  # the account works again; `data`: user
    PROFILE_CHANGED = "ProfileChanged"  # other rules from now on; `data`: profile, hash, before
    ROLE_CHANGED = "RoleChanged"  # a person may do more or less; `data`: user, role
    PASSWORD_CHANGED = "PasswordChanged"  # noqa: S105
    """All sessions of the person ended; `data`: user."""
    TOKEN_CREATED = "TokenCreated"  # noqa: S105
    """A program got a key; `data`: user, token (its id), scope, expires_at."""
    TOKEN_REVOKED = "TokenRevoked"  # noqa: S105
    """The key ended; `data`: user, token (its id)."""

    @classmethod
    def _missing_(cls, value: object) -> EventKind | None:
        """Events are never changed: those of an earlier checkout keep the name that it gave them."""
        return cls.JUDGE_TRAINED if value == "JudgeTaught" else None


@dataclass(frozen=True, slots=True)
class NewEvent:
    """An event to be written in the transaction that makes it true."""

    kind: EventKind
    actor: str
    domain_no: int | None = None
    version: int | None = None  # of the domain, after the change
    from_state: str | None = None
    to_state: str | None = None
    reason: str | None = None
    data: Mapping[str, Any] | None = None


@dataclass(frozen=True, slots=True)
class Event(NewEvent):
    id: int = 0
    at: datetime | None = None

    def to_json(self, **more: Any) -> dict[str, Any]:
        """One flat object for programs; `more` stands behind the kind."""
        return {
            "id": self.id,
            "at": self.at,
            "kind": self.kind,
            **more,
            "actor": self.actor,
            "from": self.from_state,
            "to": self.to_state,
            "reason": self.reason,
            "version": self.version,
            "data": self.data,
        }

    def summary(self) -> str:
        """One line for a person."""
        before = f"{self.from_state} " if self.from_state else ""
        arrow = f" {before}→ {self.to_state}" if self.to_state else ""
        fields = ", ".join(sorted(self.data)) if self.kind is EventKind.DOMAIN_EDITED and self.data else ""
        why = f" ({self.reason})" if self.reason else ""
        return f"{self.kind}{arrow}{' ' + fields if fields else ''} by {self.actor}{why}"


def review_event(source: ReviewStatus, target: ReviewStatus) -> EventKind:
    if source is ReviewStatus.SUSPENDED and target is ReviewStatus.APPROVED:
        return EventKind.DOMAIN_RESUMED
    return {
        ReviewStatus.APPROVED: EventKind.DOMAIN_APPROVED,
        ReviewStatus.REJECTED: EventKind.DOMAIN_REJECTED,
        ReviewStatus.SUSPENDED: EventKind.DOMAIN_SUSPENDED,
        ReviewStatus.PENDING_REVIEW: EventKind.DOMAIN_BACK_IN_REVIEW,
    }[target]


def quality_event(source: QualityStatus, target: QualityStatus) -> EventKind:
    if source is QualityStatus.BLACKLISTED:
        return EventKind.DOMAIN_UNBLACKLISTED
    return {
        QualityStatus.BLACKLISTED: EventKind.DOMAIN_BLACKLISTED,
        QualityStatus.NO_FUNDS_THIS_YEAR: EventKind.NO_FUNDS_THIS_YEAR,
    }.get(target, EventKind.QUALITY_CHANGED)


CRAWL_EVENTS = {
    CrawlStatus.PENDING: EventKind.CRAWL_DUE_AGAIN,
    CrawlStatus.ACTIVE: EventKind.CRAWL_STARTED,
    CrawlStatus.EXHAUSTED: EventKind.DOMAIN_EXHAUSTED,
    CrawlStatus.BLOCKED: EventKind.DOMAIN_BLOCKED,
    CrawlStatus.UNREACHABLE: EventKind.DOMAIN_UNREACHABLE,
}
