"""What a page is about, as far as people can go or turn to it: a service, a business, an organisation."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from enum import StrEnum
from typing import Final
from urllib.parse import urlsplit

from surveyor.extract.document import BlockKind, Document, Region
from surveyor.extract.lexicon import alternatives, cues, plain, word_set
from surveyor.extract.structured import Item, Structured


class OrganisationKind(StrEnum):
    """What a page presents, as a kind of record."""

    ORGANISATION = "organisation"  # somebody who can be written to
    SERVICE = "service"  # help at a place or by telephone
    BUSINESS = "business"  # a shop, a workshop, a house with guests


# Types of schema.org by what they are to us. Those that are either are settled by the words of the page.
_ORGANISATION_TYPES: Final = word_set(
    "Organization NGO GovernmentOrganization EducationalOrganization CollegeOrUniversity School HighSchool "
    "ElementarySchool "
    "NewsMediaOrganization Corporation FundingAgency FundingScheme ResearchOrganization PerformingGroup "
    "SportsOrganization SportsClub SportsTeam "
    "Consortium LibrarySystem PoliticalParty Project WorkersUnion OnlineBusiness MusicGroup Church "
    "PlaceOfWorship Museum"
)
_SERVICE_TYPES: Final = word_set(
    "MedicalClinic MedicalOrganization Hospital Physician Dentist Pharmacy GovernmentOffice PostOffice "
    "Library EmergencyService "
    "FireStation PoliceStation Service GovernmentService CommunityHealth ChildCare EmploymentAgency "
    "CivicStructure FoodService "
    "AnimalShelter MedicalBusiness PublicHealth Midwifery Nursing RecyclingCenter SocialService "
    "CommunityCenter "
    "GovernmentPermit HomelessShelter FoodBank LegalService"
)
_BUSINESS_TYPES: Final = word_set(
    "Restaurant CafeOrCoffeeShop Bakery BarOrPub Brewery Winery FastFoodRestaurant IceCreamShop HairSalon "
    "BarberShop BeautySalon "
    "DaySpa NailSalon TattooParlor Hotel Hostel BedAndBreakfast LodgingBusiness Motel Campground AutoRepair "
    "AutoDealer GasStation "
    "AutomotiveBusiness Florist ExerciseGym HealthClub SportsActivityLocation Plumber Electrician "
    "HousePainter Locksmith "
    "MovingCompany RoofingContractor GeneralContractor HomeAndConstructionBusiness AccountingService "
    "BankOrCreditUnion "
    "FinancialService InsuranceAgency RealEstateAgent TravelAgency DryCleaningOrLaundry SelfStorage "
    "ShoppingCenter "
    "ProfessionalService Notary Optician NightClub MovieTheater BowlingAlley TouristAttraction Store"
)
_EITHER_TYPES: Final = word_set("LocalBusiness FoodEstablishment EntertainmentBusiness Place")


def kind_of_types(types: Iterable[str]) -> OrganisationKind | None:
    """What an item of these types is; one that may be a service or a business counts as a business here."""
    found = set(types)
    if found & _SERVICE_TYPES:
        return OrganisationKind.SERVICE
    if (
        found & _BUSINESS_TYPES
        or any(name.endswith(("Store", "Shop", "Business")) for name in found)
        or found & _EITHER_TYPES
    ):
        return OrganisationKind.BUSINESS
    return OrganisationKind.ORGANISATION if found & _ORGANISATION_TYPES else None


# Words of places that help people, and of shops; as they stand in names and headings.
_SERVICE_WORDS = re.compile(
    rf"\b{alternatives('organisations', 'service')}\b",
    re.IGNORECASE,
)
_BUSINESS_WORDS = re.compile(
    rf"\b{alternatives('organisations', 'business')}\b",
    re.IGNORECASE,
)
# Businesses that send what they sell, or make it: these may have no premises.
_SENDING: Final = re.compile(
    rf"\b{alternatives('organisations', 'sending')}\b",
    re.IGNORECASE,
)
# Words of those who teach: their hours are those of a person or a lesson, and no opening hours.
_LESSONS: Final = re.compile(
    rf"\b{alternatives('organisations', 'lessons')}\b",
    re.IGNORECASE,
)
# Different such words of a page that is about lessons; characters of it that are looked at.
_OF_LESSONS, _LOOKED_AT = 2, 6_000
# Bodies that meet at times and are no shops.
_CLUB_WORDS = re.compile(
    rf"\b{alternatives('organisations', 'club')}\b|\be\. ?v\b",
    re.IGNORECASE,
)
# Houses of worship: their hours are those of services held there, and no opening hours.
_WORSHIP: Final = re.compile(rf"\b{alternatives('organisations', 'worship')}\b", re.IGNORECASE)
# Somebody's own page on the host of a university, and what those who teach there are called.
_TEACHER: Final = re.compile(rf"/~|\b{alternatives('organisations', 'teacher')}\b", re.IGNORECASE)
# Something in general ("for a free clinic"), and no name.
_IN_GENERAL: Final = re.compile(
    rf"\S\s{alternatives('organisations', 'indefinite')}\s(?:[\w-]{{1,20}}\s){{0,3}}?"
    rf"{alternatives('organisations', 'service')}\b",
    re.IGNORECASE,
)
_PRICES = re.compile(r"[$€£]\s?[0-9]|[0-9]\s?(?:€|лв|lei\b|euro?\b)", re.IGNORECASE)
# It was here and is no more.
_CLOSED = re.compile(
    alternatives("organisations", "closed"),
    re.IGNORECASE,
)
_NO_LONGER = re.compile(alternatives("organisations", "no_longer"), re.IGNORECASE)
# Something to sign up for, to buy, to read: no place.
_NO_PLACE = re.compile(
    rf"\b{alternatives('organisations', 'no_place')}\b",
    re.IGNORECASE,
)
_SHOP_TYPES: Final = frozenset(
    {"Product", "ProductGroup", "ItemList", "JobPosting", "Event", "Course", "CollectionPage"}
)
# Headings that may say what a page is about.
_FIRST_HEADINGS = 3
# Paragraphs in which a page says that something is over.
_FIRST_BLOCKS = 4


def is_no_place(document: Document, marks: Structured) -> bool:
    """Whether the page presents nobody to turn to: it is closed, a thing to buy, something to sign up for."""
    if _is_closed(document) or marks.meta.get("og:type", "").lower().startswith("product"):
        return True
    return any(one.top and one.is_a(_SHOP_TYPES) for one in marks.items)


def kind_of_page(
    document: Document,
    marks: Structured,
    item: Item | None,
    called: str,
    otherwise: Callable[[], OrganisationKind | None],
) -> OrganisationKind | None:
    """Whether the page presents a service or a business; None for all other pages.

    `called` is the name of whoever is behind the page; `otherwise` says what it is where no word does.
    """
    if is_no_place(document, marks):
        return None
    names = " | ".join(filter(None, (document.title, item.text("name") if item is not None else None)))
    marked = kind_of_types(item.types) if item is not None else None
    if marked in (OrganisationKind.SERVICE, OrganisationKind.BUSINESS):
        is_exact = item is not None and not set(item.types) <= _EITHER_TYPES
        return OrganisationKind.SERVICE if not is_exact and _SERVICE_WORDS.search(names) else marked
    if marks.meta.get("og:type", "").lower() in ("business.business", "restaurant.restaurant", "place"):
        return OrganisationKind.SERVICE if _SERVICE_WORDS.search(names) else OrganisationKind.BUSINESS
    if _NO_PLACE.search(f"{document.title} | {_first_heading(document)}") or _IN_GENERAL.search(
        document.title
    ):
        return None
    if not is_place(f"{names} | {called}") and _is_about_lessons(document):
        return None
    if kind := _by_words(document, names, called):
        return kind
    found = otherwise()
    if found is OrganisationKind.SERVICE and any(_PRICES.search(block.text) for block in document.main):
        found = OrganisationKind.BUSINESS
    is_club = found is OrganisationKind.BUSINESS and _CLUB_WORDS.search(f"{names} | {called}")
    return None if is_club or _is_for_worship(document, f"{names} | {called}") else found


def _is_for_worship(document: Document, called: str) -> bool:
    """Whether a house of worship speaks of no help that can be had there."""
    if _WORSHIP.search(called) is None:
        return False
    text = " ".join(block.text for block in document.main)[:_LOOKED_AT]
    return not (_SERVICE_WORDS.search(text) or cues("services", "in_need").search(plain(text)))


def _first_heading(document: Document) -> str:
    """What stands above the content or at its top; the name of the site aside."""
    site = document.site_name or ""
    headings = (
        block.text
        for block in document.blocks
        if block.kind is BlockKind.HEADING and block.region in (Region.MAIN, Region.HEADER)
    )
    return next((text for text in headings if text not in site), "")


def is_place(name: str) -> bool:
    """Whether a name says that it is of a service or a business."""
    return _SERVICE_WORDS.search(name) is not None or _BUSINESS_WORDS.search(name) is not None


def has_guests(name: str) -> bool:
    """Whether a name is of a business that people go to, and not of one that may send what it sells."""
    return any(not _SENDING.fullmatch(found[0]) for found in _BUSINESS_WORDS.finditer(name))


def _is_about_lessons(document: Document) -> bool:
    text = " ".join(block.text for block in document.main)[:_LOOKED_AT]
    found = {match.lower() for match in _LESSONS.findall(f"{document.title} {text}")}
    path = urlsplit(document.page.url).path
    if _TEACHER.search(f"{path} | {document.title}"):
        return True
    return len(found) >= _OF_LESSONS or any(one.startswith("my ") for one in found)


def is_service(name: str) -> bool:
    """Whether a name says that it is of help at a place."""
    return _SERVICE_WORDS.search(name) is not None


def count_services(text: str) -> int:
    """How often a text names help at a place."""
    return sum(1 for _ in _SERVICE_WORDS.finditer(text))


def calls_itself(document: Document) -> str:
    """What a page and its site are called: title, site, the first headings, the words of the host."""
    headings = [block.text for block in document.main if block.kind is BlockKind.HEADING][:_FIRST_HEADINGS]
    host = (urlsplit(document.page.url).hostname or "").rpartition(".")[0].replace("-", " ")
    return " | ".join(filter(None, (document.title, document.site_name, *headings, host)))


def _by_words(document: Document, names: str, called: str) -> OrganisationKind | None:
    text = " ".join(block.text for block in document.main)[:20_000]
    is_in_need = len(set(cues("services", "in_need").findall(plain(text)))) > 1
    for name in (names, called):
        service, business = _SERVICE_WORDS.search(name), _BUSINESS_WORDS.search(name)
        if service is not None and (business is None or business.start() >= service.start()):
            return OrganisationKind.SERVICE
        if business is not None:
            return OrganisationKind.SERVICE if is_in_need else OrganisationKind.BUSINESS
    opening = " ".join(block.text for block in document.main if block.kind is not BlockKind.HEADING)[:400]
    if _SERVICE_WORDS.search(opening) or (is_in_need and is_service(calls_itself(document))):
        return OrganisationKind.SERVICE
    return OrganisationKind.BUSINESS if _BUSINESS_WORDS.search(opening) and _PRICES.search(text) else None


def _is_closed(document: Document) -> bool:
    first = [block.text for block in document.main[: _FIRST_BLOCKS + 1]]
    return any(_CLOSED.search(text) for text in (document.title, *first[:2])) or bool(
        _NO_LONGER.search(" ".join(first)) and _CLOSED.search(" ".join(first))
    )
