"""Records and their sources: taken out for the pages being read, and written back with what changed."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from datetime import datetime
from typing import Any
from uuid import UUID

from rapidfuzz import fuzz, process
from sqlalchemy import bindparam, insert, select, tuple_, update
from sqlalchemy.ext.asyncio import AsyncConnection

from surveyor.db import now
from surveyor.db.dialect import insert as upserting
from surveyor.db.tables import record_changes, record_sources, records
from surveyor.extract import merging, overlay
from surveyor.extract.merging import PageFields
from surveyor.extract.overlay import Correction
from surveyor.extract.record_set import RecordSet, StoredRecord
from surveyor.extract.store import corrections
from surveyor.extract.values import FoundRecord
from surveyor.ids import new_id

_r, _o = records.c, record_sources.c
# Names of one kind that are compared with a new one: the latest. Exact names are found among all.
_COMPARED = 2_000
# Likeness of whole names, 0 to 100, from which they are compared word by word, and how many are.
_NEAR, _NEAREST = 85.0, 5


async def record_set(
    tx: AsyncConnection, no: int, pages: Sequence[int], found: Iterable[FoundRecord]
) -> RecordSet:
    """The records that these pages mention, and those that what was found there may be."""
    found = list(found)
    here = select(_o.record_id).where(_o.domain_no == no, _o.key.in_(pages), _o.gone_at.is_(None))
    ids = set((await tx.execute(here)).scalars())
    identities = {merging.identity(record.kind, record.name): record for record in found}
    exact = select(_r.id, _r.identity).where(_r.domain_no == no, _r.identity.in_(list(identities)))
    if identities:
        for record_id, known in await tx.execute(exact):
            ids.add(record_id)
            identities.pop(known, None)
    ids |= await _near(tx, no, identities.values())
    return RecordSet(await _kept(tx, ids))


async def _near(tx: AsyncConnection, no: int, found: Iterable[FoundRecord]) -> set[UUID]:
    """Records whose names differ from a new one by little, or have all its words."""
    wanted: dict[str, list[str]] = {}
    for record in found:
        wanted.setdefault(record.kind, []).append(record.name)
    ids: set[UUID] = set()
    for kind, names in wanted.items():
        known = select(_r.id, _r.name).where(_r.domain_no == no, _r.kind == kind)
        rows = (await tx.execute(known.order_by(_r.id.desc()).limit(_COMPARED))).all()
        spelled = [" ".join(merging.words_of(name)) for _, name in rows]
        for name in names:
            words = " ".join(merging.words_of(name))
            near = process.extract(
                words, spelled, scorer=fuzz.token_sort_ratio, score_cutoff=_NEAR, limit=_NEAREST
            )
            ids |= {rows[place][0] for _, _, place in near if merging.same_name(name, rows[place][1])}
            ids |= {record_id for record_id, known in rows if merging.within(name, known)}
    return ids


async def _kept(tx: AsyncConnection, ids: set[UUID]) -> list[StoredRecord]:
    if not ids:
        return []
    sources: dict[UUID, dict[int, PageFields]] = {}
    live = select(_o.record_id, _o.key, _o.snapshot_id, _o.seen_at, _o.fields)
    for record_id, *source in await tx.execute(live.where(_o.record_id.in_(ids), _o.gone_at.is_(None))):
        one = PageFields(*source)
        sources.setdefault(record_id, {})[one.key] = one
    columns = (_r.id, _r.kind, _r.fields, _r.first_seen_at, _r.last_seen_at, _r.gone_at)
    laid = await corrections.active(tx, ids)
    return [
        StoredRecord(
            row.id,
            row.kind,
            overlay.taken_off(row.fields, laid.get(row.id, ())),
            *row[3:5],
            was_gone=row.gone_at is not None,
            sources=sources.get(row.id, {}),
        )
        for row in await tx.execute(select(*columns).where(_r.id.in_(ids)).order_by(_r.id))
    ]


async def write(tx: AsyncConnection, no: int, done: RecordSet, moment: datetime, *, published: bool) -> None:
    """Everything that telling changed, at the database's time `moment`."""
    touched = [done.records[id_] for id_ in sorted(done.touched) if id_ in done.records]
    new = [
        _row(record, moment) | {"published": published, "domain_no": no}
        for record in touched
        if record.is_new
    ]
    if new:
        await tx.execute(insert(records), new)
    known = [record for record in touched if not record.is_new]
    laid = await corrections.active(tx, [record.id for record in known])
    old = [
        {f"new_{name}": value for name, value in _corrected(_row(record, moment), laid).items()}
        for record in known
    ]
    if old:
        await tx.execute(_update(), old)
    for record in known:
        await corrections.pages_say(tx, laid.get(record.id, ()), record.fields)
    await _write_sources(tx, no, done, moment)
    if done.changes:
        rows = [change._asdict() | {"domain_no": no, "at": moment} for change in done.changes]
        await tx.execute(insert(record_changes), rows)


