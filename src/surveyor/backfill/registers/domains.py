"""Domains of another register as values: what was decided on them, by whom, when and why; pure."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any, Final

from surveyor.backfill.cells import Cells
from surveyor.backfill.registers.run import LeftOut, Run
from surveyor.backfill.rows import squashed
from surveyor.backfill.store import Filling
from surveyor.registry.cooldowns import COOLDOWNS, Obstacle
from surveyor.registry.domain import SubmitterType
from surveyor.registry.lifecycle import CrawlStatus, QualityStatus, ReviewStatus
from surveyor.registry.store.release import Outcome

_R, _Q, _C = ReviewStatus, QualityStatus, CrawlStatus
_WORDS: Final[Mapping[str, ReviewStatus | QualityStatus | CrawlStatus]] = {
    **{squashed(one): one for one in (*_R, *_C, *_Q)},
    "processing": _Q.DISCOVERED,  # that process is not there any more
    "pendingcrawl": _Q.PROCESSED_HIGH_QUALITY,  # judged to be worth a crawl
    "crawled": _Q.PROCESSED_HIGH_QUALITY,
    "new": _R.PENDING_REVIEW,
    "accepted": _R.APPROVED,
    "declined": _R.REJECTED,
    "inactive": _R.SUSPENDED,
}
# Counts and dates that have no lifecycle.
_NUMBERS = (
    "total_occurrences",
    "processing_count",
    "high_quality_count",
    "low_quality_count",
    "failure_count",
)
_LIMITS: Final = {  # the least and most that the register holds
    "max_crawl_depth": (0, 1_000),
    "crawl_delay_seconds": (0, 86_400),
    "max_pages_per_run": (1, 10_000_000),
    "scrape_frequency_hours": (1, 87_600),
    "seed_rank": (1, 2**31 - 1),
}
_MOST = 2**31 - 1
_COUNTS = ("pages_discovered", "pages_crawled", "images_found", "images_stored", "total_error_count")


@dataclass(frozen=True, slots=True)
class TheirDecision:
    """Who, when and why; nobody, if nothing was decided or nobody is named."""

    by: str | None = None
    at: datetime | None = None
    reason: str | None = None


@dataclass(frozen=True, slots=True)
class TheirDomain:
    name: str
    review: ReviewStatus
    reviewed: TheirDecision
    quality: QualityStatus
    judged: TheirDecision  # a blacklisting, a failure
    year: int | None  # without funds
    values: Mapping[str, Any]  # columns that are written as they are
    session: str | None
    filling: Filling | None

    @property
    def weight(self) -> int:
        """How much was decided: of two rows on one domain the heavier is kept."""
        blacklisted = self.quality is _Q.BLACKLISTED
        decided = self.review is not _R.PENDING_REVIEW
        return 4 * blacklisted + 2 * decided + (self.quality is not _Q.DISCOVERED)


def read(cells: Cells, run: Run) -> TheirDomain:
    name = run.domain(cells)
    found = _statuses(cells)
    stated = next((one for one in found if isinstance(one, QualityStatus)), None)
    quality = stated or _Q.DISCOVERED
    crawl = next((one for one in found if isinstance(one, CrawlStatus)), None)
    if cells.flag("blacklisted"):
        quality = _Q.BLACKLISTED
    review = next((one for one in found if isinstance(one, ReviewStatus)), None)
    if review is None:
        crawled = crawl is not None and not run.for_review
        review = _R.APPROVED if crawled and quality is not _Q.BLACKLISTED else _R.PENDING_REVIEW
    if review is _R.APPROVED and cells.flag("active") is False:
        review = _R.SUSPENDED
    return TheirDomain(
        name,
        review,
        TheirDecision(
            run.person(cells, "reviewed_by"), _when(cells, "reviewed_at"), cells.text("rejection_reason")
        ),
        quality,
        _judged(cells, run, quality),
        _year(cells, quality),
        _values(cells, run, quality, judged=stated is not None),
        cells.text("session"),
        _filling(cells, crawl, run.into.revisit),
    )


def _statuses(cells: Cells) -> list[ReviewStatus | QualityStatus | CrawlStatus]:
    """Each word stands in one lifecycle only, whichever column it is in."""
    found = []
    for column in ("status", "review_status", "quality_status", "crawl_status"):
        word = cells.text(column)
        if word is None:
            continue
        status = _WORDS.get(squashed(word))
        if status is None:
            raise LeftOut(f"{column} says “{word[:40]}”, which is no state here; --map or change it")
        found.append(status)
    return found


def _when(cells: Cells, name: str) -> datetime | None:
    return cells.moment(name) or cells.moment("updated_at")


def _judged(cells: Cells, run: Run, quality: QualityStatus) -> TheirDecision:
    if quality is _Q.BLACKLISTED:
        reason = cells.text("blacklist_reason") or cells.text("rejection_reason")
        return TheirDecision(run.person(cells, "blacklisted_by"), _when(cells, "blacklisted_at"), reason)
    if quality is _Q.PROCESSING_FAILED:
        return TheirDecision(None, cells.moment("retry_after"), cells.text("failure_reason"))
    return TheirDecision()


def _year(cells: Cells, quality: QualityStatus) -> int | None:
    if quality is not _Q.NO_FUNDS_THIS_YEAR:
        return None
    year = cells.number("no_funds_year")
    if year is None:
        at = cells.moment("updated_at") or cells.moment("last_processed_at")
        year = at.year if at else None
    if year is None or not 2020 <= year <= 2100:
        raise LeftOut("no year says when there were no funds", cells.text("domain") or "")
    return year


def _values(cells: Cells, run: Run, quality: QualityStatus, *, judged: bool) -> dict[str, Any]:
    values: dict[str, Any] = {name: _bounded(cells, name) for name in {*_NUMBERS, *_LIMITS}}
    values |= {name: cells.share(name) for name in ("best_confidence", "average_confidence")}
    values |= {name: cells.moment(name) for name in ("first_seen_at", "last_seen_at", "last_processed_at")}
    values |= {"notes": cells.text("notes"), "submission_context": cells.text("submission_context")}
    values |= {"submitted_by": run.person(cells, "submitted_by")}
    kind = squashed(cells.text("submitter_type") or "")
    values["submitter_type"] = next((one for one in SubmitterType if squashed(one) == kind), None)
    if values["submitter_type"] is None and judged:
        values["submitter_type"] = SubmitterType.SYSTEM  # a search found it: it waits for its judges
    if cells.flag("is_trusted"):
        values["is_trusted"] = True
    if quality is _Q.PROCESSED_HIGH_QUALITY:
        # It says that a result reached the threshold; otherwise nobody would be asked to look at it.
        values["high_quality_count"] = max(1, values["high_quality_count"] or 0)
    return {name: value for name, value in values.items() if value is not None}


def _bounded(cells: Cells, name: str) -> int | None:
    value = cells.number(name)
    least, most = _LIMITS.get(name, (0, _MOST))
    if value is not None and not least <= value <= most:
        cells.unread.add(name, str(value))
        return None
    return value


def _filling(cells: Cells, crawl: CrawlStatus | None, revisit: timedelta) -> Filling | None:
    """What another crawler came to; nothing, if it never was there."""
    counts = {name: max(0, cells.number(name) or 0) for name in _COUNTS}
    last = cells.moment("last_crawled_at")
    if crawl in (None, _C.PENDING) and not (counts["pages_crawled"] or last):
        return None
    counts["pages_discovered"] = max(counts["pages_discovered"], counts["pages_crawled"])
    if crawl in (_C.BLOCKED, _C.UNREACHABLE):
        outcome = Outcome.blocked(
            _obstacle(cells.text("block_reason_code"), crawl),
            detail=cells.text("block_reason", 300),
            counts=counts,
        )
    elif crawl in (_C.ACTIVE, _C.PENDING):
        outcome = Outcome(status=_C.ACTIVE, counts=counts)
    else:
        due = last + revisit if last else None
        seconds = revisit.total_seconds()
        outcome = Outcome(status=_C.EXHAUSTED, next_visit_at=due, revisit_seconds=seconds, counts=counts)
    return Filling(outcome, cells.moment("first_seen_at"), last)


def _obstacle(code: str | None, crawl: CrawlStatus) -> Obstacle:
    plain = squashed(code or "")
    found = next((one for one in Obstacle if squashed(one) == plain and COOLDOWNS[one].status is crawl), None)
    return found or (Obstacle.TIMEOUT if crawl is _C.UNREACHABLE else Obstacle.OLD_ERRORS)
