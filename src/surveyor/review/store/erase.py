"""Removes every row about a domain, in whichever table it is; what is kept is named here."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from sqlalchemy import ColumnElement, Table, delete, exists, func, or_, select, union, update
from sqlalchemy.ext.asyncio import AsyncConnection

from surveyor.db.tables import (
    contacts,
    domains,
    events,
    image_sightings,
    image_urls,
    images,
    metadata,
    page_snapshots,
    provenance,
    robots,
)

# What was decided and done stays known: without names of pages, texts or contacts. A table that
# names a domain by its number and is not here is emptied of it, also one that is added later.
_KEPT = (events,)


def tables() -> list[Table]:
    """Tables with rows about a domain, those that refer to others first."""
    return [
        table for table in reversed(metadata.sorted_tables) if "domain_no" in table.c and table not in _KEPT
    ]


async def erase(tx: AsyncConnection, table: Table, no: int) -> int:
    """Remove the domain's rows of one table; returns how many."""
    mine = table.c.domain_no == no
    count = (await tx.execute(select(func.count()).select_from(table).where(mine))).scalar_one()
    await tx.execute(delete(table).where(mine))
    return int(count)


async def erase_robots(tx: AsyncConnection, domain: str) -> None:
    origins = [f"{scheme}://{www}{domain}" for scheme in ("http", "https") for www in ("", "www.")]
    await tx.execute(delete(robots).where(robots.c.origin.in_(origins)))


# --- images


class StoredImage(NamedTuple):
    id: int
    file: str


async def images_of(tx: AsyncConnection, no: int) -> list[StoredImage]:
    """Images that came from this host or were seen on its pages, and that nobody else has or shows."""
    from_host = select(image_urls.c.image_id).where(
        image_urls.c.domain_no == no, image_urls.c.image_id.is_not(None)
    )
    on_pages = select(provenance.c.image_id).where(provenance.c.domain_no == no)
    another_has = exists().where(image_urls.c.image_id == images.c.id, image_urls.c.domain_no != no)
    another_shows = exists().where(provenance.c.image_id == images.c.id, provenance.c.domain_no != no)
    query = select(images.c.id, images.c.file).where(
        images.c.id.in_(union(from_host, on_pages)), or_(~another_has, ~another_shows)
    )
    return [StoredImage(*row) for row in await tx.execute(query)]


async def erase_images(tx: AsyncConnection, ids: Sequence[int]) -> None:
    """Remove images with every row that names them; URLs that showed one are known and show nothing."""
    await tx.execute(delete(provenance).where(provenance.c.image_id.in_(ids)))
    await tx.execute(update(image_urls).where(image_urls.c.image_id.in_(ids)).values(image_id=None))
    await tx.execute(delete(images).where(images.c.id.in_(ids)))


async def erase_sightings(tx: AsyncConnection, no: int) -> None:
    """What its pages showed of other hosts."""
    await tx.execute(delete(image_sightings).where(image_sightings.c.page_no == no))


# --- contacts


async def pages_with_contact(tx: AsyncConnection, value: str) -> list[tuple[str, str]]:
    """Domain and URL of every page on which this contact was found."""
    query = (
        select(domains.c.domain, contacts.c.source_url)
        .join_from(contacts, domains, domains.c.no == contacts.c.domain_no)
        .where(_is_contact(value))
    )
    return [(domain, url) for domain, url in await tx.execute(query)]


async def erase_contact(tx: AsyncConnection, value: str) -> int:
    removed = await tx.execute(delete(contacts).where(_is_contact(value)).returning(contacts.c.id))
    return len(removed.all())


async def erase_snapshots(tx: AsyncConnection, domain: str, key: int) -> int:
    """The versions of one page; the page itself stays known, so it is not taken for a new one."""
    no = select(domains.c.no).where(domains.c.domain == domain).scalar_subquery()
    mine = (page_snapshots.c.domain_no == no, page_snapshots.c.key == key)
    removed = await tx.execute(delete(page_snapshots).where(*mine).returning(page_snapshots.c.id))
    return len(removed.all())


def _is_contact(value: str) -> ColumnElement[bool]:
    return func.lower(contacts.c.value) == value.lower()
