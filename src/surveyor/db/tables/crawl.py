"""Tables of the crawl: one row per URL, per fetch, per version of a page.

They have no foreign key to `domains`: a check per row would cost more than the row,
and only whoever holds a domain's lease writes here. `db check` looks for strays.
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
    SmallInteger,
    Table,
    Text,
    UniqueConstraint,
    Uuid,
    text,
)

from surveyor.db.tables.base import confidence, count, metadata, one_of, partial
from surveyor.db.types import BigId, UtcTime

# URLs and the SQL frontier: a URL that is known and a URL that waits are the same row.
pages = Table(
    "pages",
    metadata,
    Column("domain_no", BigInteger, primary_key=True, autoincrement=False),
    Column("key", BigInteger, primary_key=True, autoincrement=False),  # hash of path and query
    Column("target", Text, nullable=False),  # path and query; scheme and www belong to the domain
    Column("state", Text, nullable=False),
    # What it is taken for: 0 a page, 1 to 3 a sitemap and how many sitemaps lead to it, 4 a feed.
    Column("kind", SmallInteger, nullable=False, server_default=text("0")),
    Column("reason", Text),
    Column("depth", SmallInteger, nullable=False),
    Column("rank", SmallInteger, nullable=False),  # lower first, among those that wait and those that are due
    Column("seq", BigInteger, nullable=False),  # order of discovery
    Column("attempts", SmallInteger, nullable=False, server_default=text("0")),
    # 0: nothing against it. n: in flight when its process died, and n - 1 times fetched alone since.
    Column("suspect", SmallInteger, nullable=False, server_default=text("0")),
    Column("taken_epoch", BigInteger),
    Column("found_on", BigInteger),
    Column("status", SmallInteger),
    Column("etag", Text),
    Column("last_modified", Text),
    Column("content_hash", LargeBinary),
    Column("fetched_at", UtcTime),
    Column("next_visit_at", UtcTime),
    Column("history", LargeBinary),  # what past visits showed, in a few bytes
    one_of("state", "waiting", "taken", "done", "ended"),
    CheckConstraint("kind BETWEEN 0 AND 4", name="kind_known"),
    CheckConstraint("state <> 'taken' OR taken_epoch IS NOT NULL", name="taken_names_its_epoch"),
    CheckConstraint("state <> 'ended' OR reason IS NOT NULL", name="ended_has_a_reason"),
    sqlite_with_rowid=False,
)
partial(
    "ix_pages_waiting",
    pages.c.domain_no,
    pages.c.rank,
    pages.c.depth,
    pages.c.seq,
    where="state = 'waiting'",
)
partial("ix_pages_taken", pages.c.domain_no, where="state = 'taken'")
partial(
    "ix_pages_next_visit",
    pages.c.domain_no,
    pages.c.rank,
    pages.c.next_visit_at,
    where="next_visit_at IS NOT NULL",
)

# Links of a fetched page, compressed: for export, for discovery, for rebuilding a lost frontier.
page_links = Table(
    "page_links",
    metadata,
    Column("domain_no", BigInteger, primary_key=True, autoincrement=False),
    Column("key", BigInteger, primary_key=True, autoincrement=False),
    Column("links", LargeBinary, nullable=False),
    sqlite_with_rowid=False,
)

# What a request of another crawler carries beside its URL (callback, headers, meta), as JSON; only where it
# is more than the URL says. They stay with the page, for a recrawl.
scrapy_requests = Table(
    "scrapy_requests",
    metadata,
    Column("domain_no", BigInteger, primary_key=True, autoincrement=False),
    Column("key", BigInteger, primary_key=True, autoincrement=False),
    Column("request", Text, nullable=False),
    sqlite_with_rowid=False,
)

page_snapshots = Table(
    "page_snapshots",
    metadata,
    Column("id", BigId, primary_key=True),
    Column("domain_no", BigInteger, nullable=False),
    Column("key", BigInteger, nullable=False),
    Column("content_hash", LargeBinary, nullable=False),
    Column("first_seen_at", UtcTime, nullable=False),
    Column("last_seen_at", UtcTime, nullable=False),
    Column("content_type", Text),
    Column("bytes", Integer, nullable=False),
    Column("title", Text),
    Column("archive", Text),  # where the raw response lies: file:offset:length
    # the compressed body, where there is no archive, until it was extracted
    Column("body", LargeBinary),
    # extraction: how far it is with this version
    Column("extract_state", Text, nullable=False, server_default="waiting"),
    Column("extract_tries", SmallInteger, nullable=False, server_default=text("0")),
    Column("extract_by", Text),
    Column("extract_until", UtcTime),
    Column("extract_error", Text),
    Column("extractor_version", Text),  # the rules and the profile it was read with
    Column("extracted_at", UtcTime),
    Column("unchanged_since", BigInteger),  # the version before that says the same
    # what was read
    Column("description", Text),
    Column("language", Text),
    Column("markdown", LargeBinary),  # of the main content, compressed
    Column("text_hash", BigInteger),
    Column("simhash", BigInteger),
    Column("links", Integer),
    Column("images", Integer),
    confidence("relevance"),
    Column("is_relevant", Boolean),
    Column("reasons", JSON(none_as_null=True)),
    UniqueConstraint("domain_no", "key", "content_hash"),
    one_of("extract_state", "waiting", "taken", "done", "unchanged", "quarantined"),
    CheckConstraint(
        "extract_state <> 'taken' OR (extract_by IS NOT NULL AND extract_until IS NOT NULL)",
        name="taken_names_its_reader",
    ),
    CheckConstraint(
        "extract_state <> 'unchanged' OR unchanged_since IS NOT NULL", name="unchanged_says_since_which"
    ),
    CheckConstraint(
        "extract_state <> 'quarantined' OR extract_error IS NOT NULL", name="quarantined_says_why"
    ),
)
# What is to be read next, and whether anything of a domain is. Rows that are read leave both.
partial(
    "ix_page_snapshots_waiting",
    page_snapshots.c.domain_no,
    page_snapshots.c.id,
    where="extract_state = 'waiting'",
)
partial("ix_page_snapshots_taken", page_snapshots.c.extract_by, where="extract_state = 'taken'")
partial(
    "ix_page_snapshots_quarantined",
    page_snapshots.c.domain_no,
    page_snapshots.c.id,
    where="extract_state = 'quarantined'",
)

# URLs of which something came that no row can hold: how often, and what the database said.
write_failures = Table(
    "write_failures",
    metadata,
    Column("domain_no", BigInteger, primary_key=True, autoincrement=False),
    Column("kind", Text, primary_key=True),
    Column("key", BigInteger, primary_key=True, autoincrement=False),
    Column("tries", SmallInteger, nullable=False),
    Column("error", Text, nullable=False),
    Column("failed_at", UtcTime, nullable=False),
    one_of("kind", "page", "image"),
)

crawl_runs = Table(
    "crawl_runs",
    metadata,
    Column("id", Uuid, primary_key=True),
    Column("day", Text, unique=True),  # of continuous workers, which share the run of the UTC day
    Column("started_at", UtcTime, nullable=False),
    Column("ended_at", UtcTime),
    Column("started_by", Text, nullable=False),
    Column("max_pages", Integer),
    Column("share", Integer),  # pages each domain may have in the present round
    count("pages_reserved"),
    count("pages", BigInteger),
    count("bytes", BigInteger),
    count("errors", BigInteger),
    Column("stopped_by", Text),
    Column("options", JSON(none_as_null=True)),
    CheckConstraint("max_pages IS NULL OR pages_reserved <= max_pages", name="budget_kept"),
)
Index("ix_crawl_runs_started_at", crawl_runs.c.started_at)

crawl_log = Table(
    "crawl_log",
    metadata,
    Column("id", BigId, primary_key=True),
    Column("run_id", Uuid, nullable=False),
    Column("domain_no", BigInteger, nullable=False),
    Column("url", Text, nullable=False),
    Column("status", SmallInteger),
    Column("reason", Text),
    Column("bytes", Integer, nullable=False),
    Column("ms", Integer, nullable=False),
    count("images_found"),
    Column("fetched_at", UtcTime, nullable=False),
    Column("lease_epoch", BigInteger, nullable=False),
)
Index("ix_crawl_log_domain_no", crawl_log.c.domain_no, crawl_log.c.id)

robots = Table(
    "robots",
    metadata,
    Column("origin", Text, primary_key=True),
    Column("verdict", Text, nullable=False),
    Column("status", Integer, nullable=False),
    Column("reason", Text, nullable=False),
    Column("fetched_at", UtcTime, nullable=False),
    Column("expires_at", UtcTime, nullable=False),
    Column("body_hash", Text, nullable=False),
    Column("body", LargeBinary, nullable=False),
)
