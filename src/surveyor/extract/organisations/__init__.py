"""Who is behind a page and what it offers at a place: the organisation, and the service or business, if any.

The three are found together, because they share their facts: when the organisation is itself the service
or the business of the page, there is one record and not two.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from surveyor.extract import structured
from surveyor.extract.contacts import owner_of, same_address
from surveyor.extract.contacts.channels import Channels, Place, source_of
from surveyor.extract.document import BlockKind, Region
from surveyor.extract.fields import emails, hours, phones
from surveyor.extract.fields.streets import short_address
from surveyor.extract.organisations import naming, offers, sections
from surveyor.extract.organisations.kinds import (
    OrganisationKind,
    calls_itself,
    is_no_place,
    is_service,
    kind_of_page,
    kind_of_types,
)
from surveyor.extract.organisations.site_name import own_name
from surveyor.extract.records import gate
from surveyor.extract.records.naming import votes_for
from surveyor.extract.structured import Item
from surveyor.extract.values import ContactKind, Field, FoundRecord, Source

if TYPE_CHECKING:
    from surveyor.extract.analysis import Analysis

_LONGEST_QUOTE = 300
# Words of a page that tells when it is open and not much else.
_MOST_WORDS = 600
# Places that must repeat the name of a site before it is believed more than a line beside an address.
_AGREED = 2
_CONTENT: Final = frozenset({Region.MAIN, Region.HEADER, Region.ASIDE})


@dataclass(frozen=True, slots=True)
class Organisations:
    """What was found, by kind of record."""

    organisation: FoundRecord | None = None
    places: tuple[FoundRecord, ...] = ()
    """Services or businesses."""


def find(page: Analysis) -> Organisations:
    """The organisation of a page, and the service or business that it presents."""
    channels = page.channels
    item = _marked_body(channels)
    own = own_name(channels) if item is not None or channels.are_any else ""
    organisation = _organisation(channels, item, own)
    called = " | ".join(filter(None, (own, organisation.name if organisation is not None else "")))
    kind = _place_kind(page, item, called)
    if several := _several(page, kind):
        return Organisations(organisation, several)
    place = _placed(channels, item, organisation, kind, own) if kind is not None else None
    if place is None:
        return Organisations(organisation)
    if organisation is not None and _is_same(channels, organisation, place):
        organisation = None
    return Organisations(organisation, (place,))


def _several(page: Analysis, kind: OrganisationKind | None) -> tuple[FoundRecord, ...]:
    if kind is OrganisationKind.BUSINESS:
        return sections.branches(page, kind)
    return sections.services(page) if _may_have_several(page) else ()


def _marked_body(channels: Channels) -> Item | None:
    """The organisation, service or business that the page's marks are about; the one that tells most."""
    properties = ("name", "address", "telephone", "email", "url", "openingHours", "openingHoursSpecification")
    best: Item | None = None
    for item in channels.marks.items:
        if item.text("name") is None or kind_of_types(item.types) is None:
            continue
        if best is None or sum(name in item.values for name in properties) > sum(
            name in best.values for name in properties
        ):
            best = item
    return best


def _may_have_several(page: Analysis) -> bool:
    """Whether the profile wants services and the page is none of those that only talk of them."""
    if OrganisationKind.SERVICE not in page.view.kinds or page.channels.is_article or page.marks.is_list():
        return False
    if page.marks.is_report or is_no_place(page.document, page.structured):
        return False
    return sections.may_be_several(page) and gate.may_name_services(page)


