"""The records of one domain while readings of its pages are merged: what is new, changed or gone. Pure.

A set holds the records of which these pages are sources, and those that may be the same as what was found on
them now. `merge_page` takes one page at a time; what is to be written is collected for the store.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from enum import Enum
from typing import Any, Final, NamedTuple
from uuid import UUID

from surveyor.extract import merging
from surveyor.extract.merging import Fields, Likely, PageFields
from surveyor.extract.values import FoundRecord, Source
from surveyor.ids import new_id

# Pages kept as sources of one record. An organisation stands on every page of its site; more pages that
# say the same would say nothing new, and each would cost with every page that is read.
MOST_SOURCES: Final = 20


@dataclass(slots=True)
class StoredRecord:
    """A record as it is stored, with the pages that mention it now."""

    id: UUID
    kind: str
    fields: dict[str, dict[str, Any]]
    first_seen_at: datetime
    last_seen_at: datetime
    was_gone: bool = False
    sources: dict[int, PageFields] = field(default_factory=dict)
    is_new: bool = False

    @property
    def is_gone(self) -> bool:
        return not self.sources

    @property
    def name(self) -> str:
        return str(self.fields["name"]["value"])

    @property
    def identity(self) -> bytes:
        return merging.identity(self.kind, self.name)


class Change(NamedTuple):
    """A field that a page says differently since its version `snapshot_id`."""

    record_id: UUID
    field: str
    old: Any
    new: Any
    snapshot_id: int


class Version(NamedTuple):
    """The version of a page that tells."""

    key: int
    snapshot_id: int
    seen_at: datetime
    brought_by: int | None
    """The version to which a difference is put down; none when only our rules can have changed."""


class Contributor(Enum):
    """Who says what stands on a page: each replaces what it said itself, and leaves the other's alone."""

    READING = "reading"  # extraction
    ITEMS = "items"  # a spider
    SOME_ITEMS = "some items"  # a spider that may have more to say: nothing is withdrawn
    IMPORT = "import"  # another register, row by row: nothing is withdrawn
    NOBODY = "nobody"  # the page is no more

    def leaves(self, fields: Fields) -> dict[str, Mapping[str, Any]]:
        """Of what is known of a record from a page, the fields that are not this contributor's."""
        if self is Contributor.NOBODY:
            return {}
        mine = _OWN.get(self)
        return {name: one for name, one in fields.items() if _OWNED.get(one["source"]) != mine}

    def gave(self, fields: Fields) -> bool:
        return len(self.leaves(fields)) < len(fields)

    def may_withdraw(self, record: StoredRecord, key: int) -> bool:
        if self in (Contributor.SOME_ITEMS, Contributor.IMPORT):
            return False
        source = record.sources.get(key)
        return source is not None and self.gave(source.fields)


# The source that a contributor's fields have; extraction has all others.
_OWN: Final = {
    Contributor.ITEMS: Source.ITEM,
    Contributor.SOME_ITEMS: Source.ITEM,
    Contributor.IMPORT: Source.IMPORT,
}
_OWNED: Final[Mapping[str, Source]] = {source.value: source for source in _OWN.values()}


@dataclass(slots=True)
class Outcome:
    """What one page brought, counted by kind."""

    new: Counter[str] = field(default_factory=Counter)
    changed: Counter[str] = field(default_factory=Counter)
    filled: int = 0  # known records to which an import added

    def __bool__(self) -> bool:
        return bool(self.new or self.changed or self.filled)


