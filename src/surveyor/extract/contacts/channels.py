"""The channels a page offers its readers, each with where it stands: addresses, numbers, mail, hours, people.

Read once per page for everybody who asks: the contacts, and the records of organisations, services and
businesses. What stands in comments, teasers and notices is left out.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import Final, NamedTuple
from urllib.parse import urlsplit

from surveyor.extract import structured
from surveyor.extract.document import Block, BlockKind, Document, Region
from surveyor.extract.fields import addresses, emails, hours, people, phones
from surveyor.extract.fields.postcodes import LANGUAGE_REGION, region_of
from surveyor.extract.lexicon import alternatives
from surveyor.extract.profile_view import ProfileView
from surveyor.extract.structured import Structured
from surveyor.extract.values import Source

# Blocks of a page that are looked at.
_MOST_BLOCKS = 3_000
# Regions of the profile that are tried for a number without a country code; of many, a wrong one fits.
_MOST_GUESSES = 3
# Those who made the page, and not those it is about.
_MAKERS = re.compile(
    rf"(?<!\w){alternatives('channels', 'made')}"
    rf"\s?{alternatives('channels', 'by')}\s.{{3,}}",
    re.IGNORECASE,
)
_UNHEARD: Final = frozenset({Region.COMMENTS, Region.TEASER, Region.NOTICE})
_DATED_TYPES: Final = frozenset(
    {"NewsArticle", "Article", "BlogPosting", "ReportageNewsArticle", "LiveBlogPosting"}
)
# Country codes of hosts that say where somebody lives; the others are sold to everybody.
_HOST_REGIONS: Final = {"uk": "GB", "eu": "", "example": "", "io": "", "co": "", "tv": "", "me": "", "ai": ""}


class Line(NamedTuple):
    """A line a reader sees, addresses of mail in plain."""

    text: str
    block: int
    region: Region
    section: int
    kind: BlockKind


class Place(NamedTuple):
    """A postal address and the lines it stands in."""

    value: str
    first_line: int
    last_line: int


class Channel(NamedTuple):
    value: str
    line: int
    start: int


@dataclass(slots=True)
class Channels:
    """Everything found on one page; lines are named by their number."""

    document: Document
    marks: Structured
    lines: list[Line] = field(default_factory=list)
    addresses: list[Place] = field(default_factory=list)
    phones: list[Channel] = field(default_factory=list)
    emails: list[Channel] = field(default_factory=list)
    hours: list[Place] = field(default_factory=list)
    people: list[people.Person] = field(default_factory=list)
    regions: tuple[str, ...] = ()
    """Where a number of this page may be, likeliest first."""
    is_article: bool = False

    def region(self, line: int) -> Region:
        return self.lines[line].region

    @property
    def are_any(self) -> bool:
        """Whether the page lets itself be reached or found at all."""
        return bool(self.addresses or self.phones or self.emails or self.hours)


def read(document: Document, view: ProfileView, marks: Structured) -> Channels:
    """The channels of a document with this structured data."""
    channels = Channels(document, marks)
    channels.lines = list(_lines(document.blocks[:_MOST_BLOCKS]))
    channels.is_article = marks.meta.get("og:type", "").lower() == "article" or any(
        item.top and item.is_a(_DATED_TYPES) for item in marks.items
    )
    _find_addresses(channels)
    channels.regions = _regions(channels, view)
    _find_numbers_and_mail(channels)
    _find_hours(channels)
    _find_people(channels)
    return channels


def _lines(blocks: Sequence[Block]) -> Iterator[Line]:
    term = ""
    for number, block in enumerate(blocks):
        if block.kind is BlockKind.TERM:
            term = block.text
        if block.region in _UNHEARD:
            continue
        lines: Sequence[str] = block.lines or (block.text,)
        if block.kind is BlockKind.ROW:
            cells = [cell for cell in block.cells if cell]
            lines = ((": " if _is_labelled(cells) else " | ").join(cells),)
        elif block.kind is BlockKind.VALUE and term:
            lines, term = (f"{term.rstrip(' :')}: {lines[0]}", *lines[1:]), ""
        for line in lines:
            text = _MAKERS.sub("", line) if block.region is Region.FOOTER else line
            yield Line(emails.unmasked(text), number, block.region, block.section, block.kind)


def _is_labelled(cells: Sequence[str]) -> bool:
    """Whether a row is a label and its value."""
    return (
        len(cells) == 2
        and len(cells[0].split()) <= 5
        and not any(sign.isdigit() or sign == "@" for sign in cells[0])
    )


def _together(lines: Sequence[Line]) -> Iterator[tuple[int, list[str]]]:
    """Runs of lines of the same region, each with the number of its first."""
    start = 0
    for number in range(1, len(lines) + 1):
        if number == len(lines) or lines[number].region is not lines[start].region:
            yield start, [line.text for line in lines[start:number]]
            start = number


def _find_addresses(channels: Channels) -> None:
    names = {channels.document.site_name or "", channels.document.title}
    names |= {name for item in channels.marks.items for name in item.texts("name", "legalName")[:2]}
    for start, texts in _together(channels.lines):
        for found in addresses.find(texts, names):
            channels.addresses.append(Place(found.value, start + found.first_line, start + found.last_line))


def _regions(channels: Channels, view: ProfileView) -> tuple[str, ...]:
    document = channels.document
    found = [region_of(place.value) for place in channels.addresses[:10]]
    for item in channels.marks.items[:200]:
        country = item.text("addressCountry")
        found.append(country.upper() if country and len(country) == 2 else None)
        found.extend(
            region_of(one) for one in map(structured.address_text, item.values.get("address", ())[:2]) if one
        )
    text = " ".join(line.text for line in channels.lines if "+" in line.text)
    found.extend(phones.region_of(one.value) for one in phones.find(text, ())[:5])
    root = document.tree.root
    _, _, spoken = (
        ((root.attributes.get("lang") or "") if root is not None else "").replace("_", "-").partition("-")
    )
    if len(spoken) == 2 and spoken.upper() != "US":  # every second system says en-US without meaning it
        found.append(spoken.upper())
    ending = (urlsplit(document.page.url).hostname or "").rpartition(".")[2]
    if len(ending) == 2:
        found.append(_HOST_REGIONS.get(ending, ending.upper()))
    if document.language != "en":
        found.append(LANGUAGE_REGION.get(document.language or ""))
    if any("£" in line.text for line in channels.lines):
        found.append("GB")
    last = LANGUAGE_REGION.get(document.language or "")
    return tuple(dict.fromkeys(filter(None, [*found, *view.phone_regions[:_MOST_GUESSES], last])))


def _find_numbers_and_mail(channels: Channels) -> None:
    near = {place.first_line: region_of(place.value) for place in channels.addresses}
    own: dict[int, str] = {channels.lines[line].block: region for line, region in near.items() if region}
    for number, line in enumerate(channels.lines):
        region = own.get(line.block)
        regions = (region, *channels.regions) if region else channels.regions
        found = phones.find(line.text, regions)
        if found and not (number and phones.is_fax_label(channels.lines[number - 1].text)):
            channels.phones.extend(Channel(one.value, number, one.start) for one in found)
        channels.emails.extend(Channel(one.value, number, one.start) for one in emails.find(line.text))
    seen = {one.value for one in (*channels.phones, *channels.emails)}
    for channel, is_mail in _linked(channels):
        if channel.value not in seen:
            seen.add(channel.value)
            (channels.emails if is_mail else channels.phones).append(channel)


def _linked(channels: Channels) -> Iterator[tuple[Channel, bool]]:
    """What links say and texts do not: they stand at the end of the line they are in."""
    last_lines = {line.block: number for number, line in enumerate(channels.lines)}
    for number, line in last_lines.items():
        block = channels.document.blocks[number]
        for link in block.links:
            written, value = emails.of_link(link.url), phones.of_link(link.url, channels.regions)
            if not written and value is None:
                continue
            place = _line_of(channels.lines, line, link.text)
            start = max(channels.lines[place].text.find(link.text), 0) if link.text else 0
            for address in written:
                yield Channel(address, place, start), True
            if value is not None and not re.search(
                r"fax|факс|φαξ", channels.lines[place].text[:start][-12:], re.IGNORECASE
            ):
                yield Channel(value, place, start), False


def _line_of(lines: Sequence[Line], last: int, text: str) -> int:
    block = lines[last].block
    number = last
    while text and number > 0 and lines[number - 1].block == block and text not in lines[number].text:
        number -= 1
    return number if text in lines[number].text else last


def _find_hours(channels: Channels) -> None:
    for start, texts in _together(channels.lines):
        rows = [
            _row_text(channels, start + number)
            if channels.lines[start + number].kind is BlockKind.ROW
            else text
            for number, text in enumerate(texts)
        ]
        channels.hours.extend(
            Place(one.value, start + one.first_line, start + one.last_line) for one in hours.find(rows)
        )


def _row_text(channels: Channels, line: int) -> str:
    return " ".join(channels.document.blocks[channels.lines[line].block].cells)


def _find_people(channels: Channels) -> None:
    own = channels.document.site_name or ""
    mail = [channel.value for channel in channels.emails]
    for start, lines in _cards(channels.lines):
        if lines[0].region is Region.NAVIGATION:
            continue
        texts = [line.text for line in lines]
        strict = channels.is_article and lines[0].region is Region.MAIN
        for person in people.find(texts, strict=strict, own=own, mail=mail):
            channels.people.append(person._replace(line=start + person.line))


def _cards(lines: Sequence[Line]) -> Iterator[tuple[int, list[Line]]]:
    """What belongs to one person, if to anybody: a heading with the lines up to the next, or one block."""
    start = 0
    for number in range(1, len(lines) + 1):
        if number == len(lines) or _begins_card(lines, start, number):
            yield start, list(lines[start:number])
            start = number


# Lines that follow a name in a heading and still are about that person.
_CARD_LINES = 6


def _begins_card(lines: Sequence[Line], start: int, number: int) -> bool:
    first, line = lines[start], lines[number]
    if line.block == lines[number - 1].block:
        return False
    if line.kind is BlockKind.HEADING or line.section != first.section or line.region is not first.region:
        return True
    named = first.kind in (BlockKind.HEADING, BlockKind.ROW) or len(first.text.split()) <= 4
    return not named or number - start >= _CARD_LINES


def source_of(line: Line) -> Source:
    """Whether a line is a part of the page's order or of a sentence in it."""
    if (
        line.kind in (BlockKind.TEXT, BlockKind.ITEM)
        and line.region is Region.MAIN
        and len(line.text.split()) > 12
    ):
        return Source.TEXT
    return Source.STRUCTURE
