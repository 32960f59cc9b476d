"""Three questions about a domain, three lifecycles, and the arrows each allows.

May we crawl it (review), is it worth it (quality), how far are we (crawl)? The
three are independent. The tables below are authoritative; the triggers of both
databases enforce the same arrows, and a test compares them one by one.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum
from typing import Generic, TypeVar

from surveyor.errors import ForbiddenArrow


class ReviewStatus(StrEnum):
    """May we crawl it?"""

    PENDING_REVIEW = "pending_review"  # waits for a person
    APPROVED = "approved"  # a person, or a policy a person set, said yes
    REJECTED = "rejected"  # a person said no, with a reason; it may be submitted again
    SUSPENDED = "suspended"  # was approved; the crawl is stopped until someone resumes it


class QualityStatus(StrEnum):
    """Is it worth it?"""

    DISCOVERED = "discovered"  # not judged yet, or judged and not yet decided
    PROCESSING = "processing"  # being judged, within one transaction
    PROCESSED_HIGH_QUALITY = "processed_high_quality"  # a judged result reached the threshold
    PROCESSED_LOW_QUALITY = "processed_low_quality"  # three or more low ones and no high one
    BLACKLISTED = "blacklisted"  # never judged, crawled or suggested again
    NO_FUNDS_THIS_YEAR = "no_funds_this_year"  # sound, but nothing to be had until the year ends
    PROCESSING_FAILED = "processing_failed"  # judging failed; tried again after retry_after


class CrawlStatus(StrEnum):
    """How far are we?"""

    PENDING = "pending"  # never crawled, or to be tried again
    ACTIVE = "active"  # partly crawled; its frontier is kept
    EXHAUSTED = "exhausted"  # nothing waiting, nothing taken
    BLOCKED = "blocked"  # the site does not want us or fails again and again
    UNREACHABLE = "unreachable"  # no connection can be had


S = TypeVar("S", bound=StrEnum)


@dataclass(frozen=True, slots=True)
class Lifecycle(Generic[S]):
    """One status column: its name, its arrows, and the states a new row may begin in."""

    column: str
    states: type[S]
    first: tuple[S, ...]
    arrows: Mapping[S, tuple[S, ...]]

    def allows(self, source: S, target: S) -> bool:
        return target in self.arrows[source]

    def check(self, source: S, target: S) -> None:
        if not self.allows(source, target):
            raise ForbiddenArrow(self.column, source, target, self._message(source))

    def _message(self, source: S) -> str:
        ways = ", ".join(self.arrows[source])
        return f"from {source} the ways are: {ways}"


_R, _Q, _C = ReviewStatus, QualityStatus, CrawlStatus

REVIEW = Lifecycle(
    "review_status",
    ReviewStatus,
    first=(_R.PENDING_REVIEW, _R.APPROVED),
    arrows={
        _R.PENDING_REVIEW: (_R.APPROVED, _R.REJECTED),
        _R.APPROVED: (
            _R.SUSPENDED,
            _R.PENDING_REVIEW,
        ),  # it changed hands, or is reopened
        _R.SUSPENDED: (_R.APPROVED, _R.REJECTED, _R.PENDING_REVIEW),
        _R.REJECTED: (_R.PENDING_REVIEW,),  # submitted again, or reopened
    },
)

_ALWAYS = (_Q.BLACKLISTED, _Q.NO_FUNDS_THIS_YEAR)

QUALITY = Lifecycle(
    "quality_status",
    QualityStatus,
    first=(_Q.DISCOVERED,),
    arrows={
        _Q.DISCOVERED: (_Q.PROCESSING, *_ALWAYS),
        _Q.PROCESSING: (
            _Q.PROCESSED_HIGH_QUALITY,
            _Q.PROCESSED_LOW_QUALITY,
            _Q.DISCOVERED,
            _Q.PROCESSING_FAILED,
            *_ALWAYS,
        ),
        _Q.PROCESSED_HIGH_QUALITY: (_Q.PROCESSING, _Q.PROCESSED_LOW_QUALITY, *_ALWAYS),
        _Q.PROCESSED_LOW_QUALITY: (_Q.PROCESSING, _Q.PROCESSED_HIGH_QUALITY, *_ALWAYS),
        _Q.PROCESSING_FAILED: (_Q.PROCESSING, *_ALWAYS),  # once retry_after has passed
        _Q.NO_FUNDS_THIS_YEAR: (_Q.PROCESSING, *_ALWAYS),  # in a later year; or another year is named
        _Q.BLACKLISTED: (_Q.DISCOVERED,),  # only by an admin
    },
)

CRAWL = Lifecycle(
    "crawl_status",
    CrawlStatus,
    first=(_C.PENDING,),
    arrows={
        _C.PENDING: (_C.ACTIVE, _C.UNREACHABLE),
        _C.ACTIVE: (_C.ACTIVE, _C.EXHAUSTED, _C.BLOCKED, _C.UNREACHABLE),
        _C.EXHAUSTED: (_C.PENDING, _C.ACTIVE),
        _C.BLOCKED: (_C.PENDING, _C.ACTIVE),
        _C.UNREACHABLE: (_C.PENDING, _C.ACTIVE),
    },
)

LIFECYCLES: tuple[Lifecycle[ReviewStatus] | Lifecycle[QualityStatus] | Lifecycle[CrawlStatus], ...] = (
    REVIEW,
    QUALITY,
    CRAWL,
)
