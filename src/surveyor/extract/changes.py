"""What became of records, as events: changed, gone, back. They name no text of a page."""

from __future__ import annotations

from collections import defaultdict
from uuid import UUID

from sqlalchemy.ext.asyncio import AsyncConnection

from surveyor.extract.record_set import RecordSet, StoredRecord
from surveyor.registry.actors import Actor
from surveyor.registry.events import EventKind, NewEvent
from surveyor.registry.store import events


async def record_changes(tx: AsyncConnection, no: int, record_set: RecordSet, by: Actor) -> None:
    """Write the events of all that telling did to records that were known."""
    new_events = [*_changed(no, record_set, by)]
    new_events += [_event(EventKind.RECORD_GONE, no, record, by) for record in record_set.gone]
    new_events += [_event(EventKind.RECORD_BACK, no, record, by) for record in record_set.back]
    await events.append(tx, new_events)


def _changed(no: int, record_set: RecordSet, by: Actor) -> list[NewEvent]:
    fields: dict[tuple[UUID, int], list[str]] = defaultdict(list)
    for change in record_set.changes:
        fields[change.record_id, change.snapshot_id].append(change.field)
    return [
        _event(
            EventKind.RECORD_CHANGED,
            no,
            record_set.records[record_id],
            by,
            fields=names,
            snapshot=snapshot_id,
        )
        for (record_id, snapshot_id), names in fields.items()
    ]


def _event(kind: EventKind, no: int, record: StoredRecord, by: Actor, **more: object) -> NewEvent:
    data = {"record": str(record.id), "kind": record.kind, **more}
    return NewEvent(kind, by.name, no, data=data)
