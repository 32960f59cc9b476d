"""Who wants to be notified of a decision, and messages until they are delivered.

Addresses of people: both tables have a `domain_no`, so that forgetting a domain empties them of it. The key
of a link is kept as SHA-256, and the text of a message only until it was sent.
"""

from __future__ import annotations

from sqlalchemy import BigInteger, CheckConstraint, Column, LargeBinary, Table, Text, UniqueConstraint

from surveyor.db.tables.base import count, metadata, one_of, partial
from surveyor.db.types import BigId, UtcTime

followers = Table(
    "followers",
    metadata,
    Column("id", BigId, primary_key=True),
    Column("domain_no", BigInteger, nullable=False),
    Column("address", Text, nullable=False),
    Column("language", Text, nullable=False),
    Column("key_hash", LargeBinary, nullable=False, unique=True),
    Column("created_at", UtcTime, nullable=False),
    Column("confirmed_at", UtcTime),  # until then nothing but the question is sent
    UniqueConstraint("domain_no", "address"),
)

outbox = Table(
    "outbox",
    metadata,
    Column("id", BigId, primary_key=True),
    Column("channel", Text, nullable=False),
    Column("recipient", Text, nullable=False),
    Column("subject", Text, nullable=False),
    Column("body", Text, nullable=False),
    Column("once", Text, nullable=False, unique=True),  # what it is about: it is put in once
    Column("domain_no", BigInteger),
    Column("up_to", BigInteger),  # of a message about many events: the place of the last one in the feed
    Column("state", Text, nullable=False),
    Column("created_at", UtcTime, nullable=False),
    Column("due_at", UtcTime, nullable=False),
    count("tries"),
    Column("held_by", Text),
    Column("held_until", UtcTime),
    Column("sent_at", UtcTime),
    Column("last_error", Text),
    one_of("state", "waiting", "sent", "failed"),
    CheckConstraint("(state = 'sent') = (sent_at IS NOT NULL)", name="sent_has_a_time"),
    CheckConstraint("(held_by IS NULL) = (held_until IS NULL)", name="hold_is_whole"),
)
partial("ix_outbox_waiting", outbox.c.due_at, outbox.c.id, where="state = 'waiting'")
