"""Who is behind a page and what it offers at a place: the organisation, and the service or business, if any.

The three are found together, because they share their facts: when the organisation is itself the service
or the business of the page, there is one record and not two.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

from surveyor.extract.contacts.channels import Channels
from surveyor.extract.document import Region
from surveyor.extract.fields import hours
from surveyor.extract.organisations import naming, sections
from surveyor.extract.organisations.body import organisation_of
from surveyor.extract.organisations.kinds import (
    OrganisationKind,
    calls_itself,
    is_no_place,
    is_service,
    kind_of_page,
    kind_of_types,
)
from surveyor.extract.organisations.place import placed
from surveyor.extract.organisations.site_name import own_name
from surveyor.extract.records import gate
from surveyor.extract.structured import Item
from surveyor.extract.values import FoundRecord

if TYPE_CHECKING:
    from surveyor.extract.analysis import Analysis

# Words of a page that tells when it is open and not much else.
_MOST_WORDS = 600


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
    organisation = organisation_of(channels, item, own)
    called = " | ".join(filter(None, (own, organisation.name if organisation is not None else "")))
    kind = _place_kind(page, item, called)
    if several := _several(page, kind):
        return Organisations(_apart_from(organisation, several), several)
    if kind is not None and not own:
        own = own_name(channels)
    place = placed(channels, item, organisation, kind, own) if kind is not None else None
    if place is None:
        return Organisations(organisation)
    if organisation is not None and _is_same(channels, organisation, place):
        organisation = None
    return Organisations(organisation, (place,))


def _apart_from(organisation: FoundRecord | None, places: tuple[FoundRecord, ...]) -> FoundRecord | None:
    """The body behind a list of places, without what is of one of them; None if nothing else is left."""
    if organisation is None or len(places) == 1:
        return organisation
    theirs = {str(one.value) for place in places for key, one in place.fields.items() if key != "name"}
    own = {
        key: one for key, one in organisation.fields.items() if key == "name" or str(one.value) not in theirs
    }
    return FoundRecord(organisation.kind, own) if len(own) > 1 else None


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
    opened = [
        one.value
        for one in channels.hours
        if channels.region(one.first_line) is Region.MAIN and hours.has_days(one.value)
    ]
    is_open = bool(opened)

    def otherwise() -> OrganisationKind | None:
        if page.marks.text.count(" ") > _MOST_WORDS or not (
            any(map(hours.names_no_other, opened)) or _lists_places(channels)
        ):
            return None
        if gate.may_offer(page, OrganisationKind.SERVICE.value):
            return OrganisationKind.SERVICE
        # What a page is about beside the name of its site has the hours: lessons, services of worship.
        title = page.document.title
        is_topic = bool(called) and not naming.is_vague(title) and not _names_any(title, called)
        return None if is_topic else OrganisationKind.BUSINESS

    kind = kind_of_page(channels.document, channels.marks, item, called, otherwise)
    is_marked = item is not None and kind_of_types(item.types) is not OrganisationKind.ORGANISATION
    if kind is OrganisationKind.SERVICE and not is_marked and not _is_believed(page, called, is_open=is_open):
        return None
    return kind if kind in wanted else None


def _names_any(title: str, called: str) -> bool:
    return any(naming.alike(title, name) for name in called.split(" | "))


def _lists_places(channels: Channels) -> bool:
    """Whether a page that only says where has several addresses."""
    content = {one.value for one in channels.addresses if channels.region(one.first_line) is Region.MAIN}
    return len(content) > 1 and naming.is_vague(channels.document.title)


def _is_believed(page: Analysis, called: str, *, is_open: bool) -> bool:
    """Whether a page that names a service offers it: it tells when it is open, or sounds like an offer."""
    if is_open and is_service(f"{page.document.title} | {called}"):
        return True
    named = f"{called} | {calls_itself(page.document)} | {urlsplit(page.document.page.url).path}"
    title = page.document.title
    is_general = naming.is_vague(title) or naming.is_chapter(title)
    if not is_open and is_general and not is_service(named):
        return False  # whoever can be reached speaks of help, or lists what others offer
    channels = page.channels
    is_somewhere = any(channels.region(one.first_line) is Region.MAIN for one in channels.addresses)
    if not (is_open or is_somewhere) and "leads elsewhere" in page.voice:
        return False  # it lists what others offer
    may = gate.may_offer if is_open or is_somewhere else gate.offers
    return may(page, OrganisationKind.SERVICE.value)


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
