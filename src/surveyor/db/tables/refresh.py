"""What refreshing knows of a domain as a whole. Pages carry their own dates and histories."""

from __future__ import annotations

from sqlalchemy import Column, ForeignKey, Table

from surveyor.db.tables.base import count, metadata
from surveyor.db.types import BigId, UtcTime

domain_refresh = Table(
    "domain_refresh",
    metadata,
    Column(
        "domain_no",
        BigId,
        ForeignKey("domains.no", ondelete="CASCADE"),
        primary_key=True,
        autoincrement=False,
    ),
    Column("exhausted_at", UtcTime),  # last crawled to its end; empty: not yet, or a person reset it
    # What its sitemaps said of changes, as visits found it.
    count("lastmod_right"),
    count("lastmod_wrong"),
    Column("questioned_at", UtcTime),  # last sent back to review because it seemed to be another's
)
