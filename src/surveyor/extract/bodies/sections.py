"""Several services of one page: a section under its own heading each, with what that section says of it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from surveyor.extract.bodies import naming, offers
from surveyor.extract.bodies.kinds import BodyKind, is_service
from surveyor.extract.contacts.channels import Channels, source_of
from surveyor.extract.document import BlockKind
from surveyor.extract.records.programmes import Scope
from surveyor.extract.values import Field, FoundRecord, Source

if TYPE_CHECKING:
    from surveyor.extract.analysis import Analysis

_LONGEST_QUOTE: Final = 300
# Words of a heading that can be the name of a service, and services of one page.
_MOST_WORDS, _MOST = 8, 20


def services(page: Analysis) -> tuple[FoundRecord, ...]:
    """One record per section that names a service and says how to get it; none where fewer than two do."""
    numbers = {id(block): number for number, block in enumerate(page.document.blocks)}
    found: list[FoundRecord] = []
    for scope in page.sections:
        if not _is_named(scope):
            continue
        record = _record(page.channels, scope, numbers, page.document.language)
        if record is not None and not any(naming.alike(record.name, other.name) for other in found):
            found.append(record)
    return tuple(found[:_MOST]) if len(found) > 1 else ()


def _is_named(scope: Scope) -> bool:
    head = scope.head
    if head is None or head.kind is not BlockKind.HEADING or head.level == 1:
        return False
    name = scope.name.strip()
    return is_service(name) and len(name.split()) <= _MOST_WORDS and not name.endswith(("?", "!", ":", "."))


def _record(
    channels: Channels, scope: Scope, numbers: dict[int, int], language: str | None
) -> FoundRecord | None:
    blocks = list({id(fact.block): fact.block for fact in scope.facts}.values())
    own = {numbers[id(block)] for block in blocks if id(block) in numbers}
    lines = {number for number, line in enumerate(channels.lines) if line.block in own}
    fields = {"name": _name(scope)}
    fields |= _reached(channels, lines)
    fields |= offers.more_of_service(blocks, language)
    return FoundRecord(BodyKind.SERVICE.value, fields) if len(fields) > 1 else None


def _name(scope: Scope) -> Field:
    assert scope.head is not None
    return Field(naming.bare_heading(scope.name), Source.STRUCTURE, scope.head.text[:_LONGEST_QUOTE])


def _reached(channels: Channels, lines: set[int]) -> dict[str, Field]:
    """Where it is, its telephone and its hours, as far as its own lines tell them."""
    found: dict[str, Field] = {}
    for key, places in (("address", channels.addresses), ("hours", channels.hours)):
        for place in places:
            if place.first_line in lines:
                found.setdefault(key, _field(channels, place.value, place.first_line))
    for channel in channels.phones:
        if channel.line in lines:
            found.setdefault("phone", _field(channels, channel.value, channel.line))
    return {key: found[key] for key in ("address", "phone", "hours") if key in found}


def _field(channels: Channels, value: str, line: int) -> Field:
    return Field(value, source_of(channels.lines[line]), channels.lines[line].text[:_LONGEST_QUOTE])
