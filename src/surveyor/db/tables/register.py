"""The one schema, the same in SQLite and PostgreSQL.

A domain is two rows. `domains` is what people decide on; it is wide and rises in
`version`. `domain_crawl` is what workers write many times a second; it is narrow,
has no index on a counter, and is fenced by `lease_epoch`. The arrows between the
values of a status are kept by triggers, which the migrations create; they also tell
PostgreSQL's planner not to count `ready`.
"""

from __future__ import annotations

from sqlalchemy import (
    JSON,
    BigInteger,
    Boolean,
    CheckConstraint,
    Column,
    Double,
    ForeignKey,
    Index,
    Integer,
    Table,
    Text,
    Uuid,
    false,
    text,
)

from surveyor.db.tables.base import (
    canonical_name,
    confidence,
    count,
    metadata,
    one_of,
    only_postgresql,
    partial,
)
from surveyor.db.types import BigId, UtcTime

domains = Table(
    "domains",
    metadata,
    # identity
    Column("no", BigId, primary_key=True),
    Column("id", Uuid, nullable=False, unique=True),
    Column("domain", Text, nullable=False, unique=True),
    Column("parent_domain", Text, nullable=False),
    Column("start_url", Text),
    # origin
    Column("source", Text, nullable=False),
    Column("seed_rank", Integer),
    Column("first_seen_at", UtcTime, nullable=False),
    Column("first_session_id", Uuid),
    Column("last_seen_at", UtcTime, nullable=False),
    count("total_occurrences"),
    # review
    Column("review_status", Text, nullable=False),
    Column("submitted_by", Text),
    Column("submitter_type", Text, nullable=False),
    Column("submission_context", Text),
    Column("reviewed_by", Text),
    Column("reviewed_at", UtcTime),
    Column("rejection_reason", Text),
    Column("is_trusted", Boolean, nullable=False, server_default=false()),
    # quality
    Column("quality_status", Text, nullable=False),
    count("processing_count"),
    Column("last_processed_at", UtcTime),
    confidence("best_confidence"),
    confidence("average_confidence"),
    count("high_quality_count"),
    count("low_quality_count"),
    Column("blacklisted_by", Text),
    Column("blacklisted_at", UtcTime),
    Column("blacklist_reason", Text),
    Column("no_funds_year", Integer),
    Column("failure_reason", Text),
    count("failure_count"),
    Column("retry_after", UtcTime),
    Column("notes", Text),
    # limits; empty means the profile's
    Column("max_crawl_depth", Integer),
    Column("crawl_delay_seconds", Double),
    Column("max_pages_per_run", Integer),
    Column("scrape_frequency_hours", Integer),
    Column("render", Text),
    # stamps
    Column("version", Integer, nullable=False, server_default=text("1")),
    Column("created_at", UtcTime, nullable=False),
    Column("updated_at", UtcTime, nullable=False),
    one_of("review_status", "pending_review", "approved", "rejected", "suspended"),
    one_of(
        "quality_status",
        "discovered",
        "processing",
        "processed_high_quality",
        "processed_low_quality",
        "blacklisted",
        "no_funds_this_year",
        "processing_failed",
    ),
    one_of("submitter_type", "admin", "public_user", "system"),
    CheckConstraint(
        "review_status <> 'rejected' OR (rejection_reason IS NOT NULL AND trim(rejection_reason) <> '')",
        name="rejection_has_a_reason",
    ),
    CheckConstraint(
        "quality_status <> 'blacklisted' OR "
        "(blacklisted_by IS NOT NULL AND blacklisted_at IS NOT NULL AND blacklist_reason IS NOT NULL"
        " AND trim(blacklisted_by) <> '' AND trim(blacklist_reason) <> '')",
        name="blacklisting_says_who_when_why",
    ),
    CheckConstraint(
        "quality_status <> 'processing_failed' OR "
        "(failure_reason IS NOT NULL AND retry_after IS NOT NULL AND trim(failure_reason) <> '')",
        name="failure_says_why_and_when_again",
    ),
    CheckConstraint(
        "quality_status <> 'no_funds_this_year' OR no_funds_year IS NOT NULL", name="no_funds_names_its_year"
    ),
    CheckConstraint("no_funds_year BETWEEN 2020 AND 2100", name="no_funds_year_range"),
    CheckConstraint("length(domain) BETWEEN 1 AND 260", name="domain_length"),
    *canonical_name("domain", "parent_domain"),
    CheckConstraint("seed_rank > 0", name="seed_rank_positive"),
    CheckConstraint("max_crawl_depth >= 0", name="max_crawl_depth_range"),
    CheckConstraint("crawl_delay_seconds >= 0", name="crawl_delay_seconds_range"),
    CheckConstraint("max_pages_per_run > 0", name="max_pages_per_run_range"),
    CheckConstraint("scrape_frequency_hours > 0", name="scrape_frequency_hours_range"),
    CheckConstraint("render IN ('auto', 'always', 'never')", name="render_known"),
    sqlite_autoincrement=True,  # a number once used is never given to another domain
)
Index("ix_domains_parent_domain", domains.c.parent_domain)
Index("ix_domains_review_status", domains.c.review_status, domains.c.no)
Index("ix_domains_quality_status", domains.c.quality_status, domains.c.no)
Index("ix_domains_source", domains.c.source, domains.c.no)
partial("ix_domains_reviewed_by", domains.c.reviewed_by, domains.c.no, where="reviewed_by IS NOT NULL")
# Names without the rest of their wide rows: a search for a part of a name reads all of them.
Index("ix_domains_names", domains.c.no, domains.c.domain)
# What the public named and nobody decided on: counted before more is let in.
PUBLIC_WAITING = "review_status = 'pending_review' AND submitter_type = 'public_user'"
partial("ix_domains_public_waiting", domains.c.no, where=PUBLIC_WAITING)
# What a domain that nobody decided on waits for, and the order of the review queue. A partial index is
# used only where a query says the same words, so these are the words of both.
IN_REVIEW = "review_status = 'pending_review'"
WAITS_FOR = (
    "CASE WHEN quality_status = 'blacklisted' THEN 'blacklisted'"
    " WHEN submitter_type <> 'system' THEN 'awaiting_review'"
    " WHEN quality_status = 'no_funds_this_year' THEN 'low_confidence'"
    " WHEN high_quality_count > 0 THEN 'awaiting_review'"
    " WHEN processing_count > 0 THEN 'low_confidence'"
    " ELSE 'discovered' END"
)
UNSURE = "(-coalesce(best_confidence, 0))"
partial("ix_domains_in_review", text(f"({WAITS_FOR})"), domains.c.no, where=IN_REVIEW)
partial("ix_domains_confident", text(f"({WAITS_FOR})"), text(UNSURE), domains.c.no, where=IN_REVIEW)
partial(
    "ix_domains_submitted_by",
    domains.c.submitted_by,
    domains.c.no,
    where="submitter_type = 'public_user'",
)