def _place_kind(page: Analysis, item: Item | None, called: str) -> OrganisationKind | None:
    """Whether the page is about a service or a business, as far as the profile wants to know."""
    channels = page.channels
    wanted = {
        OrganisationKind(kind)
        for kind in page.view.kinds
        if kind in (OrganisationKind.SERVICE, OrganisationKind.BUSINESS)
    }
    if not wanted or channels.is_article or page.marks.is_list() or page.marks.is_report:
        return None
    is_open = any(
        channels.region(one.first_line) is Region.MAIN and hours.has_days(one.value) for one in channels.hours
    )

    def otherwise() -> OrganisationKind | None:
        if not is_open or page.marks.text.count(" ") > _MOST_WORDS:
            return None
        is_service = gate.may_offer(page, OrganisationKind.SERVICE.value)
        return OrganisationKind.SERVICE if is_service else OrganisationKind.BUSINESS

    kind = kind_of_page(channels.document, channels.marks, item, called, otherwise)
    is_marked = item is not None and kind_of_types(item.types) is not OrganisationKind.ORGANISATION
    if kind is OrganisationKind.SERVICE and not is_marked and not _is_believed(page, called, is_open=is_open):
        return None
    return kind if kind in wanted else None


def _is_believed(page: Analysis, called: str, *, is_open: bool) -> bool:
    """Whether a page that names a service offers it: it tells when it is open, or sounds like an offer."""
    if is_open and is_service(f"{page.document.title} | {called}"):
        return True
    channels = page.channels
    is_somewhere = any(channels.region(one.first_line) is Region.MAIN for one in channels.addresses)
    may = gate.may_offer if is_open or is_somewhere else gate.offers
    return may(page, OrganisationKind.SERVICE.value)


def _cut(text: str) -> str:
    return " ".join(text.split())[:_LONGEST_QUOTE]


def _field(channels: Channels, value: str, line: int) -> Field:
    return Field(value, source_of(channels.lines[line]), _cut(channels.lines[line].text))


def _of_marks(item: Item | None, channels: Channels) -> dict[str, Field]:
    """The fields that an item of the page's marks tells, as values."""
    if item is None:
        return {}
    found: dict[str, str | None] = {"name": item.text("name", "legalName")}
    addresses = [structured.address_text(one) for one in item.values.get("address", ())[:1]]
    found["address"] = " ".join(addresses[0].split()) if addresses and addresses[0] else None
    points = [
        point
        for point in item.items("contactPoint")
        if "fax" not in (point.text("contactType") or "").lower()
    ]
    texts = [text for one in (item, *points) for text in one.texts("telephone")]
    numbers = (phones.parsed(text, channels.regions) for text in texts)
    found["phone"] = next(filter(None, numbers), None)
    mails = (emails.valid(text.removeprefix("mailto:")) for text in item.texts("email"))
    found["email"] = next(filter(None, mails), None)
    site = item.text("url")
    found["website"] = site if site is not None and site.startswith("http") else None
    return {name: Field(value, item.source, _cut(value)) for name, value in found.items() if value}


# ------------------------------------------------------------------------------------- the organisation


def _organisation(channels: Channels, item: Item | None, own: str) -> FoundRecord | None:
    """From marks, completed by the lines in which its name and address stand together; or from these."""
    fields = _of_marks(item, channels)
    lines = _imprint(channels, fields.get("address"), own)
    if lines is not None:
        start, end = lines
        name = naming.name_in(channels, start, end, own)
        if fields and name is not None and not naming.alike(name.value, str(fields["name"].value)):
            fields = {}  # the marks are of somebody else
        for key, value in _of_lines(channels, start, end).items():
            fields.setdefault(key, value)
        if "name" not in fields and name is not None:
            fields["name"] = _agreed(channels, name, own)
    elif not fields and naming.is_vague(channels.document.title):  # a page that only says how to be reached
        fields = _in_content(channels)
    if own and fields:
        fields.setdefault("name", Field(own, Source.STRUCTURE, own))
    fields = {**_only_ones(channels), **fields} if fields else fields
    known = ("address", "phone", "email", "website")
    if "name" not in fields or not any(name in fields for name in known):
        return None
    if channels.is_article and "address" not in fields:  # who publishes a report is not what it is about
        return None
    if not naming.is_name(str(fields["name"].value)):
        return None
    return FoundRecord("organisation", {name: fields[name] for name in ("name", *known) if name in fields})


