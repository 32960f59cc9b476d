"""What people and programs look at: records with sources and changes, contacts, and how many there are."""

from __future__ import annotations

from dataclasses import dataclass, replace
from datetime import datetime
from decimal import Decimal
from typing import Any, Final, NamedTuple
from uuid import UUID

from sqlalchemy import Select, and_, func, select, text
from sqlalchemy.ext.asyncio import AsyncConnection

from surveyor.db.bounded import Listing, Look, look
from surveyor.db.tables import (
    contact_sources,
    contacts,
    domains,
    page_snapshots,
    pages,
    record_changes,
    record_sources,
    records,
)
from surveyor.errors import NotFound
from surveyor.extract.store.snapshots import readable

_r, _o, _s, _k, _d, _p = records.c, record_sources.c, page_snapshots.c, contacts.c, domains.c, pages.c
# Rows counted at most: a person reads "10,000+".
MOST_COUNTED = 10_000


@dataclass(frozen=True, slots=True)
class RecordFilter:
    """Which records: without more, those that are published and there."""

    domain_no: int | None = None
    kind: str | None = None
    unpublished: bool = False
    """Also those that are not published."""
    gone: bool = False
    """Also those that no page mentions any more."""
    only_gone: bool = False
    """Nothing but those."""
    contains: str | None = None
    """Part of the name."""


@dataclass(frozen=True, slots=True)
class RecordRow:
    """A record with the name of its domain. Of each field: value, source, quote, snapshot and page."""

    id: UUID
    domain_no: int
    domain: str
    kind: str
    name: str
    fields: dict[str, dict[str, Any]]
    published: bool
    first_seen_at: datetime
    last_seen_at: datetime
    gone_at: datetime | None
    updated_at: datetime

    @property
    def values(self) -> dict[str, Any]:
        return {name: one["value"] for name, one in self.fields.items()}


class SourceRow(NamedTuple):
    """A page that mentions a record, and the version that says so. Of each field: value, source, quote."""

    key: int
    url: str
    snapshot_id: int
    fields: dict[str, dict[str, Any]]
    first_seen_at: datetime
    seen_at: datetime
    gone_at: datetime | None
    title: str | None
    markdown: str | None


class ChangeRow(NamedTuple):
    id: int
    field: str
    old: Any
    new: Any
    snapshot_id: int
    at: datetime


class ContactRow(NamedTuple):
    id: int
    kind: str
    value: str
    name: str | None
    role: str | None
    source_url: str
    source: str | None
    quote: str | None
    confidence: Decimal | None
    found_at: datetime
    last_seen_at: datetime | None
    gone_at: datetime | None
    pages: int
    """On which it stands."""


def select_records() -> Select[Any]:
    """The columns of `RecordRow`, in its order."""
    columns = (_r.id, _r.domain_no, _d.domain, _r.kind, _r.name, _r.fields, _r.published)
    times = (_r.first_seen_at, _r.last_seen_at, _r.gone_at, _r.updated_at)
    return select(*columns, *times).join_from(records, domains, _d.no == _r.domain_no)


async def record_page(
    tx: AsyncConnection, wanted: RecordFilter, limit: int, after: UUID | None = None
) -> list[RecordRow]:
    """Newest first; those that follow the record `after`."""
    query = select_records().where(*fitting(wanted)).order_by(_r.id.desc()).limit(limit)
    if after is not None:
        query = query.where(_r.id < after)
    return [RecordRow(*row) for row in await tx.execute(query)]


RECORD_SORTS: Final = {"name": _r.name, "domain": _d.domain, "seen": _r.last_seen_at}


async def look_for_records(
    tx: AsyncConnection, wanted: RecordFilter, sort: str, limit: int, after: str
) -> Look:
    others = [_r.name.icontains(wanted.contains, autoescape=True)] if wanted.contains else []
    listing = Listing(select_records(), _r.id, fitting(replace(wanted, contains=None)), others)
    return await look(tx, listing, RECORD_SORTS, sort, limit, after)


async def count_records(tx: AsyncConnection, wanted: RecordFilter) -> int:
    """How many fit, counted up to a bound."""
    return await counted(tx, select(_r.id).where(*fitting(wanted)))


def fitting(wanted: RecordFilter) -> list[Any]:
    """Conditions, in the words of the indexes that are kept for them alone."""
    found: list[Any] = []
    if wanted.domain_no is not None:
        found.append(_r.domain_no == wanted.domain_no)
    if wanted.kind is not None:
        found.append(_r.kind == wanted.kind)
    if not wanted.unpublished:
        found.append(text("records.published"))
    if wanted.only_gone:
        found.append(text("records.gone_at IS NOT NULL"))
    elif not wanted.gone:
        found.append(text("records.gone_at IS NULL"))
    if wanted.contains:
        found.append(_r.name.icontains(wanted.contains, autoescape=True))
    return found


