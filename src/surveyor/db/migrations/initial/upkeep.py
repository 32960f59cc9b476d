"""Upkeep: the parts that `up` runs on each machine."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

from surveyor.db import types

TABLES = ("parts",)


def tables() -> None:
    _parts()


def _parts() -> None:
    op.create_table(
        "parts",
        sa.Column("machine", sa.Text(), nullable=False),
        sa.Column("name", sa.Text(), nullable=False),
        sa.Column("state", sa.Text(), nullable=False),
        sa.Column("pid", sa.Integer()),
        sa.Column("since", types.UtcTime(), nullable=False),
        sa.Column("seen_at", types.UtcTime(), nullable=False),
        sa.Column("restarts", sa.Integer(), server_default=sa.text("0"), nullable=False),
        sa.Column("last_exit", sa.Integer()),
        sa.Column("last_ended_at", types.UtcTime()),
        sa.Column("note", sa.Text()),
        sa.PrimaryKeyConstraint("machine", "name", name=op.f("pk_parts")),
        sa.CheckConstraint(
            "state IN ('running', 'waiting', 'idle', 'stopped')", name=op.f("ck_parts_state_known")
        ),
        sa.CheckConstraint(
            "(state = 'running') = (pid IS NOT NULL)", name=op.f("ck_parts_running_has_a_process")
        ),
    )