def _agreed(channels: Channels, name: naming.Name, own: str) -> Field:
    """The name that stands beside an address, unless title, header, footer and host agree on another."""
    document = channels.document
    is_sure = bool(own) and votes_for(document, own) >= _AGREED > votes_for(document, name.value)
    if is_sure and not naming.alike(name.value, own):
        return Field(own, Source.STRUCTURE, _cut(own))
    return _field(channels, name.value, name.line)


def _imprint(channels: Channels, marked: Field | None, own: str) -> tuple[int, int] | None:
    """First and last line of where the page says who is behind it: in the footer, or else in the content."""
    footer = [number for number, line in enumerate(channels.lines) if line.region is Region.FOOTER]
    places = [place for place in channels.addresses if channels.region(place.first_line) is Region.FOOTER]
    if footer and (places or _has_channel(channels, footer[0], footer[-1])):
        if places:
            return _group(channels, places[0])
        return (footer[0], footer[-1]) if naming.name_in(channels, footer[0], footer[-1], own) else None
    for place in reversed(channels.addresses):
        if channels.region(place.first_line) in _CONTENT and not (
            marked and same_address(place.value, str(marked.value))
        ):
            span = _group(channels, place)
            if naming.name_in(channels, *span, own, own_only=True) is not None:
                return span
    return None


def _has_channel(channels: Channels, first: int, last: int) -> bool:
    return any(first <= one.line <= last for one in (*channels.phones, *channels.emails))


# Blocks with which a page opens.
_OPENING = 4
# Lines before and behind an address that may be of the same body.
_REACH = 6


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
            fields.setdefault("address", Field(place.value, source, _cut(quote)))
    for key, kind, found in (
        ("phone", ContactKind.PHONE, channels.phones),
        ("email", ContactKind.EMAIL, channels.emails),
    ):
        for channel in found:
            if start <= channel.line <= end and owner_of(channels, kind, channel) is None:
                fields.setdefault(key, _field(channels, channel.value, channel.line))
    if "email" not in fields and channels.region(start) is Region.FOOTER:
        foot = [one for one in channels.emails if channels.region(one.line) is Region.FOOTER]
        if len({one.value for one in foot}) == 1 and owner_of(channels, ContactKind.EMAIL, foot[0]) is None:
            fields["email"] = _field(channels, foot[0].value, foot[0].line)
    return fields


# ---------------------------------------------------------------------------- the service or the business


def _placed(
    channels: Channels, item: Item | None, organisation: FoundRecord | None, kind: OrganisationKind, site: str
) -> FoundRecord | None:
    """The record of a service or business; it needs a way to reach or find it."""
    marked = (
        _of_marks(item, channels)
        if item is not None and kind_of_types(item.types) is not OrganisationKind.ORGANISATION
        else {}
    )
    fields: dict[str, Field] = {}
    name = marked.get("name") or naming.name_of_place(channels, organisation, site or None)
    if name is None:
        return None
    fields["name"] = name
    own = (
        organisation is None
        or naming.alike(str(name.value), organisation.name)
        or (item is not None and bool(marked))
    )
    found = _in_content(channels)
    opened = offers.hours(channels, item if marked else None, own=own)
    if opened is not None:
        found["hours"] = opened
    if own:
        found = {**_in_footer(channels), **found}
    elif is_service(channels.document.title):  # nothing of its own: it is where the house is
        house = _only_ones(channels)
        is_shared = not found or ("phone" in house and house["phone"].value == _value(found, "phone"))
        shared = house if is_shared else {key: house[key] for key in house if key == "phone"}
        found = {**shared, **found}
    for key in ("address", "phone", "hours", "website"):
        value = found.get(key) if key == "hours" else marked.get(key) or found.get(key)
        if value is not None:
            fields[key] = value
    if "address" not in fields and (near := _short_address(channels)):
        fields = {"name": name, "address": near, **fields}
    fields.update(_by_opengraph(channels, fields, kind))
    if kind is OrganisationKind.SERVICE:
        fields.pop("website", None)
        fields.update(offers.more_of_service(channels.document.main, channels.document.language))
    if not any(key in fields for key in ("address", "phone", "hours")) and not _is_offered(channels, fields):
        return None
    return FoundRecord(kind.value, fields)