class RecordSet:
    def __init__(self, records: Iterable[StoredRecord] = ()) -> None:
        self.records = {record.id: record for record in records}
        self.touched: set[UUID] = set()
        self.sources: dict[tuple[UUID, int], PageFields] = {}
        self.withdrawn: set[tuple[UUID, int]] = set()
        self.changes: list[Change] = []

    @property
    def gone(self) -> list[StoredRecord]:
        """Records that no page mentions any more."""
        return [one for one in self._written() if one.is_gone and not one.was_gone]

    @property
    def back(self) -> list[StoredRecord]:
        return [one for one in self._written() if one.was_gone and not one.is_gone]

    def _written(self) -> Iterator[StoredRecord]:
        return (self.records[record_id] for record_id in sorted(self.touched))

    def merge_page(
        self, version: Version, found: Sequence[FoundRecord], contributor: Contributor = Contributor.READING
    ) -> Outcome:
        """One page says this now; what the contributor said of it before and does not now is withdrawn."""
        outcome = Outcome()
        things = merging.joined(found)
        key = version.key
        before = {record.id for record in self.records.values() if contributor.may_withdraw(record, key)}
        said: set[UUID] = set()
        for (kind, fields), known in zip(things, self._matched(things, version.key), strict=True):
            record = self.records[known] if known else self._add(kind, fields, version)
            said.add(record.id)
            if contributor is Contributor.IMPORT:
                outcome.filled += self._fill_in(record, version, fields) and known is not None
            elif self._say(record, version, fields, contributor):
                outcome.changed[kind] += 1
            if known is None:
                outcome.new[kind] += 1
        for record_id in before - said:
            self._withdraw(self.records[record_id], version, contributor)
        return outcome

    def _matched(self, things: Sequence[tuple[str, Any]], key: int) -> list[UUID | None]:
        likely = [
            Likely(record.id, record.kind, record.name, record.fields, key in record.sources)
            for record in self.records.values()
        ]
        return merging.match(things, likely)

    def _add(self, kind: str, fields: dict[str, dict[str, Any]], version: Version) -> StoredRecord:
        seen = version.seen_at
        record = StoredRecord(
            new_id(), kind, merging.merged([_source(version, fields)]), seen, seen, is_new=True
        )
        self.records[record.id] = record
        return record

    def _say(
        self,
        record: StoredRecord,
        version: Version,
        fields: dict[str, dict[str, Any]],
        contributor: Contributor,
    ) -> bool:
        """Take what the page says; returns whether the page changed what the record is."""
        before = record.sources.get(version.key)
        record.last_seen_at = max(record.last_seen_at, version.seen_at)
        self.touched.add(record.id)
        if before is None and len(record.sources) >= MOST_SOURCES and _adds_nothing(record, fields):
            return False
        kept = contributor.leaves(before.fields) if before is not None else {}
        self._set_source(record, _source(version, {**kept, **merging.better(kept, fields)}))
        is_changed = before is not None and (
            contributor is not Contributor.READING or version.brought_by not in (None, before.snapshot_id)
        )
        return self._merge(record, version if is_changed else None)

    def _fill_in(self, record: StoredRecord, version: Version, fields: dict[str, dict[str, Any]]) -> bool:
        """Take what another register read of the page, beside what is known; returns whether that is new.

        Of several such readings the latest stands, whatever their order: the same one again changes nothing.
        """
        before, mine = record.sources.get(version.key), Contributor.IMPORT
        if before is None:
            if len(record.sources) >= MOST_SOURCES and _adds_nothing(record, fields):
                return False
            source = _source(version, fields)
        else:
            others = mine.leaves(before.fields)
            said = {**others, **merging.better(others, fields)}
            if version.seen_at <= before.seen_at if mine.gave(before.fields) else said == before.fields:
                return False
            source = before._replace(seen_at=max(before.seen_at, version.seen_at), fields=said)
        record.last_seen_at = max(record.last_seen_at, version.seen_at)
        self.touched.add(record.id)
        self._set_source(record, source)
        self._merge(record, None)  # no site changed anything
        return before is None or before.fields != source.fields

    def _set_source(self, record: StoredRecord, source: PageFields) -> None:
        record.sources[source.key] = self.sources[record.id, source.key] = source
        self.withdrawn.discard((record.id, source.key))

    def _withdraw(self, record: StoredRecord, version: Version, contributor: Contributor) -> None:
        source = record.sources[version.key]
        if kept := contributor.leaves(source.fields):
            # An item's name stood before the one that was read.
            kept.setdefault("name", {**source.fields["name"], "source": next(iter(kept.values()))["source"]})
            self.touched.add(record.id)
            self._set_source(record, source._replace(fields=kept))
            self._merge(record, version)
            return
        del record.sources[version.key]
        self.sources.pop((record.id, version.key), None)
        self.withdrawn.add((record.id, version.key))
        self.touched.add(record.id)
        if record.sources:
            self._merge(record, version)
        elif record.is_new:
            del self.records[record.id]  # two versions of a page at once, and the later one lost it
            self.touched.discard(record.id)
            self.withdrawn.discard((record.id, version.key))
        # Without any source what was last known of it stays.

    def _merge(self, record: StoredRecord, changed_by: Version | None) -> bool:
        old = merging.values_of(record.fields)
        record.fields = merging.merged(list(record.sources.values()))
        new = merging.values_of(record.fields)
        differ = [name for name in {*old, *new} if old.get(name) != new.get(name)]
        if changed_by is None or changed_by.brought_by is None or record.is_new:
            return False
        self.changes += [
            Change(record.id, name, old.get(name), new.get(name), changed_by.brought_by)
            for name in sorted(differ)
        ]
        return bool(differ)


def _source(version: Version, fields: Fields) -> PageFields:
    return PageFields(version.key, version.snapshot_id, version.seen_at, fields)


def _adds_nothing(record: StoredRecord, fields: dict[str, dict[str, Any]]) -> bool:
    known = merging.values_of(record.fields)
    return all(known.get(name) == one["value"] for name, one in fields.items())
