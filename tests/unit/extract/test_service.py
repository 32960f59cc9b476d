"""A service has a name, a door or a telephone, hours, and people it is for."""

from __future__ import annotations

import pytest

from surveyor.extract.values import FoundRecord
from tests.unit.extract.bodies_help import bodies, fields


def service(html: str) -> FoundRecord:
    (found,) = [one for one in bodies(html) if one.kind == "service"]
    return found


PANTRY = (
    "<title>{title} | Willow Food Pantry</title><header><a href='/'>Willow Food Pantry</a></header>"
    "<main><h1>{title}</h1><p>{text}</p>"
    "<p>Monday 9–12</p><p>12 Mill Street, Northfield, MN 55057</p><p>(507) 555-0133</p></main>"
)


def test_all_that_a_visitor_needs_is_taken() -> None:
    found = service(PANTRY.format(title="Willow Food Pantry", text="We serve families in Rice County."))
    assert fields(found) == {
        "name": "Willow Food Pantry",
        "address": "12 Mill Street, Northfield, MN 55057",
        "phone": "+15075550133",
        "hours": "Monday 9–12",
        "eligibility": "families in Rice County",
    }


@pytest.mark.parametrize(
    "title", ["Hours & Location", "About us", "Get help now", "Plan your visit", "Contact"]
)
def test_a_headline_that_names_nothing_gives_way_to_the_site(title: str) -> None:
    assert service(PANTRY.format(title=title, text="Welcome.")).name == "Willow Food Pantry"


def test_the_name_ends_before_a_colon() -> None:
    html = PANTRY.format(title="The Porch: emergency beds for young people", text="Come in.")
    assert service(html).name == "The Porch"


def test_the_house_and_its_service_are_two_records_with_their_own_channels() -> None:
    found = bodies(
        "<title>Law clinic | Open Door Project</title><main><h1>Free law clinic</h1>"
        "<p>Tuesday 5:30 to 8 pm<br>640 Grant St, Denver, CO 80203</p><p>Call (303) 555-0171.</p></main>"
        "<footer>Open Door Project, 1444 Wazee St, Denver, CO 80202, 303-555-0170</footer>"
    )
    assert [(one.kind, one.name, one.fields["phone"].value) for one in found] == [
        ("service", "Free law clinic", "+13035550171"),
        ("organisation", "Open Door Project", "+13035550170"),
    ]


@pytest.mark.parametrize(
    "title",
    ["Willow Pantry has closed", "Willow Pantry (closed)", "Volunteer at the pantry", "Pantry jobs"],
)
def test_what_is_closed_or_something_to_sign_up_for_is_no_service(title: str) -> None:
    assert [one for one in bodies(PANTRY.format(title=title, text="Hello.")) if one.kind == "service"] == []


ELIGIBLE = {
    "en": ("The clinic is for adults without insurance. Come in.", "adults without insurance"),
    "en first": ("Anyone in Rice County who needs food can come.", "Anyone in Rice County who needs food"),
    "de": ("Die Kleiderkammer ist für alle, die wenig Geld haben. Kommen Sie.", "alle, die wenig Geld haben"),
    "bg": (
        "Центърът приема жени и деца, пострадали от насилие, за срок до шест месеца.",
        "жени и деца, пострадали от насилие",
    ),
    "fr": (
        "Nous recevons toute personne sans logement. Venez avec vos papiers et vos questions.",
        "toute personne sans logement",
    ),
    "ro": (
        "Oferim o masă caldă pentru persoane fără adăpost și vârstnici. Veniți cu noi la masă.",
        "persoane fără adăpost și vârstnici",
    ),
    "el": (
        "Το πρόγραμμα απευθύνεται σε ηλικιωμένους που ζουν μόνοι τους. Ελάτε να μας βρείτε.",
        "ηλικιωμένους που ζουν μόνοι τους",
    ),
    "es": (
        "Atendemos a personas adultas sin seguro médico. No hay que pagar nada en la clínica.",
        "personas adultas sin seguro médico",
    ),
}


@pytest.mark.parametrize(("text", "who"), ELIGIBLE.values(), ids=ELIGIBLE.keys())
def test_a_page_says_for_whom_it_is(text: str, who: str) -> None:
    assert service(PANTRY.format(title="Willow Pantry", text=text)).fields["eligibility"].value == who


def test_categories_are_short_items_below_their_heading() -> None:
    offer = "</p><h2>Our services</h2><ul><li>Dental care</li><li>Dentures</li></ul><p>"
    found = service(PANTRY.format(title="Willow Dental Clinic", text=offer))
    assert found.fields["categories"].value == ["Dental care", "Dentures"]
    sentences = offer.replace("Dentures", "a talk with a nurse on the very first day")
    assert "categories" not in service(PANTRY.format(title="Willow Dental Clinic", text=sentences)).fields
