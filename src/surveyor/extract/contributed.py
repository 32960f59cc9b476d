"""Writes what others than extraction found on pages: items of a spider, extractions of another register.

Each contributes beside extraction and replaces what it said of a page itself alone. A page that a spider had
again without an item withdraws its record; an import withdraws nothing.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any, NamedTuple

from sqlalchemy.ext.asyncio import AsyncConnection

from surveyor.db import current_time
from surveyor.extract import forgetting
from surveyor.extract.changes import record_changes
from surveyor.extract.record_set import Contributor, Outcome, RecordSet, Version
from surveyor.extract.store import records, snapshots
from surveyor.extract.values import FoundRecord
from surveyor.registry.actors import Actor
from surveyor.registry.events import EventKind, NewEvent
from surveyor.registry.store import events, forgotten
from surveyor.registry.store import records as registry_records


class PageRecords(NamedTuple):
    """What somebody found on one page."""

    key: int
    found: list[FoundRecord]
    contributor: Contributor
    seen_at: datetime | None = None  # now, if none is said


class MergedPage(NamedTuple):
    snapshot: int  # the latest version of the page that is kept, or 0
    outcome: Outcome


class Merged(NamedTuple):
    """The records of a domain as they are to be written."""

    record_set: RecordSet
    moment: datetime
    pages: list[MergedPage]  # in the order in which they were given


async def merge(tx: AsyncConnection, no: int, pages: Sequence[PageRecords]) -> Merged:
    """Nothing is written yet."""
    found = [record for page in pages for record in page.found]
    unwanted = await forgotten.contacts_among(tx, set(forgetting.record_texts(found)))
    keys = [page.key for page in pages]
    record_set = await records.record_set(tx, no, keys, found)
    newest, moment = await snapshots.newest(tx, no, keys), await current_time(tx)
    merged = []
    for page in pages:
        snapshot = newest.get(page.key, 0)
        version = Version(page.key, snapshot, page.seen_at or moment, snapshot)
        kept = forgetting.clean_records(page.found, unwanted) if unwanted else page.found
        merged.append(MergedPage(snapshot, record_set.merge_page(version, kept, page.contributor)))
    return Merged(record_set, moment, merged)


@dataclass(frozen=True, slots=True)
class RecordWriter:
    by: Actor
    yields: str
    evidence: Mapping[str, Any] = field(default_factory=dict)  # what events say beside

    async def write(self, tx: AsyncConnection, no: int, pages: Sequence[PageRecords]) -> Merged:
        """Of one domain, whose row is locked."""
        merged = await merge(tx, no, pages)
        if added := sum(one.outcome.new.total() for one in merged.pages):
            await registry_records.count_new(tx, no, added, self.yields)
        if merged.record_set.touched:
            published = await registry_records.are_published(tx, no)
            await records.write(tx, no, merged.record_set, merged.moment, published=published)
            await record_changes(tx, no, merged.record_set, self.by)
        await events.append(tx, [self._event(no, *one) for one in merged.pages if one.outcome])
        return merged

    def _event(self, no: int, snapshot: int, outcome: Outcome) -> NewEvent:
        counts = {"snapshot": snapshot, "new": dict(outcome.new), "changed": dict(outcome.changed)}
        return NewEvent(EventKind.RECORDS_EXTRACTED, self.by.name, no, data={**self.evidence, **counts})
