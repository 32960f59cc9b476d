"""The register: domains in two rows, events, workers, and the arrows between their states.

The arrows are written out here and not imported: a migration says what was true when it ran. A test
proves that they are those of `registry.lifecycle`.
"""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

from surveyor.db import types
from surveyor.db.migrations import guards
from surveyor.db.migrations.initial import base

TABLES = (
    "register",
    "domains",
    "domain_aliases",
    "domain_crawl",
    "events",
    "workers",
)
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
# What a domain that nobody decided on waits for: the order of the review queue.
WAITS_FOR = (
    "CASE WHEN quality_status = 'blacklisted' THEN 'blacklisted'"
    " WHEN submitter_type <> 'system' THEN 'awaiting_review'"
    " WHEN quality_status = 'no_funds_this_year' THEN 'low_confidence'"
    " WHEN high_quality_count > 0 THEN 'awaiting_review'"
    " WHEN processing_count > 0 THEN 'low_confidence'"
    " ELSE 'discovered' END"
)


def tables() -> None:
    _register()
    _domains()
    _domain_aliases()
    _domain_crawl()
    _events()
    _workers()


def _register() -> None:
    op.create_table(
        "register",
        sa.Column("name", sa.Text(), nullable=False),
        sa.Column("value", sa.Text(), nullable=False),
        sa.PrimaryKeyConstraint("name", name=op.f("pk_register")),
    )


def _domains() -> None:
    op.create_table(
        "domains",
        sa.Column("no", types.BigId, nullable=False),
        sa.Column("id", sa.Uuid(), nullable=False),
        sa.Column("domain", sa.Text(), nullable=False),
        sa.Column("parent_domain", sa.Text(), nullable=False),
        sa.Column("start_url", sa.Text()),
        sa.Column("source", sa.Text(), nullable=False),
        sa.Column("seed_rank", sa.Integer()),
        sa.Column("first_seen_at", types.UtcTime(), nullable=False),
        sa.Column("first_session_id", sa.Uuid()),
        sa.Column("last_seen_at", types.UtcTime(), nullable=False),
        sa.Column("total_occurrences", sa.Integer(), server_default=sa.text("0"), nullable=False),
        sa.Column("review_status", sa.Text(), nullable=False),
        sa.Column("submitted_by", sa.Text()),
        sa.Column("submitter_type", sa.Text(), nullable=False),
        sa.Column("submission_context", sa.Text()),
        sa.Column("reviewed_by", sa.Text()),
        sa.Column("reviewed_at", types.UtcTime()),
        sa.Column("rejection_reason", sa.Text()),
        sa.Column("is_trusted", sa.Boolean(), server_default=sa.false(), nullable=False),
        sa.Column("quality_status", sa.Text(), nullable=False),
        sa.Column("processing_count", sa.Integer(), server_default=sa.text("0"), nullable=False),
        sa.Column("last_processed_at", types.UtcTime()),
        sa.Column("best_confidence", types.Confidence()),
        sa.Column("average_confidence", types.Confidence()),
        sa.Column("high_quality_count", sa.Integer(), server_default=sa.text("0"), nullable=False),
        sa.Column("low_quality_count", sa.Integer(), server_default=sa.text("0"), nullable=False),
        sa.Column("blacklisted_by", sa.Text()),
        sa.Column("blacklisted_at", types.UtcTime()),
        sa.Column("blacklist_reason", sa.Text()),
        sa.Column("no_funds_year", sa.Integer()),
        sa.Column("failure_reason", sa.Text()),
        sa.Column("failure_count", sa.Integer(), server_default=sa.text("0"), nullable=False),
        sa.Column("retry_after", types.UtcTime()),
        sa.Column("notes", sa.Text()),
        sa.Column("max_crawl_depth", sa.Integer()),
        sa.Column("crawl_delay_seconds", sa.Double()),
        sa.Column("max_pages_per_run", sa.Integer()),
        sa.Column("scrape_frequency_hours", sa.Integer()),
        sa.Column("render", sa.Text()),
        sa.Column("version", sa.Integer(), server_default=sa.text("1"), nullable=False),
        sa.Column("created_at", types.UtcTime(), nullable=False),
        sa.Column("updated_at", types.UtcTime(), nullable=False),
        sa.PrimaryKeyConstraint("no", name=op.f("pk_domains")),
        sa.UniqueConstraint("id", name=op.f("uq_domains_id")),
        sa.UniqueConstraint("domain", name=op.f("uq_domains_domain")),
        *base.confidence_checks("domains", "best_confidence"),
        *base.confidence_checks("domains", "average_confidence"),
        sa.CheckConstraint(
            "review_status IN ('pending_review', 'approved', 'rejected', 'suspended')",
            name=op.f("ck_domains_review_status_known"),
        ),
        sa.CheckConstraint(
            "quality_status IN ('discovered', 'processing', 'processed_high_quality',"
            " 'processed_low_quality', 'blacklisted', 'no_funds_this_year', 'processing_failed')",
            name=op.f("ck_domains_quality_status_known"),
        ),
        sa.CheckConstraint(
            "submitter_type IN ('admin', 'public_user', 'system')",
            name=op.f("ck_domains_submitter_type_known"),
        ),
        sa.CheckConstraint(
            "review_status <> 'rejected' OR (rejection_reason IS NOT NULL AND trim(rejection_reason) <> '')",
            name=op.f("ck_domains_rejection_has_a_reason"),
        ),
        sa.CheckConstraint(
            "quality_status <> 'blacklisted' OR "
            "(blacklisted_by IS NOT NULL AND blacklisted_at IS NOT NULL AND blacklist_reason IS NOT NULL"
            " AND trim(blacklisted_by) <> '' AND trim(blacklist_reason) <> '')",
            name=op.f("ck_domains_blacklisting_says_who_when_why"),
        ),
        sa.CheckConstraint(
            "quality_status <> 'processing_failed' OR "
            "(failure_reason IS NOT NULL AND retry_after IS NOT NULL AND trim(failure_reason) <> '')",
            name=op.f("ck_domains_failure_says_why_and_when_again"),
        ),
        sa.CheckConstraint(
            "quality_status <> 'no_funds_this_year' OR no_funds_year IS NOT NULL",
            name=op.f("ck_domains_no_funds_names_its_year"),
        ),
        sa.CheckConstraint(
            "no_funds_year BETWEEN 2020 AND 2100", name=op.f("ck_domains_no_funds_year_range")
        ),
        sa.CheckConstraint("length(domain) BETWEEN 1 AND 260", name=op.f("ck_domains_domain_length")),
        *_canonical_names(),
        sa.CheckConstraint("seed_rank > 0", name=op.f("ck_domains_seed_rank_positive")),
        sa.CheckConstraint("max_crawl_depth >= 0", name=op.f("ck_domains_max_crawl_depth_range")),
        sa.CheckConstraint("crawl_delay_seconds >= 0", name=op.f("ck_domains_crawl_delay_seconds_range")),
        sa.CheckConstraint("max_pages_per_run > 0", name=op.f("ck_domains_max_pages_per_run_range")),
        sa.CheckConstraint(
            "scrape_frequency_hours > 0", name=op.f("ck_domains_scrape_frequency_hours_range")
        ),
        sa.CheckConstraint("render IN ('auto', 'always', 'never')", name=op.f("ck_domains_render_known")),
        sqlite_autoincrement=True,
    )


