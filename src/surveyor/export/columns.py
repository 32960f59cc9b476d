"""The columns of everything that can be taken out, in a fixed order: names as the register has them.

New columns are added at the end of a group, never in between by chance: people build sheets on them.
"""

from __future__ import annotations

from collections.abc import Iterable
from datetime import datetime
from decimal import Decimal
from enum import StrEnum
from typing import Any, NamedTuple, get_args, get_type_hints

from surveyor.export.values import What
from surveyor.registry.candidates import Candidate
from surveyor.registry.domain import DERIVED, Domain


class ColumnKind(StrEnum):
    """What a column holds, for formats that have types."""

    TEXT = "text"  # also whatever has no type of its own
    INTEGER = "integer"  # 64 bits, signed
    NUMBER = "number"  # a rate, seconds, an amount
    CONFIDENCE = "confidence"  # 0.00 to 1.00, exact
    BOOLEAN = "boolean"  # true or false
    TIME = "time"  # a moment in UTC


class Column(NamedTuple):
    name: str
    kind: ColumnKind = ColumnKind.TEXT


# Of values that may be missing as of those that may not; whatever is not here is text.
_KINDS: dict[Any, ColumnKind] = {
    int: ColumnKind.INTEGER,
    float: ColumnKind.NUMBER,
    Decimal: ColumnKind.CONFIDENCE,
    bool: ColumnKind.BOOLEAN,
    datetime: ColumnKind.TIME,
}


def _of(value_class: type[Domain] | type[Candidate]) -> Iterable[Column]:
    for name, kind in get_type_hints(value_class).items():
        if name != "read_at":
            yield Column(name, _KINDS.get((get_args(kind) or (kind,))[0], ColumnKind.TEXT))


def _texts(*names: str) -> tuple[Column, ...]:
    return tuple(map(Column, names))


def _integers(*names: str) -> tuple[Column, ...]:
    return tuple(Column(name, ColumnKind.INTEGER) for name in names)


def _times(*names: str) -> tuple[Column, ...]:
    return tuple(Column(name, ColumnKind.TIME) for name in names)


_COMPUTED = {"stage": ColumnKind.TEXT, "priority_score": ColumnKind.INTEGER}


def _record_fields() -> Iterable[Column]:
    """The fields of all kinds of records, each once, in the order in which people read them."""
    from surveyor.extract.kinds import ALL_FIELDS, type_of  # read when somebody asks for records
    from surveyor.profiles.kinds import FieldType

    types: dict[str, set[FieldType]] = {}
    for kind, names in ALL_FIELDS.items():
        for name in names:
            types.setdefault(name, set()).add(type_of(kind, name))
    for name, held in types.items():
        yield Column(name, ColumnKind.NUMBER if held == {FieldType.NUMBER} else ColumnKind.TEXT)


def _record_columns() -> Iterable[Column]:
    yield from _texts("id", "domain", "kind")
    yield from _record_fields()
    yield Column("source_url")
    yield Column("published", ColumnKind.BOOLEAN)
    yield from _times("first_seen_at", "last_seen_at", "gone_at", "updated_at")


def columns_of(what: What) -> tuple[Column, ...]:
    """The columns of what is taken out; those of records as the profile of this process declares them."""
    return tuple(_record_columns()) if what is What.RECORDS else COLUMNS[what]


# Of all but records.
COLUMNS: dict[What, tuple[Column, ...]] = {
    What.DOMAINS: (
        *_of(Domain),
        *(Column(name, _COMPUTED.get(name, ColumnKind.NUMBER)) for name in (*DERIVED, "yield_rate")),
    ),
    What.CANDIDATES: tuple(_of(Candidate)),
    What.CONTACTS: (
        Column("id", ColumnKind.INTEGER),
        *_texts("domain", "candidate_id", "kind", "value", "name", "role", "source_url", "source", "quote"),
        Column("confidence", ColumnKind.CONFIDENCE),
        *_times("found_at", "last_seen_at", "gone_at"),
        Column("pages", ColumnKind.INTEGER),
    ),
    What.PAGES: (
        *_texts("domain", "url", "state", "reason"),
        *_integers("depth", "rank", "seq", "attempts"),
        Column("found_on"),
        Column("status", ColumnKind.INTEGER),
        *_texts("etag", "last_modified", "content_hash"),
        *_times("fetched_at", "next_visit_at"),
        *_texts("title", "language", "content_type"),
        Column("bytes", ColumnKind.INTEGER),
        Column("relevance", ColumnKind.CONFIDENCE),
        Column("is_relevant", ColumnKind.BOOLEAN),
        Column("archive"),
    ),
    What.IMAGES: (
        Column("image_id", ColumnKind.INTEGER),
        *_texts("sha256", "url", "domain", "page_url", "alt", "discovery_type"),
        Column("seen_at", ColumnKind.TIME),
        *_integers("width", "height"),
        Column("format"),
        Column("bytes", ColumnKind.INTEGER),
        *_texts("file", "copyright", "creator", "licence", "data_mining", "signals"),
        *_times("first_seen_at", "last_seen_at"),
    ),
    What.TEXTS: (
        *_texts("domain", "url", "title", "language"),
        Column("relevance", ColumnKind.CONFIDENCE),
        Column("is_relevant", ColumnKind.BOOLEAN),
        Column("fetched_at", ColumnKind.TIME),
        Column("text"),
    ),
    What.LINKS: (*_texts("domain", "page_url", "url", "to_domain"), Column("is_foreign", ColumnKind.BOOLEAN)),
}