def _row(record: StoredRecord, moment: datetime) -> dict[str, Any]:
    return {
        "id": record.id,
        "kind": record.kind,
        "identity": record.identity,
        "name": record.name,
        "fields": record.fields,
        "first_seen_at": record.first_seen_at,
        "last_seen_at": record.last_seen_at,
        "gone_at": moment if record.is_gone else None,
        "updated_at": moment,
    }


def _corrected(row: dict[str, Any], laid: Mapping[UUID, list[Correction]]) -> dict[str, Any]:
    """A row with what people said of it on top; it stays known by the name that its pages give it."""
    if row["id"] not in laid:
        return row
    fields = overlay.laid_over(row["fields"], laid[row["id"]])
    return row | {"fields": fields, "name": str(fields["name"]["value"])}


async def set_fields(tx: AsyncConnection, record_id: UUID, fields: dict[str, dict[str, Any]]) -> None:
    values = {"fields": fields, "name": str(fields["name"]["value"]), "updated_at": now()}
    await tx.execute(update(records).where(_r.id == record_id).values(values))


async def set_published(tx: AsyncConnection, record_id: UUID, published: bool) -> None:
    values = {"published": published, "updated_at": now()}
    await tx.execute(update(records).where(_r.id == record_id).values(values))


async def add_by_hand(tx: AsyncConnection, no: int, kind: str, name: str, *, published: bool) -> UUID:
    """A record that no page mentions."""
    made = new_id()
    fields = {"name": {"value": name, "source": overlay.SOURCE, "quote": ""}}
    values = {"id": made, "domain_no": no, "kind": kind, "identity": merging.identity(kind, name)}
    stamps = {"first_seen_at": now(), "last_seen_at": now(), "updated_at": now()}
    await tx.execute(
        insert(records).values(**values, name=name, fields=fields, published=published, **stamps)
    )
    return made


_CHANGING = ("identity", "name", "fields", "last_seen_at", "gone_at", "updated_at")


def _update() -> Any:
    values = {name: bindparam(f"new_{name}", type_=_r[name].type) for name in _CHANGING}
    return update(records).where(_r.id == bindparam("new_id", type_=_r.id.type)).values(values)


async def _write_sources(tx: AsyncConnection, no: int, done: RecordSet, moment: datetime) -> None:
    if done.sources:
        statement = upserting(record_sources, tx.dialect.name)
        replaced = ("snapshot_id", "fields", "seen_at", "gone_at")
        statement = statement.on_conflict_do_update(
            index_elements=["record_id", "key"], set_={name: statement.excluded[name] for name in replaced}
        )
        await tx.execute(
            statement, [_source_row(no, id_, source) for (id_, _), source in done.sources.items()]
        )
    if done.withdrawn:
        lost = tuple_(_o.record_id, _o.key).in_(sorted(done.withdrawn))
        await tx.execute(update(record_sources).where(lost).values(gone_at=moment))


def _source_row(no: int, record_id: UUID, source: PageFields) -> Mapping[str, Any]:
    return {
        "record_id": record_id,
        "key": source.key,
        "domain_no": no,
        "snapshot_id": source.snapshot_id,
        "fields": source.fields,
        "first_seen_at": source.seen_at,
        "seen_at": source.seen_at,
        "gone_at": None,
    }