def _domain_aliases() -> None:
    op.create_table(
        "domain_aliases",
        sa.Column("name", sa.Text(), nullable=False),
        sa.Column("kept_no", sa.BigInteger(), nullable=False),
        sa.Column("merged_by", sa.Text(), nullable=False),
        sa.Column("merged_at", types.UtcTime(), nullable=False),
        sa.PrimaryKeyConstraint("name", name=op.f("pk_domain_aliases")),
        sa.ForeignKeyConstraint(
            ["kept_no"], ["domains.no"], name=op.f("fk_domain_aliases_kept_no"), ondelete="CASCADE"
        ),
    )


def _canonical_names() -> list[sa.CheckConstraint]:
    """One spelling of each domain; a leading `www.` only where the name is registered like that."""
    outside = "[^]a-z0-9._:[-]"
    is_sqlite = op.get_bind().dialect.name == "sqlite"
    letters = f"domain NOT GLOB '*{outside}*'" if is_sqlite else f"domain !~ '{outside}'"
    return [
        sa.CheckConstraint(letters, name=op.f("ck_domains_domain_letters")),
        sa.CheckConstraint(
            "substr(domain, 1, 4) <> 'www.' OR domain = parent_domain"
            " OR substr(domain, 1, length(parent_domain) + 1) = parent_domain || ':'",
            name=op.f("ck_domains_domain_without_www"),
        ),
        sa.CheckConstraint(
            "substr(domain, 1, 1) <> '.' AND domain NOT LIKE '%.'"
            " AND domain NOT LIKE '%\\:80' AND domain NOT LIKE '%\\:443'",
            name=op.f("ck_domains_domain_ends"),
        ),
    ]


