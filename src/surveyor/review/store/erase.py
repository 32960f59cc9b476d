"""Removes every row about a domain, in whichever table it is; what is kept is named here."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any, NamedTuple
from uuid import UUID

from sqlalchemy import ColumnElement, Table, and_, delete, exists, func, or_, select, union, update
from sqlalchemy.ext.asyncio import AsyncConnection

from surveyor.db.tables import (
    contact_sources,
    contacts,
    domains,
    events,
    image_sightings,
    image_urls,
    images,
    metadata,
    model_answers,
    page_snapshots,
    pages,
    provenance,
    record_changes,
    record_corrections,
    record_sources,
    records,
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
    first = (
        select(domains.c.domain, contacts.c.source_url)
        .join_from(contacts, domains, domains.c.no == contacts.c.domain_no)
        .where(_is_contact(value))
    )
    o, p = contact_sources.c, pages.c
    others = (
        select(domains.c.domain, p.target)
        .join_from(contact_sources, contacts, contacts.c.id == o.contact_id)
        .join(domains, domains.c.no == o.domain_no)
        .join(pages, and_(p.domain_no == o.domain_no, p.key == o.key))
        .where(_is_contact(value))
    )
    found = {(domain, url) for domain, url in await tx.execute(first)}
    found |= {(domain, f"https://{domain}{target}") for domain, target in await tx.execute(others)}
    return sorted(found)


async def erase_contact(tx: AsyncConnection, value: str) -> int:
    removed = await tx.execute(delete(contacts).where(_is_contact(value)).returning(contacts.c.id))
    ids = list(removed.scalars())
    await tx.execute(delete(contact_sources).where(contact_sources.c.contact_id.in_(ids)))
    return len(ids)


async def erase_snapshots(tx: AsyncConnection, domain: str, key: int) -> int:
    """The versions of one page, and what a model said of that site; the page itself stays known, so it is
    not taken for a new one."""
    no = select(domains.c.no).where(domains.c.domain == domain).scalar_subquery()
    mine = (page_snapshots.c.domain_no == no, page_snapshots.c.key == key)
    await tx.execute(delete(model_answers).where(model_answers.c.domain_no == no))
    removed = await tx.execute(delete(page_snapshots).where(*mine).returning(page_snapshots.c.id))
    return len(removed.all())


async def erase_from_records(tx: AsyncConnection, domain: str, key: int, value: str) -> None:
    """What records say in words that name this contact, of a page on which it was found."""
    no = select(domains.c.no).where(domains.c.domain == domain).scalar_subquery()
    o = record_sources.c
    query = select(o.record_id, o.fields).where(o.domain_no == no, o.key == key)
    for record_id, fields in (await tx.execute(query)).all():
        source = and_(o.record_id == record_id, o.key == key)
        await _erase_fields(tx, record_sources, source, fields, value)
        whole = records.c.id == record_id
        kept = (await tx.execute(select(records.c.fields).where(whole))).scalar_one_or_none()
        if kept is not None:
            await _erase_fields(tx, records, whole, kept, value)
        await _erase_changes(tx, record_id, value)


async def _erase_fields(
    tx: AsyncConnection, table: Table, row: ColumnElement[bool], fields: dict[str, Any], value: str
) -> None:
    left = {name: one for name, one in fields.items() if not _names(one, value)}
    if "name" not in left:
        await tx.execute(delete(table).where(row))
    elif len(left) < len(fields):
        await tx.execute(update(table).where(row).values(fields=left))


async def _erase_changes(tx: AsyncConnection, record_id: UUID, value: str) -> None:
    c = record_changes.c
    query = select(c.id, c.old, c.new).where(c.record_id == record_id)
    ids = [row.id for row in await tx.execute(query) if _names([row.old, row.new], value)]
    await tx.execute(delete(record_changes).where(c.id.in_(ids)))
    x = record_corrections.c
    said = select(x.id, x.value, x.before, x.said).where(x.record_id == record_id)
    ids = [row.id for row in await tx.execute(said) if _names([*row[1:]], value)]
    await tx.execute(delete(record_corrections).where(x.id.in_(ids)))


def _names(data: Any, value: str) -> bool:
    return value.casefold() in json.dumps(data, ensure_ascii=False).casefold()


def _is_contact(value: str) -> ColumnElement[bool]:
    return func.lower(contacts.c.value) == value.lower()
