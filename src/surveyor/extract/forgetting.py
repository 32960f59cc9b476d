"""Forgotten contacts taken out of what was read of a page: the contact, and fields that name it."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Set
from dataclasses import replace

from surveyor.extract.values import Field, FoundContact, FoundRecord, Reading

# Fields of records that are contacts themselves.
_CONTACTS = ("email", "phone")


def contact_texts(reading: Reading) -> Iterator[str]:
    """Whatever somebody may have asked to be forgotten."""
    for contact in reading.contacts:
        yield contact.value
        if contact.name:
            yield contact.name
    yield from record_texts(reading.records)


def record_texts(records: Iterable[FoundRecord]) -> Iterator[str]:
    for record in records:
        yield from (str(record.fields[name].value) for name in _CONTACTS if name in record.fields)


def without(reading: Reading, unwanted: Set[str]) -> Reading:
    """The reading as if the page did not name them; a record whose name does is left out."""
    folded = {text.casefold() for text in unwanted}
    contacts = [one for one in reading.contacts if not _is_named(one, folded)]
    return replace(reading, records=clean_records(reading.records, unwanted), contacts=contacts)


def clean_records(records: Iterable[FoundRecord], unwanted: Set[str]) -> list[FoundRecord]:
    folded = {text.casefold() for text in unwanted}
    return [kept for record in records if (kept := _cleaned(record, folded))]


def _is_named(contact: FoundContact, folded: Set[str]) -> bool:
    return contact.value.casefold() in folded or (contact.name or "").casefold() in folded


def _cleaned(record: FoundRecord, folded: Set[str]) -> FoundRecord | None:
    fields = {name: one for name, one in record.fields.items() if not _names(one, folded)}
    return replace(record, fields=fields) if "name" in fields else None


def _names(field: Field, folded: Set[str]) -> bool:
    said = f"{field.value} {field.quote}".casefold()
    return any(text in said for text in folded)
