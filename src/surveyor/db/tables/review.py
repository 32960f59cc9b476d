"""Tables of review, people and listeners: who may do what, what was tried, what was sent to whom.

No secret is stored: passwords as argon2id, sessions and tokens as SHA-256 of 256 random bits,
the subjects of rate limits as hashes. The secrets of webhooks stay in the settings.
"""

from __future__ import annotations

from sqlalchemy import (
    BigInteger,
    CheckConstraint,
    Column,
    ForeignKey,
    Index,
    LargeBinary,
    Table,
    Text,
    UniqueConstraint,
    Uuid,
)

from surveyor.db.tables.base import count, metadata, one_of
from surveyor.db.types import BigId, UtcTime

users = Table(
    "users",
    metadata,
    Column("id", Uuid, primary_key=True),
    Column("name", Text, nullable=False, unique=True),  # lower case
    Column("role", Text, nullable=False),
    Column("password_hash", Text),  # empty: no password, tokens only
    Column("created_at", UtcTime, nullable=False),
    Column("created_by", Text, nullable=False),
    Column("disabled_at", UtcTime),
    one_of("role", "admin", "reviewer", "submitter"),
    CheckConstraint("length(name) BETWEEN 1 AND 64", name="name_length"),
)

web_sessions = Table(
    "web_sessions",
    metadata,
    Column("key_hash", LargeBinary, primary_key=True),
    Column("user_id", Uuid, ForeignKey("users.id", ondelete="CASCADE"), nullable=False),
    Column("created_at", UtcTime, nullable=False),
    Column("expires_at", UtcTime, nullable=False),
)
Index("ix_web_sessions_user_id", web_sessions.c.user_id)

api_tokens = Table(
    "api_tokens",
    metadata,
    Column("id", Uuid, primary_key=True),
    Column("key_hash", LargeBinary, nullable=False, unique=True),
    Column("user_id", Uuid, ForeignKey("users.id", ondelete="CASCADE"), nullable=False),
    Column("label", Text, nullable=False),
    Column("scope", Text, nullable=False),
    Column("created_at", UtcTime, nullable=False),
    Column("expires_at", UtcTime, nullable=False),
    Column("last_used_at", UtcTime),
    Column("revoked_at", UtcTime),
    one_of("scope", "read", "submit", "review", "admin"),
)
Index("ix_api_tokens_user_id", api_tokens.c.user_id)

# What people keep for themselves: reasons they often give, and lists they come back to.
saved_items = Table(
    "saved_items",
    metadata,
    Column("id", BigId, primary_key=True),
    Column("user_id", Uuid, ForeignKey("users.id", ondelete="CASCADE"), nullable=False),
    Column("kind", Text, nullable=False),
    Column("name", Text, nullable=False),
    Column("value", Text, nullable=False),
    Column("created_at", UtcTime, nullable=False),
    one_of("kind", "reason", "view"),
    UniqueConstraint("user_id", "kind", "name"),
)

# Things done lately that are limited in number, such as logins; old rows are removed on the way.
tries = Table(
    "tries",
    metadata,
    Column("id", BigId, primary_key=True),
    Column("subject", LargeBinary, nullable=False),  # a hash: neither names nor addresses are kept
    Column("at", UtcTime, nullable=False),
    Column("until", UtcTime, nullable=False),  # when it no longer counts
)
Index("ix_tries_subject", tries.c.subject, tries.c.until)
Index("ix_tries_until", tries.c.until)

# The order in which events are delivered. A row is here once nothing can come before it any more.
event_feed = Table(
    "event_feed",
    metadata,
    Column("position", BigInteger, primary_key=True, autoincrement=False),
    Column("event_id", BigInteger, nullable=False, unique=True),
)

# How far each listener has heard, and who is telling it.
listener_cursors = Table(
    "listener_cursors",
    metadata,
    Column("name", Text, primary_key=True),
    Column("position", BigInteger, nullable=False),
    Column("held_by", Text),
    Column("held_until", UtcTime),
    count("failures"),
    Column("retry_at", UtcTime),
    Column("last_error", Text),
    Column("delivered_at", UtcTime),
    CheckConstraint("(held_by IS NULL) = (held_until IS NULL)", name="hold_is_whole"),
)
