"""What people put right in records: a field, a whole record, two that are one, one that no page mentions.

Each act says who, why and when, leaves an event and is undone by another. Extraction never overwrites it.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any
from uuid import UUID

from sqlalchemy.ext.asyncio import AsyncConnection

from surveyor.db import Database
from surveyor.errors import Refused, UsageError
from surveyor.extract import overlay
from surveyor.extract.kinds import ALL_FIELDS, type_of
from surveyor.extract.overlay import WHOLE, Correction
from surveyor.extract.store import corrections as store
from surveyor.extract.store import queries
from surveyor.extract.store import records as record_store
from surveyor.extract.store.queries import RecordRow
from surveyor.profiles.kinds import FieldType
from surveyor.registry.actors import Actor, Role
from surveyor.registry.events import EventKind, NewEvent
from surveyor.registry.store import events, rows
from surveyor.registry.store import records as registry_records

_LONGEST, _SHOWN = 5_000, 100
_DATE = re.compile(r"\d{4}-\d\d-\d\d")


async def history(db: Database, record_id: UUID) -> list[Correction]:
    """What people said of a record, the latest first."""
    async with db.read() as tx:
        return await store.history(tx, record_id, _SHOWN)


async def correct(
    db: Database, record_id: UUID, field: str, text: str | None, by: Actor, reason: str | None = None
) -> RecordRow:
    """Give a field another value; without one it is hidden."""
    _check(by, reason)
    async with db.write() as tx:
        record = await queries.record(tx, record_id)
        value = None if text is None else typed(record, field, text)
        if value is None and field == "name":
            raise Refused("a record needs its name; hide the whole record instead")
        laid = (await store.active(tx, [record_id]))[record_id]
        said = overlay.taken_off(record.fields, laid).get(field)
        before = None if said is None else said.get("value")
        given = {"value": value, "hidden": value is None, "before": before, "said": said}
        await store.add(tx, record_id, record.domain_no, field, made_by=by.name, reason=reason, **given)
        return await _rewritten(tx, record, by, field)


async def withdraw(db: Database, record_id: UUID, field: str, by: Actor) -> RecordRow:
    """What the pages say holds again."""
    _check(by, None)
    async with db.write() as tx:
        record = await queries.record(tx, record_id)
        laid = (await store.active(tx, [record_id]))[record_id]
        mine = [one for one in laid if one.field == field]
        if not mine or field == WHOLE:
            raise Refused(f"{field or 'the record'} of {record.name!r} is not corrected")
        if mine[0].said is None and field == "name":
            raise Refused("no page says its name; hide the whole record instead")
        said = overlay.taken_off(record.fields, laid)
        await store.end(tx, record_id, field, by.name)
        kept = overlay.laid_over(said, [one for one in laid if one.field != field])
        return await _written(tx, record, kept, by, field)


async def set_hidden(
    db: Database, record_id: UUID, hidden: bool, by: Actor, reason: str | None = None
) -> RecordRow:
    """A hidden record is given to nobody, whatever its pages say; it can be shown again."""
    _check(by, reason)
    if hidden and not (reason or "").strip():
        raise UsageError("say why: hiding a record needs a reason")
    async with db.write() as tx:
        record = await queries.record(tx, record_id)
        if hidden:
            await _hide(tx, record, by, reason, None)
        elif not await store.end(tx, record_id, WHOLE, by.name):
            raise Refused(f"{record.name!r} is not hidden")
        else:
            published = await registry_records.are_published(tx, record.domain_no)
            await record_store.set_published(tx, record_id, published)
            await _tell(tx, EventKind.RECORD_SHOWN, record, by)
        return await queries.record(tx, record_id)


async def merge(db: Database, kept_id: UUID, other_id: UUID, by: Actor) -> RecordRow:
    """Two records are one thing: what only the other says is taken over, and it is hidden."""
    _check(by, None)
    async with db.write() as tx:
        kept, other = await queries.record(tx, kept_id), await queries.record(tx, other_id)
        if kept_id == other_id or (kept.kind, kept.domain_no) != (other.kind, other.domain_no):
            raise Refused("only two records of one kind and one domain can be one thing")
        for field in sorted(other.fields.keys() - kept.fields.keys()):
            value = other.fields[field]["value"]
            given = {"value": value, "hidden": False, "before": None, "said": None}
            await store.add(
                tx, kept_id, kept.domain_no, field, made_by=by.name, reason=f"of {other.name}"[:200], **given
            )
        await _hide(tx, other, by, f"the same as {kept.name}"[:200], kept_id)
        return await _rewritten(tx, kept, by, "")


async def add_by_hand(
    db: Database, domain: str, kind: str, values: Mapping[str, str], by: Actor, reason: str | None = None
) -> RecordRow:
    """A record that no page mentions; every field is a correction, so no page overwrites it."""
    _check(by, reason)
    if kind not in ALL_FIELDS:
        raise UsageError(f"there is no kind {kind[:40]!r}; choose {', '.join(ALL_FIELDS)}")
    name = (values.get("name") or "").strip()
    if not name or len(name) > _LONGEST:
        raise UsageError("a record needs a name")
    async with db.write() as tx:
        no = await rows.find_no(tx, domain)
        published = await registry_records.are_published(tx, no)
        made = await record_store.add_by_hand(tx, no, kind, name, published=published)
        record = await queries.record(tx, made)
        for field, text in values.items():
            value = typed(record, field, text)
            given = {"value": value, "hidden": False, "before": None, "said": None}
            await store.add(tx, made, no, field, made_by=by.name, reason=reason, **given)
        return await _rewritten(tx, record, by, "", EventKind.RECORD_ADDED)


def typed(record: RecordRow, field: str, text: str) -> Any:
    """What a person typed as the value of this field."""
    known = (*ALL_FIELDS.get(record.kind, ()), *record.fields)
    if field not in known:
        raise UsageError(f"a {record.kind} has no field {field[:40]!r}; those are {', '.join(known)}")
    text = text.strip()
    if not text or len(text) > _LONGEST:
        raise UsageError(f"{field}: type a value of up to {_LONGEST:,} characters, or hide the field")
    present = record.fields.get(field, {}).get("value")
    held = type_of(record.kind, field)
    if held is FieldType.NUMBER:
        plain = text.replace(",", "").replace(" ", "")
        if not re.fullmatch(r"\d{1,15}(\.\d{1,4})?", plain):
            raise UsageError(f"{field} is a number such as 5000, not {text[:20]!r}")
        return float(plain) if "." in plain else int(plain)
    if held is FieldType.DATE and not _DATE.fullmatch(text):
        raise UsageError(f"a {field} is a date such as 2026-06-30, not {text[:20]!r}")
    if isinstance(present, list):
        return [part.strip() for part in text.split(",") if part.strip()]
    return text


async def _rewritten(
    tx: AsyncConnection, record: RecordRow, by: Actor, field: str, kind: EventKind | None = None
) -> RecordRow:
    laid = (await store.active(tx, [record.id]))[record.id]
    said = overlay.taken_off(record.fields, laid)
    return await _written(tx, record, overlay.laid_over(said, laid), by, field, kind)


async def _written(
    tx: AsyncConnection,
    record: RecordRow,
    fields: dict[str, dict[str, Any]],
    by: Actor,
    field: str,
    kind: EventKind | None = None,
) -> RecordRow:
    await record_store.set_fields(tx, record.id, fields)
    await _tell(tx, kind or EventKind.RECORD_CORRECTED, record, by, field=field)
    return await queries.record(tx, record.id)


async def _hide(
    tx: AsyncConnection, record: RecordRow, by: Actor, reason: str | None, merged_into: UUID | None
) -> None:
    given = {"value": None, "hidden": True, "merged_into": merged_into, "before": None, "said": None}
    await store.add(tx, record.id, record.domain_no, WHOLE, made_by=by.name, reason=reason, **given)
    await record_store.set_published(tx, record.id, False)
    await _tell(tx, EventKind.RECORD_HIDDEN, record, by)


async def _tell(tx: AsyncConnection, kind: EventKind, record: RecordRow, by: Actor, field: str = "") -> None:
    data = {"record": str(record.id), "kind": record.kind} | ({"field": field} if field else {})
    await events.append(tx, [NewEvent(kind, by.name, record.domain_no, data=data)])


def _check(by: Actor, reason: str | None) -> None:
    if by.role is Role.SUBMITTER:
        raise Refused(f"{by.name} may submit, not correct; ask a reviewer")
    if len(reason or "") > 2_000:
        raise UsageError("a reason has at most 2,000 characters")
