"""Tables of extraction: records with where each was read, what changed in them, where contacts were read;
the language model's books: what it was asked, what that cost, and until when it is left alone.

Like the tables of the crawl these have no foreign keys. Only whoever holds the lock on a domain's row in
`domain_crawl` writes its records and sources, so that two readers of one site never make one thing two.
"""

from __future__ import annotations

from sqlalchemy import (
    JSON,
    BigInteger,
    Boolean,
    CheckConstraint,
    Column,
    Index,
    Integer,
    LargeBinary,
    Table,
    Text,
    Uuid,
    false,
)

from surveyor.db.tables.base import count, metadata, partial
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
    # Which kinds there are is for the code to say: packages bring more.
    CheckConstraint("length(kind) BETWEEN 1 AND 40", name="kind_named"),
)
Index("ix_records_identity", records.c.domain_no, records.c.kind, records.c.identity)
Index("ix_records_domain_no", records.c.domain_no, records.c.id)
Index("ix_records_kind", records.c.kind, records.c.id)
# What everybody is given, and what is no more: lists and counts of either meet no others.
GIVEN = "published AND gone_at IS NULL"
GONE = "gone_at IS NOT NULL"
partial("ix_records_given", records.c.id, where=GIVEN)
partial("ix_records_kind_given", records.c.kind, records.c.id, where=GIVEN)
partial("ix_records_gone", records.c.id, where=GONE)

# What people put right in a record: a field with another value or hidden; with no field, the whole record.
record_corrections = Table(
    "record_corrections",
    metadata,
    Column("id", BigId, primary_key=True),
    Column("record_id", Uuid, nullable=False),
    Column("domain_no", BigInteger, nullable=False),
    Column("field", Text, nullable=False),
    Column("value", JSON(none_as_null=True)),
    Column("hidden", Boolean, nullable=False, server_default=false()),
    Column("merged_into", Uuid),  # the record that is the same thing
    Column("before", JSON(none_as_null=True)),  # what the pages said when it was corrected
    Column("said", JSON(none_as_null=True)),  # the field as the pages have it now
    Column("made_by", Text, nullable=False),
    Column("reason", Text),
    Column("at", UtcTime, nullable=False),
    Column("ended_at", UtcTime),  # corrected again, or taken back
    Column("ended_by", Text),
    CheckConstraint("(ended_at IS NULL) = (ended_by IS NULL)", name="end_is_whole"),
)
Index("ix_record_corrections_domain_no", record_corrections.c.domain_no)
Index("ix_record_corrections_record_id", record_corrections.c.record_id, record_corrections.c.id)
partial(
    "uq_record_corrections_active",
    record_corrections.c.record_id,
    record_corrections.c.field,
    where="ended_at IS NULL",
    unique=True,
)

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

# What a language model said of a content; a row is there before the question is asked.
model_answers = Table(
    "model_answers",
    metadata,
    Column("content_hash", LargeBinary, primary_key=True),  # of what was sent of the page
    Column("model", Text, primary_key=True),
    Column("prompt", Text, primary_key=True),  # version of the question
    Column("domain_no", BigInteger, nullable=False),  # on whose page it was asked first
    Column("asked_at", UtcTime, nullable=False),
    Column("until", UtcTime),  # a worker waits for the answer, until then at most
    Column("answer", JSON(none_as_null=True)),  # records as it gave them, within the schema
    Column("why", Text),  # there is none that could be used
    CheckConstraint("until IS NULL OR (answer IS NULL AND why IS NULL)", name="asked_or_answered"),
    CheckConstraint("until IS NOT NULL OR (answer IS NULL) <> (why IS NULL)", name="answer_or_reason"),
)
Index("ix_model_answers_domain_no", model_answers.c.domain_no)

# What all workers together asked of language models on a UTC day.
model_usage = Table(
    "model_usage",
    metadata,
    Column("day", Text, primary_key=True),
    count("requests"),
    count("tokens", BigInteger),
    CheckConstraint("requests >= 0 AND tokens >= 0", name="not_negative"),
)

# An endpoint that failed and is left alone for a while; kept when that is over, for failures in a row.
model_rests = Table(
    "model_rests",
    metadata,
    Column("account", Text, primary_key=True),  # tells address, model and key from others
    Column("trouble", Text, nullable=False),
    Column("detail", Text, nullable=False),
    Column("until", UtcTime, nullable=False),
    Column("strikes", Integer, nullable=False),
)
