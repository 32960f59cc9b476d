"""Discovery: sessions with their statistics, search results, spam, and providers' usage."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

from surveyor.db import types
from surveyor.db.migrations import guards
from surveyor.db.migrations.initial import base

TABLES = (
    "discovery_sessions",
    "search_results",
    "spam_verdicts",
    "provider_usage",
    "provider_suspensions",
)
STATUS = {"running": ("completed", "partial_success", "failed")}


def tables() -> None:
    _discovery_sessions()
    _search_results()
    _spam_verdicts()
    _provider_usage()
    _provider_suspensions()


def _discovery_sessions() -> None:
    op.create_table(
        "discovery_sessions",
        sa.Column("id", sa.Uuid(), nullable=False),
        sa.Column("type", sa.Text(), nullable=False),
        sa.Column("status", sa.Text(), nullable=False),
        sa.Column("started_by", sa.Text(), nullable=False),
        sa.Column("started_at", types.UtcTime(), nullable=False),
        sa.Column("completed_at", types.UtcTime()),
        sa.Column("worker", sa.Text(), nullable=False),
        sa.Column("last_seen_at", types.UtcTime(), nullable=False),
        sa.Column("queries_planned", sa.Integer(), nullable=False),
        sa.Column("queries_executed", sa.Integer(), server_default=sa.text("0"), nullable=False),
        sa.Column("results_found", sa.Integer(), server_default=sa.text("0"), nullable=False),
        sa.Column("new_domains", sa.Integer(), server_default=sa.text("0"), nullable=False),
        sa.Column("duplicates_skipped", sa.Integer(), server_default=sa.text("0"), nullable=False),
        sa.Column("spam_filtered", sa.Integer(), server_default=sa.text("0"), nullable=False),
        sa.Column("blacklisted_skipped", sa.Integer(), server_default=sa.text("0"), nullable=False),
        sa.Column("invalid", sa.Integer(), server_default=sa.text("0"), nullable=False),
        sa.Column("provider_results", sa.JSON(none_as_null=True), nullable=False),
        sa.Column("provider_errors", sa.JSON(none_as_null=True), nullable=False),
        sa.Column("error_message", sa.Text()),
        sa.Column("judging", sa.JSON(none_as_null=True)),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_discovery_sessions")),
        sa.CheckConstraint(
            "type IN ('nightly_discovery', 'weekly_deep_crawl', 'manual_search')",
            name=op.f("ck_discovery_sessions_type_known"),
        ),
        sa.CheckConstraint(
            "status IN ('running', 'completed', 'partial_success', 'failed')",
            name=op.f("ck_discovery_sessions_status_known"),
        ),
        sa.CheckConstraint(
            "(status = 'running') = (completed_at IS NULL)",
            name=op.f("ck_discovery_sessions_ended_has_a_time"),
        ),
        sa.CheckConstraint(
            "completed_at >= started_at", name=op.f("ck_discovery_sessions_ends_after_its_start")
        ),
        sa.CheckConstraint(
            "new_domains + duplicates_skipped <= results_found",
            name=op.f("ck_discovery_sessions_found_before_counted"),
        ),
        sa.CheckConstraint(
            "new_domains >= 0 AND duplicates_skipped >= 0 AND spam_filtered >= 0"
            " AND blacklisted_skipped >= 0 AND invalid >= 0 AND queries_executed >= 0",
            name=op.f("ck_discovery_sessions_counts_not_negative"),
        ),
        sa.CheckConstraint(_judging_adds_up(), name=op.f("ck_discovery_sessions_judging_adds_up")),
    )


def _judging_adds_up() -> str:
    is_sqlite = op.get_bind().dialect.name == "sqlite"
    total, *parts = (
        f"json_extract(judging, '$.{name}')" if is_sqlite else f"(judging ->> '{name}')\\:\\:integer"
        for name in ("processed", "created", "skipped_low_confidence", "known_domain")
    )
    return f"{total} = {' + '.join(parts)}"


def _search_results() -> None:
    op.create_table(
        "search_results",
        sa.Column("id", types.BigId, nullable=False),
        sa.Column("session_id", sa.Uuid(), nullable=False),
        sa.Column("domain_no", sa.BigInteger(), nullable=False),
        sa.Column("provider", sa.Text(), nullable=False),
        sa.Column("query", sa.Text(), nullable=False),
        sa.Column("language", sa.Text()),
        sa.Column("position", sa.Integer(), nullable=False),
        sa.Column("url", sa.Text(), nullable=False),
        sa.Column("title", sa.Text(), nullable=False),
        sa.Column("description", sa.Text(), nullable=False),
        sa.Column("is_duplicate", sa.Boolean(), nullable=False),
        sa.Column("found_at", types.UtcTime(), nullable=False),
        sa.Column("confidence", types.Confidence()),
        sa.Column("judge_version", sa.Text()),
        sa.Column("judged_at", types.UtcTime()),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_search_results")),
        sa.ForeignKeyConstraint(
            ["session_id"],
            ["discovery_sessions.id"],
            name=op.f("fk_search_results_session_id"),
            ondelete="CASCADE",
        ),
        sa.ForeignKeyConstraint(
            ["domain_no"], ["domains.no"], name=op.f("fk_search_results_domain_no"), ondelete="CASCADE"
        ),
        *base.confidence_checks("search_results", "confidence"),
        sa.CheckConstraint("position >= 1", name=op.f("ck_search_results_position_from_one")),
        sa.CheckConstraint("length(url) BETWEEN 1 AND 2000", name=op.f("ck_search_results_url_length")),
        sa.CheckConstraint(
            "length(title) <= 500 AND length(description) <= 1000", name=op.f("ck_search_results_text_length")
        ),
        sa.CheckConstraint("title <> '' OR description <> ''", name=op.f("ck_search_results_says_something")),
        sa.CheckConstraint(
            "(judged_at IS NULL) = (confidence IS NULL) AND (judged_at IS NULL) = (judge_version IS NULL)",
            name=op.f("ck_search_results_judgment_is_whole"),
        ),
    )


def _spam_verdicts() -> None:
    op.create_table(
        "spam_verdicts",
        sa.Column("domain", sa.Text(), nullable=False),
        sa.Column("verdicts", sa.Integer(), server_default=sa.text("0"), nullable=False),
        sa.Column("first_seen_at", types.UtcTime(), nullable=False),
        sa.Column("last_seen_at", types.UtcTime(), nullable=False),
        sa.Column("session_id", sa.Uuid(), nullable=False),
        sa.Column("provider", sa.Text(), nullable=False),
        sa.Column("url", sa.Text(), nullable=False),
        sa.Column("title", sa.Text(), nullable=False),
        sa.Column("description", sa.Text(), nullable=False),
        sa.Column("score", sa.Double(), nullable=False),
        sa.Column("reasons", sa.JSON(none_as_null=True), nullable=False),
        sa.PrimaryKeyConstraint("domain", name=op.f("pk_spam_verdicts")),
        sa.CheckConstraint("verdicts >= 1", name=op.f("ck_spam_verdicts_verdicts_positive")),
    )


def _provider_usage() -> None:
    op.create_table(
        "provider_usage",
        sa.Column("provider", sa.Text(), nullable=False),
        sa.Column("query", sa.Text(), nullable=False),
        sa.Column("day", sa.Text(), nullable=False),
        sa.Column("calls", sa.Integer(), server_default=sa.text("0"), nullable=False),
        sa.Column("failures", sa.Integer(), server_default=sa.text("0"), nullable=False),
        sa.Column("results", sa.Integer(), server_default=sa.text("0"), nullable=False),
        sa.Column("new_domains", sa.Integer(), server_default=sa.text("0"), nullable=False),
        sa.Column("millicredits", sa.BigInteger(), server_default=sa.text("0"), nullable=False),
        sa.PrimaryKeyConstraint("provider", "query", "day", name=op.f("pk_provider_usage")),
        sa.CheckConstraint("failures BETWEEN 0 AND calls", name=op.f("ck_provider_usage_failures_are_calls")),
        sa.CheckConstraint(
            "new_domains BETWEEN 0 AND results", name=op.f("ck_provider_usage_new_domains_are_results")
        ),
        sa.CheckConstraint("millicredits >= 0", name=op.f("ck_provider_usage_millicredits_not_negative")),
    )


def _provider_suspensions() -> None:
    op.create_table(
        "provider_suspensions",
        sa.Column("provider", sa.Text(), nullable=False),
        sa.Column("error", sa.Text(), nullable=False),
        sa.Column("detail", sa.Text(), nullable=False),
        sa.Column("suspended_at", types.UtcTime(), nullable=False),
        sa.Column("until", types.UtcTime(), nullable=False),
        sa.Column("strikes", sa.Integer(), server_default=sa.text("1"), nullable=False),
        sa.Column("account", sa.Text(), nullable=False),
        sa.PrimaryKeyConstraint("provider", name=op.f("pk_provider_suspensions")),
        sa.CheckConstraint(
            "until >= suspended_at", name=op.f("ck_provider_suspensions_ends_after_its_start")
        ),
        sa.CheckConstraint("strikes >= 1", name=op.f("ck_provider_suspensions_strikes_positive")),
    )


def indexes() -> None:
    base.partial("ix_discovery_sessions_running", "discovery_sessions", ["id"], where="status = 'running'")
    op.create_index("ix_discovery_sessions_started_at", "discovery_sessions", ["started_at", "id"])
    op.create_index("ix_search_results_domain_no", "search_results", ["domain_no", "id"])
    op.create_index("ix_search_results_session_id", "search_results", ["session_id", "id"])
    base.partial("ix_search_results_to_judge", "search_results", ["id"], where="judged_at IS NULL")
    op.create_index("ix_spam_verdicts_verdicts", "spam_verdicts", ["verdicts", "domain"])
    op.create_index("ix_provider_usage_day", "provider_usage", ["day"])


def guard() -> None:
    guards.arrows("discovery_sessions", "status", STATUS, first=("running",))
    guards.adds_up("discovery_sessions", "provider_results", "results_found")
