"""What a page tells of a body or a place, as fields: from its marks, from parts of it, from the whole."""

from __future__ import annotations

from collections.abc import Set as AbstractSet

from surveyor.extract import structured
from surveyor.extract.contacts.channels import Channels, source_of
from surveyor.extract.document import Region
from surveyor.extract.fields import emails, phones
from surveyor.extract.structured import Item
from surveyor.extract.values import Field

_LONGEST_QUOTE = 300
# Lines behind an address within which a telephone is of the same place.
_BESIDE = 2


def cut(text: str) -> str:
    """A quote, as long as it may be."""
    return " ".join(text.split())[:_LONGEST_QUOTE]


def field(channels: Channels, value: str, line: int) -> Field:
    """A value of a line of the page."""
    return Field(value, source_of(channels.lines[line]), cut(channels.lines[line].text))


def of_marks(item: Item | None, channels: Channels) -> dict[str, Field]:
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
    return {name: Field(value, item.source, cut(value)) for name, value in found.items() if value}


def in_regions(channels: Channels, regions: AbstractSet[Region]) -> dict[str, Field]:
    """An address and a telephone of parts of the page: what the content says first, what stands together."""
    fields: dict[str, Field] = {}

    def order(line: int) -> bool:
        return channels.region(line) is not Region.MAIN

    places = [one for one in channels.addresses if channels.region(one.first_line) in regions]
    place = min(places, key=lambda one: order(one.first_line), default=None)
    if place is not None:
        fields["address"] = field(channels, place.value, place.first_line)
    beside = range(place.first_line, place.last_line + _BESIDE + 1) if place is not None else ()
    numbers = [one for one in channels.phones if channels.region(one.line) in regions]
    number = min(numbers, key=lambda one: (order(one.line), one.line not in beside), default=None)
    if number is not None:
        fields["phone"] = field(channels, number.value, number.line)
    return fields


def only_ones(channels: Channels) -> dict[str, Field]:
    """The telephone and the address that are the only ones of the whole page."""
    found: dict[str, Field] = {}
    if len({one.value for one in channels.phones}) == 1:
        found["phone"] = field(channels, channels.phones[0].value, channels.phones[0].line)
    if len({one.value for one in channels.addresses}) == 1:
        place = channels.addresses[0]
        found["address"] = field(channels, place.value, place.first_line)
    return found
