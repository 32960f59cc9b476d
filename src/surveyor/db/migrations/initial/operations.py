"""Upkeep: the parts that `up` runs on each machine, and jobs that people ask for."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

from surveyor.db import types
from surveyor.db.migrations import guards

TABLES = ("parts", "jobs")
STATE = {
    "queued": ("running", "stopped"),
    "running": ("stopping", "pausing", "done", "failed", "queued"),
    "stopping": ("stopped", "done", "failed"),
    "pausing": ("paused", "done", "failed"),
    "paused": ("queued", "stopped"),
}


def tables() -> None:
    _parts()
    _jobs()


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


def _jobs() -> None:
    op.create_table(
        "jobs",
        sa.Column("id", sa.Uuid(), nullable=False),
        sa.Column("kind", sa.Text(), nullable=False),
        sa.Column("options", sa.JSON(none_as_null=True), nullable=False),
        sa.Column("state", sa.Text(), nullable=False),
        sa.Column("asked_by", sa.Text(), nullable=False),
        sa.Column("asked_at", types.UtcTime(), nullable=False),
        sa.Column("started_at", types.UtcTime()),
        sa.Column("ended_at", types.UtcTime()),
        sa.Column("machine", sa.Text()),
        sa.Column("seen_at", types.UtcTime()),
        sa.Column("exit_code", sa.Integer()),
        sa.Column("result", sa.JSON(none_as_null=True)),
        sa.Column("log", sa.Text(), nullable=False),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_jobs")),
        sa.CheckConstraint(
            "kind IN ('crawl', 'refresh', 'search', 'judge', 'extract', 'import', 'export')",
            name=op.f("ck_jobs_kind_known"),
        ),
        sa.CheckConstraint(
            "state IN ('queued', 'running', 'stopping', 'pausing', 'paused', 'done', 'stopped', 'failed')",
            name=op.f("ck_jobs_state_known"),
        ),
        sa.CheckConstraint(
            "(state IN ('done', 'stopped', 'failed')) = (ended_at IS NOT NULL)",
            name=op.f("ck_jobs_end_has_a_time"),
        ),
    )


def indexes() -> None:
    op.create_index("ix_jobs_state", "jobs", ["state", "id"])


def guard() -> None:
    guards.arrows("jobs", "state", STATE, first=("queued",))