def _domain_crawl() -> None:
    op.create_table(
        "domain_crawl",
        sa.Column("no", types.BigId, autoincrement=False, nullable=False),
        sa.Column("crawl_status", sa.Text(), nullable=False),
        sa.Column("pages_discovered", sa.BigInteger(), server_default=sa.text("0"), nullable=False),
        sa.Column("pages_crawled", sa.BigInteger(), server_default=sa.text("0"), nullable=False),
        sa.Column("images_found", sa.BigInteger(), server_default=sa.text("0"), nullable=False),
        sa.Column("images_stored", sa.BigInteger(), server_default=sa.text("0"), nullable=False),
        sa.Column("records_stored", sa.BigInteger(), server_default=sa.text("0"), nullable=False),
        sa.Column("bytes_fetched", sa.BigInteger(), server_default=sa.text("0"), nullable=False),
        sa.Column("crawl_depth_reached", sa.Integer(), server_default=sa.text("0"), nullable=False),
        sa.Column("frontier_checkpoint_id", sa.Text()),
        sa.Column("frontier_size", sa.BigInteger(), server_default=sa.text("0"), nullable=False),
        sa.Column("frontier_updated_at", types.UtcTime()),
        sa.Column("last_crawl_run_id", sa.Uuid()),
        sa.Column("run_pages", sa.Integer(), server_default=sa.text("0"), nullable=False),
        sa.Column("run_bytes", sa.BigInteger(), server_default=sa.text("0"), nullable=False),
        sa.Column("run_seconds", sa.Double(), server_default=sa.text("0"), nullable=False),
        sa.Column("stopped_by", sa.Text()),
        sa.Column("last_crawled_at", types.UtcTime()),
        sa.Column("language", sa.Text()),
        sa.Column("total_error_count", sa.BigInteger(), server_default=sa.text("0"), nullable=False),
        sa.Column("consecutive_error_count", sa.Integer(), server_default=sa.text("0"), nullable=False),
        sa.Column("block_reason", sa.Text()),
        sa.Column("block_reason_code", sa.Text()),
        sa.Column("first_blocked_at", types.UtcTime()),
        sa.Column("block_count", sa.Integer(), server_default=sa.text("0"), nullable=False),
        sa.Column("due_at", types.UtcTime()),
        sa.Column("ready", sa.Boolean(), server_default=sa.false(), nullable=False),
        sa.Column("priority_key", sa.BigInteger(), nullable=False),
        sa.Column("claimed_by", sa.Text()),
        sa.Column("claim_expires_at", types.UtcTime()),
        sa.Column("lease_epoch", sa.BigInteger(), server_default=sa.text("0"), nullable=False),
        sa.Column("attempts", sa.Integer(), server_default=sa.text("0"), nullable=False),
        sa.Column("next_fetch_at", types.UtcTime()),
        sa.Column("robots_verdict", sa.Text()),
        sa.Column("robots_crawl_delay", sa.Double()),
        sa.PrimaryKeyConstraint("no", name=op.f("pk_domain_crawl")),
        sa.ForeignKeyConstraint(["no"], ["domains.no"], name=op.f("fk_domain_crawl_no"), ondelete="CASCADE"),
        sa.CheckConstraint(
            "crawl_status IN ('pending', 'active', 'exhausted', 'blocked', 'unreachable')",
            name=op.f("ck_domain_crawl_crawl_status_known"),
        ),
        sa.CheckConstraint("due_at IS NOT NULL OR ready = false", name=op.f("ck_domain_crawl_ready_is_due")),
        sa.CheckConstraint(
            "(claimed_by IS NULL) = (claim_expires_at IS NULL)", name=op.f("ck_domain_crawl_lease_is_whole")
        ),
        sa.CheckConstraint(
            "crawl_status NOT IN ('blocked', 'unreachable') OR block_reason_code IS NOT NULL",
            name=op.f("ck_domain_crawl_obstacle_has_a_code"),
        ),
        postgresql_with={"fillfactor": 70},
    )


def _events() -> None:
    op.create_table(
        "events",
        sa.Column("tx", sa.BigInteger(), nullable=False),
        sa.Column("id", types.BigId, nullable=False),
        sa.Column("at", types.UtcTime(), nullable=False),
        sa.Column("kind", sa.Text(), nullable=False),
        sa.Column("domain_no", sa.BigInteger()),
        sa.Column("version", sa.Integer()),
        sa.Column("actor", sa.Text(), nullable=False),
        sa.Column("from_state", sa.Text()),
        sa.Column("to_state", sa.Text()),
        sa.Column("reason", sa.Text()),
        sa.Column("data", sa.JSON(none_as_null=True)),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_events")),
        sqlite_autoincrement=True,
    )


