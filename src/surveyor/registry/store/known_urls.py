"""URLs, requests and images of a domain that is joined with another: what is known goes along.

What waits does not: it may wait in Redis, and the next crawl finds it again.
"""

from __future__ import annotations

from typing import Final

from sqlalchemy import Table, and_, delete, exists, update
from sqlalchemy.ext.asyncio import AsyncConnection

from surveyor.db.tables import (
    asset_hosts,
    crawl_log,
    followers,
    image_sightings,
    image_urls,
    page_links,
    pages,
    provenance,
    scrapy_requests,
    write_failures,
)

# Tables with what tells two rows of one domain apart; of what both have, the kept domain's row stays.
_TABLES: Final[tuple[tuple[Table, tuple[str, ...]], ...]] = (
    (pages, ("key",)),
    (page_links, ("key",)),
    (scrapy_requests, ("key",)),
    (image_urls, ("key",)),
    (image_sightings, ("key", "page_no", "page_key")),
    (provenance, ("image_id", "page_key", "discovery_type")),
    (asset_hosts, ("host_no",)),
    (write_failures, ("kind", "key")),
    (followers, ("address",)),
)


async def move(tx: AsyncConnection, source: int, target: int) -> None:
    for table in (pages, image_urls):
        await tx.execute(
            delete(table).where(table.c.domain_no == source, table.c.state.in_(("waiting", "taken")))
        )
    for table, keys in _TABLES:
        await _move(tx, table, keys, source, target)
    await tx.execute(update(crawl_log).where(crawl_log.c.domain_no == source).values(domain_no=target))


async def _move(tx: AsyncConnection, table: Table, keys: tuple[str, ...], source: int, target: int) -> None:
    mine, other = table.c, table.alias().c
    same = exists().where(other.domain_no == target, and_(*(other[key] == mine[key] for key in keys)))
    await tx.execute(update(table).where(mine.domain_no == source, ~same).values(domain_no=target))
    await tx.execute(delete(table).where(mine.domain_no == source))
