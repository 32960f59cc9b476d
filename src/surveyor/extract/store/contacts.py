"""Contacts and the pages on which each stands."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Any, NamedTuple
from uuid import UUID

from sqlalchemy import ColumnElement, delete, exists, func, select, tuple_, update
from sqlalchemy.ext.asyncio import AsyncConnection

from surveyor.db import now
from surveyor.db.dialect import insert as upserting
from surveyor.db.tables import candidates, contact_sources, contacts
from surveyor.extract.values import FoundContact
from surveyor.registry.candidates import OPEN, CandidateStatus

_k, _o = contacts.c, contact_sources.c


class PageContacts(NamedTuple):
    """What the newest version of one page offers its readers."""

    domain_no: int
    key: int
    snapshot_id: int
    url: str
    seen_at: datetime
    found: Sequence[FoundContact]


async def write(tx: AsyncConnection, page_contacts: Sequence[PageContacts], moment: datetime) -> None:
    """Keep what these pages say now; a contact that stands on no page any more is gone, not deleted."""
    ids = await _ids(tx, page_contacts, moment)
    await _write_sources(tx, page_contacts, ids)


Row = tuple[int, str, str]  # domain number, kind, value


async def _ids(
    tx: AsyncConnection, page_contacts: Sequence[PageContacts], moment: datetime
) -> dict[Row, int]:
    """The rows of all contacts found, written where they are new."""
    found: dict[Row, tuple[PageContacts, FoundContact]] = {}
    for page in page_contacts:
        for one in page.found:
            known = found.get((page.domain_no, one.kind, one.value))
            if known is None or _says_more(one, known[1]):
                found[page.domain_no, one.kind, one.value] = (page, one)
    if not found:
        return {}
    owners = await _candidates(tx, sorted({no for no, _, _ in found}))
    statement = upserting(contacts, tx.dialect.name)
    seen_again = {
        "name": _first(statement.excluded.name, _k.name),
        "role": _first(statement.excluded.role, _k.role),
        "candidate_id": _first(_k.candidate_id, statement.excluded.candidate_id),
        "last_seen_at": statement.excluded.last_seen_at,
        "gone_at": None,
    }
    statement = statement.on_conflict_do_update(
        index_elements=["domain_no", "kind", "value"], set_=seen_again
    )
    rows = [_row(page, one, owners.get(page.domain_no), moment) for page, one in found.values()]
    await tx.execute(statement, rows)
    query = select(_k.domain_no, _k.kind, _k.value, _k.id)
    wanted = tuple_(_k.domain_no, _k.kind, _k.value).in_(list(found))
    return {(no, kind, value): id_ for no, kind, value, id_ in await tx.execute(query.where(wanted))}


def _first(one: Any, other: Any) -> ColumnElement[Any]:

    return func.coalesce(one, other)


def _says_more(one: FoundContact, other: FoundContact) -> bool:
    return bool(one.name) + bool(one.role) > bool(other.name) + bool(other.role)


def _row(
    page: PageContacts, one: FoundContact, candidate: UUID | None, moment: datetime
) -> Mapping[str, Any]:
    return {
        "domain_no": page.domain_no,
        "candidate_id": candidate,
        "kind": one.kind,
        "value": one.value,
        "name": one.name,
        "role": one.role,
        "source_url": page.url,
        "confidence": one.confidence,
        "found_at": moment,
        "source": one.source,
        "quote": one.quote or None,
        "last_seen_at": page.seen_at,
        "gone_at": None,
    }


async def _candidates(tx: AsyncConnection, numbers: Sequence[int]) -> dict[int, UUID]:
    """The open candidate of each domain, else the one that was approved last."""
    c = candidates.c
    wanted = (*OPEN, CandidateStatus.APPROVED)
    query = select(c.domain_no, c.id, c.status).where(c.domain_no.in_(numbers), c.status.in_(wanted))
    rows = sorted(await tx.execute(query), key=lambda row: (row.status in OPEN, row.id))
    return {no: id_ for no, id_, _ in rows}  # the last of a domain stays


async def _write_sources(
    tx: AsyncConnection, page_contacts: Sequence[PageContacts], ids: Mapping[Row, int]
) -> None:
    pages = [(page.domain_no, page.key) for page in page_contacts]
    stood = select(_o.domain_no, _o.key, _o.contact_id).where(tuple_(_o.domain_no, _o.key).in_(pages))
    before = {tuple(row) for row in await tx.execute(stood)}
    now_there: dict[tuple[int, int, int], PageContacts] = {}
    for page in page_contacts:
        for one in page.found:
            id_ = ids[page.domain_no, one.kind, one.value]
            now_there[page.domain_no, page.key, id_] = page
    if now_there:
        statement = upserting(contact_sources, tx.dialect.name)
        moved = {name: statement.excluded[name] for name in ("snapshot_id", "seen_at")}
        keys = ["domain_no", "key", "contact_id"]
        rows = [
            {
                "domain_no": no,
                "key": key,
                "contact_id": id_,
                "snapshot_id": page.snapshot_id,
                "seen_at": page.seen_at,
            }
            for (no, key, id_), page in now_there.items()
        ]
        await tx.execute(statement.on_conflict_do_update(index_elements=keys, set_=moved), rows)
    await _remove(tx, sorted(before - now_there.keys()))


async def _remove(tx: AsyncConnection, lost: Sequence[tuple[int, int, int]]) -> None:
    if not lost:
        return
    await tx.execute(delete(contact_sources).where(tuple_(_o.domain_no, _o.key, _o.contact_id).in_(lost)))
    stands = exists().where(_o.contact_id == _k.id)

    ids = sorted({id_ for _, _, id_ in lost})
    await tx.execute(update(contacts).where(_k.id.in_(ids), ~stands).values(gone_at=now()))


async def withdraw(tx: AsyncConnection, no: int, keys: Sequence[int]) -> None:
    """Pages that are gone offer nothing any more."""
    stood = select(_o.domain_no, _o.key, _o.contact_id).where(_o.domain_no == no, _o.key.in_(keys))
    await _remove(tx, [tuple(row) for row in await tx.execute(stood)])
