"""The one schema, the same in SQLite and PostgreSQL: each area's tables in a module of its own."""

from surveyor.db.tables.base import metadata
from surveyor.db.tables.crawl import (
    crawl_log,
    crawl_runs,
    page_links,
    page_snapshots,
    pages,
    robots,
    scrapy_requests,
    write_failures,
)
from surveyor.db.tables.discover import (
    discovery_sessions,
    provider_suspensions,
    provider_usage,
    search_results,
    spam_verdicts,
)
from surveyor.db.tables.extract import (
    contact_sources,
    crawl_ends,
    model_answers,
    model_rests,
    model_usage,
    record_changes,
    record_corrections,
    record_sources,
    records,
)
from surveyor.db.tables.images import (
    asset_hosts,
    image_sightings,
    image_urls,
    images,
    provenance,
)
from surveyor.db.tables.judge import (
    candidates,
    contacts,
)
from surveyor.db.tables.notify import followers, outbox
from surveyor.db.tables.operations import jobs, parts
from surveyor.db.tables.refresh import domain_refresh
from surveyor.db.tables.register import (
    domain_aliases,
    domain_crawl,
    domains,
    events,
    register,
    workers,
)
from surveyor.db.tables.review import (
    api_tokens,
    event_feed,
    listener_cursors,
    saved_items,
    tries,
    users,
    web_sessions,
)

__all__ = [
    "api_tokens",
    "asset_hosts",
    "candidates",
    "contact_sources",
    "contacts",
    "crawl_ends",
    "crawl_log",
    "crawl_runs",
    "discovery_sessions",
    "domain_aliases",
    "domain_crawl",
    "domain_refresh",
    "domains",
    "event_feed",
    "events",
    "followers",
    "image_sightings",
    "image_urls",
    "images",
    "jobs",
    "listener_cursors",
    "metadata",
    "model_answers",
    "model_rests",
    "model_usage",
    "outbox",
    "page_links",
    "page_snapshots",
    "pages",
    "parts",
    "provenance",
    "provider_suspensions",
    "provider_usage",
    "record_changes",
    "record_corrections",
    "record_sources",
    "records",
    "register",
    "robots",
    "saved_items",
    "scrapy_requests",
    "search_results",
    "spam_verdicts",
    "tries",
    "users",
    "web_sessions",
    "workers",
    "write_failures",
]