# Names that lead to another domain since people joined the two. Not `domain_no`: forgetting the kept domain
# must keep its other names out too.
domain_aliases = Table(
    "domain_aliases",
    metadata,
    Column("name", Text, primary_key=True),  # as `domains` had it
    Column("kept_no", BigInteger, ForeignKey("domains.no", ondelete="CASCADE"), nullable=False),
    Column("merged_by", Text, nullable=False),
    Column("merged_at", UtcTime, nullable=False),
)
Index("ix_domain_aliases_kept_no", domain_aliases.c.kept_no)

domain_crawl = Table(
    "domain_crawl",
    metadata,
    Column("no", BigId, ForeignKey("domains.no", ondelete="CASCADE"), primary_key=True, autoincrement=False),
    # progress
    Column("crawl_status", Text, nullable=False),
    count("pages_discovered", BigInteger),
    count("pages_crawled", BigInteger),
    count("images_found", BigInteger),
    count("images_stored", BigInteger),
    count("records_stored", BigInteger),
    count("bytes_fetched", BigInteger),
    count("crawl_depth_reached"),
    Column("frontier_checkpoint_id", Text),
    count("frontier_size", BigInteger),
    Column("frontier_updated_at", UtcTime),
    Column("last_crawl_run_id", Uuid),
    count("run_pages"),
    count("run_bytes", BigInteger),
    Column("run_seconds", Double, nullable=False, server_default=text("0")),
    Column("stopped_by", Text),
    Column("last_crawled_at", UtcTime),
    Column("language", Text),  # that most of its pages are written in; before any is read, its search results
    # obstacles
    count("total_error_count", BigInteger),
    count("consecutive_error_count"),
    Column("block_reason", Text),
    Column("block_reason_code", Text),
    Column("first_blocked_at", UtcTime),
    count("block_count"),
    # schedule
    Column("due_at", UtcTime),
    Column("ready", Boolean, nullable=False, server_default=false()),
    Column("priority_key", BigInteger, nullable=False),
    # lease
    Column("claimed_by", Text),
    Column("claim_expires_at", UtcTime),
    Column("lease_epoch", BigInteger, nullable=False, server_default=text("0")),
    count("attempts"),
    # politeness
    Column("next_fetch_at", UtcTime),
    Column("robots_verdict", Text),
    Column("robots_crawl_delay", Double),
    one_of("crawl_status", "pending", "active", "exhausted", "blocked", "unreachable"),
    CheckConstraint("due_at IS NOT NULL OR ready = false", name="ready_is_due"),
    CheckConstraint("(claimed_by IS NULL) = (claim_expires_at IS NULL)", name="lease_is_whole"),
    CheckConstraint(
        "crawl_status NOT IN ('blocked', 'unreachable') OR block_reason_code IS NOT NULL",
        name="obstacle_has_a_code",
    ),
)
# Rows are rewritten in place many times a second; room on the page keeps that cheap.
only_postgresql(domain_crawl, "with", {"fillfactor": 70})


