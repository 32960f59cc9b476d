"""Writes what items tell of: records with their sources, in the transaction that makes their page over.

A spider contributes beside extraction. Each replaces what it said of a page itself, and fields of items are
believed before those that were read. A page that came again without an item withdraws its record.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from sqlalchemy.ext.asyncio import AsyncConnection

from surveyor.contrib.scrapy import store
from surveyor.extract import forgetting
from surveyor.extract.changes import record_changes
from surveyor.extract.record_set import Contributor, Outcome, Version
from surveyor.extract.store import queue, records
from surveyor.extract.values import FoundRecord
from surveyor.registry.actors import Actor
from surveyor.registry.events import EventKind, NewEvent
from surveyor.registry.store import events, forgotten
from surveyor.registry.store import records as registry_records


class PageRecords(NamedTuple):
    """What the items of one page tell of."""

    key: int
    found: list[FoundRecord]
    is_whole: bool
    """No item was refused, and no callback failed: what the page told of before and does not now is gone."""


class RecordWriter:
    """Of one process."""

    def __init__(self, worker: str, yields: str) -> None:
        self._by, self._yields = Actor.worker(worker), yields

    async def write(self, tx: AsyncConnection, no: int, pages: Sequence[PageRecords]) -> None:
        """Of one domain, whose row is locked."""
        found = [record for page in pages for record in page.found]
        unwanted = await forgotten.contacts_among(tx, set(forgetting.record_texts(found)))
        keys = [page.key for page in pages]
        record_set = await records.record_set(tx, no, keys, found)
        snapshots, moment = await store.newest_snapshots(tx, no, keys), await queue.moment(tx)
        new_events = []
        for page in pages:
            snapshot = snapshots.get(page.key, 0)
            version = Version(page.key, snapshot, moment, snapshot)
            contributor = Contributor.ITEMS if page.is_whole else Contributor.SOME_ITEMS
            told = forgetting.clean_records(page.found, unwanted) if unwanted else page.found
            outcome = record_set.merge_page(version, told, contributor)
            new_events += [self._event(no, snapshot, outcome)] if outcome else []
            if added := outcome.new.total():
                await registry_records.count_new(tx, no, added, self._yields)
        if record_set.touched:
            published = await registry_records.are_published(tx, no)
            await records.write(tx, no, record_set, moment, published=published)
            await record_changes(tx, no, record_set, self._by)
        await events.append(tx, new_events)

    def _event(self, no: int, snapshot: int, outcome: Outcome) -> NewEvent:
        data = {"snapshot": snapshot, "new": dict(outcome.new), "changed": dict(outcome.changed)}
        return NewEvent(EventKind.RECORDS_EXTRACTED, self._by.name, no, data=data)
