"""Erasing what is known of a domain or a contact whose owner does not want to be here.

First the domain is blacklisted, so that nothing new comes in; then the archive is overwritten and
the rows are removed, table by table. Each step can be repeated: if one fails, forget again. What
stays is a tombstone: the name, the reason `opt_out`, and the events with who did what. Of a contact
the hash stays, so that it is not taken in again.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from sqlalchemy.ext.asyncio import AsyncConnection

from surveyor.archive import BlobStore
from surveyor.archive.erase import erase_where
from surveyor.db import Database
from surveyor.errors import NotADomain, NotAUrl, Refused, UsageError
from surveyor.frontier.protocol import Frontier
from surveyor.names import NameRules, parse_url, url_key
from surveyor.registry.actors import Actor, Role
from surveyor.registry.domain import Domain, SubmitterType
from surveyor.registry.events import EventKind, NewEvent
from surveyor.registry.lifecycle import QualityStatus
from surveyor.registry.store import aliases, changes, events, forgotten, register, rows
from surveyor.registry.store.register import NewDomain, Origin
from surveyor.review.store import domains as store
from surveyor.review.store import erase

REASON = "opt_out"
_MOST_NAMES = 10_000  # of one domain; each was merged by hand
# Where the archive keeps images, within its folder.
_IMAGES = "images"


@dataclass(frozen=True, slots=True)
class Forgotten:
    """What was removed. `was_crawled`: a worker had claimed it; what it wrote since needs a second time."""

    domain: str
    rows: dict[str, int]
    archive_records: int
    images: int
    was_crawled: bool


async def forget_domain(
    db: Database, frontier: Frontier, archive: Path, rules: NameRules, name: str, by: Actor
) -> Forgotten:
    """Erase a domain; one that is not known is kept out from now on."""
    _check_role(by)
    domain = await _bury(db, name, by)
    async with db.write() as tx:
        await frontier.drop(tx, domain.no)
    names = await _names(db, domain)
    records = await _erase_archive(archive, lambda url: _domain_in(url, rules) in names)
    images = await _erase_images(db, archive, domain.no)
    removed: dict[str, int] = {}
    for table in erase.tables():  # a transaction each: a large site must not hold up everybody
        async with db.write() as tx:
            removed[table.name] = await erase.erase(tx, table, domain.no)
    kept = {table: count for table, count in removed.items() if count}
    async with db.write() as tx:
        for one in names:
            await erase.erase_robots(tx, one)
        await store.clear_texts(tx, domain.no)
        await erase.erase_sightings(tx, domain.no)
        data = {"rows": kept, "archive_records": records, "images": images}
        event = NewEvent(EventKind.DOMAIN_FORGOTTEN, by.name, domain.no, reason=REASON, data=data)
        await events.append(tx, [event])
    return Forgotten(name, kept, records, images, domain.has_live_lease)


async def _names(db: Database, domain: Domain) -> set[str]:
    """The domain's own name, and those that were merged into it."""
    async with db.read() as tx:
        return {domain.domain, *await aliases.names_of(tx, domain.no, _MOST_NAMES)}


async def _bury(db: Database, name: str, by: Actor) -> Domain:
    """Blacklist it for this reason; returns it as it was before."""
    async with db.write() as tx:
        await _known(tx, name, by)
        no = await rows.find_no(tx, name)
        domain = await rows.get(tx, no)
        if domain.quality_status is QualityStatus.BLACKLISTED:
            if domain.blacklist_reason == REASON:
                return domain
            await changes.advance_quality(tx, no, QualityStatus.DISCOVERED, by, reason=REASON)
        await changes.advance_quality(tx, no, QualityStatus.BLACKLISTED, by, reason=REASON)
        return domain


async def _known(tx: AsyncConnection, name: str, by: Actor) -> None:
    await register.add_batch(tx, [NewDomain(name)], Origin(REASON, SubmitterType.ADMIN, by.name))


async def _erase_images(db: Database, archive: Path, no: int) -> int:
    """Files first: as long as a row is there, a second try finds what the first one left."""
    async with db.read() as tx:
        found = await erase.images_of(tx, no)
    store = BlobStore(archive / _IMAGES)
    for image in found:
        await asyncio.to_thread(store.remove, image.file)
    if found:
        async with db.write() as tx:
            await erase.erase_images(tx, [image.id for image in found])
    return len(found)


@dataclass(frozen=True, slots=True)
class ForgottenContact:
    contacts: int
    snapshots: int
    archive_records: int


async def forget_contact(
    db: Database, archive: Path, rules: NameRules, value: str, by: Actor
) -> ForgottenContact:
    """Erase a contact everywhere, with what was archived of the pages on which it was found."""
    _check_role(by)
    value = value.strip()
    if not value:
        raise UsageError("name the contact as it was found: an address, a number, a name")
    async with db.write() as tx:
        await forgotten.add_contact(db, tx, value)
        found = await erase.pages_with_contact(tx, value)
    pages = {(domain, parse_url(url, rules=rules).target) for domain, url in found}
    records = 0
    if pages:
        records = await _erase_archive(archive, lambda url: _page_in(url, rules) in pages)
    async with db.write() as tx:
        snapshots = 0
        for domain, target in sorted(pages):
            snapshots += await erase.erase_snapshots(tx, domain, url_key(target))
            await erase.erase_from_records(tx, domain, url_key(target), value)
        count = await erase.erase_contact(tx, value)
        data = {"contacts": count, "snapshots": snapshots, "archive_records": records}
        event = NewEvent(EventKind.CONTACT_FORGOTTEN, by.name, reason=REASON, data=data)
        await events.append(tx, [event])
    return ForgottenContact(count, snapshots, records)


def _check_role(by: Actor) -> None:
    if by.role is not Role.ADMIN:
        raise Refused(f"only an admin forgets; {by.name} is a {by.role}")


async def _erase_archive(folder: Path, is_wanted: Callable[[str], bool]) -> int:
    return await asyncio.to_thread(lambda: sum(count for _, count in erase_where(folder, is_wanted)))


def _page_in(url: str, rules: NameRules) -> tuple[str, str] | None:
    try:
        parsed = parse_url(url, rules=rules)
    except (NotADomain, NotAUrl):
        return None
    return parsed.domain, parsed.target


def _domain_in(url: str, rules: NameRules) -> str | None:
    found = _page_in(url, rules)
    return found[0] if found else None
