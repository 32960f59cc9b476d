"""Crawl: pages and their versions, links, runs, the log, robots.txt."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

from surveyor.db import types
from surveyor.db.migrations.initial import base

TABLES = (
    "pages",
    "page_links",
    "scrapy_requests",
    "page_snapshots",
    "write_failures",
    "crawl_runs",
    "crawl_log",
    "robots",
)


def tables() -> None:
    _pages()
    _page_links()
    _scrapy_requests()
    _page_snapshots()
    _write_failures()
    _crawl_runs()
    _crawl_log()
    _robots()


def _pages() -> None:
    op.create_table(
        "pages",
        sa.Column("domain_no", sa.BigInteger(), autoincrement=False, nullable=False),
        sa.Column("key", sa.BigInteger(), autoincrement=False, nullable=False),
        sa.Column("target", sa.Text(), nullable=False),
        sa.Column("state", sa.Text(), nullable=False),
        sa.Column("kind", sa.SmallInteger(), server_default=sa.text("0"), nullable=False),
        sa.Column("reason", sa.Text()),
        sa.Column("depth", sa.SmallInteger(), nullable=False),
        sa.Column("rank", sa.SmallInteger(), nullable=False),
        sa.Column("seq", sa.BigInteger(), nullable=False),
        sa.Column("attempts", sa.SmallInteger(), server_default=sa.text("0"), nullable=False),
        sa.Column("suspect", sa.SmallInteger(), server_default=sa.text("0"), nullable=False),
        sa.Column("taken_epoch", sa.BigInteger()),
        sa.Column("found_on", sa.BigInteger()),
        sa.Column("status", sa.SmallInteger()),
        sa.Column("etag", sa.Text()),
        sa.Column("last_modified", sa.Text()),
        sa.Column("content_hash", sa.LargeBinary()),
        sa.Column("fetched_at", types.UtcTime()),
        sa.Column("next_visit_at", types.UtcTime()),
        sa.Column("history", sa.LargeBinary()),
        sa.PrimaryKeyConstraint("domain_no", "key", name=op.f("pk_pages")),
        sa.CheckConstraint(
            "state IN ('waiting', 'taken', 'done', 'ended')", name=op.f("ck_pages_state_known")
        ),
        sa.CheckConstraint("kind BETWEEN 0 AND 4", name=op.f("ck_pages_kind_known")),
        sa.CheckConstraint(
            "state <> 'taken' OR taken_epoch IS NOT NULL", name=op.f("ck_pages_taken_names_its_epoch")
        ),
        sa.CheckConstraint(
            "state <> 'ended' OR reason IS NOT NULL", name=op.f("ck_pages_ended_has_a_reason")
        ),
        sqlite_with_rowid=False,
    )


def _page_links() -> None:
    op.create_table(
        "page_links",
        sa.Column("domain_no", sa.BigInteger(), autoincrement=False, nullable=False),
        sa.Column("key", sa.BigInteger(), autoincrement=False, nullable=False),
        sa.Column("links", sa.LargeBinary(), nullable=False),
        sa.PrimaryKeyConstraint("domain_no", "key", name=op.f("pk_page_links")),
        sqlite_with_rowid=False,
    )


def _scrapy_requests() -> None:
    op.create_table(
        "scrapy_requests",
        sa.Column("domain_no", sa.BigInteger(), autoincrement=False, nullable=False),
        sa.Column("key", sa.BigInteger(), autoincrement=False, nullable=False),
        sa.Column("request", sa.Text(), nullable=False),
        sa.PrimaryKeyConstraint("domain_no", "key", name=op.f("pk_scrapy_requests")),
        sqlite_with_rowid=False,
    )


def _page_snapshots() -> None:
    op.create_table(
        "page_snapshots",
        sa.Column("id", types.BigId, nullable=False),
        sa.Column("domain_no", sa.BigInteger(), nullable=False),
        sa.Column("key", sa.BigInteger(), nullable=False),
        sa.Column("content_hash", sa.LargeBinary(), nullable=False),
        sa.Column("first_seen_at", types.UtcTime(), nullable=False),
        sa.Column("last_seen_at", types.UtcTime(), nullable=False),
        sa.Column("content_type", sa.Text()),
        sa.Column("bytes", sa.Integer(), nullable=False),
        sa.Column("title", sa.Text()),
        sa.Column("archive", sa.Text()),
        sa.Column("body", sa.LargeBinary()),
        sa.Column("extract_state", sa.Text(), server_default="waiting", nullable=False),
        sa.Column("extract_tries", sa.SmallInteger(), server_default=sa.text("0"), nullable=False),
        sa.Column("extract_by", sa.Text()),
        sa.Column("extract_until", types.UtcTime()),
        sa.Column("extract_error", sa.Text()),
        sa.Column("extractor_version", sa.Text()),
        sa.Column("extracted_at", types.UtcTime()),
        sa.Column("unchanged_since", sa.BigInteger()),
        sa.Column("description", sa.Text()),
        sa.Column("language", sa.Text()),
        sa.Column("markdown", sa.LargeBinary()),
        sa.Column("text_hash", sa.BigInteger()),
        sa.Column("simhash", sa.BigInteger()),
        sa.Column("links", sa.Integer()),
        sa.Column("images", sa.Integer()),
        sa.Column("relevance", types.Confidence()),
        sa.Column("is_relevant", sa.Boolean()),
        sa.Column("reasons", sa.JSON(none_as_null=True)),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_page_snapshots")),
        sa.UniqueConstraint(
            "domain_no", "key", "content_hash", name=op.f("uq_page_snapshots_domain_no_key_content_hash")
        ),
        *base.confidence_checks("page_snapshots", "relevance"),
        sa.CheckConstraint(
            "extract_state IN ('waiting', 'taken', 'done', 'unchanged', 'quarantined')",
            name=op.f("ck_page_snapshots_extract_state_known"),
        ),
        sa.CheckConstraint(
            "extract_state <> 'taken' OR (extract_by IS NOT NULL AND extract_until IS NOT NULL)",
            name=op.f("ck_page_snapshots_taken_names_its_reader"),
        ),
        sa.CheckConstraint(
            "extract_state <> 'unchanged' OR unchanged_since IS NOT NULL",
            name=op.f("ck_page_snapshots_unchanged_says_since_which"),
        ),
        sa.CheckConstraint(
            "extract_state <> 'quarantined' OR extract_error IS NOT NULL",
            name=op.f("ck_page_snapshots_quarantined_says_why"),
        ),
    )


def _write_failures() -> None:
    op.create_table(
        "write_failures",
        sa.Column("domain_no", sa.BigInteger(), autoincrement=False, nullable=False),
        sa.Column("kind", sa.Text(), nullable=False),
        sa.Column("key", sa.BigInteger(), autoincrement=False, nullable=False),
        sa.Column("tries", sa.SmallInteger(), nullable=False),
        sa.Column("error", sa.Text(), nullable=False),
        sa.Column("failed_at", types.UtcTime(), nullable=False),
        sa.PrimaryKeyConstraint("domain_no", "kind", "key", name=op.f("pk_write_failures")),
        sa.CheckConstraint("kind IN ('page', 'image')", name=op.f("ck_write_failures_kind_known")),
    )


def _crawl_runs() -> None:
    op.create_table(
        "crawl_runs",
        sa.Column("id", sa.Uuid(), nullable=False),
        sa.Column("day", sa.Text()),
        sa.Column("started_at", types.UtcTime(), nullable=False),
        sa.Column("ended_at", types.UtcTime()),
        sa.Column("started_by", sa.Text(), nullable=False),
        sa.Column("max_pages", sa.Integer()),
        sa.Column("share", sa.Integer()),
        sa.Column("pages_reserved", sa.Integer(), server_default=sa.text("0"), nullable=False),
        sa.Column("pages", sa.BigInteger(), server_default=sa.text("0"), nullable=False),
        sa.Column("bytes", sa.BigInteger(), server_default=sa.text("0"), nullable=False),
        sa.Column("errors", sa.BigInteger(), server_default=sa.text("0"), nullable=False),
        sa.Column("stopped_by", sa.Text()),
        sa.Column("options", sa.JSON(none_as_null=True)),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_crawl_runs")),
        sa.UniqueConstraint("day", name=op.f("uq_crawl_runs_day")),
        sa.CheckConstraint(
            "max_pages IS NULL OR pages_reserved <= max_pages", name=op.f("ck_crawl_runs_budget_kept")
        ),
    )


def _crawl_log() -> None:
    op.create_table(
        "crawl_log",
        sa.Column("id", types.BigId, nullable=False),
        sa.Column("run_id", sa.Uuid(), nullable=False),
        sa.Column("domain_no", sa.BigInteger(), nullable=False),
        sa.Column("url", sa.Text(), nullable=False),
        sa.Column("status", sa.SmallInteger()),
        sa.Column("reason", sa.Text()),
        sa.Column("bytes", sa.Integer(), nullable=False),
        sa.Column("ms", sa.Integer(), nullable=False),
        sa.Column("images_found", sa.Integer(), server_default=sa.text("0"), nullable=False),
        sa.Column("fetched_at", types.UtcTime(), nullable=False),
        sa.Column("lease_epoch", sa.BigInteger(), nullable=False),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_crawl_log")),
    )


def _robots() -> None:
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


def indexes() -> None:
    base.partial(
        "ix_pages_next_visit",
        "pages",
        ["domain_no", "rank", "next_visit_at"],
        where="next_visit_at IS NOT NULL",
    )
    base.partial("ix_pages_taken", "pages", ["domain_no"], where="state = 'taken'")
    base.partial(
        "ix_pages_waiting", "pages", ["domain_no", "rank", "depth", "seq"], where="state = 'waiting'"
    )
    base.partial(
        "ix_page_snapshots_quarantined",
        "page_snapshots",
        ["domain_no", "id"],
        where="extract_state = 'quarantined'",
    )
    base.partial("ix_page_snapshots_taken", "page_snapshots", ["extract_by"], where="extract_state = 'taken'")
    base.partial(
        "ix_page_snapshots_waiting", "page_snapshots", ["domain_no", "id"], where="extract_state = 'waiting'"
    )
    op.create_index("ix_crawl_runs_started_at", "crawl_runs", ["started_at"])
    op.create_index("ix_crawl_log_domain_no", "crawl_log", ["domain_no", "id"])
