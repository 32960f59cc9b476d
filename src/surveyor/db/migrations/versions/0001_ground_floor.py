"""Ground floor: domains in two rows, events, workers, and the arrows kept by triggers.

The arrows are written out here and not imported: a migration says what was true
when it ran. A test proves that they are those of `registry.lifecycle`.
"""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

from surveyor.db import types
from surveyor.db.migrations import guards

revision = "0001"
down_revision = None
branch_labels = None
depends_on = None

REVIEW = {
    "pending_review": ("approved", "rejected"),
    "approved": ("suspended", "pending_review"),
    "suspended": ("approved", "rejected"),
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


def upgrade() -> None:
    # A confidence is a decimal on PostgreSQL and whole hundredths on SQLite.
    zero, one = ("0.00", "1.00") if op.get_bind().dialect.name == "postgresql" else ("0", "100")
    op.create_table(
        "domains",
        sa.Column("no", types.BigId, nullable=False),
        sa.Column("id", sa.Uuid(), nullable=False),
        sa.Column("domain", sa.Text(), nullable=False),
        sa.Column("parent_domain", sa.Text(), nullable=False),
        sa.Column("start_url", sa.Text(), nullable=True),
        sa.Column("source", sa.Text(), nullable=False),
        sa.Column("seed_rank", sa.Integer(), nullable=True),
        sa.Column("first_seen_at", types.UtcTime(), nullable=False),
        sa.Column("first_session_id", sa.Uuid(), nullable=True),
        sa.Column("last_seen_at", types.UtcTime(), nullable=False),
        sa.Column("total_occurrences", sa.Integer(), server_default=sa.text("0"), nullable=False),
        sa.Column("review_status", sa.Text(), nullable=False),
        sa.Column("submitted_by", sa.Text(), nullable=True),
        sa.Column("submitter_type", sa.Text(), nullable=False),
        sa.Column("submission_context", sa.Text(), nullable=True),
        sa.Column("reviewed_by", sa.Text(), nullable=True),
        sa.Column("reviewed_at", types.UtcTime(), nullable=True),
        sa.Column("rejection_reason", sa.Text(), nullable=True),
        sa.Column("is_trusted", sa.Boolean(), server_default=sa.false(), nullable=False),
        sa.Column("quality_status", sa.Text(), nullable=False),
        sa.Column("processing_count", sa.Integer(), server_default=sa.text("0"), nullable=False),
        sa.Column("last_processed_at", types.UtcTime(), nullable=True),
        sa.Column("best_confidence", types.Confidence(), nullable=True),
        sa.Column("average_confidence", types.Confidence(), nullable=True),
        sa.Column("high_quality_count", sa.Integer(), server_default=sa.text("0"), nullable=False),
        sa.Column("low_quality_count", sa.Integer(), server_default=sa.text("0"), nullable=False),
        sa.Column("blacklisted_by", sa.Text(), nullable=True),
        sa.Column("blacklisted_at", types.UtcTime(), nullable=True),
        sa.Column("blacklist_reason", sa.Text(), nullable=True),
        sa.Column("no_funds_year", sa.Integer(), nullable=True),
        sa.Column("failure_reason", sa.Text(), nullable=True),
        sa.Column("failure_count", sa.Integer(), server_default=sa.text("0"), nullable=False),
        sa.Column("retry_after", types.UtcTime(), nullable=True),
        sa.Column("notes", sa.Text(), nullable=True),
        sa.Column("max_crawl_depth", sa.Integer(), nullable=True),
        sa.Column("crawl_delay_seconds", sa.Double(), nullable=True),
        sa.Column("max_pages_per_run", sa.Integer(), nullable=True),
        sa.Column("scrape_frequency_hours", sa.Integer(), nullable=True),
        sa.Column("version", sa.Integer(), server_default=sa.text("1"), nullable=False),
        sa.Column("created_at", types.UtcTime(), nullable=False),
        sa.Column("updated_at", types.UtcTime(), nullable=False),
        sa.CheckConstraint(
            "quality_status <> 'blacklisted' OR (blacklisted_by IS NOT NULL AND blacklisted_at IS NOT NULL AND blacklist_reason IS NOT NULL)",
            name=op.f("ck_domains_blacklisting_says_who_when_why"),
        ),
        sa.CheckConstraint(
            "quality_status <> 'no_funds_this_year' OR no_funds_year IS NOT NULL",
            name=op.f("ck_domains_no_funds_names_its_year"),
        ),
        sa.CheckConstraint(
            "quality_status <> 'processing_failed' OR (failure_reason IS NOT NULL AND retry_after IS NOT NULL)",
            name=op.f("ck_domains_failure_says_why_and_when_again"),
        ),
        sa.CheckConstraint(
            "quality_status IN ('discovered', 'processing', 'processed_high_quality', 'processed_low_quality', 'blacklisted', 'no_funds_this_year', 'processing_failed')",
            name=op.f("ck_domains_quality_status_known"),
        ),
        sa.CheckConstraint(
            "review_status <> 'rejected' OR rejection_reason IS NOT NULL",
            name=op.f("ck_domains_rejection_has_a_reason"),
        ),
        sa.CheckConstraint(
            "review_status IN ('pending_review', 'approved', 'rejected', 'suspended')",
            name=op.f("ck_domains_review_status_known"),
        ),
        sa.CheckConstraint(
            "submitter_type IN ('admin', 'public_user', 'system')",
            name=op.f("ck_domains_submitter_type_known"),
        ),
        sa.CheckConstraint(
            f"average_confidence BETWEEN {zero} AND {one}", name=op.f("ck_domains_average_confidence_range")
        ),
        sa.CheckConstraint(
            f"best_confidence BETWEEN {zero} AND {one}", name=op.f("ck_domains_best_confidence_range")
        ),
        sa.CheckConstraint("crawl_delay_seconds >= 0", name=op.f("ck_domains_crawl_delay_seconds_range")),
        sa.CheckConstraint("length(domain) BETWEEN 1 AND 260", name=op.f("ck_domains_domain_length")),
        sa.CheckConstraint("max_crawl_depth >= 0", name=op.f("ck_domains_max_crawl_depth_range")),
        sa.CheckConstraint("max_pages_per_run > 0", name=op.f("ck_domains_max_pages_per_run_range")),
        sa.CheckConstraint(
            "no_funds_year BETWEEN 2020 AND 2100", name=op.f("ck_domains_no_funds_year_range")
        ),
        sa.CheckConstraint(
            "scrape_frequency_hours > 0", name=op.f("ck_domains_scrape_frequency_hours_range")
        ),
        sa.CheckConstraint("seed_rank > 0", name=op.f("ck_domains_seed_rank_positive")),
        sa.PrimaryKeyConstraint("no", name=op.f("pk_domains")),
        sa.UniqueConstraint("domain", name=op.f("uq_domains_domain")),
        sa.UniqueConstraint("id", name=op.f("uq_domains_id")),
        sqlite_autoincrement=True,
    )
    op.create_index("ix_domains_parent_domain", "domains", ["parent_domain"])
    op.create_index("ix_domains_quality_status", "domains", ["quality_status", "no"])
    op.create_index("ix_domains_review_status", "domains", ["review_status", "no"])
    op.create_table(
        "events",
        sa.Column("tx", sa.BigInteger(), nullable=False),
        sa.Column("id", types.BigId, nullable=False),
        sa.Column("at", types.UtcTime(), nullable=False),
        sa.Column("kind", sa.Text(), nullable=False),
        sa.Column("domain_no", sa.BigInteger(), nullable=True),
        sa.Column("version", sa.Integer(), nullable=True),
        sa.Column("actor", sa.Text(), nullable=False),
        sa.Column("from_state", sa.Text(), nullable=True),
        sa.Column("to_state", sa.Text(), nullable=True),
        sa.Column("reason", sa.Text(), nullable=True),
        sa.Column("data", sa.JSON(), nullable=True),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_events")),
        sqlite_autoincrement=True,
    )
    op.create_index("ix_events_domain_no", "events", ["domain_no", "id"])
    op.create_table(
        "register",
        sa.Column("name", sa.Text(), nullable=False),
        sa.Column("value", sa.Text(), nullable=False),
        sa.PrimaryKeyConstraint("name", name=op.f("pk_register")),
    )
    op.create_table(
        "workers",
        sa.Column("id", sa.Text(), nullable=False),
        sa.Column("kind", sa.Text(), nullable=False),
        sa.Column("host", sa.Text(), nullable=False),
        sa.Column("pid", sa.Integer(), nullable=False),
        sa.Column("program_version", sa.Text(), nullable=False),
        sa.Column("started_at", types.UtcTime(), nullable=False),
        sa.Column("last_seen_at", types.UtcTime(), nullable=False),
        sa.Column("stopped_at", types.UtcTime(), nullable=True),
        sa.Column("run_id", sa.Uuid(), nullable=True),
        sa.CheckConstraint("kind IN ('claiming', 'passive')", name=op.f("ck_workers_kind_known")),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_workers")),
    )
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
        sa.Column("frontier_checkpoint_id", sa.Text(), nullable=True),
        sa.Column("frontier_size", sa.BigInteger(), server_default=sa.text("0"), nullable=False),
        sa.Column("frontier_updated_at", types.UtcTime(), nullable=True),
        sa.Column("last_crawl_run_id", sa.Uuid(), nullable=True),
        sa.Column("run_pages", sa.Integer(), server_default=sa.text("0"), nullable=False),
        sa.Column("run_bytes", sa.BigInteger(), server_default=sa.text("0"), nullable=False),
        sa.Column("run_seconds", sa.Double(), server_default=sa.text("0"), nullable=False),
        sa.Column("stopped_by", sa.Text(), nullable=True),
        sa.Column("last_crawled_at", types.UtcTime(), nullable=True),
        sa.Column("total_error_count", sa.BigInteger(), server_default=sa.text("0"), nullable=False),
        sa.Column("consecutive_error_count", sa.Integer(), server_default=sa.text("0"), nullable=False),
        sa.Column("block_reason", sa.Text(), nullable=True),
        sa.Column("block_reason_code", sa.Text(), nullable=True),
        sa.Column("first_blocked_at", types.UtcTime(), nullable=True),
        sa.Column("block_count", sa.Integer(), server_default=sa.text("0"), nullable=False),
        sa.Column("due_at", types.UtcTime(), nullable=True),
        sa.Column("ready", sa.Boolean(), server_default=sa.false(), nullable=False),
        sa.Column("priority_key", sa.BigInteger(), nullable=False),
        sa.Column("claimed_by", sa.Text(), nullable=True),
        sa.Column("claim_expires_at", types.UtcTime(), nullable=True),
        sa.Column("lease_epoch", sa.BigInteger(), server_default=sa.text("0"), nullable=False),
        sa.Column("attempts", sa.Integer(), server_default=sa.text("0"), nullable=False),
        sa.Column("next_fetch_at", types.UtcTime(), nullable=True),
        sa.Column("robots_verdict", sa.Text(), nullable=True),
        sa.Column("robots_crawl_delay", sa.Double(), nullable=True),
        sa.CheckConstraint(
            "crawl_status IN ('pending', 'active', 'exhausted', 'blocked', 'unreachable')",
            name=op.f("ck_domain_crawl_crawl_status_known"),
        ),
        sa.CheckConstraint(
            "crawl_status NOT IN ('blocked', 'unreachable') OR block_reason_code IS NOT NULL",
            name=op.f("ck_domain_crawl_obstacle_has_a_code"),
        ),
        sa.CheckConstraint(
            "(claimed_by IS NULL) = (claim_expires_at IS NULL)", name=op.f("ck_domain_crawl_lease_is_whole")
        ),
        sa.CheckConstraint("due_at IS NOT NULL OR ready = false", name=op.f("ck_domain_crawl_ready_is_due")),
        sa.ForeignKeyConstraint(["no"], ["domains.no"], name=op.f("fk_domain_crawl_no"), ondelete="CASCADE"),
        sa.PrimaryKeyConstraint("no", name=op.f("pk_domain_crawl")),
        postgresql_with={"fillfactor": 70},
    )
    op.create_index(
        "ix_domain_crawl_best",
        "domain_crawl",
        ["priority_key", sa.text("(-no)")],
        postgresql_where=sa.text("ready"),
        sqlite_where=sa.text("ready = 1"),
    )
    op.create_index(
        "ix_domain_crawl_claimed",
        "domain_crawl",
        ["claimed_by"],
        postgresql_where=sa.text("claimed_by IS NOT NULL"),
        sqlite_where=sa.text("claimed_by IS NOT NULL"),
    )
    op.create_index(
        "ix_domain_crawl_due",
        "domain_crawl",
        ["due_at"],
        postgresql_where=sa.text("NOT ready"),
        sqlite_where=sa.text("ready = 0"),
    )
    op.create_index(
        "ix_domain_crawl_longest_due",
        "domain_crawl",
        ["due_at", "no"],
        postgresql_where=sa.text("ready"),
        sqlite_where=sa.text("ready = 1"),
    )
    op.create_index("ix_domain_crawl_status", "domain_crawl", ["crawl_status", "no"])
    if op.get_bind().dialect.name == "postgresql":
        # How many rows are ready changes faster than anybody counts. A planner that was told "none"
        # would sort them all for every claim; without a figure it walks the index that is in order.
        op.execute("ALTER TABLE domain_crawl ALTER COLUMN ready SET STATISTICS 0")

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
    guards.append_only("events")


def downgrade() -> None:
    for table in ("domain_crawl", "workers", "register", "events", "domains"):
        guards.drop_all(table)
        op.drop_table(table)
    guards.drop_functions()
