"""Which state may follow which in the first schema, and what else its triggers hold.

The arrows are written out here and not imported: a migration says what was true when it ran. A test
proves that they are those of `registry.lifecycle`.
"""

from __future__ import annotations

from surveyor.db.migrations import guards

REVIEW = {
    "pending_review": ("approved", "rejected"),
    "approved": ("suspended", "pending_review"),
    "suspended": ("approved", "rejected", "pending_review"),
    "rejected": ("pending_review",),
}
QUALITY = {
    "discovered": ("processing", "blacklisted", "no_funds_this_year"),
    "processing": (
        "processed_high_quality",
        "processed_low_quality",
        "discovered",
        "processing_failed",
        "blacklisted",
        "no_funds_this_year",
    ),
    "processed_high_quality": ("processing", "processed_low_quality", "blacklisted", "no_funds_this_year"),
    "processed_low_quality": ("processing", "processed_high_quality", "blacklisted", "no_funds_this_year"),
    "processing_failed": ("processing", "blacklisted", "no_funds_this_year"),
    "no_funds_this_year": ("processing", "blacklisted", "no_funds_this_year"),
    "blacklisted": ("discovered",),
}
CRAWL = {
    "pending": ("active", "unreachable"),
    "active": ("exhausted", "blocked", "unreachable"),
    "exhausted": ("pending", "active"),
    "blocked": ("pending", "active"),
    "unreachable": ("pending", "active"),
}
SESSION = {"running": ("completed", "partial_success", "failed")}
CANDIDATE = {
    "pending_crawl": ("pending_review", "rejected"),
    "pending_review": ("in_review", "rejected"),
    "in_review": ("approved", "rejected", "pending_review"),
    "approved": ("in_review",),
    "rejected": ("in_review",),
}
JOB = {
    "queued": ("running", "stopped"),
    "running": ("stopping", "pausing", "done", "failed", "queued"),
    "stopping": ("stopped", "done", "failed"),
    "pausing": ("paused", "done", "failed"),
    "paused": ("queued", "stopped"),
}
# Reasons of URLs that were asked for and not had.
FAILED = (
    "failed",
    "too_large",
    "bad_response",
    "decompress_error",
    "bad_url",
    "forbidden_address",
    "forbidden_port",
    "forbidden_scheme",
)


def guard() -> None:
    _arrows()
    _moments()
    guards.adds_up("discovery_sessions", "provider_results", "results_found")
    guards.due_by_hand(FAILED)
    guards.append_only("events")
    guards.no_www_twin("domains", "domain")
    guards.stamped("domains", "no")
    guards.stamped("candidates", "id")


def _arrows() -> None:
    guards.arrows("domains", "review_status", REVIEW, first=("pending_review", "approved"))
    guards.arrows("domains", "quality_status", QUALITY, first=("discovered",))
    guards.arrows("domain_crawl", "crawl_status", CRAWL, first=("pending",))
    guards.arrows("discovery_sessions", "status", SESSION, first=("running",))
    guards.arrows("candidates", "status", CANDIDATE, first=("pending_crawl", "skipped_low_confidence"))
    guards.arrows("jobs", "state", JOB, first=("queued",))


def _moments() -> None:
    guards.too_early(
        "domains_retry",
        "domains",
        "quality_status",
        when="OLD.quality_status = 'processing_failed' AND NEW.quality_status = 'processing'"
        " AND OLD.retry_after > {now}",
        says="retry_after has not passed",
    )
    guards.too_early(
        "domains_no_funds_year",
        "domains",
        "quality_status",
        when="OLD.quality_status = 'no_funds_this_year' AND NEW.quality_status = 'processing'"
        " AND OLD.no_funds_year >= {year}",
        says="the year without funds is not over",
    )
