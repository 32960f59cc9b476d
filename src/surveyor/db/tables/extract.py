"""Tables of extraction: records with where each was read, what changed in them, where contacts were read.

Like the tables of the crawl these have no foreign keys. Only whoever holds the lock on a domain's row in
`domain_crawl` writes its records and sources, so that two readers of one site never make one thing two.
"""

from __future__ import annotations

from sqlalchemy import (
    JSON,
    BigInteger,
    Boolean,
    Column,
    Index,
    LargeBinary,
    Table,
    Text,
    Uuid,
    false,
)

from surveyor.db.tables.base import metadata, one_of
from surveyor.db.types import BigId, UtcTime

# Something structured that a site tells of, joined from all the pages that tell of it.
records = Table(
    "records",
    metadata,
    Column("id", Uuid, primary_key=True),
    Column("domain_no", BigInteger, nullable=False),
    Column("kind", Text, nullable=False),
    Column("identity", LargeBinary, nullable=False),  # hash of the kind and the words of the name
    Column("name", Text, nullable=False),
    Column("fields", JSON(none_as_null=True), nullable=False),  # field -> value, source, quote, snapshot
    Column("published", Boolean, nullable=False, server_default=false()),
    Column("first_seen_at", UtcTime, nullable=False),
    Column("last_seen_at", UtcTime, nullable=False),
    Column("gone_at", UtcTime),  # since no page tells of it
    Column("updated_at", UtcTime, nullable=False),
    one_of("kind", "funding_program", "service", "opportunity", "business", "organisation"),
)
Index("ix_records_identity", records.c.domain_no, records.c.kind, records.c.identity)
Index("ix_records_domain_no", records.c.domain_no, records.c.id)
Index("ix_records_kind", records.c.kind, records.c.id)

# A page that tells of a record, with what it says.
record_sources = Table(
    "record_sources",
    metadata,
    Column("record_id", Uuid, primary_key=True),
    Column("key", BigInteger, primary_key=True, autoincrement=False),  # of the page
    Column("domain_no", BigInteger, nullable=False),
    Column("snapshot_id", BigInteger, nullable=False),  # the version of the page that says so
    Column("fields", JSON(none_as_null=True), nullable=False),  # field -> value, source, quote
    Column("first_seen_at", UtcTime, nullable=False),
    Column("seen_at", UtcTime, nullable=False),
    Column("gone_at", UtcTime),  # since the page tells of it no more
)
Index("ix_record_sources_page", record_sources.c.domain_no, record_sources.c.key)

# What a site changed in a record: the value before and after, and the version that brought it.
record_changes = Table(
    "record_changes",
    metadata,
    Column("id", BigId, primary_key=True),
    Column("record_id", Uuid, nullable=False),
    Column("domain_no", BigInteger, nullable=False),
    Column("field", Text, nullable=False),
    Column("old", JSON(none_as_null=True)),
    Column("new", JSON(none_as_null=True)),
    Column("snapshot_id", BigInteger, nullable=False),
    Column("at", UtcTime, nullable=False),
)
Index("ix_record_changes_record_id", record_changes.c.record_id, record_changes.c.id)
Index("ix_record_changes_domain_no", record_changes.c.domain_no, record_changes.c.id)

# A page on which a contact stands.
contact_sources = Table(
    "contact_sources",
    metadata,
    Column("domain_no", BigInteger, primary_key=True, autoincrement=False),
    Column("key", BigInteger, primary_key=True, autoincrement=False),  # of the page
    Column("contact_id", BigInteger, primary_key=True, autoincrement=False),
    Column("snapshot_id", BigInteger, nullable=False),
    Column("seen_at", UtcTime, nullable=False),
    sqlite_with_rowid=False,
)
Index("ix_contact_sources_contact_id", contact_sources.c.contact_id)

# Domains that were crawled to their end, and what was found there is not judged yet.
crawl_ends = Table(
    "crawl_ends",
    metadata,
    Column("domain_no", BigInteger, primary_key=True, autoincrement=False),
    Column("ended_at", UtcTime, nullable=False),
)
