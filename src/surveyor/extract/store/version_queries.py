"""Versions of pages with what extraction made of them, for people: one, those of a page, the quarantine."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from decimal import Decimal
from typing import Any, NamedTuple
from uuid import UUID

from sqlalchemy import Select, and_, func, select, text
from sqlalchemy.ext.asyncio import AsyncConnection

from surveyor.db.tables import domains, page_snapshots, pages, record_sources, records
from surveyor.errors import NotFound
from surveyor.extract.states import ExtractState
from surveyor.extract.store.queries import address, counted
from surveyor.extract.store.snapshots import readable

_r, _o, _s, _d, _p = records.c, record_sources.c, page_snapshots.c, domains.c, pages.c


class ReadVersion(NamedTuple):
    """A version of a page, with what extraction made of it."""

    id: int
    domain_no: int
    key: int
    first_seen_at: datetime
    last_seen_at: datetime
    content_type: str | None
    bytes: int
    title: str | None
    archive: str | None
    extract_state: ExtractState
    extract_tries: int
    extract_error: str | None
    extractor_version: str | None
    extracted_at: datetime | None
    unchanged_since: int | None
    description: str | None
    language: str | None
    links: int | None
    images: int | None
    relevance: Decimal | None
    is_relevant: bool | None
    reasons: list[str] | None
    has_text: bool
    """Whether its main content is kept."""


class QuarantinedPage(NamedTuple):
    """A version that stopped its readers."""

    id: int
    domain_no: int
    domain: str
    url: str
    tries: int
    why: str
    at: datetime | None


class TextRecord(NamedTuple):
    """A record as one page tells it."""

    id: UUID
    kind: str
    name: str
    fields: dict[str, dict[str, Any]]


async def records_from(
    tx: AsyncConnection, no: int, key: int, snapshot_id: int, limit: int
) -> list[TextRecord]:
    """Records that were read in this version of a page, and that its page mentions still."""
    query = (
        select(_r.id, _r.kind, _r.name, _o.fields)
        .join_from(record_sources, records, _r.id == _o.record_id)
        .where(_o.domain_no == no, _o.key == key, _o.snapshot_id == snapshot_id, _o.gone_at.is_(None))
        .order_by(_r.id)
        .limit(limit)
    )
    return [TextRecord(*row) for row in await tx.execute(query)]


class Beside(NamedTuple):
    """Where a version stands: its page, and the versions before and after it."""

    domain: str
    url: str
    older: int | None
    newer: int | None


async def beside(tx: AsyncConnection, version: ReadVersion) -> Beside:
    on_page = and_(_p.domain_no == _d.no, _p.key == version.key)
    place = select(_d.domain, _d.start_url, _p.target).join_from(domains, pages, on_page, isouter=True)
    domain, start_url, target = (await tx.execute(place.where(_d.no == version.domain_no))).one()
    same = (_s.domain_no == version.domain_no, _s.key == version.key)
    around = select(
        select(func.max(_s.id)).where(*same, _s.id < version.id).scalar_subquery(),
        select(func.min(_s.id)).where(*same, _s.id > version.id).scalar_subquery(),
    )
    older, newer = (await tx.execute(around)).one()
    return Beside(domain, address(domain, start_url, target), older, newer)


async def versions_of(tx: AsyncConnection, no: int, key: int, limit: int) -> list[ReadVersion]:
    """Versions of one page, newest first."""
    query = select(*_columns(ReadVersion)).where(_s.domain_no == no, _s.key == key)
    return [_version(row) for row in await tx.execute(query.order_by(_s.id.desc()).limit(limit))]


async def version(tx: AsyncConnection, snapshot_id: int) -> ReadVersion:
    row = (await tx.execute(select(*_columns(ReadVersion)).where(_s.id == snapshot_id))).one_or_none()
    if row is None:
        raise NotFound(f"there is no snapshot {snapshot_id}")
    return _version(row)


def _version(row: Any) -> ReadVersion:
    found = ReadVersion(*row)
    return found._replace(extract_state=ExtractState(found.extract_state))


async def markdown_of(tx: AsyncConnection, snapshot_id: int) -> str | None:
    """The main content of a version; None where it was not read."""
    found = (await tx.execute(select(_s.markdown).where(_s.id == snapshot_id))).one_or_none()
    if found is None:
        raise NotFound(f"there is no snapshot {snapshot_id}")
    return readable(found.markdown)


async def quarantined(
    tx: AsyncConnection, limit: int, after: int | None = None, no: int | None = None, key: int | None = None
) -> list[QuarantinedPage]:
    """Versions that stopped their readers, newest first."""
    # Chosen from their index alone: the rows hold whole texts.
    some = _quarantined(no, key)
    if after is not None:
        some = some.where(_s.id < after)
    chosen = some.order_by(_s.id.desc()).limit(limit).subquery()
    what = (_s.id, _s.domain_no, _d.domain, _d.start_url, _p.target, _s.extract_tries, _s.extract_error)
    query = (
        select(*what, _s.extracted_at)
        .join_from(chosen, page_snapshots, _s.id == chosen.c.id)
        .join(domains, _d.no == _s.domain_no)
        .outerjoin(pages, and_(_p.domain_no == _s.domain_no, _p.key == _s.key))
        .order_by(_s.id.desc())
    )
    return [QuarantinedPage(*row[:3], address(*row[2:5]), *row[5:]) for row in await tx.execute(query)]


async def count_quarantined(tx: AsyncConnection, no: int | None = None, key: int | None = None) -> int:
    return await counted(tx, _quarantined(no, key))


def _quarantined(no: int | None, key: int | None) -> Select[Any]:
    some = select(_s.id).where(text("page_snapshots.extract_state = 'quarantined'"))
    if no is not None:
        some = some.where(_s.domain_no == no)
    return some if key is None else some.where(_s.key == key)


def _columns(kind: Any) -> Sequence[Any]:
    derived = {"has_text": _s.markdown.is_not(None)}
    return [derived[name] if name in derived else _s[name] for name in kind._fields]
