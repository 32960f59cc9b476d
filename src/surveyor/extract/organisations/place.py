"""The service or the business that a page presents: its name, where and when it is, what it offers."""

from __future__ import annotations

from surveyor.extract.contacts.channels import Channels
from surveyor.extract.document import Region
from surveyor.extract.fields import hours, phones
from surveyor.extract.fields.streets import short_address
from surveyor.extract.organisations import facts, naming, offers
from surveyor.extract.organisations.body import CONTENT
from surveyor.extract.organisations.kinds import (
    OrganisationKind,
    calls_itself,
    has_guests,
    is_service,
    kind_of_types,
)
from surveyor.extract.structured import Item
from surveyor.extract.values import Field, FoundRecord, Source

# Blocks with which a page opens.
_OPENING = 4


def placed(
    channels: Channels, item: Item | None, organisation: FoundRecord | None, kind: OrganisationKind, site: str
) -> FoundRecord | None:
    """The record of a service or business; it needs a way to reach or find it."""
    marked = (
        facts.of_marks(item, channels)
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
    found = facts.in_regions(channels, CONTENT)
    opened = offers.hours(channels, item if marked else None, own=own)
    if opened is not None:
        found["hours"] = opened
    if own:
        found = {**facts.in_regions(channels, {Region.FOOTER}), **found}
    elif is_service(channels.document.title):  # nothing of its own: it is where the house is
        house = facts.only_ones(channels)
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
    called = f"{name.value} | {channels.document.title} | {site}"
    if kind is OrganisationKind.BUSINESS and not (marked or has_guests(called) or _is_somewhere(fields)):
        return None
    if not any(key in fields for key in ("address", "phone", "hours")) and not _is_offered(channels, fields):
        return None
    return FoundRecord(kind.value, fields)


def _is_somewhere(fields: dict[str, Field]) -> bool:
    """Whether it says where or when: a shop with a telephone and nothing else may only send things."""
    return "address" in fields or ("hours" in fields and hours.has_days(str(fields["hours"].value)))


def _value(fields: dict[str, Field], key: str) -> object:
    return fields[key].value if key in fields else None


def _short_address(channels: Channels) -> Field | None:
    """A street of the content without a postal code, where no whole address stands there."""
    for number, line in enumerate(channels.lines):
        if line.region is Region.MAIN and (found := short_address(line.text)):
            return facts.field(channels, found, number)
    return None


def _is_offered(channels: Channels, fields: dict[str, Field]) -> bool:
    """A service by its own name that says for whom it is, or lets itself be asked for."""
    document = channels.document
    if is_service(document.title):
        return "eligibility" in fields or bool(channels.emails) or any(one.in_form for one in document.main)
    opening = " ".join(block.text for block in document.main[:_OPENING])
    return "eligibility" in fields and is_service(f"{calls_itself(document)} | {opening}")


def _by_opengraph(channels: Channels, fields: dict[str, Field], kind: OrganisationKind) -> dict[str, Field]:
    """What meta elements say of a business and nothing else did."""
    meta = channels.marks.meta
    found: dict[str, Field] = {}
    site = meta.get("business:contact_data:website")
    number = phones.parsed(meta.get("business:contact_data:phone_number", ""), channels.regions)
    if site and kind is OrganisationKind.BUSINESS and "website" not in fields:
        found["website"] = Field(site, Source.OPENGRAPH, facts.cut(site))
    if number and "phone" not in fields:
        found["phone"] = Field(number, Source.OPENGRAPH, number)
    return found