async def record(tx: AsyncConnection, record_id: UUID) -> RecordRow:
    row = (await tx.execute(select_records().where(_r.id == record_id))).one_or_none()
    if row is None:
        raise NotFound(f"there is no record {record_id}; `surveyor records` lists them")
    return RecordRow(*row)


async def sources(tx: AsyncConnection, record_id: UUID, limit: int) -> list[SourceRow]:
    """Pages that mention it first, then those that did; the latest of either first."""
    # Chosen before anything is joined: a name in a footer stands on every page of its site.
    shown = (_o.domain_no, _o.key, _o.snapshot_id, _o.fields, _o.first_seen_at, _o.seen_at, _o.gone_at)
    some = (
        select(*shown)
        .where(_o.record_id == record_id)
        .order_by(_o.gone_at.is_not(None), _o.seen_at.desc(), _o.key)
        .limit(limit)
        .subquery()
    )
    c = some.c
    what = (c.key, _p.target, c.snapshot_id, c.fields, c.first_seen_at, c.seen_at, c.gone_at)
    query = (
        select(*what, _s.title, _s.markdown, _d.domain, _d.start_url)
        .join_from(some, domains, _d.no == c.domain_no)
        .outerjoin(pages, and_(_p.domain_no == c.domain_no, _p.key == c.key))
        .outerjoin(page_snapshots, _s.id == c.snapshot_id)
        .order_by(c.gone_at.is_not(None), c.seen_at.desc(), c.key)
    )
    return [
        SourceRow(row[0], address(*row[9:], row[1]), *row[2:8], readable(row[8]))
        for row in await tx.execute(query)
    ]


async def count_sources(tx: AsyncConnection, record_id: UUID) -> int:
    return await counted(tx, select(_o.key).where(_o.record_id == record_id))


def address(domain: str, start_url: str | None, target: str | None) -> str:
    return (start_url or f"https://{domain}").rstrip("/") + (target or "/")


async def changes(tx: AsyncConnection, record_id: UUID, limit: int) -> list[ChangeRow]:
    """The latest first."""
    c = record_changes.c
    query = select(c.id, c.field, c.old, c.new, c.snapshot_id, c.at).where(c.record_id == record_id)
    return [ChangeRow(*row) for row in await tx.execute(query.order_by(c.id.desc()).limit(limit))]


async def contacts_of(
    tx: AsyncConnection, no: int, limit: int, after: int | None = None, *, gone: bool = False
) -> list[ContactRow]:
    """In the order in which they were found."""
    stands = select(func.count()).where(contact_sources.c.contact_id == _k.id).scalar_subquery()
    columns: list[Any] = [_k[name] for name in ContactRow._fields if name != "pages"]
    query = select(*columns, stands).where(_k.domain_no == no).order_by(_k.id).limit(limit)
    if after is not None:
        query = query.where(_k.id > after)
    if not gone:
        query = query.where(_k.gone_at.is_(None))
    return [ContactRow._make(row) for row in await tx.execute(query)]


_MOST_ON_A_PAGE = 20  # records that are named


async def records_on(tx: AsyncConnection, no: int, key: int) -> list[tuple[str, str]]:
    """Kind and name of the records that a page mentions now."""
    query = (
        select(_r.kind, _r.name)
        .join_from(record_sources, records, _r.id == _o.record_id)
        .where(_o.domain_no == no, _o.key == key, _o.gone_at.is_(None))
        .order_by(_r.id)
        .limit(_MOST_ON_A_PAGE)
    )
    return [(kind, name) for kind, name in await tx.execute(query)]


class DomainCounts(NamedTuple):
    """What extraction knows of a domain, each counted up to a bound."""

    waiting: int
    quarantined: int
    records: dict[str, int]
    """Of each kind, those that are there."""
    gone: int
    contacts: int


async def counts(tx: AsyncConnection, no: int) -> DomainCounts:
    of_kind = (
        select(_r.kind, func.count())
        .where(_r.domain_no == no, _r.gone_at.is_(None))
        .group_by(_r.kind)
        .order_by(_r.kind)
    )
    found = {kind: int(number) for kind, number in await tx.execute(of_kind)}
    return DomainCounts(
        await counted(tx, select(_s.id).where(_s.domain_no == no, text("extract_state = 'waiting'"))),
        await counted(tx, select(_s.id).where(_s.domain_no == no, text("extract_state = 'quarantined'"))),
        found,
        await counted(tx, select(_r.id).where(_r.domain_no == no, _r.gone_at.is_not(None))),
        await counted(tx, select(_k.id).where(_k.domain_no == no, _k.gone_at.is_(None))),
    )


async def counted(tx: AsyncConnection, query: Select[Any]) -> int:
    some = query.limit(MOST_COUNTED).subquery()
    return int((await tx.execute(select(func.count()).select_from(some))).scalar_one())
