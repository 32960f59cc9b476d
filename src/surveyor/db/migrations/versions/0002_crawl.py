"""The crawl: URLs, links, versions of pages, runs, the log of fetches, robots.txt as it was."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

from surveyor.db import types

revision = "0002"
down_revision = "0001"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.create_table(
        "crawl_log",
        sa.Column("id", types.BigId, nullable=False),
        sa.Column("run_id", sa.Uuid(), nullable=False),
        sa.Column("domain_no", sa.BigInteger(), nullable=False),
        sa.Column("url", sa.Text(), nullable=False),
        sa.Column("status", sa.SmallInteger(), nullable=True),
        sa.Column("reason", sa.Text(), nullable=True),
        sa.Column("bytes", sa.Integer(), nullable=False),
        sa.Column("ms", sa.Integer(), nullable=False),
        sa.Column("images_found", sa.Integer(), server_default=sa.text("0"), nullable=False),
        sa.Column("fetched_at", types.UtcTime(), nullable=False),
        sa.Column("lease_epoch", sa.BigInteger(), nullable=False),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_crawl_log")),
    )
    op.create_index("ix_crawl_log_domain_no", "crawl_log", ["domain_no", "id"])
    op.create_table(
        "crawl_runs",
        sa.Column("id", sa.Uuid(), nullable=False),
        sa.Column("day", sa.Text(), nullable=True),
        sa.Column("started_at", types.UtcTime(), nullable=False),
        sa.Column("ended_at", types.UtcTime(), nullable=True),
        sa.Column("started_by", sa.Text(), nullable=False),
        sa.Column("max_pages", sa.Integer(), nullable=True),
        sa.Column("share", sa.Integer(), nullable=True),
        sa.Column("pages_reserved", sa.Integer(), server_default=sa.text("0"), nullable=False),
        sa.Column("pages", sa.BigInteger(), server_default=sa.text("0"), nullable=False),
        sa.Column("bytes", sa.BigInteger(), server_default=sa.text("0"), nullable=False),
        sa.Column("errors", sa.BigInteger(), server_default=sa.text("0"), nullable=False),
        sa.Column("stopped_by", sa.Text(), nullable=True),
        sa.Column("options", sa.JSON(none_as_null=True), nullable=True),
        sa.CheckConstraint(
            "max_pages IS NULL OR pages_reserved <= max_pages", name=op.f("ck_crawl_runs_budget_kept")
        ),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_crawl_runs")),
        sa.UniqueConstraint("day", name=op.f("uq_crawl_runs_day")),
    )
    op.create_index("ix_crawl_runs_started_at", "crawl_runs", ["started_at"])
    op.create_table(
        "page_links",
        sa.Column("domain_no", sa.BigInteger(), autoincrement=False, nullable=False),
        sa.Column("key", sa.BigInteger(), autoincrement=False, nullable=False),
        sa.Column("links", sa.LargeBinary(), nullable=False),
        sa.PrimaryKeyConstraint("domain_no", "key", name=op.f("pk_page_links")),
        sqlite_with_rowid=False,
    )
    op.create_table(
        "page_snapshots",
        sa.Column("id", types.BigId, nullable=False),
        sa.Column("domain_no", sa.BigInteger(), nullable=False),
        sa.Column("key", sa.BigInteger(), nullable=False),
        sa.Column("content_hash", sa.LargeBinary(), nullable=False),
        sa.Column("first_seen_at", types.UtcTime(), nullable=False),
        sa.Column("last_seen_at", types.UtcTime(), nullable=False),
        sa.Column("content_type", sa.Text(), nullable=True),
        sa.Column("bytes", sa.Integer(), nullable=False),
        sa.Column("title", sa.Text(), nullable=True),
        sa.Column("archive", sa.Text(), nullable=True),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_page_snapshots")),
        sa.UniqueConstraint(
            "domain_no", "key", "content_hash", name=op.f("uq_page_snapshots_domain_no_key_content_hash")
        ),
    )
    op.create_table(
        "pages",
        sa.Column("domain_no", sa.BigInteger(), autoincrement=False, nullable=False),
        sa.Column("key", sa.BigInteger(), autoincrement=False, nullable=False),
        sa.Column("target", sa.Text(), nullable=False),
        sa.Column("state", sa.Text(), nullable=False),
        sa.Column("reason", sa.Text(), nullable=True),
        sa.Column("depth", sa.SmallInteger(), nullable=False),
        sa.Column("rank", sa.SmallInteger(), nullable=False),
        sa.Column("seq", sa.BigInteger(), nullable=False),
        sa.Column("attempts", sa.SmallInteger(), server_default=sa.text("0"), nullable=False),
        sa.Column("suspect", sa.SmallInteger(), server_default=sa.text("0"), nullable=False),
        sa.Column("taken_epoch", sa.BigInteger(), nullable=True),
        sa.Column("found_on", sa.BigInteger(), nullable=True),
        sa.Column("status", sa.SmallInteger(), nullable=True),
        sa.Column("etag", sa.Text(), nullable=True),
        sa.Column("last_modified", sa.Text(), nullable=True),
        sa.Column("content_hash", sa.LargeBinary(), nullable=True),
        sa.Column("fetched_at", types.UtcTime(), nullable=True),
        sa.Column("next_visit_at", types.UtcTime(), nullable=True),
        sa.Column("history", sa.LargeBinary(), nullable=True),
        sa.CheckConstraint(
            "state <> 'ended' OR reason IS NOT NULL", name=op.f("ck_pages_ended_has_a_reason")
        ),
        sa.CheckConstraint(
            "state <> 'taken' OR taken_epoch IS NOT NULL", name=op.f("ck_pages_taken_names_its_epoch")
        ),
        sa.CheckConstraint(
            "state IN ('waiting', 'taken', 'done', 'ended')", name=op.f("ck_pages_state_known")
        ),
        sa.PrimaryKeyConstraint("domain_no", "key", name=op.f("pk_pages")),
        sqlite_with_rowid=False,
    )
    op.create_index(
        "ix_pages_next_visit",
        "pages",
        ["domain_no", "next_visit_at"],
        postgresql_where=sa.text("next_visit_at IS NOT NULL"),
        sqlite_where=sa.text("next_visit_at IS NOT NULL"),
    )
    op.create_index(
        "ix_pages_taken",
        "pages",
        ["domain_no"],
        postgresql_where=sa.text("state = 'taken'"),
        sqlite_where=sa.text("state = 'taken'"),
    )
    op.create_index(
        "ix_pages_waiting",
        "pages",
        ["domain_no", "rank", "depth", "seq"],
        postgresql_where=sa.text("state = 'waiting'"),
        sqlite_where=sa.text("state = 'waiting'"),
    )
    op.create_table(
        "robots",
        sa.Column("origin", sa.Text(), nullable=False),
        sa.Column("verdict", sa.Text(), nullable=False),
        sa.Column("status", sa.Integer(), nullable=False),
        sa.Column("reason", sa.Text(), nullable=False),
        sa.Column("fetched_at", types.UtcTime(), nullable=False),
        sa.Column("expires_at", types.UtcTime(), nullable=False),
        sa.Column("body_hash", sa.Text(), nullable=False),
        sa.Column("body", sa.LargeBinary(), nullable=False),
        sa.PrimaryKeyConstraint("origin", name=op.f("pk_robots")),
    )


def downgrade() -> None:
    for table in ("robots", "crawl_log", "crawl_runs", "page_snapshots", "page_links", "pages"):
        op.drop_table(table)
