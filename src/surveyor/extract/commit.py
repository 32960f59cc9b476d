"""Writing what was read: the readings of many versions in one transaction, each only while its claim holds.

Text, relevance, records with sources and changes, contacts, counters and events of a version are there
together or not at all. Records and contacts follow the newest version of a page; an older one that is read
later changes its own row alone. A version that says what the one before it says is recorded as unchanged.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Sequence, Set
from dataclasses import dataclass, field
from datetime import datetime
from typing import NamedTuple, Protocol

from sqlalchemy.ext.asyncio import AsyncConnection

from surveyor.db import Database, current_time
from surveyor.extract import forgetting
from surveyor.extract.changes import record_changes
from surveyor.extract.record_set import Outcome, RecordSet, Version
from surveyor.extract.states import ExtractState
from surveyor.extract.store import contacts, postponed, queue, records, snapshots
from surveyor.extract.store.contacts import PageContacts
from surveyor.extract.store.queue import Waiting
from surveyor.extract.store.snapshots import PageKey, Read, VersionRow
from surveyor.extract.values import Reading
from surveyor.process.failpoints import failpoint
from surveyor.registry.actors import Actor
from surveyor.registry.events import EventKind, NewEvent
from surveyor.registry.store import events, forgotten, languages
from surveyor.registry.store import records as registry_records

# Records and contacts written at once: several values each, of which a statement takes 32,000.
_MOST_FOUND = 2_000


class PageYield(NamedTuple):
    """Pages by what they give, each by its key."""

    records: Set[int]
    moved: Set[int]
    """Those of them on which a deadline is another one."""
    nothing: Set[int]


class RefreshHook(Protocol):
    """Who else needs to know, within the transaction: whoever plans the next visits."""

    async def unchanged(self, tx: AsyncConnection, pages: Sequence[PageKey]) -> None:
        """These pages turned out to say what they said before."""

    async def read(self, tx: AsyncConnection, domain_no: int, page_yield: PageYield) -> None:
        """What the pages of the domain gave whose newest version was read."""


class NullHook:
    """Nobody else needs to know."""

    async def unchanged(self, tx: AsyncConnection, pages: Sequence[PageKey]) -> None:
        return

    async def read(self, tx: AsyncConnection, domain_no: int, page_yield: PageYield) -> None:
        return


class Finished(NamedTuple):
    """A version that was read; its Markdown is compressed already."""

    waiting: Waiting
    reading: Reading
    markdown: bytes


@dataclass(slots=True)
class Written:
    """What a group came to."""

    pages: int = 0
    relevant: int = 0
    unchanged: int = 0
    records: int = 0
    changed: int = 0
    lost: int = 0
    """Versions that were no longer ours, or whose domain may not be read any more."""
    domains: set[int] = field(default_factory=set)


class _Placed(NamedTuple):
    """A reading with its place among the versions of its page."""

    finished: Finished
    row: VersionRow
    is_newest: bool
    unchanged_since: int | None
    then_fold: int | None
    """A later version that was read before, and says the same."""

    @property
    def flags(self) -> bool:
        relevant = self.finished.reading.relevance.is_relevant
        return relevant and self.unchanged_since is None and not self.row.was_relevant


class Commits:
    """Writes for one worker."""

    def __init__(
        self, db: Database, worker: str, version: str, yields: str, refresh_hook: RefreshHook | None = None
    ) -> None:
        self._db, self._worker, self._version, self._yields = db, worker, version, yields
        self._by, self._refresh_hook = Actor.worker(worker), refresh_hook or NullHook()

    async def write(self, group: Sequence[Finished]) -> Written:
        """One transaction for all of them."""
        done = Written()
        if group:
            async with self._db.write() as tx:
                await self._write(tx, group, done)
                failpoint("before_extract_commit")
        failpoint("after_extract_commit")
        return done

    async def _write(self, tx: AsyncConnection, group: Sequence[Finished], done: Written) -> None:
        if any(one.reading.postponed for one in group):
            await postponed.alone(tx)
        live = await self._still_ours(tx, group, done)
        if not live:
            return
        live = await _without_forgotten(tx, live)
        moment = await current_time(tx)
        versions = await snapshots.versions(tx, [_page(one) for one in live])
        placed = place_all(live, versions)
        await self._write_versions(tx, placed)
        await languages.read(tx, _languages(placed))
        new_events = await self._write_records(tx, placed, moment, done)
        await self._write_contacts(tx, placed, moment)
        failpoint("in_extract_commit")
        await events.append(tx, [*self._flagged(placed), *new_events])
        unchanged = [_page(one.finished) for one in placed if one.unchanged_since is not None]
        if unchanged:
            await self._refresh_hook.unchanged(tx, unchanged)
        done.pages, done.unchanged = len(placed), len(unchanged)
        done.relevant = sum(one.finished.reading.relevance.is_relevant for one in placed)
        done.domains = {one.finished.waiting.domain_no for one in placed}

    async def _still_ours(
        self, tx: AsyncConnection, group: Sequence[Finished], done: Written
    ) -> list[Finished]:
        """Domains first, versions then: the order in which a crawl locks the same rows."""
        allowed = await queue.lock_domains(tx, [one.waiting.domain_no for one in group])
        held = await queue.still_held(tx, self._worker, [one.waiting.id for one in group])
        ours = [one for one in group if one.waiting.id in held]
        if not await queue.rules_hold(tx, self._version):
            allowed = set()
        live = [one for one in ours if one.waiting.domain_no in allowed]
        if len(live) < len(ours):
            kept = {one.waiting.id for one in live}
            refused = [one.waiting.id for one in ours if one.waiting.id not in kept]
            await queue.give_back(tx, self._worker, refused)
        done.lost = len(group) - len(live)
        return live

    async def _write_versions(self, tx: AsyncConnection, placed: Sequence[_Placed]) -> None:
        read = [
            Read(one.row.id, one.finished.reading, one.finished.markdown, one.unchanged_since)
            for one in placed
        ]
        await snapshots.write(tx, read, self._version)
        later = [(one.id, one.reading.postponed) for one in read if one.reading.postponed]
        if later:
            await postponed.note(self._db, tx, later)
        for one in placed:
            if one.then_fold is not None:
                await snapshots.fold(tx, one.then_fold, one.unchanged_since or one.row.id)

    async def _write_records(
        self, tx: AsyncConnection, placed: Sequence[_Placed], moment: datetime, done: Written
    ) -> list[NewEvent]:
        by_domain: dict[int, list[_Placed]] = defaultdict(list)
        for one in placed:
            if one.is_newest:
                by_domain[one.row.domain_no].append(one)
        new_events: list[NewEvent] = []
        for no, pages in sorted(by_domain.items()):
            found = [record for one in pages for record in one.finished.reading.records]
            record_set = await records.record_set(tx, no, [one.row.key for one in pages], found)
            outcomes = [(one, _merged(record_set, one)) for one in pages]
            new = sum(outcome.new.total() for _, outcome in outcomes)
            if record_set.touched:
                published = await registry_records.are_published(tx, no)
                await records.write(tx, no, record_set, moment, published=published)
                await record_changes(tx, no, record_set, self._by)
            if new:
                await registry_records.count_new(tx, no, new, self._yields)
            await self._refresh_hook.read(tx, no, _page_yield(pages, record_set))
            new_events += [self._extracted(one, outcome) for one, outcome in outcomes if outcome]
            done.records += new
            done.changed += sum(outcome.changed.total() for _, outcome in outcomes)
        return new_events

    async def _write_contacts(self, tx: AsyncConnection, placed: Sequence[_Placed], moment: datetime) -> None:
        pages = [
            PageContacts(
                one.row.domain_no,
                one.row.key,
                one.unchanged_since or one.row.id,
                one.finished.waiting.url,
                one.row.last_seen_at,
                one.finished.reading.contacts,
            )
            for one in placed
            if one.is_newest
        ]
        if pages:
            await contacts.write(tx, pages, moment)

    def _flagged(self, placed: Sequence[_Placed]) -> list[NewEvent]:
        return [
            NewEvent(
                EventKind.PAGE_FLAGGED,
                self._by.name,
                one.row.domain_no,
                data={"snapshot": one.row.id, "relevance": str(one.finished.reading.relevance.score)},
            )
            for one in placed
            if one.flags
        ]

    def _extracted(self, one: _Placed, outcome: Outcome) -> NewEvent:
        data = {"snapshot": one.row.id, "new": dict(outcome.new), "changed": dict(outcome.changed)}
        return NewEvent(EventKind.RECORDS_EXTRACTED, self._by.name, one.row.domain_no, data=data)


def _languages(placed: Sequence[_Placed]) -> dict[int, set[str]]:
    found: dict[int, set[str]] = defaultdict(set)
    for one in placed:
        if language := one.finished.reading.text.language:
            found[one.row.domain_no].add(language)
    return found


def _page_yield(pages: Sequence[_Placed], record_set: RecordSet) -> PageYield:
    with_records = {one.row.key for one in pages if one.finished.reading.records}
    late = {change.snapshot_id for change in record_set.changes if change.field == "deadline"}
    moved = {one.row.key for one in pages if one.row.id in late}
    return PageYield(with_records, moved & with_records, {one.row.key for one in pages} - with_records)


async def _without_forgotten(tx: AsyncConnection, live: Sequence[Finished]) -> list[Finished]:
    """Nothing is kept of contacts that somebody asked to be forgotten."""
    asked = {text for one in live for text in forgetting.contact_texts(one.reading)}
    unwanted = await forgotten.contacts_among(tx, asked)
    if not unwanted:
        return list(live)
    return [one._replace(reading=forgetting.without(one.reading, unwanted)) for one in live]


def parts(group: Sequence[Finished]) -> Iterator[list[Finished]]:
    """The group in parts, none with more records than one statement can take."""
    part: list[Finished] = []
    found = 0
    for one in group:
        more = len(one.reading.records) + len(one.reading.contacts)
        if part and found + more > _MOST_FOUND:
            yield part
            part, found = [], 0
        part.append(one)
        found += more
    if part:
        yield part


def _page(one: Finished) -> PageKey:
    return one.waiting.domain_no, one.waiting.key


def _merged(record_set: RecordSet, one: _Placed) -> Outcome:
    # What an unchanged version has read before can differ by our rules alone.
    brought_by = None if one.unchanged_since is not None and one.row.was_read else one.row.id
    version = Version(one.row.key, one.unchanged_since or one.row.id, one.row.last_seen_at, brought_by)
    return record_set.merge_page(version, one.finished.reading.records)


def place_all(group: Sequence[Finished], versions: dict[PageKey, list[VersionRow]]) -> list[_Placed]:
    """Each reading among the versions of its page, the earliest first, as if read one after the other."""
    readings = {one.waiting.id: one for one in group}
    placed = []
    for rows in versions.values():
        newest = max(rows, key=lambda row: (row.last_seen_at, row.id))
        known = list(rows)
        for index, row in enumerate(rows):
            if row.id in readings:
                one = _place(readings[row.id], known, index, is_newest=row is newest)
                known[index] = _as_read(row, one)
                placed.append(one)
    return sorted(placed, key=lambda one: (one.row.domain_no, one.row.first_seen_at, one.row.id))


def _place(one: Finished, rows: Sequence[VersionRow], index: int, *, is_newest: bool) -> _Placed:
    text_hash = one.reading.text.text_hash
    before = next((row for row in reversed(rows[:index]) if row.is_read), None)
    after = next((row for row in rows[index + 1 :] if row.is_read), None)
    into = None
    if before is not None and before.text_hash == text_hash:
        into = before.unchanged_since or before.id
    same_after = after is not None and after.text_hash == text_hash and after.state is ExtractState.DONE
    return _Placed(one, rows[index], is_newest, into, after.id if after and same_after else None)


def _as_read(row: VersionRow, one: _Placed) -> VersionRow:
    state = ExtractState.DONE if one.unchanged_since is None else ExtractState.UNCHANGED
    text_hash = one.finished.reading.text.text_hash
    return row._replace(state=state, text_hash=text_hash, unchanged_since=one.unchanged_since)