def _workers() -> None:
    op.create_table(
        "workers",
        sa.Column("id", sa.Text(), nullable=False),
        sa.Column("kind", sa.Text(), nullable=False),
        sa.Column("host", sa.Text(), nullable=False),
        sa.Column("pid", sa.Integer(), nullable=False),
        sa.Column("program_version", sa.Text(), nullable=False),
        sa.Column("started_at", types.UtcTime(), nullable=False),
        sa.Column("last_seen_at", types.UtcTime(), nullable=False),
        sa.Column("stopped_at", types.UtcTime()),
        sa.Column("run_id", sa.Uuid()),
        sa.Column("holding_since", types.UtcTime()),
        sa.Column("last_commit_at", types.UtcTime()),
        sa.Column("asked_at", types.UtcTime()),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_workers")),
        sa.CheckConstraint("kind IN ('claiming', 'passive')", name=op.f("ck_workers_kind_known")),
    )


def indexes() -> None:
    op.create_index("ix_domain_aliases_kept_no", "domain_aliases", ["kept_no"])
    base.partial(
        "ix_domains_confident",
        "domains",
        [
            sa.text(f"({WAITS_FOR})"),
            sa.text("(-coalesce(best_confidence, 0))"),
            "no",
        ],
        where="review_status = 'pending_review'",
    )
    base.partial(
        "ix_domains_in_review",
        "domains",
        [
            sa.text(f"({WAITS_FOR})"),
            "no",
        ],
        where="review_status = 'pending_review'",
    )
    op.create_index("ix_domains_names", "domains", ["no", "domain"])
    op.create_index("ix_domains_parent_domain", "domains", ["parent_domain"])
    base.partial(
        "ix_domains_public_waiting",
        "domains",
        ["no"],
        where="review_status = 'pending_review' AND submitter_type = 'public_user'",
    )
    op.create_index("ix_domains_quality_status", "domains", ["quality_status", "no"])
    op.create_index("ix_domains_review_status", "domains", ["review_status", "no"])
    base.partial("ix_domains_reviewed_by", "domains", ["reviewed_by", "no"], where="reviewed_by IS NOT NULL")
    op.create_index("ix_domains_source", "domains", ["source", "no"])
    base.partial(
        "ix_domains_submitted_by", "domains", ["submitted_by", "no"], where="submitter_type = 'public_user'"
    )
    base.partial(
        "ix_domain_crawl_best",
        "domain_crawl",
        ["priority_key", sa.text("(-no)")],
        where="ready",
        sqlite_where="ready = 1",
    )
    base.partial("ix_domain_crawl_claimed", "domain_crawl", ["claimed_by"], where="claimed_by IS NOT NULL")
    base.partial(
        "ix_domain_crawl_due", "domain_crawl", ["due_at"], where="NOT ready", sqlite_where="ready = 0"
    )
    base.partial(
        "ix_domain_crawl_longest_due",
        "domain_crawl",
        ["due_at", "no"],
        where="ready",
        sqlite_where="ready = 1",
    )
    base.partial(
        "ix_domain_crawl_pending_again",
        "domain_crawl",
        ["no"],
        where="crawl_status = 'pending' AND last_crawled_at IS NOT NULL",
    )
    base.partial(
        "ix_domain_crawl_pending_due",
        "domain_crawl",
        ["no"],
        where="crawl_status = 'pending' AND due_at IS NOT NULL",
    )
    base.partial("ix_domain_crawl_language", "domain_crawl", ["language", "no"], where="language IS NOT NULL")
    base.partial(
        "ix_domain_crawl_reason",
        "domain_crawl",
        ["block_reason_code", "no"],
        where="block_reason_code IS NOT NULL",
    )
    op.create_index("ix_domain_crawl_status", "domain_crawl", ["crawl_status", "no"])
    op.create_index("ix_events_domain_no", "events", ["domain_no", "id"])
    op.create_index("ix_events_tx", "events", ["tx", "id"])


def guard() -> None:
    guards.arrows("domains", "review_status", REVIEW, first=("pending_review", "approved"))
    guards.arrows("domains", "quality_status", QUALITY, first=("discovered",))
    guards.arrows("domain_crawl", "crawl_status", CRAWL, first=("pending",))
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
    guards.due_by_hand(FAILED)
    guards.append_only("events")
    guards.no_www_twin("domains", "domain")
    guards.stamped("domains", "no")


def plan() -> None:
    """How many rows are ready changes faster than anybody counts. A planner that counts on "none" would
    sort them all for every claim; without a figure it walks the index that is in order."""
    if op.get_bind().dialect.name == "postgresql":
        op.execute("ALTER TABLE domain_crawl ALTER COLUMN ready SET STATISTICS 0")
