"""Records of the kinds that a profile declares: out of marks, selected elements, tables, sections, a page.

The page must say what it tells of: by a type in its marks, by the selector of the kind, or by one of its
words. Then each part that repeats is read for itself, so that facts of one never lie in the next.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from itertools import islice, takewhile
from typing import TYPE_CHECKING, Any, Final

from surveyor.extract import structured
from surveyor.extract.contacts.channels import Channel, Place
from surveyor.extract.document import Block, BlockKind, Region
from surveyor.extract.fields import addresses, hours
from surveyor.extract.lexicon import plain
from surveyor.extract.records.facts import Fact, facts_of, is_label, quoted
from surveyor.extract.records.programmes import MOST, Scope, tables_of
from surveyor.extract.records.typed import Reader, pattern
from surveyor.extract.structured.marks import visible_lines
from surveyor.extract.structured.values import Item
from surveyor.extract.values import Field, FoundRecord, Source
from surveyor.profiles.kinds import DeclaredKind, FieldType, KindField

if TYPE_CHECKING:
    from selectolax.lexbor import LexborNode

    from surveyor.extract.analysis import Analysis

# Fields beside the name that make a record; one is enough where a heading says what it is.
_ENOUGH: Final = 2
# Characters of a name.
_LONGEST_NAME: Final = 140
# Properties of schema.org that a type has anyway.
_PROPERTIES: Final = {
    FieldType.PHONE: ("telephone",),
    FieldType.EMAIL: ("email",),
    FieldType.URL: ("url",),
}
# Items of a list under one label.
_MOST_ITEMS: Final = 12
_OVER_LINES: Final[dict[FieldType, Callable[[Sequence[str]], list[Any]]]] = {
    FieldType.ADDRESS: addresses.find,
    FieldType.HOURS: hours.find,
}
Fields = dict[str, Field]


class Finder:
    """Finds the records of one kind."""

    def __init__(self, name: str, kind: DeclaredKind) -> None:
        self.name, self._kind = name, kind
        self._words = pattern(kind.words)
        fields = {"name": KindField(), **kind.fields}
        self._named = Reader("name", fields.pop("name"))
        self._readers = [Reader(name, field) for name, field in fields.items()]

    def find(self, page: Analysis, organisations: Sequence[str] = ()) -> list[FoundRecord]:
        """The records of a page; `organisations` are the names of those found on it."""
        items = page.structured.of_types(self._kind.json_ld)
        marked = [fields for item in items if (fields := self._marked(item, page))]
        selected = list(self._selected(page)) if self._kind.css else []
        if len(marked) > 1 or selected:
            return [self._record(fields) for fields in (selected or marked)[:MOST]]
        if not marked and (not self._is_said(page) or page.marks.refuse() or page.marks.is_list()):
            return []
        several = [] if marked else self._several(page)
        if several:
            return [self._record(fields) for fields in several[:MOST]]
        single = self._single(page, organisations) | (marked[0] if marked else {})
        enough = marked or len(single) > (1 if self._is_headed(page) else _ENOUGH)
        return [self._record(single)] if enough and "name" in single else []

    def _record(self, fields: Fields) -> FoundRecord:
        order = ("name", *self._kind.columns)
        return FoundRecord(self.name, {name: fields[name] for name in dict.fromkeys(order) if name in fields})

    # ------------------------------------------------------------ whether the page tells of one

    def _names(self, text: str) -> bool:
        return self._words is not None and self._words.search(plain(text)) is not None

    def _is_said(self, page: Analysis) -> bool:
        return self._is_headed(page) or self._names(page.marks.text)

    def _is_headed(self, page: Analysis) -> bool:
        document = page.document
        headings = (block.text for block in page.main if block.kind is BlockKind.HEADING)
        return any(map(self._names, (document.title, document.site_name or "", *headings)))

    # ------------------------------------------------------------ marks and selectors

    def _marked(self, item: Item, page: Analysis) -> Fields:
        fields: Fields = {}
        named = item.text(*self._named.field.json_ld, "name", "headline", "title")
        if not named:
            return {}
        fields["name"] = Field(named[:_LONGEST_NAME], item.source, quoted(named))
        for reader in self._readers:
            text = _property(item, reader)
            if text:
                self._put(fields, reader, text, Field("", item.source, quoted(text)), page)
        return fields

    def _selected(self, page: Analysis) -> Iterator[Fields]:
        """One record per element that the kind selects."""
        for node in page.document.tree.css(self._kind.css or "")[:MOST]:
            lines = visible_lines(node).split("\n")
            blocks = [Block(BlockKind.TEXT, Region.MAIN, line) for line in lines if line]
            fields = self._read(facts_of(blocks), page)
            self._by_selectors(fields, node, page)
            if "name" not in fields and (head := node.css_first("h1,h2,h3,h4,h5,h6,strong,b")) is not None:
                text = " ".join(head.text().split())
                fields["name"] = Field(text[:_LONGEST_NAME], Source.STRUCTURE, quoted(text))
            if "name" in fields and fields["name"].value:
                yield fields

    def _by_selectors(self, fields: Fields, node: LexborNode, page: Analysis) -> None:
        for reader in (self._named, *self._readers):
            found = node.css_first(reader.field.css) if reader.field.css else None
            if found is None:
                continue
            text = " ".join(found.text(separator=" ").split())
            links = [link for link in (found.attributes.get("href"), found.attributes.get("src")) if link]
            self._put(fields, reader, text, Field("", Source.STRUCTURE, quoted(text)), page, links)

    def _put(
        self,
        fields: Fields,
        reader: Reader,
        text: str,
        like: Field,
        page: Analysis,
        links: Sequence[str] = (),
    ) -> None:
        value = reader.value(text, page, links)
        if value is None and reader.field.type in (FieldType.ADDRESS, FieldType.HOURS, FieldType.URL):
            value = text  # under a label or a mark it is what it is called
        if value is None:
            return
        fields[reader.name] = like._replace(value=value)
        if reader.field.type is FieldType.MONEY and (code := reader.currency(text, page)):
            fields[f"{reader.name}_currency"] = like._replace(value=code)

    # ------------------------------------------------------------ several of them

    def _several(self, page: Analysis) -> list[Fields]:
        rows = [fields for scope in self._rows(page) if (fields := self._of_scope(scope, page))]
        if len(rows) > 1:
            return rows
        sections = [
            fields
            for scope in page.sections
            if scope.head is not None and scope.head.level != 1 and (fields := self._of_scope(scope, page))
        ]
        return sections if len(sections) > 1 and _repeat(sections) else []

    def _of_scope(self, scope: Scope, page: Analysis) -> Fields | None:
        fields = self._read(scope.facts, page)
        if len(fields.keys() - {"name"}) < _ENOUGH or is_label(scope.name) or self._is_any_label(scope.name):
            return None
        if "name" not in fields and 2 < len(scope.name) <= _LONGEST_NAME:
            fields["name"] = Field(scope.name.strip(" :"), Source.STRUCTURE, quoted(scope.name))
        return fields if "name" in fields else None

    def _rows(self, page: Analysis) -> Iterator[Scope]:
        """A scope per row of each table whose head names two fields at least."""
        for table in tables_of(page.main):
            heads = table[0].cells
            labels = [any(reader.is_label(head) for reader in self._readers) for head in heads]
            if sum(labels) < _ENOUGH:
                continue
            named = [n for n, head in enumerate(heads) if self._named.is_label(head)]
            column = (*named, *(n for n, is_field in enumerate(labels) if not is_field), 0)[0]
            for row in table[1:]:
                facts = [
                    Fact(heads[n], cell, row) for n, cell in enumerate(row.cells) if n != column and cell
                ]
                yield Scope(row.cells[column], facts, row)

    def _is_any_label(self, text: str) -> bool:
        return any(reader.is_label(text) for reader in self._readers)

    # ------------------------------------------------------------ one of them

    def _single(self, page: Analysis, organisations: Sequence[str]) -> Fields:
        fields = self._read(page.facts, page)
        self._from_channels(fields, page)
        if "name" not in fields and (name := self._title(page, organisations)):
            fields["name"] = Field(name[:_LONGEST_NAME], Source.STRUCTURE, quoted(name))
        return fields

    def _title(self, page: Analysis, organisations: Sequence[str]) -> str:
        """What names such a thing, or else the page; a name that is nothing but the kind is none."""
        document = page.document
        heads = [block.text for block in page.main[:8] if block.kind is BlockKind.HEADING]
        owners = [*organisations, document.site_name or ""]
        for name in (document.title, *heads[:2], *owners):
            if self._names(name) and len(name) <= _LONGEST_NAME and not self._is_kind(name):
                return name
        is_own = len(document.title.split()) > 1 and not is_label(document.title)
        return next(filter(None, (document.title if is_own else "", *owners, document.title)), "")

    def _is_kind(self, name: str) -> bool:
        return self._words is not None and self._words.fullmatch(plain(name).strip(" .:")) is not None

    def _from_channels(self, fields: Fields, page: Analysis) -> None:
        """What the page says of its owner outside of the content: a number or an address in the foot."""
        channels = page.channels
        found: dict[FieldType, Sequence[Channel | Place]] = {
            FieldType.PHONE: channels.phones,
            FieldType.EMAIL: channels.emails,
            FieldType.ADDRESS: channels.addresses,
            FieldType.HOURS: channels.hours,
        }
        for reader in self._readers:
            first = next(iter(found.get(reader.field.type, ())), None)
            if reader.name not in fields and first is not None:
                line = first.line if isinstance(first, Channel) else first.first_line
                quote = quoted(channels.lines[line].text)
                fields[reader.name] = Field(first.value, Source.STRUCTURE, quote)

    # ------------------------------------------------------------ fields

    def _read(self, facts: Sequence[Fact], page: Analysis) -> Fields:
        fields: Fields = {}
        for reader in (self._named, *self._readers):
            self._labelled(fields, reader, facts, page)
            if reader.name not in fields and reader is not self._named:
                self._unlabelled(fields, reader, facts, page)
        return fields

    def _labelled(self, fields: Fields, reader: Reader, facts: Sequence[Fact], page: Analysis) -> None:
        for place, fact in enumerate(facts):
            if not _is_below(fact, reader):
                continue
            links = [link.url for link in fact.block.links]
            text = _whole(facts[place:], reader)
            self._put(fields, reader, text, fact.field("", Source.STRUCTURE), page, links)
            if reader.name in fields:
                return

    def _unlabelled(self, fields: Fields, reader: Reader, facts: Sequence[Fact], page: Analysis) -> None:
        texts = [fact.text for fact in facts]
        if find := _OVER_LINES.get(reader.field.type):
            for found in find(texts)[:1]:
                fields[reader.name] = facts[found.first_line].field(found.value)
            return
        for fact in facts:
            value = reader.said(fact.text, page)
            if value is not None:
                fields[reader.name] = fact.field(value)
                if reader.field.type is FieldType.MONEY and (code := reader.currency(fact.text, page)):
                    fields[f"{reader.name}_currency"] = fact.field(code)
                return


def _is_below(fact: Fact, reader: Reader) -> bool:
    """Whether a fact stands under a label of the field."""
    label = fact.label or (fact.heading if fact.is_first else "")
    return bool(label) and fact.text != label and reader.is_label(label)


def _whole(facts: Sequence[Fact], reader: Reader) -> str:
    """What stands under one label: its first fact, all items of a list, all lines of hours or an address."""
    if find := _OVER_LINES.get(reader.field.type):
        found = next((one for one in find([fact.text for fact in facts]) if one.first_line == 0), None)
        return found.value if found is not None else facts[0].text
    if reader.field.type is not FieldType.TEXT or facts[0].block.kind is not BlockKind.ITEM:
        return facts[0].text
    items = takewhile(lambda one: one.block.kind is BlockKind.ITEM and _is_below(one, reader), facts)
    return ", ".join(fact.text.strip(" .,;") for fact in islice(items, _MOST_ITEMS))


def _repeat(several: Sequence[Fields]) -> bool:
    """Whether parts tell the same of different things; parts that tell different things are of one."""
    counted = [name for fields in several for name in fields if name != "name"]
    return all(any(counted.count(name) > 1 for name in fields if name != "name") for fields in several)


def _property(item: Item, reader: Reader) -> str | None:
    field = reader.field
    if field.type is FieldType.ADDRESS:
        values = item.values.get("address", ())[:1]
        return structured.address_text(values[0]) if values else None
    if field.type is FieldType.HOURS and not field.json_ld:
        return structured.hours_text(item)
    head, *rest = reader.name.split("_")
    called = head + "".join(part.title() for part in rest)
    return item.text(*field.json_ld, *_PROPERTIES.get(field.type, ()), called)
