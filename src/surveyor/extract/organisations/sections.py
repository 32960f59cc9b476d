"""Several services of one page: sections or blocks of lines side by side, each with what it says itself."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from collections.abc import Set as AbstractSet
from typing import TYPE_CHECKING, Final
from urllib.parse import urlsplit

from surveyor.extract.contacts.channels import Channels
from surveyor.extract.document import Block, BlockKind, Region
from surveyor.extract.fields.applicants import asks_who
from surveyor.extract.fields.streets import short_address
from surveyor.extract.lexicon import cues, plain
from surveyor.extract.organisations import facts, naming, offers, tables
from surveyor.extract.organisations.kinds import OrganisationKind, calls_itself, is_place, is_service
from surveyor.extract.records.facts import Fact, is_label
from surveyor.extract.records.programmes import Scope
from surveyor.extract.values import Field, FoundRecord, Source

if TYPE_CHECKING:
    from surveyor.extract.analysis import Analysis

_LONGEST_QUOTE: Final = 300
# Words of a heading that can be the name of a service, and services of one page.
_MOST_WORDS, _MOST = 8, 20
# Places with an address from which on a page lists places.
_LISTED: Final = 2
# Parts of a page that are read for one: a page of more is no list of places, and each takes a millisecond.
_MOST_PARTS: Final = 100
_BETWEEN: Final = frozenset({Region.MAIN, Region.ASIDE, Region.NAVIGATION})


def may_be_several(page: Analysis) -> bool:
    """Whether page or sections are called a service: a quick look, before anything is weighed."""
    return any(is_service(one.name) for one in page.sections) or is_service(calls_itself(page.document))


def services(page: Analysis) -> tuple[FoundRecord, ...]:
    """One record per part that names a service and says how to get it."""
    numbers = {id(block): number for number, block in enumerate(page.document.blocks)}
    named = [one for one in page.sections if _is_named(one)]
    found = _apart(_records(page, named, numbers))
    if len(found) > 1:
        return tuple(_listed(page, named, found, numbers)[:_MOST])
    document = page.document
    path = urlsplit(document.page.url).path.replace("-", " ")
    names = f"{document.title} | {path} | {document.site_name or ''}"
    if found and not is_place(names) and _is_reached(found[0]):
        # One that is called a service, and beside it what tells of one without being called so.
        beside = [one for one in page.sections if one in named or _is_beside(one, named)]
        reached = [one for one in _apart(_records(page, beside, numbers)) if _is_reached(one)]
        return tuple(reached[:_MOST])
    if not is_service(calls_itself(page.document)):
        return ()
    if in_cells := _apart(tables.places_in_cells(page)):
        return tuple(in_cells[:_MOST])
    blocks = _content(page)
    for scopes in (*_below_headings(blocks), _blocks_of_lines(page.main), _rows(page.main)):
        records = _apart(_records(page, scopes, numbers))
        if any(_differ(records, key, len(scopes)) for key in ("address", "phone", "hours")):
            return tuple(records[:_MOST])
    return ()


def _listed(
    page: Analysis, named: Sequence[Scope], found: list[FoundRecord], numbers: dict[int, int]
) -> list[FoundRecord]:
    """With the places between them that are not called services; without headings of which none is told."""
    reached = {one.name for one in found if "address" in one.fields}
    if len(reached) < _LISTED:
        return found
    levels = {
        one.head.level for one in named if one.head is not None and naming.bare_heading(one.name) in reached
    }
    scopes = [one for one in page.sections if one in named or _is_at(one, levels)]
    return [one for one in _apart(_records(page, scopes, numbers)) if _is_reached(one)]


def _is_at(scope: Scope, levels: AbstractSet[int]) -> bool:
    head = scope.head
    return (
        head is not None
        and head.kind is BlockKind.HEADING
        and head.level in levels
        and _can_name(scope.name)
        and naming.is_name(scope.name)
    )


def branches(page: Analysis, kind: OrganisationKind) -> tuple[FoundRecord, ...]:
    """The places of one business, where a page lists them with an address each."""
    if not naming.is_vague(page.document.title):
        return ()
    numbers = {id(block): number for number, block in enumerate(page.document.blocks)}
    for scopes in _below_headings(page.main):
        records = [one for one in _apart(_records(page, scopes, numbers)) if _is_reached(one)]
        if _differ(records, "address", len(scopes)):
            return tuple(FoundRecord(kind.value, _of_business(one.fields)) for one in records[:_MOST])
    return ()


def _of_business(fields: Mapping[str, Field]) -> dict[str, Field]:
    return {key: value for key, value in fields.items() if key in ("name", "address", "phone", "hours")}


def _content(page: Analysis) -> list[Block]:
    """What stands between header and footer: boxes beside the content tell of places as well."""
    return [block for block in page.document.blocks if block.region in _BETWEEN]


def _is_reached(record: FoundRecord) -> bool:
    return not record.fields.keys().isdisjoint(("address", "phone", "hours"))


def _is_beside(scope: Scope, named: Sequence[Scope]) -> bool:
    """Whether a section of the same rank as one that is called a service tells of a service as well."""
    levels = {one.head.level for one in named if one.head is not None}
    return _is_at(scope, levels) and any(is_service(fact.text) for fact in scope.facts)


def _differ(records: Sequence[FoundRecord], key: str, parts: int) -> bool:
    """Whether most parts have one of their own: the sections of one service share what they tell."""
    values = {str(one.fields[key].value) for one in records if key in one.fields}
    return len(values) > 1 and 2 * len(values) > min(parts, _MOST_PARTS)


def _records(page: Analysis, scopes: Sequence[Scope], numbers: dict[int, int]) -> Iterator[FoundRecord]:
    for scope in scopes[:_MOST_PARTS]:
        if record := _record(page.channels, scope, numbers, page.document.language):
            yield record


def _apart(records: Iterable[FoundRecord]) -> list[FoundRecord]:
    """Without those that are called alike."""
    found: list[FoundRecord] = []
    for one in records:
        if not any(naming.alike(one.name, other.name) for other in found):
            found.append(one)
    return found


def _below_headings(blocks: Sequence[Block]) -> Iterator[list[Scope]]:
    """A scope per heading of a level that stands there twice, with what follows it; lowest level first."""
    levels = [block.level for block in blocks if block.kind is BlockKind.HEADING]
    for level in sorted({one for one in levels if levels.count(one) > 1}, reverse=True):
        if scopes := [scope for scope in _at_level(blocks, level) if scope.facts]:
            yield scopes


def _at_level(blocks: Sequence[Block], level: int) -> list[Scope]:
    scopes: list[Scope] = []
    below, before = False, ""
    for block in blocks:
        if block.kind is BlockKind.HEADING and block.level <= level:
            # Where the address is the heading, the name stands above it.
            name = before if _is_street(block.text) else block.text
            below = block.level == level and _can_name(name)
            if below:
                scopes.append(Scope(name, [Fact("", block.text, block)] if name is before else [], block))
        elif below:
            scopes[-1].facts.append(Fact("", block.text, block))
        before = block.text
    return scopes


def _is_street(text: str) -> bool:
    return any(map(str.isdigit, text)) and short_address(text) is not None


def _blocks_of_lines(blocks: Sequence[Block]) -> list[Scope]:
    """A scope per block of short lines whose first one can be a name."""
    return [
        Scope(block.lines[0], [Fact("", block.text, block)], block)
        for block in blocks
        if len(block.lines) > 1 and _can_name(block.lines[0]) and not any(map(str.isdigit, block.lines[0]))
    ]


def _rows(blocks: Sequence[Block]) -> list[Scope]:
    """A scope per row of a table that begins with a name."""
    return [
        Scope(block.cells[0], [Fact("", block.text, block)], block)
        for block in blocks
        if block.kind is BlockKind.ROW
        and len(block.cells) > 1
        and not block.is_head_row
        and not any(map(str.isdigit, block.cells[0]))
        and _can_name(block.cells[0])
    ]


def _can_name(text: str) -> bool:
    name = text.strip()
    if not 0 < len(name.split()) <= _MOST_WORDS or name.endswith(("?", "!", ":", ".")):
        return False
    # What announces for whom, when or how much is a part of one service.
    return not (
        naming.is_vague(name)
        or asks_who(name)
        or is_label(name)
        or cues("services", "everybody", "welcome").search(plain(name))
    )


def _is_named(scope: Scope) -> bool:
    head = scope.head
    if head is None or head.kind is not BlockKind.HEADING or head.level == 1:
        return False
    return is_service(scope.name) and _can_name(scope.name)


def _record(
    channels: Channels, scope: Scope, numbers: dict[int, int], language: str | None
) -> FoundRecord | None:
    blocks = list({id(fact.block): fact.block for fact in scope.facts}.values())
    own = {numbers[id(block)] for block in blocks if id(block) in numbers}
    lines = {number for number, line in enumerate(channels.lines) if line.block in own}
    fields = {"name": (name := _name(scope))}
    fields |= _reached(channels, lines)
    if "address" in fields:  # in one row of a table: "Larch Hall | 12 Mill Street"
        address = fields["address"]
        bare = str(address.value).removeprefix(f"{name.value}, ")
        fields["address"] = Field(bare, address.source, address.quote)
    fields |= offers.more_of_service(blocks, language)
    return FoundRecord(OrganisationKind.SERVICE.value, fields) if len(fields) > 1 else None


def _name(scope: Scope) -> Field:
    assert scope.head is not None
    return Field(naming.bare_heading(scope.name), Source.STRUCTURE, scope.head.text[:_LONGEST_QUOTE])


def _reached(channels: Channels, lines: set[int]) -> dict[str, Field]:
    """Where it is, its telephone and its hours, as far as its own lines tell them."""
    found: dict[str, Field] = {}
    for key, places in (("address", channels.addresses), ("hours", channels.hours)):
        for place in places:
            if place.first_line in lines:
                found.setdefault(key, facts.field(channels, place.value, place.first_line))
    for number in sorted(lines) if "address" not in found else ():
        if short := short_address(channels.lines[number].text):
            found["address"] = facts.field(channels, short, number)
            break
    for channel in channels.phones:
        if channel.line in lines:
            found.setdefault("phone", facts.field(channels, channel.value, channel.line))
    return {key: found[key] for key in ("address", "phone", "hours") if key in found}
