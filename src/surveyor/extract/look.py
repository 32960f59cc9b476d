"""What extraction found, for people and programs: each function opens its own transaction."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any
from uuid import UUID

from surveyor.db import Database
from surveyor.extract.states import ExtractState
from surveyor.extract.store import look as store
from surveyor.extract.store.look import (
    MOST_COUNTED,
    ChangeRow,
    ContactRow,
    DomainCounts,
    ReadVersion,
    RecordFilter,
    RecordRow,
    SetAside,
    SourceRow,
)

__all__ = [
    "MOST_COUNTED",
    "ChangeRow",
    "ContactRow",
    "DomainCounts",
    "ReadVersion",
    "RecordFilter",
    "RecordRow",
    "RecordStory",
    "SetAside",
    "SourceRow",
    "contacts_of",
    "counts",
    "list_records",
    "markdown_of",
    "page_told",
    "record_json",
    "record_story",
    "set_aside",
    "version",
    "versions_of",
]

# Changes of one record that are shown: the latest.
_CHANGES = 100
_VERSIONS = 50


@dataclass(frozen=True, slots=True)
class RecordStory:
    """A record with all that is known of where it comes from."""

    record: RecordRow
    sources: list[SourceRow]
    changes: list[ChangeRow]


async def list_records(
    db: Database, wanted: RecordFilter, limit: int, after: UUID | None = None
) -> list[RecordRow]:
    """Newest first; `after` is the last one of the page before."""
    async with db.read() as tx:
        return await store.record_page(tx, wanted, limit, after)


async def record_story(db: Database, record_id: UUID) -> RecordStory:
    async with db.read() as tx:
        return RecordStory(
            await store.record(tx, record_id),
            await store.sources(tx, record_id),
            await store.changes(tx, record_id, _CHANGES),
        )


async def contacts_of(
    db: Database, no: int, limit: int, after: int | None = None, *, gone: bool = False
) -> list[ContactRow]:
    async with db.read() as tx:
        return await store.contacts_of(tx, no, limit, after, gone=gone)


async def versions_of(db: Database, no: int, key: int, limit: int = _VERSIONS) -> list[ReadVersion]:
    """Versions of a page, newest first, with what was read of each."""
    async with db.read() as tx:
        return await store.versions_of(tx, no, key, limit)


async def version(db: Database, snapshot_id: int) -> ReadVersion:
    async with db.read() as tx:
        return await store.version(tx, snapshot_id)


async def markdown_of(db: Database, snapshot_id: int) -> str | None:
    """The main content of a version as Markdown; None where it was not read."""
    async with db.read() as tx:
        return await store.markdown_of(tx, snapshot_id)


async def set_aside(
    db: Database, limit: int, after: int | None = None, no: int | None = None
) -> list[SetAside]:
    """Versions that stopped their readers, newest first; of one domain or of all."""
    async with db.read() as tx:
        return await store.set_aside(tx, limit, after, no)


async def counts(db: Database, no: int) -> DomainCounts:
    async with db.read() as tx:
        return await store.counts(tx, no)


async def page_told(db: Database, no: int, key: int) -> dict[str, str]:
    """What extraction made of a page, in words, for whoever asks why."""
    async with db.read() as tx:
        found = await store.versions_of(tx, no, key, 1)
        records = await store.records_on(tx, no, key)
    if not found:
        return {}
    version = found[0]
    told = {"extraction": f"{version.extract_state}: {_TOLD[version.extract_state]}"}
    if version.extract_error:
        told["extraction error"] = version.extract_error
    if version.relevance is not None:
        verdict = "relevant" if version.is_relevant else "not relevant"
        told["relevance"] = f"{version.relevance}, {verdict}: {'; '.join(version.reasons or ())}"
    return told | {f"record {place}": f"{kind}: {name}" for place, (kind, name) in enumerate(records, 1)}


_TOLD = {
    ExtractState.WAITING: "it is read when `surveyor extract` comes to it",
    ExtractState.TAKEN: "it is being read",
    ExtractState.DONE: "its newest version was read",
    ExtractState.FOLDED: "it was read, and says what it said before",
    ExtractState.SET_ASIDE: "it stopped three readers",
}


def record_json(record: RecordRow) -> dict[str, Any]:
    """One object for programs: plain values, and beside them where each was read."""
    return {
        "id": record.id,
        "domain": record.domain,
        "kind": record.kind,
        **record.values,
        "published": record.published,
        "first_seen_at": record.first_seen_at,
        "last_seen_at": record.last_seen_at,
        "gone_at": record.gone_at,
        "updated_at": record.updated_at,
        "sources": {
            name: {key: one[key] for key in ("source", "quote", "snapshot") if key in one}
            for name, one in record.fields.items()
        },
    }
