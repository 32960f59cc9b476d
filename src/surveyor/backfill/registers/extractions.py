"""What another register read on pages, as records of a kind; pure.

Fields stand in one cell as a JSON object, or in columns of their own. A value that its field cannot hold is
left away and noted; a row without a page, a date, a known kind or a name says nothing that could be kept.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import Any

from surveyor.backfill.cells import Cells, moment
from surveyor.backfill.registers.columns import COLUMNS, Kind, field_columns
from surveyor.backfill.registers.run import LeftOut, Run
from surveyor.backfill.rows import Headings, squashed
from surveyor.errors import NotADomain, NotAUrl
from surveyor.extract.field_values import BadValue, Context, value_of
from surveyor.extract.kinds import ALL_FIELDS, type_of
from surveyor.extract.values import Field, FoundRecord, Source, Value
from surveyor.names import PageUrl, parse_url, url_key
from surveyor.profiles.kinds import FieldType

_OF_ROWS = COLUMNS[Kind.EXTRACTIONS]
_SLACK = timedelta(days=1)  # a clock of a zone that is not given
_MOST_UNKNOWN = 30  # names within JSON that are named


@dataclass(frozen=True, slots=True)
class TheirRecord:
    url: PageUrl
    seen_at: datetime
    record: FoundRecord

    @property
    def domain(self) -> str:
        return str(self.url.domain)

    @property
    def key(self) -> int:
        return url_key(self.url.target)


def read(cells: Cells, run: Run) -> TheirRecord:
    url, seen_at = _page(cells, run)
    word = cells.text("kind", 100) or ""
    kind = next((kind for form in _forms(word) for kind in ALL_FIELDS if squashed(kind) == form), None)
    if kind is None:
        raise LeftOut(
            f"“{word[:40]}” is no kind of records; there are {', '.join(sorted(ALL_FIELDS))}", url.text
        )
    context = Context(url.text, run.rules, run.into.phone_regions, run.into.kinds)
    fields: dict[str, Field] = {}
    for name, given in _given(cells, kind, run, url.text).items():
        try:
            fields[name] = Field(_value(kind, name, given, context, run), Source.IMPORT, "")
        except BadValue:
            cells.unread.add(name, str(given))
    if "name" not in fields or not isinstance(fields["name"].value, str):
        raise LeftOut(f"a {kind} needs a name, and it has none", url.text)
    return TheirRecord(url, seen_at, FoundRecord(kind, fields))


def _page(cells: Cells, run: Run) -> tuple[PageUrl, datetime]:
    """Where and when it was read: as the row says, or the page whose id it names."""
    said, page_id = cells.text("url", 2_000), cells.text("page", 200)
    crawled_at = None
    if page_id is not None and run.pages is not None and page_id in run.pages:
        address, crawled_at = run.pages[page_id]
        said = said or address
    if said is None and page_id is not None:
        raise LeftOut("only an id says which page is meant; give the table of pages along", page_id)
    try:
        url = parse_url(said or "", rules=run.rules)
    except (NotAUrl, NotADomain):
        raise LeftOut("no URL of a page is named", said or "") from None
    seen_at = cells.moment("seen_at") or crawled_at
    if seen_at is None:
        raise LeftOut("no date says when it was read", url.text)
    if seen_at > datetime.now(UTC) + _SLACK:
        raise LeftOut("its date is in the future", url.text)
    return url, seen_at


def _forms(word: str) -> Iterator[str]:
    """The word as it may be spelled: one or many, British or American."""
    plain = squashed(word)
    for spelled in (plain, plain.replace("organiz", "organis").replace("programme", "program")):
        yield from (spelled, spelled.removesuffix("s"), spelled.removesuffix("es"))
        yield spelled.removesuffix("ies") + "y"


def _given(cells: Cells, kind: str, run: Run, sample: str) -> dict[str, Any]:
    """What the row says of each field of the kind; JSON goes before columns."""
    known = field_columns(ALL_FIELDS[kind])
    found = {name: cells.row[name] for name in known if name in cells.row and name not in _OF_ROWS}
    if (data := cells.row.get("data")) is not None:
        payload = _object(data, sample)
        headings = Headings.of(list(payload), known, ())
        found |= {ours: payload[theirs] for ours, theirs in headings.ours.items()}
        _note_unknown(headings.unknown, run)
    return {name: value for name, value in found.items() if value is not None and value not in ("", [])}


def _object(data: Any, sample: str) -> Mapping[str, Any]:
    try:
        payload = json.loads(data) if isinstance(data, str | bytes) else data
    except (ValueError, RecursionError):
        payload = None
    if not isinstance(payload, dict):
        raise LeftOut("its data is no JSON object", sample)
    return payload


def _note_unknown(names: tuple[str, ...], run: Run) -> None:
    unknown = run.now.unknown_columns
    new = tuple(f"data.{name[:40]}" for name in names)
    run.now.unknown_columns = tuple(dict.fromkeys((*unknown, *new)))[: max(len(unknown), _MOST_UNKNOWN)]


def _value(kind: str, name: str, given: Any, context: Context, run: Run) -> Value:
    if type_of(kind, name) is FieldType.DATE and (when := moment(given, run.dates)) is not None:
        given = when.date()
    return value_of(kind, name, given, context)
