"""Who is behind a page: the organisation, from its marks and from where it gives its address."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Final

from surveyor.extract.contacts import owner_of, same_address
from surveyor.extract.contacts.channels import Channels, Place, source_of
from surveyor.extract.document import BlockKind, Region
from surveyor.extract.lexicon import alternatives
from surveyor.extract.organisations import facts, naming
from surveyor.extract.records.naming import votes_for
from surveyor.extract.structured import Item
from surveyor.extract.values import ContactKind, Field, FoundRecord, Source

# Places that must repeat the name of a site before it is believed more than a line beside an address.
_AGREED = 2
CONTENT: Final = frozenset({Region.MAIN, Region.HEADER, Region.ASIDE})
# Lines before an address within which it is said whose it is, and those who keep the machines of sites.
_LABELS = 2
_HOSTS: Final = re.compile(rf"\b{alternatives('organisations', 'hosts')}\b", re.IGNORECASE)
# Lines before and behind an address that may be of the same body.
_REACH = 6


def organisation_of(channels: Channels, item: Item | None, own: str) -> FoundRecord | None:
    """From marks, completed by the lines in which its name and address stand together; or from these."""
    fields = facts.of_marks(item, channels)
    lines = _imprint(channels, fields.get("address"), own)
    if lines is not None:
        start, end = lines
        name = naming.name_in(channels, start, end, own)
        if fields and name is not None and not naming.alike(name.value, str(fields["name"].value)):
            fields = {}  # the marks are of somebody else
        for key, value in _of_lines(channels, start, end).items():
            fields.setdefault(key, value)
        if "name" not in fields and name is not None:
            fields["name"] = _agreed(channels, name, own, start, end)
    elif not fields and naming.is_vague(channels.document.title):  # a page that only says how to be reached
        fields = facts.in_regions(channels, CONTENT) | _only_mail(channels)
    elif not fields and own and naming.is_front(channels.document):
        only = facts.only_ones(channels)
        fields = only if "address" in only else {}
    if own and fields:
        fields.setdefault("name", Field(own, Source.STRUCTURE, own))
    fields = {**_only_ones(channels, fields), **fields} if fields else fields
    known = ("address", "phone", "email", "website")
    if "name" not in fields or not any(name in fields for name in known):
        return None
    if channels.is_article and "address" not in fields:  # who publishes a report is not what it is about
        return None
    if not naming.is_name(str(fields["name"].value)):
        return None
    return FoundRecord("organisation", {name: fields[name] for name in ("name", *known) if name in fields})


def _only_ones(channels: Channels, fields: Mapping[str, Field]) -> dict[str, Field]:
    """The only telephone and address of the page; no address of a report, or beside another's telephone."""
    only = facts.only_ones(channels)
    if "address" in only:
        start, end = _group(channels, channels.addresses[0])
        beside = {one.value for one in channels.phones if start <= one.line <= end}
        phone = fields["phone"].value if "phone" in fields else None
        if channels.is_article or (beside and phone and phone not in beside):
            del only["address"]
    return only


def _only_mail(channels: Channels) -> dict[str, Field]:
    """The only mail address of a page, where it is no person's own."""
    found = {one.value: one for one in channels.emails}
    if len(found) != 1:
        return {}
    only = next(iter(found.values()))
    if owner_of(channels, ContactKind.EMAIL, only) is not None:
        return {}
    return {"email": facts.field(channels, only.value, only.line)}


def _agreed(channels: Channels, name: naming.Name, own: str, start: int, end: int) -> Field:
    """The name that stands beside an address, unless title, header, footer and host agree on another."""
    document = channels.document
    has_address = any(start <= place.first_line <= end for place in channels.addresses)
    is_sure = bool(own) and votes_for(document, own) >= _AGREED > votes_for(document, name.value)
    is_sure |= bool(own) and not has_address  # a body that a foot names beside a telephone may be another
    if is_sure and not naming.alike(name.value, own):
        return Field(own, Source.STRUCTURE, facts.cut(own))
    return facts.field(channels, name.value, name.line)


