"""Extraction: records with their sources and changes, ends of crawls, the language model's books."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

from surveyor.db import types
from surveyor.db.migrations.initial import base

TABLES = (
    "records",
    "record_changes",
    "record_corrections",
    "record_sources",
    "contact_sources",
    "crawl_ends",
    "model_answers",
    "model_usage",
    "model_rests",
)


def tables() -> None:
    _records()
    _record_changes()
    _record_corrections()
    _record_sources()
    _contact_sources()
    _crawl_ends()
    _model_answers()
    _model_usage()
    _model_rests()


def _records() -> None:
    op.create_table(
        "records",
        sa.Column("id", sa.Uuid(), nullable=False),
        sa.Column("domain_no", sa.BigInteger(), nullable=False),
        sa.Column("kind", sa.Text(), nullable=False),
        sa.Column("identity", sa.LargeBinary(), nullable=False),
        sa.Column("name", sa.Text(), nullable=False),
        sa.Column("fields", sa.JSON(none_as_null=True), nullable=False),
        sa.Column("published", sa.Boolean(), server_default=sa.false(), nullable=False),
        sa.Column("first_seen_at", types.UtcTime(), nullable=False),
        sa.Column("last_seen_at", types.UtcTime(), nullable=False),
        sa.Column("gone_at", types.UtcTime()),
        sa.Column("updated_at", types.UtcTime(), nullable=False),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_records")),
        sa.CheckConstraint("length(kind) BETWEEN 1 AND 40", name=op.f("ck_records_kind_named")),
    )


def _record_corrections() -> None:
    op.create_table(
        "record_corrections",
        sa.Column("id", types.BigId, nullable=False),
        sa.Column("record_id", sa.Uuid(), nullable=False),
        sa.Column("domain_no", sa.BigInteger(), nullable=False),
        sa.Column("field", sa.Text(), nullable=False),
        sa.Column("value", sa.JSON(none_as_null=True)),
        sa.Column("hidden", sa.Boolean(), server_default=sa.false(), nullable=False),
        sa.Column("merged_into", sa.Uuid()),
        sa.Column("before", sa.JSON(none_as_null=True)),
        sa.Column("said", sa.JSON(none_as_null=True)),
        sa.Column("made_by", sa.Text(), nullable=False),
        sa.Column("reason", sa.Text()),
        sa.Column("at", types.UtcTime(), nullable=False),
        sa.Column("ended_at", types.UtcTime()),
        sa.Column("ended_by", sa.Text()),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_record_corrections")),
        sa.CheckConstraint(
            "(ended_at IS NULL) = (ended_by IS NULL)", name=op.f("ck_record_corrections_end_is_whole")
        ),
    )


def _record_changes() -> None:
    op.create_table(
        "record_changes",
        sa.Column("id", types.BigId, nullable=False),
        sa.Column("record_id", sa.Uuid(), nullable=False),
        sa.Column("domain_no", sa.BigInteger(), nullable=False),
        sa.Column("field", sa.Text(), nullable=False),
        sa.Column("old", sa.JSON(none_as_null=True)),
        sa.Column("new", sa.JSON(none_as_null=True)),
        sa.Column("snapshot_id", sa.BigInteger(), nullable=False),
        sa.Column("at", types.UtcTime(), nullable=False),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_record_changes")),
    )


def _record_sources() -> None:
    op.create_table(
        "record_sources",
        sa.Column("record_id", sa.Uuid(), nullable=False),
        sa.Column("key", sa.BigInteger(), autoincrement=False, nullable=False),
        sa.Column("domain_no", sa.BigInteger(), nullable=False),
        sa.Column("snapshot_id", sa.BigInteger(), nullable=False),
        sa.Column("fields", sa.JSON(none_as_null=True), nullable=False),
        sa.Column("first_seen_at", types.UtcTime(), nullable=False),
        sa.Column("seen_at", types.UtcTime(), nullable=False),
        sa.Column("gone_at", types.UtcTime()),
        sa.PrimaryKeyConstraint("record_id", "key", name=op.f("pk_record_sources")),
    )


def _contact_sources() -> None:
    op.create_table(
        "contact_sources",
        sa.Column("domain_no", sa.BigInteger(), autoincrement=False, nullable=False),
        sa.Column("key", sa.BigInteger(), autoincrement=False, nullable=False),
        sa.Column("contact_id", sa.BigInteger(), autoincrement=False, nullable=False),
        sa.Column("snapshot_id", sa.BigInteger(), nullable=False),
        sa.Column("seen_at", types.UtcTime(), nullable=False),
        sa.PrimaryKeyConstraint("domain_no", "key", "contact_id", name=op.f("pk_contact_sources")),
        sqlite_with_rowid=False,
    )


def _crawl_ends() -> None:
    op.create_table(
        "crawl_ends",
        sa.Column("domain_no", sa.BigInteger(), autoincrement=False, nullable=False),
        sa.Column("ended_at", types.UtcTime(), nullable=False),
        sa.PrimaryKeyConstraint("domain_no", name=op.f("pk_crawl_ends")),
    )


def _model_answers() -> None:
    op.create_table(
        "model_answers",
        sa.Column("content_hash", sa.LargeBinary(), nullable=False),
        sa.Column("model", sa.Text(), nullable=False),
        sa.Column("prompt", sa.Text(), nullable=False),
        sa.Column("domain_no", sa.BigInteger(), nullable=False),
        sa.Column("asked_at", types.UtcTime(), nullable=False),
        sa.Column("until", types.UtcTime()),
        sa.Column("answer", sa.JSON(none_as_null=True)),
        sa.Column("why", sa.Text()),
        sa.PrimaryKeyConstraint("content_hash", "model", "prompt", name=op.f("pk_model_answers")),
        sa.CheckConstraint(
            "until IS NULL OR (answer IS NULL AND why IS NULL)",
            name=op.f("ck_model_answers_asked_or_answered"),
        ),
        sa.CheckConstraint(
            "until IS NOT NULL OR (answer IS NULL) <> (why IS NULL)",
            name=op.f("ck_model_answers_answer_or_reason"),
        ),
    )


def _model_usage() -> None:
    op.create_table(
        "model_usage",
        sa.Column("day", sa.Text(), nullable=False),
        sa.Column("requests", sa.Integer(), server_default=sa.text("0"), nullable=False),
        sa.Column("tokens", sa.BigInteger(), server_default=sa.text("0"), nullable=False),
        sa.PrimaryKeyConstraint("day", name=op.f("pk_model_usage")),
        sa.CheckConstraint("requests >= 0 AND tokens >= 0", name=op.f("ck_model_usage_not_negative")),
    )


def _model_rests() -> None:
    op.create_table(
        "model_rests",
        sa.Column("account", sa.Text(), nullable=False),
        sa.Column("trouble", sa.Text(), nullable=False),
        sa.Column("detail", sa.Text(), nullable=False),
        sa.Column("until", types.UtcTime(), nullable=False),
        sa.Column("strikes", sa.Integer(), nullable=False),
        sa.PrimaryKeyConstraint("account", name=op.f("pk_model_rests")),
    )


def indexes() -> None:
    op.create_index("ix_record_corrections_domain_no", "record_corrections", ["domain_no"])
    op.create_index("ix_record_corrections_record_id", "record_corrections", ["record_id", "id"])
    base.partial(
        "uq_record_corrections_active",
        "record_corrections",
        ["record_id", "field"],
        where="ended_at IS NULL",
        unique=True,
    )
    op.create_index("ix_records_domain_no", "records", ["domain_no", "id"])
    base.partial("ix_records_given", "records", ["id"], where="published AND gone_at IS NULL")
    base.partial("ix_records_gone", "records", ["id"], where="gone_at IS NOT NULL")
    op.create_index("ix_records_identity", "records", ["domain_no", "kind", "identity"])
    op.create_index("ix_records_kind", "records", ["kind", "id"])
    base.partial("ix_records_kind_given", "records", ["kind", "id"], where="published AND gone_at IS NULL")
    op.create_index("ix_record_changes_domain_no", "record_changes", ["domain_no", "id"])
    op.create_index("ix_record_changes_record_id", "record_changes", ["record_id", "id"])
    op.create_index("ix_record_sources_page", "record_sources", ["domain_no", "key"])
    op.create_index("ix_contact_sources_contact_id", "contact_sources", ["contact_id"])
    op.create_index("ix_model_answers_domain_no", "model_answers", ["domain_no"])
