"""Extraction: what was read of a version, records with their sources and changes, where contacts stand."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import sqlalchemy as sa
from alembic import op

from surveyor.db import types

revision = "0010"
down_revision = "0009"
branch_labels = None
depends_on = None

INDEXES = {
    "ix_page_snapshots_waiting": (["domain_no", "id"], "extract_state = 'waiting'"),
    "ix_page_snapshots_taken": (["extract_by"], "extract_state = 'taken'"),
    "ix_page_snapshots_set_aside": (["domain_no", "id"], "extract_state = 'set_aside'"),
}
TABLES = ("records", "record_sources", "record_changes", "contact_sources", "crawl_ends")


def upgrade() -> None:
    _alter("page_snapshots", _snapshots_before, _snapshot_columns(), _snapshot_checks())
    for name, (columns, condition) in INDEXES.items():
        where = sa.text(condition)
        op.create_index(name, "page_snapshots", columns, postgresql_where=where, sqlite_where=where)
    _alter("contacts", _contacts_before, _contact_columns(), ())
    _records()
    _sources()
    _ends()


def downgrade() -> None:
    for table in reversed(TABLES):
        op.drop_table(table)
    for name in INDEXES:
        op.drop_index(name, "page_snapshots")
    _restore("contacts", _contacts_before, _contact_columns(), ())
    _restore("page_snapshots", _snapshots_before, _snapshot_columns(), _snapshot_checks())


# -- tables that were there: altered in place, but on SQLite made anew, where a CHECK cannot be added

Parts = list["sa.Column[object] | sa.Constraint"]


def _alter(
    table: str,
    before: Callable[[], Parts],
    columns: Sequence[sa.Column[object]],
    checks: Sequence[sa.CheckConstraint],
) -> None:
    if _is_sqlite():
        _rebuild(table, [*before(), *columns, *checks], _names(before()))
        return
    for column in columns:
        op.add_column(table, column)
    for check in checks:
        op.create_check_constraint(op.f(str(check.name)), table, check.sqltext)


def _restore(
    table: str,
    before: Callable[[], Parts],
    columns: Sequence[sa.Column[object]],
    checks: Sequence[sa.CheckConstraint],
) -> None:
    if _is_sqlite():
        _rebuild(table, before(), _names(before()))
        return
    for check in checks:
        op.drop_constraint(op.f(str(check.name)), table, type_="check")
    for column in columns:
        op.drop_column(table, column.name)


def _rebuild(table: str, parts: Parts, kept: Sequence[str]) -> None:
    old, names = f"{table}_before", ", ".join(kept)
    if table == "contacts":
        op.drop_index("ix_contacts_candidate_id", table)
    op.rename_table(table, old)
    op.create_table(table, *parts)
    op.execute(f"INSERT INTO {table} ({names}) SELECT {names} FROM {old}")  # noqa: S608 - our names
    op.drop_table(old)
    if table == "contacts":
        op.create_index("ix_contacts_candidate_id", table, ["candidate_id"])


def _names(parts: Parts) -> list[str]:
    return [part.name for part in parts if isinstance(part, sa.Column)]


def _is_sqlite() -> bool:
    return op.get_bind().dialect.name == "sqlite"


def _one() -> str:
    """Full confidence, as each engine keeps it."""
    return "100" if _is_sqlite() else "1.00"


def _zero() -> str:
    return "0" if _is_sqlite() else "0.00"


def _snapshots_before() -> Parts:
    return [
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
    ]


def _snapshot_columns() -> list[sa.Column[object]]:
    return [
        sa.Column("body", sa.LargeBinary(), nullable=True),
        sa.Column("extract_state", sa.Text(), server_default="waiting", nullable=False),
        sa.Column("extract_tries", sa.SmallInteger(), server_default=sa.text("0"), nullable=False),
        sa.Column("extract_by", sa.Text(), nullable=True),
        sa.Column("extract_until", types.UtcTime(), nullable=True),
        sa.Column("extract_error", sa.Text(), nullable=True),
        sa.Column("extractor_version", sa.Text(), nullable=True),
        sa.Column("extracted_at", types.UtcTime(), nullable=True),
        sa.Column("folded_into", sa.BigInteger(), nullable=True),
        sa.Column("description", sa.Text(), nullable=True),
        sa.Column("language", sa.Text(), nullable=True),
        sa.Column("markdown", sa.LargeBinary(), nullable=True),
        sa.Column("text_hash", sa.BigInteger(), nullable=True),
        sa.Column("simhash", sa.BigInteger(), nullable=True),
        sa.Column("links", sa.Integer(), nullable=True),
        sa.Column("images", sa.Integer(), nullable=True),
        sa.Column("relevance", types.Confidence(), nullable=True),
        sa.Column("is_relevant", sa.Boolean(), nullable=True),
        sa.Column("reasons", sa.JSON(none_as_null=True), nullable=True),
    ]


def _snapshot_checks() -> list[sa.CheckConstraint]:
    return [
        sa.CheckConstraint(
            f"relevance BETWEEN {_zero()} AND {_one()}", name=op.f("ck_page_snapshots_relevance_range")
        ),
        sa.CheckConstraint(
            "extract_state IN ('waiting', 'taken', 'done', 'folded', 'set_aside')",
            name=op.f("ck_page_snapshots_extract_state_known"),
        ),
        sa.CheckConstraint(
            "extract_state <> 'taken' OR (extract_by IS NOT NULL AND extract_until IS NOT NULL)",
            name=op.f("ck_page_snapshots_taken_names_its_reader"),
        ),
        sa.CheckConstraint(
            "extract_state <> 'folded' OR folded_into IS NOT NULL",
            name=op.f("ck_page_snapshots_folded_says_into_which"),
        ),
        sa.CheckConstraint(
            "extract_state <> 'set_aside' OR extract_error IS NOT NULL",
            name=op.f("ck_page_snapshots_set_aside_says_why"),
        ),
    ]


def _contacts_before() -> Parts:
    return [
        sa.Column("id", types.BigId, nullable=False),
        sa.Column("domain_no", sa.BigInteger(), nullable=False),
        sa.Column("candidate_id", sa.Uuid(), nullable=True),
        sa.Column("kind", sa.Text(), nullable=False),
        sa.Column("value", sa.Text(), nullable=False),
        sa.Column("name", sa.Text(), nullable=True),
        sa.Column("role", sa.Text(), nullable=True),
        sa.Column("source_url", sa.Text(), nullable=False),
        sa.Column("confidence", types.Confidence(), nullable=True),
        sa.Column("found_at", types.UtcTime(), nullable=False),
        sa.CheckConstraint(
            f"confidence BETWEEN {_zero()} AND {_one()}", name=op.f("ck_contacts_confidence_range")
        ),
        sa.CheckConstraint(
            "kind IN ('person', 'email', 'phone', 'address', 'form')", name=op.f("ck_contacts_kind_known")
        ),
        sa.CheckConstraint("value <> ''", name=op.f("ck_contacts_value_is_there")),
        sa.ForeignKeyConstraint(
            ["candidate_id"], ["candidates.id"], name=op.f("fk_contacts_candidate_id"), ondelete="SET NULL"
        ),
        sa.ForeignKeyConstraint(
            ["domain_no"], ["domains.no"], name=op.f("fk_contacts_domain_no"), ondelete="CASCADE"
        ),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_contacts")),
        sa.UniqueConstraint("domain_no", "kind", "value", name=op.f("uq_contacts_domain_no_kind_value")),
    ]


def _contact_columns() -> list[sa.Column[object]]:
    return [
        sa.Column("source", sa.Text(), nullable=True),
        sa.Column("quote", sa.Text(), nullable=True),
        sa.Column("last_seen_at", types.UtcTime(), nullable=True),
        sa.Column("gone_at", types.UtcTime(), nullable=True),
    ]


# -- new tables


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
        sa.Column("gone_at", types.UtcTime(), nullable=True),
        sa.Column("updated_at", types.UtcTime(), nullable=False),
        sa.CheckConstraint(
            "kind IN ('funding_program', 'service', 'opportunity', 'business', 'organisation')",
            name=op.f("ck_records_kind_known"),
        ),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_records")),
    )
    op.create_index("ix_records_identity", "records", ["domain_no", "kind", "identity"])
    op.create_index("ix_records_domain_no", "records", ["domain_no", "id"])
    op.create_index("ix_records_kind", "records", ["kind", "id"])
    op.create_table(
        "record_changes",
        sa.Column("id", types.BigId, nullable=False),
        sa.Column("record_id", sa.Uuid(), nullable=False),
        sa.Column("domain_no", sa.BigInteger(), nullable=False),
        sa.Column("field", sa.Text(), nullable=False),
        sa.Column("old", sa.JSON(none_as_null=True), nullable=True),
        sa.Column("new", sa.JSON(none_as_null=True), nullable=True),
        sa.Column("snapshot_id", sa.BigInteger(), nullable=False),
        sa.Column("at", types.UtcTime(), nullable=False),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_record_changes")),
    )
    op.create_index("ix_record_changes_record_id", "record_changes", ["record_id", "id"])
    op.create_index("ix_record_changes_domain_no", "record_changes", ["domain_no", "id"])


def _sources() -> None:
    op.create_table(
        "record_sources",
        sa.Column("record_id", sa.Uuid(), nullable=False),
        sa.Column("key", sa.BigInteger(), autoincrement=False, nullable=False),
        sa.Column("domain_no", sa.BigInteger(), nullable=False),
        sa.Column("snapshot_id", sa.BigInteger(), nullable=False),
        sa.Column("fields", sa.JSON(none_as_null=True), nullable=False),
        sa.Column("first_seen_at", types.UtcTime(), nullable=False),
        sa.Column("seen_at", types.UtcTime(), nullable=False),
        sa.Column("gone_at", types.UtcTime(), nullable=True),
        sa.PrimaryKeyConstraint("record_id", "key", name=op.f("pk_record_sources")),
    )
    op.create_index("ix_record_sources_page", "record_sources", ["domain_no", "key"])
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
    op.create_index("ix_contact_sources_contact_id", "contact_sources", ["contact_id"])


def _ends() -> None:
    op.create_table(
        "crawl_ends",
        sa.Column("domain_no", sa.BigInteger(), autoincrement=False, nullable=False),
        sa.Column("ended_at", types.UtcTime(), nullable=False),
        sa.PrimaryKeyConstraint("domain_no", name=op.f("pk_crawl_ends")),
    )
    # What was crawled to its end before there was extraction is judged once it is read.
    op.execute(
        "INSERT INTO crawl_ends (domain_no, ended_at)"
        " SELECT no, last_crawled_at FROM domain_crawl"
        " WHERE crawl_status = 'exhausted' AND last_crawled_at IS NOT NULL"
    )
