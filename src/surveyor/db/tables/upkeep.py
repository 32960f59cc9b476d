"""What keeps the rest at work: the parts that `up` runs on each machine, and how they are."""

from __future__ import annotations

from sqlalchemy import CheckConstraint, Column, Integer, Table, Text

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
