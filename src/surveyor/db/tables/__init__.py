"""The one schema, the same in SQLite and PostgreSQL: `register` for domains, `crawl` for URLs, `images`."""

from surveyor.db.tables.base import metadata
from surveyor.db.tables.crawl import (
    crawl_log,
    crawl_runs,
    page_links,
    page_snapshots,
    pages,
    robots,
)
from surveyor.db.tables.images import asset_hosts, image_sightings, image_urls, images, provenance
from surveyor.db.tables.register import domain_crawl, domains, events, register, workers

__all__ = [
    "asset_hosts",
    "crawl_log",
    "crawl_runs",
    "domain_crawl",
    "domains",
    "events",
    "image_sightings",
    "image_urls",
    "images",
    "metadata",
    "page_links",
    "page_snapshots",
    "pages",
    "provenance",
    "register",
    "robots",
    "workers",
]
