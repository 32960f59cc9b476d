"""Listening: the order in which events are delivered, and how far each listener has come."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

from surveyor.db import types

TABLES = (
    "event_feed",
    "listener_cursors",
)


def tables() -> None:
    _event_feed()
    _listener_cursors()


def _event_feed() -> None:
    op.create_table(
        "event_feed",
        sa.Column("position", sa.BigInteger(), autoincrement=False, nullable=False),
        sa.Column("event_id", sa.BigInteger(), nullable=False),
        sa.PrimaryKeyConstraint("position", name=op.f("pk_event_feed")),
        sa.UniqueConstraint("event_id", name=op.f("uq_event_feed_event_id")),
    )


def _listener_cursors() -> None:
    op.create_table(
        "listener_cursors",
        sa.Column("name", sa.Text(), nullable=False),
        sa.Column("position", sa.BigInteger(), nullable=False),
        sa.Column("held_by", sa.Text()),
        sa.Column("held_until", types.UtcTime()),
        sa.Column("failures", sa.Integer(), server_default=sa.text("0"), nullable=False),
        sa.Column("retry_at", types.UtcTime()),
        sa.Column("last_error", sa.Text()),
        sa.Column("delivered_at", types.UtcTime()),
        sa.PrimaryKeyConstraint("name", name=op.f("pk_listener_cursors")),
        sa.CheckConstraint(
            "(held_by IS NULL) = (held_until IS NULL)", name=op.f("ck_listener_cursors_hold_is_whole")
        ),
    )
