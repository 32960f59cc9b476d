"""People: accounts, their sessions and tokens, and tries that are limited in number."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

from surveyor.db import types

TABLES = (
    "users",
    "web_sessions",
    "api_tokens",
    "saved_items",
    "tries",
)


def tables() -> None:
    _users()
    _web_sessions()
    _api_tokens()
    _saved_items()
    _tries()


def _users() -> None:
    op.create_table(
        "users",
        sa.Column("id", sa.Uuid(), nullable=False),
        sa.Column("name", sa.Text(), nullable=False),
        sa.Column("role", sa.Text(), nullable=False),
        sa.Column("password_hash", sa.Text()),
        sa.Column("created_at", types.UtcTime(), nullable=False),
        sa.Column("created_by", sa.Text(), nullable=False),
        sa.Column("disabled_at", types.UtcTime()),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_users")),
        sa.UniqueConstraint("name", name=op.f("uq_users_name")),
        sa.CheckConstraint("role IN ('admin', 'reviewer', 'submitter')", name=op.f("ck_users_role_known")),
        sa.CheckConstraint("length(name) BETWEEN 1 AND 64", name=op.f("ck_users_name_length")),
    )


def _web_sessions() -> None:
    op.create_table(
        "web_sessions",
        sa.Column("key_hash", sa.LargeBinary(), nullable=False),
        sa.Column("user_id", sa.Uuid(), nullable=False),
        sa.Column("created_at", types.UtcTime(), nullable=False),
        sa.Column("expires_at", types.UtcTime(), nullable=False),
        sa.PrimaryKeyConstraint("key_hash", name=op.f("pk_web_sessions")),
        sa.ForeignKeyConstraint(
            ["user_id"], ["users.id"], name=op.f("fk_web_sessions_user_id"), ondelete="CASCADE"
        ),
    )


def _api_tokens() -> None:
    op.create_table(
        "api_tokens",
        sa.Column("id", sa.Uuid(), nullable=False),
        sa.Column("key_hash", sa.LargeBinary(), nullable=False),
        sa.Column("user_id", sa.Uuid(), nullable=False),
        sa.Column("label", sa.Text(), nullable=False),
        sa.Column("scope", sa.Text(), nullable=False),
        sa.Column("created_at", types.UtcTime(), nullable=False),
        sa.Column("expires_at", types.UtcTime(), nullable=False),
        sa.Column("last_used_at", types.UtcTime()),
        sa.Column("revoked_at", types.UtcTime()),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_api_tokens")),
        sa.ForeignKeyConstraint(
            ["user_id"], ["users.id"], name=op.f("fk_api_tokens_user_id"), ondelete="CASCADE"
        ),
        sa.UniqueConstraint("key_hash", name=op.f("uq_api_tokens_key_hash")),
        sa.CheckConstraint(
            "scope IN ('read', 'submit', 'review', 'admin')", name=op.f("ck_api_tokens_scope_known")
        ),
    )


def _saved_items() -> None:
    op.create_table(
        "saved_items",
        sa.Column("id", types.BigId, nullable=False),
        sa.Column("user_id", sa.Uuid(), nullable=False),
        sa.Column("kind", sa.Text(), nullable=False),
        sa.Column("name", sa.Text(), nullable=False),
        sa.Column("value", sa.Text(), nullable=False),
        sa.Column("created_at", types.UtcTime(), nullable=False),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_saved_items")),
        sa.ForeignKeyConstraint(
            ["user_id"], ["users.id"], name=op.f("fk_saved_items_user_id"), ondelete="CASCADE"
        ),
        sa.UniqueConstraint("user_id", "kind", "name", name=op.f("uq_saved_items_user_id_kind_name")),
        sa.CheckConstraint("kind IN ('reason', 'view')", name=op.f("ck_saved_items_kind_known")),
    )


def _tries() -> None:
    op.create_table(
        "tries",
        sa.Column("id", types.BigId, nullable=False),
        sa.Column("subject", sa.LargeBinary(), nullable=False),
        sa.Column("at", types.UtcTime(), nullable=False),
        sa.Column("until", types.UtcTime(), nullable=False),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_tries")),
    )


def indexes() -> None:
    op.create_index("ix_web_sessions_user_id", "web_sessions", ["user_id"])
    op.create_index("ix_api_tokens_user_id", "api_tokens", ["user_id"])
    op.create_index("ix_tries_subject", "tries", ["subject", "until"])
    op.create_index("ix_tries_until", "tries", ["until"])
