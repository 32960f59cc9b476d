"""Notices: who wants to be notified of a decision, and messages until they are delivered."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

from surveyor.db import types
from surveyor.db.migrations.initial import base

TABLES = ("followers", "outbox")


def tables() -> None:
    _followers()
    _outbox()


def _followers() -> None:
    op.create_table(
        "followers",
        sa.Column("id", types.BigId, nullable=False),
        sa.Column("domain_no", sa.BigInteger(), nullable=False),
        sa.Column("address", sa.Text(), nullable=False),
        sa.Column("language", sa.Text(), nullable=False),
        sa.Column("key_hash", sa.LargeBinary(), nullable=False),
        sa.Column("created_at", types.UtcTime(), nullable=False),
        sa.Column("confirmed_at", types.UtcTime()),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_followers")),
        sa.UniqueConstraint("key_hash", name=op.f("uq_followers_key_hash")),
        sa.UniqueConstraint("domain_no", "address", name=op.f("uq_followers_domain_no_address")),
    )


def _outbox() -> None:
    op.create_table(
        "outbox",
        sa.Column("id", types.BigId, nullable=False),
        sa.Column("channel", sa.Text(), nullable=False),
        sa.Column("recipient", sa.Text(), nullable=False),
        sa.Column("subject", sa.Text(), nullable=False),
        sa.Column("body", sa.Text(), nullable=False),
        sa.Column("once", sa.Text(), nullable=False),
        sa.Column("domain_no", sa.BigInteger()),
        sa.Column("up_to", sa.BigInteger()),
        sa.Column("state", sa.Text(), nullable=False),
        sa.Column("created_at", types.UtcTime(), nullable=False),
        sa.Column("due_at", types.UtcTime(), nullable=False),
        sa.Column("tries", sa.Integer(), server_default=sa.text("0"), nullable=False),
        sa.Column("held_by", sa.Text()),
        sa.Column("held_until", types.UtcTime()),
        sa.Column("sent_at", types.UtcTime()),
        sa.Column("last_error", sa.Text()),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_outbox")),
        sa.UniqueConstraint("once", name=op.f("uq_outbox_once")),
        sa.CheckConstraint("state IN ('waiting', 'sent', 'failed')", name=op.f("ck_outbox_state_known")),
        sa.CheckConstraint(
            "(state = 'sent') = (sent_at IS NOT NULL)", name=op.f("ck_outbox_sent_has_a_time")
        ),
        sa.CheckConstraint("(held_by IS NULL) = (held_until IS NULL)", name=op.f("ck_outbox_hold_is_whole")),
    )


def indexes() -> None:
    base.partial("ix_outbox_waiting", "outbox", ["due_at", "id"], where="state = 'waiting'")