_crawl = domain_crawl.c
# Rows that come due by and by: a claim marks the due ones as ready.
partial("ix_domain_crawl_due", _crawl.due_at, where="NOT ready", sqlite_where="ready = 0")
# Ready rows, best first; among equals the oldest row. `-no` lets one comparison of
# two values serve as the cursor below which a worker's next claim starts.
partial("ix_domain_crawl_best", _crawl.priority_key, text("(-no)"), where="ready", sqlite_where="ready = 1")
partial("ix_domain_crawl_longest_due", _crawl.due_at, _crawl.no, where="ready", sqlite_where="ready = 1")
partial("ix_domain_crawl_claimed", _crawl.claimed_by, where="claimed_by IS NOT NULL")
Index("ix_domain_crawl_status", _crawl.crawl_status, _crawl.no)
partial(
    "ix_domain_crawl_reason",
    _crawl.block_reason_code,
    _crawl.no,
    where="block_reason_code IS NOT NULL",
)
partial("ix_domain_crawl_language", _crawl.language, _crawl.no, where="language IS NOT NULL")
# Few of the many pending rows may be crawled, and few of those were crawled before: lists by stage.
PENDING_DUE = "crawl_status = 'pending' AND due_at IS NOT NULL"
PENDING_AGAIN = "crawl_status = 'pending' AND last_crawled_at IS NOT NULL"
partial("ix_domain_crawl_pending_due", _crawl.no, where=PENDING_DUE)
partial("ix_domain_crawl_pending_again", _crawl.no, where=PENDING_AGAIN)

events = Table(
    "events",
    metadata,
    # The writing transaction, first in the table so that PostgreSQL gives the transaction its
    # number before the event gets its id. Readers go no further than the oldest running
    # transaction; on SQLite there is one writer, and the event's own number serves.
    Column("tx", BigInteger, nullable=False),
    Column("id", BigId, primary_key=True),
    Column("at", UtcTime, nullable=False),
    Column("kind", Text, nullable=False),
    Column("domain_no", BigInteger),
    Column("version", Integer),
    Column("actor", Text, nullable=False),
    Column("from_state", Text),
    Column("to_state", Text),
    Column("reason", Text),
    Column("data", JSON(none_as_null=True)),
    sqlite_autoincrement=True,
)
Index("ix_events_domain_no", events.c.domain_no, events.c.id)
Index("ix_events_tx", events.c.tx, events.c.id)

workers = Table(
    "workers",
    metadata,
    Column("id", Text, primary_key=True),
    Column("kind", Text, nullable=False),
    Column("host", Text, nullable=False),
    Column("pid", Integer, nullable=False),
    Column("program_version", Text, nullable=False),
    Column("started_at", UtcTime, nullable=False),
    Column("last_seen_at", UtcTime, nullable=False),
    Column("stopped_at", UtcTime),
    Column("run_id", Uuid),
    Column("holding_since", UtcTime),  # since when it has had domains without a break; empty: it has none
    Column("last_commit_at", UtcTime),
    Column(
        "asked_at", UtcTime
    ),  # when it last found nothing due and asked others for a share; empty: it did not
    one_of("kind", "claiming", "passive"),
)

# Facts about the register as a whole, such as the profile it belongs to.
register = Table(
    "register",
    metadata,
    Column("name", Text, primary_key=True),
    Column("value", Text, nullable=False),
)
