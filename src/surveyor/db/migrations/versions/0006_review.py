"""Review: people with their sessions and tokens, limits, the order of events, and how far listeners are."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

from surveyor.db import types

revision = "0006"
down_revision = "0005"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.create_table(
        "users",
        sa.Column("id", sa.Uuid(), nullable=False),
        sa.Column("name", sa.Text(), nullable=False),
        sa.Column("role", sa.Text(), nullable=False),
        sa.Column("password_hash", sa.Text(), nullable=True),
        sa.Column("created_at", types.UtcTime(), nullable=False),
        sa.Column("created_by", sa.Text(), nullable=False),
        sa.Column("disabled_at", types.UtcTime(), nullable=True),
        sa.CheckConstraint("length(name) BETWEEN 1 AND 64", name=op.f("ck_users_name_length")),
        sa.CheckConstraint("role IN ('admin', 'reviewer', 'submitter')", name=op.f("ck_users_role_known")),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_users")),
        sa.UniqueConstraint("name", name=op.f("uq_users_name")),
    )
    op.create_table(
        "web_sessions",
        sa.Column("key_hash", sa.LargeBinary(), nullable=False),
        sa.Column("user_id", sa.Uuid(), nullable=False),
        sa.Column("created_at", types.UtcTime(), nullable=False),
        sa.Column("expires_at", types.UtcTime(), nullable=False),
        sa.ForeignKeyConstraint(
            ["user_id"], ["users.id"], name=op.f("fk_web_sessions_user_id"), ondelete="CASCADE"
        ),
        sa.PrimaryKeyConstraint("key_hash", name=op.f("pk_web_sessions")),
    )
    op.create_index("ix_web_sessions_user_id", "web_sessions", ["user_id"])
    op.create_table(
        "api_tokens",
        sa.Column("id", sa.Uuid(), nullable=False),
        sa.Column("key_hash", sa.LargeBinary(), nullable=False),
        sa.Column("user_id", sa.Uuid(), nullable=False),
        sa.Column("label", sa.Text(), nullable=False),
        sa.Column("scope", sa.Text(), nullable=False),
        sa.Column("created_at", types.UtcTime(), nullable=False),
        sa.Column("expires_at", types.UtcTime(), nullable=False),
        sa.Column("last_used_at", types.UtcTime(), nullable=True),
        sa.Column("revoked_at", types.UtcTime(), nullable=True),
        sa.CheckConstraint(
            "scope IN ('read', 'submit', 'review', 'admin')", name=op.f("ck_api_tokens_scope_known")
        ),
        sa.ForeignKeyConstraint(
            ["user_id"], ["users.id"], name=op.f("fk_api_tokens_user_id"), ondelete="CASCADE"
        ),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_api_tokens")),
        sa.UniqueConstraint("key_hash", name=op.f("uq_api_tokens_key_hash")),
    )
    op.create_index("ix_api_tokens_user_id", "api_tokens", ["user_id"])
    op.create_table(
        "tries",
        sa.Column("id", types.BigId, nullable=False),
        sa.Column("subject", sa.LargeBinary(), nullable=False),
        sa.Column("at", types.UtcTime(), nullable=False),
        sa.Column("until", types.UtcTime(), nullable=False),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_tries")),
    )
    op.create_index("ix_tries_subject", "tries", ["subject", "until"])
    op.create_index("ix_tries_until", "tries", ["until"])
    op.create_table(
        "event_feed",
        sa.Column("position", sa.BigInteger(), autoincrement=False, nullable=False),
        sa.Column("event_id", sa.BigInteger(), nullable=False),
        sa.PrimaryKeyConstraint("position", name=op.f("pk_event_feed")),
        sa.UniqueConstraint("event_id", name=op.f("uq_event_feed_event_id")),
    )
    op.create_table(
        "listener_cursors",
        sa.Column("name", sa.Text(), nullable=False),
        sa.Column("position", sa.BigInteger(), nullable=False),
        sa.Column("held_by", sa.Text(), nullable=True),
        sa.Column("held_until", types.UtcTime(), nullable=True),
        sa.Column("failures", sa.Integer(), server_default=sa.text("0"), nullable=False),
        sa.Column("retry_at", types.UtcTime(), nullable=True),
        sa.Column("last_error", sa.Text(), nullable=True),
        sa.Column("told_at", types.UtcTime(), nullable=True),
        sa.CheckConstraint(
            "(held_by IS NULL) = (held_until IS NULL)", name=op.f("ck_listener_cursors_hold_is_whole")
        ),
        sa.PrimaryKeyConstraint("name", name=op.f("pk_listener_cursors")),
    )
    waiting = sa.text("review_status = 'pending_review' AND submitter_type = 'public_user'")
    op.create_index(
        "ix_domains_public_waiting", "domains", ["no"], postgresql_where=waiting, sqlite_where=waiting
    )
    # Events not yet told are found by the transaction that wrote them.
    op.create_index("ix_events_tx", "events", ["tx", "id"])


def downgrade() -> None:
    op.drop_index("ix_events_tx", "events")
    op.drop_index("ix_domains_public_waiting", "domains")
    for table in ("listener_cursors", "event_feed", "tries", "api_tokens", "web_sessions", "users"):
        op.drop_table(table)
