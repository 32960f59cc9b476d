"""A record beside the text it was read from: its fields in order, and pages with the words marked."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any, NamedTuple

from surveyor.extract import quotes
from surveyor.extract.kinds import ALL_FIELDS
from surveyor.extract.overlay import SOURCE as CORRECTED
from surveyor.extract.queries import RecordRow, RecordStory, SourceRow, VersionStory
from surveyor.extract.quotes import Piece
from surveyor.extract.values import Source
from surveyor.profiles.kinds import BUILT_IN

# How people call the ways in which a page says something.
SOURCES = {
    Source.ITEM: "item of a spider",
    Source.JSON_LD: "JSON-LD",
    Source.MICRODATA: "microdata",
    Source.OPENGRAPH: "OpenGraph",
    Source.STRUCTURE: "structure of the page",
    Source.TEXT: "a sentence",
    Source.MODEL: "language model",
    Source.IMPORT: "another register",
}
# Fields beside the name that a line of a list has room for, and how many of them.
_IN_LINE = ("hours", "phone", "address", "location", "email", "website", "funder", "organisation")
_MOST_IN_LINE = 3
# Characters of a version's text that a page shows; the whole of it can be saved.
_LONGEST = 200_000


class Shown(NamedTuple):
    """A piece of a text; `anchors` are the fields whose words begin here."""

    text: str
    names: tuple[str, ...]
    anchors: tuple[str, ...]
    is_gap: bool


class FieldLine(NamedTuple):
    name: str
    value: Any
    source: str
    quote: str
    snapshot: int | None
    is_marked: bool
    """Whether the words stand in one of the texts beside."""


class SourceView(NamedTuple):
    """A page that mentions a record, its text around the words."""

    source: SourceRow
    pieces: list[Shown]
    has_marks: bool


class RecordView(NamedTuple):
    record: RecordRow
    fields: list[FieldLine]
    sources: list[SourceView]


def record_view(story: RecordStory) -> RecordView:
    """A record for a page that shows both sides."""
    sources = [_source_view(source) for source in story.sources]
    marked = {(one.source.snapshot_id, name) for one in sources for p in one.pieces for name in p.anchors}
    return RecordView(story.record, [_line(*field, marked) for field in in_order(story.record)], sources)


def in_order(record: RecordRow) -> list[tuple[str, dict[str, Any]]]:
    """Fields in the order in which people read them."""
    known = [name for name in ALL_FIELDS.get(record.kind, ()) if name in record.fields]
    others = [name for name in record.fields if name not in known]
    return [(name, record.fields[name]) for name in (*known, *others)]


def in_line(record: RecordRow) -> str:
    """What a list says of a record beside its name."""
    values = {name: said(value) for name, value in record.values.items() if value not in (None, "", [])}
    if record.kind not in BUILT_IN:
        own = [
            f"{name.replace('_', ' ')} {values[name]}"
            for name, _ in in_order(record)
            if name in values and name != "name"
        ]
        return ", ".join(own[:_MOST_IN_LINE])
    present = []
    if "deadline" in values:
        present.append(f"until {values['deadline']}")
    if amount := values.get("amount_max") or values.get("amount_min"):
        present.append(f"{amount} {values.get('currency', '')}".strip())
    present += [values[name] for name in _IN_LINE if name in values]
    return ", ".join(present[:_MOST_IN_LINE])


def said(value: Any) -> str:
    """A value of a field as people write it."""
    if isinstance(value, list):
        return ", ".join(map(said, value))
    if isinstance(value, int | float) and not isinstance(value, bool):
        return f"{value:,}"
    return "nothing" if value is None else str(value)


def version_pieces(story: VersionStory) -> list[Shown]:
    """The text of a version, with the words that its records were read from."""
    is_one = len(story.records) == 1
    found = {
        name if is_one else f"{name} of {record.name}": words
        for record in story.records
        for name, words in _quotes(record.fields).items()
    }
    return _shown(quotes.marked((story.markdown or "")[:_LONGEST], found))


def _source_view(source: SourceRow) -> SourceView:
    pieces = quotes.marked((source.markdown or "")[:_LONGEST], _quotes(source.fields))
    return SourceView(source, _shown(quotes.excerpt(pieces)), any(piece.names for piece in pieces))


def _quotes(fields: Mapping[str, Mapping[str, Any]]) -> dict[str, Sequence[str]]:
    """The words of each field; where a program was meant to read them, its value may stand in the text."""
    return {name: (str(one.get("quote") or ""), said(one.get("value"))) for name, one in fields.items()}


def _shown(pieces: Iterable[Piece]) -> list[Shown]:
    seen: set[str] = set()
    found = []
    for piece in pieces:
        new = tuple(name for name in piece.names if name not in seen)
        seen.update(new)
        found.append(Shown(piece.text, piece.names, new, piece.is_gap))
    return found


def _line(name: str, field: Mapping[str, Any], marked: set[tuple[int, str]]) -> FieldLine:
    snapshot, source = field.get("snapshot"), str(field.get("source") or "")
    if source == CORRECTED:
        return FieldLine(name, field.get("value"), "a person", "", None, False)
    named = SOURCES.get(Source(source), source) if source in set(Source) else source
    is_marked = snapshot is not None and (snapshot, name) in marked
    return FieldLine(name, field.get("value"), named, str(field.get("quote") or ""), snapshot, is_marked)
