"""The one schema, the same in SQLite and PostgreSQL: `register` for domains, `crawl` for URLs."""

from surveyor.db.tables.base import metadata
from surveyor.db.tables.crawl import (
    crawl_log,
    crawl_runs,
    page_links,
    page_snapshots,
    pages,
    robots,
)
from surveyor.db.tables.register import domain_crawl, domains, events, register, workers

__all__ = [
    "crawl_log",
    "crawl_runs",
    "domain_crawl",
    "domains",
    "events",
    "metadata",
    "page_links",
    "page_snapshots",
    "pages",
    "register",
    "robots",
    "workers",
]
