"""What a service offers, when, and to whom: opening hours, eligibility and categories in the page's words."""

from __future__ import annotations

import re
from collections.abc import Iterator

from surveyor.extract import structured
from surveyor.extract.contacts.channels import Channels, Place, source_of
from surveyor.extract.document import Block, BlockKind, Region
from surveyor.extract.fields import hours as hours_fields
from surveyor.extract.fields import who
from surveyor.extract.lexicon import alternatives
from surveyor.extract.records.facts import facts_of
from surveyor.extract.structured import Item
from surveyor.extract.values import Field, Source

_LONGEST_QUOTE = 300
# Words of a category; longer items are sentences.
_CATEGORY_WORDS = 4
_MOST_CATEGORIES = 15
# The chance from which on a sentence is believed to say for whom a service is.
_LIKELY = 0.27

_WHAT = re.compile(
    rf"{alternatives('organisations', 'what')}\W*",
    re.IGNORECASE,
)


def hours(channels: Channels, item: Item | None, *, own: bool) -> Field | None:
    """Opening hours in the words a reader sees; from marks where the page shows none."""
    shown = [
        place
        for place in channels.hours
        if channels.region(place.first_line) in (Region.MAIN, Region.ASIDE, Region.HEADER)
    ]
    if not shown and own:
        shown = [place for place in channels.hours if channels.region(place.first_line) is Region.FOOTER]
    if shown:
        best = max(
            shown,
            key=lambda place: (channels.region(place.first_line) is Region.MAIN, _is_said(channels, place)),
        )
        line = channels.lines[best.first_line]
        quote = " ".join(one.text for one in channels.lines[best.first_line : best.last_line + 1])
        return Field(best.value, source_of(line), quote[:_LONGEST_QUOTE])
    given = structured.hours_text(item) if item is not None else None
    if item is not None and given is not None:
        return Field(given, item.source, given[:_LONGEST_QUOTE])
    for line in channels.lines:
        asked = hours_fields.by_appointment(line.text) if line.region is Region.MAIN else None
        if asked is not None:
            return Field(asked, source_of(line), line.text[:_LONGEST_QUOTE])
    return None


_HOURS_HEADING = re.compile(
    alternatives("organisations", "hours_heading"),
    re.IGNORECASE,
)


def _is_said(channels: Channels, place: Place) -> bool:
    """Whether a heading or the line itself says that these are the opening hours."""
    for number in range(max(place.first_line - 2, 0), place.first_line + 1):
        line = channels.lines[number]
        if (line.kind is BlockKind.HEADING or number == place.first_line) and _HOURS_HEADING.search(
            line.text
        ):
            return True
    return False


def more_of_service(blocks: list[Block], language: str | None) -> dict[str, Field]:
    """Eligibility and categories."""
    found: dict[str, Field] = {}
    if one := who.best(facts_of(blocks), "service", language, _LIKELY):
        found["eligibility"] = one.fact.field(who.answer(one, language))
    what = _categories(blocks)
    if what is not None:
        found["categories"] = what
    return found


def _categories(blocks: list[Block]) -> Field | None:
    """Short items below a heading that announces them."""
    for number, block in enumerate(blocks):
        if block.kind in (BlockKind.HEADING, BlockKind.TERM, BlockKind.TEXT) and _WHAT.fullmatch(
            block.text.strip()
        ):
            items = list(_items(blocks[number + 1 : number + 2 + _MOST_CATEGORIES]))
            if 2 <= len(items) <= _MOST_CATEGORIES and all(_is_category(item) for item in items):
                return Field(items, Source.STRUCTURE, ", ".join(items)[:_LONGEST_QUOTE])
    return None


def _items(blocks: list[Block]) -> Iterator[str]:
    for block in blocks:
        if block.kind not in (BlockKind.ITEM, BlockKind.VALUE):
            return
        yield block.text.strip(" .;,")


def _is_category(item: str) -> bool:
    return (
        1 <= len(item.split()) <= _CATEGORY_WORDS and item[:1].isupper() and not re.search(r"[0-9€$@]", item)
    )
