"""What keeps the rest at work: the parts that `up` runs on each machine, and jobs that people ask for."""

from __future__ import annotations

from sqlalchemy import JSON, CheckConstraint, Column, Index, Integer, Table, Text, Uuid

from surveyor.db.tables.base import count, metadata, one_of
from surveyor.db.types import UtcTime

parts = Table(
    "parts",
    metadata,
    Column("machine", Text, primary_key=True),
    Column("name", Text, primary_key=True),
    Column("state", Text, nullable=False),
    Column("pid", Integer),
    Column("since", UtcTime, nullable=False),  # of the state
    Column("seen_at", UtcTime, nullable=False),  # whoever looks after it said so last
    count("restarts"),
    Column("last_exit", Integer),  # of the process before; a signal is negative
    Column("last_ended_at", UtcTime),
    Column("note", Text),
    one_of("state", "running", "waiting", "idle", "stopped"),
    CheckConstraint("(state = 'running') = (pid IS NOT NULL)", name="running_has_a_process"),
)

# Work that was asked for in the admin. The arrows of the state are kept by triggers.
jobs = Table(
    "jobs",
    metadata,
    Column("id", Uuid, primary_key=True),
    Column("kind", Text, nullable=False),
    Column("options", JSON(none_as_null=True), nullable=False),
    Column("state", Text, nullable=False),
    Column("asked_by", Text, nullable=False),
    Column("asked_at", UtcTime, nullable=False),
    Column("started_at", UtcTime),
    Column("ended_at", UtcTime),
    Column("machine", Text),
    Column("seen_at", UtcTime),  # its machine said so last
    Column("exit_code", Integer),  # of its command; a signal is negative
    Column("result", JSON(none_as_null=True)),  # what the command summed up
    Column("log", Text, nullable=False),  # the latest lines that it said
    one_of("kind", "crawl", "refresh", "search", "judge", "extract", "import", "export"),
    one_of("state", "queued", "running", "stopping", "pausing", "paused", "done", "stopped", "failed"),
    CheckConstraint(
        "(state IN ('done', 'stopped', 'failed')) = (ended_at IS NOT NULL)", name="end_has_a_time"
    ),
)
Index("ix_jobs_state", jobs.c.state, jobs.c.id)
