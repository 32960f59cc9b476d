"""Tables of images: what was stored, where it was seen, their URLs, and the hosts that have them.

An image is its content: two URLs with the same bytes are one row in `images`. The URLs of
images have a queue of their own beside `pages`, because images are no pages: no budget of
pages, no depth and no link leads to them, and any domain's crawl may add to any host's. Like
the tables of the crawl these have no foreign keys. Only whoever holds the lock on a host's row in
`domain_crawl` writes that host's URLs and sightings.
"""

from __future__ import annotations

from sqlalchemy import (
    BigInteger,
    CheckConstraint,
    Column,
    Index,
    Integer,
    LargeBinary,
    SmallInteger,
    Table,
    Text,
    text,
)

from surveyor.db.tables.base import metadata, one_of, partial
from surveyor.db.types import BigId, UtcTime

images = Table(
    "images",
    metadata,
    Column("id", BigId, primary_key=True),
    Column("sha256", LargeBinary, nullable=False, unique=True),
    Column("dhash", BigInteger, nullable=False),  # 64 bits, signed
    Column("width", Integer, nullable=False),
    Column("height", Integer, nullable=False),
    Column("format", Text, nullable=False),
    Column("bytes", Integer, nullable=False),
    Column("file", Text, nullable=False),  # its name within the archive's folder of images
    # What was said about rights when it was fetched: by the image itself, then by the answer's headers.
    Column("copyright", Text),
    Column("creator", Text),
    Column("licence", Text),
    Column("data_mining", Text),
    Column("signals", Text),
    Column("first_seen_at", UtcTime, nullable=False),
    Column("last_seen_at", UtcTime, nullable=False),
)

# A URL of an image on its own host: known, waiting, taken, stored or refused, all the same row.
image_urls = Table(
    "image_urls",
    metadata,
    Column("domain_no", BigInteger, primary_key=True, autoincrement=False),
    Column("key", BigInteger, primary_key=True, autoincrement=False),  # hash of path and query
    Column("target", Text, nullable=False),
    Column("state", Text, nullable=False),
    Column("reason", Text),
    Column("detail", Text),  # what a person should know beside the reason
    Column("hops", SmallInteger, nullable=False, server_default=text("0")),  # redirects that led here
    Column("attempts", SmallInteger, nullable=False, server_default=text("0")),
    Column("taken_epoch", BigInteger),
    Column("status", SmallInteger),
    Column("etag", Text),
    Column("last_modified", Text),
    Column("image_id", BigInteger),  # what it showed last
    Column("fetched_at", UtcTime),
    one_of("state", "waiting", "taken", "done", "ended"),
    CheckConstraint("state <> 'taken' OR taken_epoch IS NOT NULL", name="taken_names_its_epoch"),
    CheckConstraint("state <> 'ended' OR reason IS NOT NULL", name="ended_has_a_reason"),
    sqlite_with_rowid=False,
)
# What failed before waits behind what did not.
partial(
    "ix_image_urls_waiting",
    image_urls.c.domain_no,
    image_urls.c.attempts,
    image_urls.c.key,
    where="state = 'waiting'",
)
partial("ix_image_urls_taken", image_urls.c.domain_no, where="state = 'taken'")

# A URL of an image and a page that shows it. It outlives every fetch: when the URL shows another image
# one day, that image was seen on all these pages.
image_sightings = Table(
    "image_sightings",
    metadata,
    Column("domain_no", BigInteger, primary_key=True, autoincrement=False),  # of the image's host
    Column("key", BigInteger, primary_key=True, autoincrement=False),
    Column("page_no", BigInteger, primary_key=True, autoincrement=False),
    Column("page_key", BigInteger, primary_key=True, autoincrement=False),
    Column("discovery_type", Text, nullable=False),
    Column("alt", Text, nullable=False),
    Column("seen_at", UtcTime, nullable=False),
    one_of("discovery_type", "discovery", "refresh"),
    sqlite_with_rowid=False,
)

# An image that is stored and a page that showed it.
provenance = Table(
    "provenance",
    metadata,
    Column("image_id", BigInteger, primary_key=True, autoincrement=False),
    Column("domain_no", BigInteger, primary_key=True, autoincrement=False),  # of the page
    Column("page_key", BigInteger, primary_key=True, autoincrement=False),
    # The page's first visit, or later ones; of those the latest counts.
    Column("discovery_type", Text, primary_key=True),
    Column("url", Text, nullable=False),  # of the image
    Column("alt", Text, nullable=False),
    Column("seen_at", UtcTime, nullable=False),
    one_of("discovery_type", "discovery", "refresh"),
    sqlite_with_rowid=False,
)
Index("ix_provenance_page", provenance.c.domain_no, provenance.c.page_key)

# Hosts that a domain's pages show images of.
asset_hosts = Table(
    "asset_hosts",
    metadata,
    Column("domain_no", BigInteger, primary_key=True, autoincrement=False),
    Column("host_no", BigInteger, primary_key=True, autoincrement=False),
    Column("first_seen_at", UtcTime, nullable=False),
    # Since when the host is approved along with this domain, for images only; empty: it is not.
    Column("approved_at", UtcTime),
    sqlite_with_rowid=False,
)
Index("ix_asset_hosts_host_no", asset_hosts.c.host_no)
