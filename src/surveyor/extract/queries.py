"""What extraction found, for people and programs: each function opens its own transaction."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any
from uuid import UUID

from surveyor.db import Database
from surveyor.db.bounded import Look
from surveyor.extract.states import ExtractState
from surveyor.extract.store import listing, version_queries
from surveyor.extract.store import queries as store
from surveyor.extract.store.listing import ChangedRow
from surveyor.extract.store.queries import (
    MOST_COUNTED,
    RECORD_SORTS,
    ChangeRow,
    ContactRow,
    DomainCounts,
    RecordFilter,
    RecordRow,
    SourceRow,
)
from surveyor.extract.store.version_queries import Beside, QuarantinedPage, ReadVersion, TextRecord

__all__ = [
    "MOST_COUNTED",
    "RECORD_SORTS",
    "Beside",
    "ChangeRow",
    "ChangedRow",
    "ContactRow",
    "DomainCounts",
    "DomainFindings",
    "QuarantinedPage",
    "ReadVersion",
    "RecordFilter",
    "RecordRow",
    "RecordStory",
    "SourceRow",
    "TextRecord",
    "VersionStory",
    "contacts_of",
    "count_quarantined",
    "count_records",
    "counts",
    "found_on",
    "list_changes",
    "list_records",
    "look_for_records",
    "markdown_of",
    "page_view",
    "quarantined",
    "record_json",
    "record_story",
    "stories_of",
    "version",
    "version_story",
    "versions_of",
]

# Changes of one record that are shown: the latest.
_CHANGES = 100
_VERSIONS = 50
# Pages of one record that are shown with their text: a name in a footer stands on thousands.
_SOURCES = 10
# Records of one version of a page that are shown.
_MOST_RECORDS = 20


@dataclass(frozen=True, slots=True)
class RecordStory:
    """A record with where it comes from, as far as people look: `pages` says on how many it stands."""

    record: RecordRow
    sources: list[SourceRow]
    changes: list[ChangeRow]
    pages: int


@dataclass(frozen=True, slots=True)
class VersionStory:
    """A version of a page with its text, where it stands and which records were read in it."""

    version: ReadVersion
    markdown: str | None
    beside: Beside
    records: list[TextRecord]


@dataclass(frozen=True, slots=True)
class DomainFindings:
    """What extraction found on a domain: the first of each, and how many there are."""

    counts: DomainCounts
    records: list[RecordRow]
    contacts: list[ContactRow]
    quarantined: list[QuarantinedPage]


async def list_records(
    db: Database, wanted: RecordFilter, limit: int, after: UUID | None = None
) -> list[RecordRow]:
    """Newest first; `after` is the last one of the page before."""
    async with db.read() as tx:
        return await store.record_page(tx, wanted, limit, after)


async def look_for_records(
    db: Database, wanted: RecordFilter, sort: str, limit: int, after: str = ""
) -> tuple[list[RecordRow], Look]:
    """A page of them, and how far the look came; newest first, or sorted."""
    async with db.read() as tx:
        found = await store.look_for_records(tx, wanted, sort, limit, after)
    return [RecordRow(*tuple(row)) for row in found.rows], found


async def count_records(db: Database, wanted: RecordFilter) -> int:
    """How many fit, counted up to `MOST_COUNTED`."""
    async with db.read() as tx:
        return await store.count_records(tx, wanted)


async def list_changes(
    db: Database, wanted: RecordFilter, limit: int, after: int | None = None
) -> list[ChangedRow]:
    """What sites changed in records, the latest first; `after` is the last one of the page before."""
    async with db.read() as tx:
        return await listing.change_page(tx, wanted, limit, after)


async def record_story(db: Database, record_id: UUID) -> RecordStory:
    async with db.read() as tx:
        return RecordStory(
            await store.record(tx, record_id),
            await store.sources(tx, record_id, _SOURCES),
            await store.changes(tx, record_id, _CHANGES),
            await store.count_sources(tx, record_id),
        )


async def stories_of(db: Database, no: int, limit: int) -> list[RecordStory]:
    """The newest records of a domain, published or not, each with the page that mentions it now."""
    async with db.read() as tx:
        found = await store.record_page(tx, RecordFilter(no, unpublished=True), limit)
        return [RecordStory(one, await store.sources(tx, one.id, 1), [], 1) for one in found]


async def found_on(db: Database, no: int, limit: int) -> DomainFindings:
    """What there is to see of a domain, published or not; of each kind of thing the first `limit`."""
    async with db.read() as tx:
        return DomainFindings(
            await store.counts(tx, no),
            await store.record_page(tx, RecordFilter(no, unpublished=True), limit),
            await store.contacts_of(tx, no, limit),
            await version_queries.quarantined(tx, limit, no=no),
        )


async def contacts_of(
    db: Database, no: int, limit: int, after: int | None = None, *, gone: bool = False
) -> list[ContactRow]:
    async with db.read() as tx:
        return await store.contacts_of(tx, no, limit, after, gone=gone)


async def versions_of(db: Database, no: int, key: int, limit: int = _VERSIONS) -> list[ReadVersion]:
    """Versions of a page, newest first, with what was read of each."""
    async with db.read() as tx:
        return await version_queries.versions_of(tx, no, key, limit)


async def version(db: Database, snapshot_id: int) -> ReadVersion:
    async with db.read() as tx:
        return await version_queries.version(tx, snapshot_id)


async def markdown_of(db: Database, snapshot_id: int) -> str | None:
    """The main content of a version as Markdown; None where it was not read."""
    async with db.read() as tx:
        return await version_queries.markdown_of(tx, snapshot_id)


async def version_story(db: Database, snapshot_id: int) -> VersionStory:
    async with db.read() as tx:
        version = await version_queries.version(tx, snapshot_id)
        read_in = version.unchanged_since or version.id
        return VersionStory(
            version,
            await version_queries.markdown_of(tx, snapshot_id),
            await version_queries.beside(tx, version),
            await version_queries.records_from(tx, version.domain_no, version.key, read_in, _MOST_RECORDS),
        )


async def count_quarantined(db: Database, no: int | None = None, key: int | None = None) -> int:
    """Versions that stopped their readers, counted up to `MOST_COUNTED`."""
    async with db.read() as tx:
        return await version_queries.count_quarantined(tx, no, key)


async def quarantined(
    db: Database, limit: int, after: int | None = None, no: int | None = None, key: int | None = None
) -> list[QuarantinedPage]:
    """Versions that stopped their readers, newest first; of one page, one domain or all."""
    async with db.read() as tx:
        return await version_queries.quarantined(tx, limit, after, no, key)


async def counts(db: Database, no: int) -> DomainCounts:
    async with db.read() as tx:
        return await store.counts(tx, no)


async def page_view(db: Database, no: int, key: int) -> dict[str, str]:
    """What extraction made of a page, in words, for whoever asks why."""
    async with db.read() as tx:
        found = await version_queries.versions_of(tx, no, key, 1)
        records = await store.records_on(tx, no, key)
    if not found:
        return {}
    version = found[0]
    lines = {"extraction": f"{version.extract_state}: {_STATE_TEXTS[version.extract_state]}"}
    if version.extract_error:
        lines["extraction error"] = version.extract_error
    if version.relevance is not None:
        verdict = "relevant" if version.is_relevant else "not relevant"
        lines["relevance"] = f"{version.relevance}, {verdict}: {'; '.join(version.reasons or ())}"
    return lines | {f"record {place}": f"{kind}: {name}" for place, (kind, name) in enumerate(records, 1)}


_STATE_TEXTS = {
    ExtractState.WAITING: "it is read when `surveyor extract` comes to it",
    ExtractState.TAKEN: "it is being read",
    ExtractState.DONE: "its newest version was read",
    ExtractState.UNCHANGED: "it was read, and says what it said before",
    ExtractState.QUARANTINED: "it stopped three readers",
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
