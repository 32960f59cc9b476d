"""Records with the page each was named on, and contacts; what somebody asked to be forgotten is left out.

Forgetting erases at once. A worker that held the page at that moment may write it once more, and a second
`forget` removes that; whatever is in the tables, an export does not give it away.
"""

from __future__ import annotations

from collections.abc import AsyncIterator, Sequence, Set
from dataclasses import replace
from typing import Any

from sqlalchemy import func, or_, select, tuple_
from sqlalchemy.ext.asyncio import AsyncConnection

from surveyor.db.paging import paged
from surveyor.db.tables import contact_sources, contacts, domains, pages, records
from surveyor.export.values import Row, Wanted
from surveyor.extract.queries import RecordFilter, RecordRow, record_json
from surveyor.extract.store.queries import address, fitting, select_records
from surveyor.registry.store import forgotten
from surveyor.registry.store.records import shown_of

_r, _k, _d, _p = records.c, contacts.c, domains.c, pages.c
# Rows at once: a record with its quotes has some kilobytes.
_STEP = 500
# Fields that may be what somebody wants to be forgotten.
_PERSONAL = ("name", "email", "phone")

Sources = dict[tuple[int, int], str]
"""The address of a page by the number of its domain and its key."""


async def record_rows(tx: AsyncConnection, wanted: Wanted) -> AsyncIterator[list[Row]]:
    """As `records --json` shows them, and the address of the page that names each."""
    chosen = RecordFilter(wanted.domain_no, unpublished=wanted.everything, gone=wanted.everything)
    query = select_records().where(*fitting(chosen))
    if wanted.since is not None:
        query = query.where(_r.updated_at >= wanted.since)
    async for some in paged(tx, query, [_r.id], _STEP):
        yield await export_rows(tx, [RecordRow(*row) for row in some])


async def export_rows(tx: AsyncConnection, found: list[RecordRow]) -> list[Row]:
    """These records as they are given out."""
    kept = await _remembered(tx, found)
    sources = await _sources(tx, kept)
    return [record_json(one) | {"source_url": sources.get(_page_of(one))} for one in kept]


def _page_of(record: RecordRow) -> tuple[int, int]:
    return record.domain_no, record.fields["name"].get("key", 0)


async def _sources(tx: AsyncConnection, found: Sequence[RecordRow]) -> Sources:
    query = (
        select(_p.domain_no, _p.key, _d.domain, _d.start_url, _p.target)
        .join_from(pages, domains, _d.no == _p.domain_no)
        .where(tuple_(_p.domain_no, _p.key).in_({_page_of(one) for one in found}))
    )
    return {(row[0], row[1]): address(*row[2:]) for row in await tx.execute(query)}


async def _remembered(tx: AsyncConnection, found: list[RecordRow]) -> list[RecordRow]:
    """The records without what was forgotten; one whose name was is left out."""
    personal = {str(one.values[name]) for one in found for name in _PERSONAL if name in one.values}
    unwanted = {text.casefold() for text in await forgotten.contacts_among(tx, personal)}
    return [kept for one in found if (kept := _without(one, unwanted))] if unwanted else found


def _without(record: RecordRow, unwanted: Set[str]) -> RecordRow | None:
    fields = {name: one for name, one in record.fields.items() if not _says(one, unwanted)}
    return replace(record, fields=fields) if "name" in fields else None


def _says(field: dict[str, Any], unwanted: Set[str]) -> bool:
    said = f"{field['value']} {field.get('quote', '')}".casefold()
    return any(text in said for text in unwanted)


_CONTACT = ("kind", "value", "name", "role", "source_url", "source", "quote", "confidence")
_SEEN = ("found_at", "last_seen_at", "gone_at")


async def contact_rows(tx: AsyncConnection, wanted: Wanted) -> AsyncIterator[list[Row]]:
    stands = select(func.count()).where(contact_sources.c.contact_id == _k.id).scalar_subquery()
    columns = (_k.id, _d.domain, _k.candidate_id, *(_k[name] for name in (*_CONTACT, *_SEEN)))
    query = select(*columns, stands.label("pages")).join_from(contacts, domains, _d.no == _k.domain_no)
    if wanted.domain_no is not None:
        query = query.where(_k.domain_no == wanted.domain_no)
    if not wanted.everything:
        query = query.where(_k.gone_at.is_(None), shown_of(_k.domain_no))
    if wanted.since is not None:
        query = query.where(or_(_k.found_at >= wanted.since, _k.gone_at >= wanted.since))
    async for some in paged(tx, query, [_k.id], _STEP):
        personal = {text for row in some for text in (row.value, row.name) if text}
        unwanted = await forgotten.contacts_among(tx, personal)
        yield [row._asdict() for row in some if not {row.value, row.name} & unwanted]