def _imprint(channels: Channels, marked: Field | None, own: str) -> tuple[int, int] | None:
    """First and last line of where the page says who is behind it: in the footer, or else in the content."""
    footer = [number for number, line in enumerate(channels.lines) if line.region is Region.FOOTER]
    places = [place for place in channels.addresses if channels.region(place.first_line) is Region.FOOTER]
    if footer and (places or _has_channel(channels, footer[0], footer[-1])):
        if places:
            return _group(channels, places[0])
        return (footer[0], footer[-1]) if naming.name_in(channels, footer[0], footer[-1], own) else None
    for place in reversed(channels.addresses):
        if channels.region(place.first_line) not in CONTENT or _is_hosts(channels, place):
            continue
        if not (marked and same_address(place.value, str(marked.value))):
            span = _group(channels, place)
            if naming.name_in(channels, *span, own, own_only=True) is not None:
                return span
    return None


def _is_hosts(channels: Channels, place: Place) -> bool:
    """Whether an address is of whoever keeps the machines of the site."""
    before = channels.lines[max(place.first_line - _LABELS, 0) : place.first_line]
    return any(_HOSTS.search(line.text) for line in before)


def _has_channel(channels: Channels, first: int, last: int) -> bool:
    return any(first <= one.line <= last for one in (*channels.phones, *channels.emails))


def _group(channels: Channels, place: Place) -> tuple[int, int]:
    """The lines around an address that belong to it: of the same box, none of another address."""
    home = channels.lines[place.first_line]
    others = {
        line
        for one in channels.addresses
        if one != place
        for line in range(one.first_line, one.last_line + 1)
    }
    if home.region is not Region.FOOTER:  # in the content, what has a channel of its own is another thing
        others |= {one.line for one in (*channels.phones, *channels.emails) if one.line < place.first_line}
        others -= {number for number, line in enumerate(channels.lines) if line.block == home.block}

    def belongs(number: int) -> bool:
        return 0 <= number < len(channels.lines) and _belongs(
            channels, number, home.section, home.region, others
        )

    first, last = place.first_line, place.last_line
    while place.first_line - first < _REACH and belongs(first - 1):
        first -= 1
        if channels.lines[first].kind is BlockKind.HEADING:
            break
    while last - place.last_line < _REACH and belongs(last + 1):
        if channels.lines[last + 1].kind is BlockKind.HEADING and home.region is not Region.FOOTER:
            break
        last += 1
    if home.region is not Region.FOOTER:  # and one block, or the two behind it, is one
        while channels.lines[last].block > channels.lines[place.last_line].block + 2:
            last -= 1
    return first, last


def _belongs(channels: Channels, number: int, section: int, region: Region, others: set[int]) -> bool:
    line = channels.lines[number]
    same = line.region is region and (line.section == section or region is Region.FOOTER)
    return same and number not in others


def _of_lines(channels: Channels, start: int, end: int) -> dict[str, Field]:
    """The fields that lines tell of the body they are about; what belongs to a person is not its."""
    fields: dict[str, Field] = {}
    for place in channels.addresses:
        if start <= place.first_line <= end:
            quote = " ".join(line.text for line in channels.lines[place.first_line : place.last_line + 1])
            source = source_of(channels.lines[place.first_line])
            fields.setdefault("address", Field(place.value, source, facts.cut(quote)))
    for key, kind, found in (
        ("phone", ContactKind.PHONE, channels.phones),
        ("email", ContactKind.EMAIL, channels.emails),
    ):
        for channel in found:
            if start <= channel.line <= end and owner_of(channels, kind, channel) is None:
                fields.setdefault(key, facts.field(channels, channel.value, channel.line))
    if "email" not in fields and channels.region(start) is Region.FOOTER:
        foot = [one for one in channels.emails if channels.region(one.line) is Region.FOOTER]
        if len({one.value for one in foot}) == 1 and owner_of(channels, ContactKind.EMAIL, foot[0]) is None:
            fields["email"] = facts.field(channels, foot[0].value, foot[0].line)
    return fields