def _value(fields: dict[str, Field], key: str) -> object:
    return fields[key].value if key in fields else None


def _in_content(channels: Channels) -> dict[str, Field]:
    fields: dict[str, Field] = {}
    for place in channels.addresses:
        if channels.region(place.first_line) in _CONTENT:
            fields.setdefault("address", _field(channels, place.value, place.first_line))
    for channel in channels.phones:
        if channels.region(channel.line) in _CONTENT:
            fields.setdefault("phone", _field(channels, channel.value, channel.line))
    return fields


def _short_address(channels: Channels) -> Field | None:
    """A street of the content without a postal code, where no whole address stands there."""
    for number, line in enumerate(channels.lines):
        if line.region is Region.MAIN and (found := short_address(line.text)):
            return _field(channels, found, number)
    return None


def _is_offered(channels: Channels, fields: dict[str, Field]) -> bool:
    """A service by its own name that says for whom it is, or lets itself be asked for."""
    document = channels.document
    if is_service(document.title):
        return "eligibility" in fields or bool(channels.emails) or any(one.in_form for one in document.main)
    opening = " ".join(block.text for block in document.main[:_OPENING])
    return "eligibility" in fields and is_service(f"{calls_itself(document)} | {opening}")


def _only_ones(channels: Channels) -> dict[str, Field]:
    """The telephone and the address that are the only ones of the whole page."""
    found: dict[str, Field] = {}
    if len({one.value for one in channels.phones}) == 1:
        found["phone"] = _field(channels, channels.phones[0].value, channels.phones[0].line)
    if len({one.value for one in channels.addresses}) == 1:
        place = channels.addresses[0]
        found["address"] = _field(channels, place.value, place.first_line)
    return found


def _in_footer(channels: Channels) -> dict[str, Field]:
    fields: dict[str, Field] = {}
    for place in channels.addresses:
        if channels.region(place.first_line) is Region.FOOTER:
            fields.setdefault("address", _field(channels, place.value, place.first_line))
    for channel in channels.phones:
        if channels.region(channel.line) is Region.FOOTER:
            fields.setdefault("phone", _field(channels, channel.value, channel.line))
    return fields


def _by_opengraph(channels: Channels, fields: dict[str, Field], kind: OrganisationKind) -> dict[str, Field]:
    """What meta elements say of a business and nothing else did."""
    meta = channels.marks.meta
    found: dict[str, Field] = {}
    site = meta.get("business:contact_data:website")
    number = phones.parsed(meta.get("business:contact_data:phone_number", ""), channels.regions)
    if site and kind is OrganisationKind.BUSINESS and "website" not in fields:
        found["website"] = Field(site, Source.OPENGRAPH, _cut(site))
    if number and "phone" not in fields:
        found["phone"] = Field(number, Source.OPENGRAPH, number)
    return found


def _is_same(channels: Channels, organisation: FoundRecord, place: FoundRecord) -> bool:
    """Whether the organisation is the service or business itself."""
    if naming.alike(organisation.name, place.name):
        return True
    site = channels.document.site_name
    apart = [
        key
        for key in ("address", "phone")
        if key in organisation.fields
        and key in place.fields
        and organisation.fields[key].value != place.fields[key].value
    ]
    if apart or site is None:
        return False
    return naming.alike(place.name, site) and re.search(r"\W", organisation.name) is None
