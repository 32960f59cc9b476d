"""A service has a name, a door or a telephone, hours, and people it is for."""

from __future__ import annotations

import pytest

from surveyor.extract.values import FoundRecord
from tests.unit.extract.organisations_help import fields, organisations


def service(html: str) -> FoundRecord:
    (found,) = [one for one in organisations(html) if one.kind == "service"]
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


def test_the_times_of_a_service_are_no_part_of_its_name() -> None:
    assert service(PANTRY.format(title="Foodbank Times", text="Come in.")).name == "Foodbank"


def test_the_house_and_its_service_are_two_records_with_their_own_channels() -> None:
    found = organisations(
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
    assert [
        one for one in organisations(PANTRY.format(title=title, text="Hello.")) if one.kind == "service"
    ] == []


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


def _services(html: str) -> list[dict[str, object]]:
    return [fields(one) for one in organisations(html) if one.kind == "service"]


def test_sections_with_doors_of_their_own_are_services_of_their_own() -> None:
    page = (
        "<title>Food pantries</title><main><h1>Food pantries</h1><p>We keep two pantries.</p>"
        "<h2>Elm House</h2><p>12 Mill Street, Monroe</p><p>Monday 9–12</p>"
        "<h2>Old Chapel</h2><p>47 Maple Avenue, Monroe</p><p>Friday 14–16</p></main>"
    )
    assert _services(page) == [
        {"name": "Elm House", "address": "12 Mill Street, Monroe", "hours": "Monday 9–12"},
        {"name": "Old Chapel", "address": "47 Maple Avenue, Monroe", "hours": "Friday 14–16"},
    ]


def test_blocks_of_lines_with_doors_of_their_own_are_services_of_their_own() -> None:
    page = (
        "<title>Food pantries</title><main><h1>Food pantries</h1><p>We keep two pantries.</p>"
        "<p><b>Elm House</b><br>12 Mill Street, Monroe<br>Monday 9–12</p>"
        "<p><b>Old Chapel</b><br>47 Maple Avenue, Monroe<br>Friday 14–16</p></main>"
    )
    assert [one["name"] for one in _services(page)] == ["Elm House", "Old Chapel"]


def test_the_sections_of_one_service_are_one_service() -> None:
    page = (
        "<title>Elm Food Pantry</title><main><h1>Elm Food Pantry</h1><h2>When</h2><p>Monday 9–12</p>"
        "<h2>Where</h2><p>12 Mill Street, Monroe</p><h2>Ask us</h2><p>(507) 555-0133</p></main>"
    )
    assert [one["name"] for one in _services(page)] == ["Elm Food Pantry"]


def test_a_shop_for_people_in_need_is_a_service() -> None:
    page = (
        "<html lang=de><title>Der Laden</title><main><h1>Der Laden</h1><p>Die Tafel gibt Lebensmittel an"
        " Menschen mit geringem Einkommen ab, gegen Nachweis der Bedürftigkeit.</p>"
        "<p>Dienstag 10–12 Uhr</p></main>"
    )
    assert [one["name"] for one in _services(page)] == ["Der Laden"]


def test_a_telephone_shared_with_the_house_shares_its_address() -> None:
    page = (
        "<title>Food Pantry | Elm Church</title><main><h1>Food Pantry</h1>"
        "<p>The pantry is open to anyone in the community. Please call us at {}.</p></main>"
        "<footer>Elm Church, 500-A Mill Street, Northfield, MN 55057, (507) 555-0133</footer>"
    )
    shared, own = service(page.format("(507) 555-0133")), service(page.format("(507) 555-0199"))
    assert fields(shared)["address"] == "500-A Mill Street, Northfield, MN 55057"
    assert "address" not in own.fields


CARDS = (
    "<title>Ministries | Willow Church</title><header><a href='/'>Willow Church</a></header><main>"
    "<h1>Ministries</h1><p>We serve our neighbours. You are welcome.</p>{}"
    "<h3>Music</h3><p>A choir sings at every service.</p></main>"
)
SHELF = "<h3>Community Food Pantry</h3><p>We are open every Tuesday, 8:45 AM – 11 AM. All are welcome.</p>"


def test_one_section_that_is_a_service_is_one_record() -> None:
    found = service(CARDS.format(SHELF))
    assert (found.name, found.fields["hours"].value) == (
        "Community Food Pantry",
        "Tuesday, 8:45 AM – 11 AM",
    )


def test_beside_a_section_that_is_called_a_service_one_that_tells_of_one_is_too() -> None:
    suppers = "<h3>Saturday Table</h3><p>Free community meals on Saturdays, 4–5:30 PM.</p>"
    found = [one for one in organisations(CARDS.format(SHELF + suppers)) if one.kind == "service"]
    assert [one.name for one in found] == ["Community Food Pantry", "Saturday Table"]


def test_where_the_headline_is_the_site_a_heading_names_the_service() -> None:
    html = (
        "<title>Willow Institute</title><header><a href='/'>Willow Institute</a></header><main>"
        "<h1>Willow</h1><h3>FOOD BANK</h3><p>Our food bank gives free food to families in need. We are open"
        " Friday 9–12. To register please call (507) 555-0133.</p><h3>How often?</h3>"
        "<p>You can come every 30 days.</p></main>"
    )
    assert service(html).name == "FOOD BANK"


@pytest.mark.parametrize(
    "box", ["<aside><h3>Volunteer</h3></aside>", "<aside><h3>Privacy policy</h3></aside>"]
)
def test_a_heading_beside_the_content_does_not_say_what_a_page_is(box: str) -> None:
    page = PANTRY.format(title="Riverside Food Pantry", text="We serve families in Rice County.")
    assert fields(service(page.replace("<main>", f"{box}<main>")))["hours"] == "Monday 9–12"


def test_what_is_headed_for_helpers_is_no_service() -> None:
    html = (
        "<title>Food Pantry - Willow House</title><main><header><h3>Volunteer - Food Pantry</h3></header>"
        "<p>We need helpers who sort food.</p><h2>Select a time</h2><p>Call (507) 555-0133.</p></main>"
    )
    assert [one for one in organisations(html) if one.kind == "service"] == []


def test_on_a_page_of_a_whole_chapter_the_part_with_hours_is_the_service() -> None:
    html = (
        "<title>Outreach | Harbour Church</title><header><a href='/'>Harbour Church</a></header>"
        "<main><h1>Outreach</h1><h2>Our Programs</h2><h3>Neighbours First</h3><p>We provide food, clothing"
        " and referrals for those in need who come to us, each Monday and Friday from 1:00–2:45PM.</p>"
        "<p>Please call to make sure we are open, (831) 555-0141.</p><h3>Gifts</h3><p>Each December we sign"
        " up to give gifts to children.</p></main>"
    )
    assert service(html).name == "Neighbours First"


LISTED = (
    "<title>Local Food Banks | Larch Recipes</title><main><h2>Local Food Banks</h2>"
    "<p>Pantries that help families.</p>"
    "<h3>Larch House</h3><ul><li>12 Mill Street, Northfield, MN 55057</li><li>(507) 555-0133</li></ul>"
    "<h3>Elm Food Cupboard</h3><ul><li>20 Oak Road, Northfield, MN 55057</li></ul>"
    "<h3>Ash Food Pantry</h3><ul><li>48 Elm Street, Northfield, MN 55057</li></ul></main>"
)


def test_a_list_of_places_gives_those_not_called_services_and_not_its_own_headline() -> None:
    found = [one.name for one in organisations(LISTED, kinds=("service",))]
    assert found == ["Larch House", "Elm Food Cupboard", "Ash Food Pantry"]


def test_the_cells_of_a_table_are_a_place_each_with_the_hours_below() -> None:
    found = organisations(
        "<title>Locations - Larch Public Library</title><header>Larch Public Library</header><table><tr>"
        "<th>Central<br>1 Mill Street<br>Northfield, MN 55057<br>(507) 555-0133</th>"
        "<th>Oak Ridges<br>20 Oak Road<br>Northfield, MN 55057<br>(507) 555-0134</th></tr>"
        "<tr><td>Monday - Thursday<br>9:30 am - 9:00 pm</td><td>Monday<br>10 am - 2 pm</td></tr></table>"
    )
    assert [(one.kind, fields(one)) for one in found] == [
        (
            "service",
            {
                "name": "Central",
                "address": "1 Mill Street, Northfield, MN 55057",
                "phone": "+15075550133",
                "hours": "Monday - Thursday 9:30 am - 9:00 pm",
            },
        ),
        (
            "service",
            {
                "name": "Oak Ridges",
                "address": "20 Oak Road, Northfield, MN 55057",
                "phone": "+15075550134",
                "hours": "Monday 10 am - 2 pm",
            },
        ),
    ]


def test_the_rows_of_a_table_are_a_place_each() -> None:
    rows = "".join(
        f"<tr><td>{name}</td><td>{number} Mill Street, Northfield, MN 55057</td><td>Monday 9-12</td></tr>"
        for name, number in (("Larch Hall", 12), ("Oak Church", 20), ("Elm House", 48))
    )
    found = organisations(
        "<title>Food pantries</title><h1>Food pantries</h1><p>We give food to families in need.</p>"
        f"<table><tr><th>Where</th><th>Address</th><th>When</th></tr>{rows}</table>",
        kinds=("service",),
    )
    assert [(one.name, one.fields["address"].value) for one in found] == [
        ("Larch Hall", "12 Mill Street, Northfield, MN 55057"),
        ("Oak Church", "20 Mill Street, Northfield, MN 55057"),
        ("Elm House", "48 Mill Street, Northfield, MN 55057"),
    ]


def test_a_page_of_links_to_what_others_offer_is_no_service() -> None:
    links = "".join(
        f"<li><a href='https://{one}.example/'>{one}</a></li>" for one in ("works", "law", "food")
    )
    html = (
        "<html lang='en'><title>Community Assistance</title><header>Larch High School</header><main>"
        f"<h2>Community Assistance</h2><p>For families with eviction concerns:</p><ul>{links}</ul>"
        "<p>Free meals for people 60 years or older</p></main>"
    )
    url = "https://www.larch.example/community_assistance"
    assert organisations(html, kinds=("service",), url=url) == []


def test_a_page_about_a_service_without_a_channel_is_called_as_its_site() -> None:
    html = (
        "<title>Larch Food Pantry - About</title><div id='masthead'><a href='/'>Larch Food Pantry</a></div>"
        "<main><h1>About Us</h1><p>The Larch Food Pantry opened its doors in 1989.</p><h2>Our Mission</h2>"
        "<p>The mission of the Larch Food Pantry is to provide emergency food to people in need.</p>"
        "<h2>Pantry Board of Directors</h2><p>The board meets in spring.</p></main>"
    )
    assert [one.name for one in organisations(html, kinds=("service",))] == ["Larch Food Pantry"]


def test_a_title_that_only_says_the_sort_gives_way_to_a_heading_that_names_it() -> None:
    html = (
        "<title>Library - Larch</title><h3>Library</h3><h5>Larch Public Library</h5>"
        "<p>12 Mill Street, Northfield, MN 55057<br>Monday - Thursday 9 am - 9 pm</p>"
    )
    assert service(html).name == "Larch Public Library"


def test_whoever_can_be_reached_and_speaks_of_help_is_no_service() -> None:
    html = (
        "<title>Contact us | Larch Index</title><header>Larch Index</header><main><h1>Contact us</h1>"
        "<p>We index the papers of the library of medicine for you, and we are glad to help.</p>"
        "<p>12 Mill Street, Northfield, MN 55057</p></main>"
    )
    assert [one.kind for one in organisations(html)] == ["organisation"]


def test_a_chapter_of_what_others_offer_is_no_service() -> None:
    html = (
        "<title>Resources | Larch Action</title><header><a href='/'>Larch Action</a></header><main>"
        "<h1>Resources</h1><ul><li><a href='https://a.example'>Larch Food Pantry</a></li>"
        "<li><a href='https://b.example'>Elm Shelter</a> (507) 555-0119</li></ul><h2>Housing</h2>"
        "<p><a href='https://c.example'>Homes</a>, 12 Mill Street, Northfield, MN 55057, (507) 555-0133</p>"
        "<h2>Health</h2><p><a href='https://d.example'>Clinic</a>, 1 Mill Street, Northfield, MN 55057</p>"
        "</main><footer><p>Larch Action</p><p>2 Elm Street, Northfield, MN 55057</p>"
        "<p>Hours: Monday - Friday 8:00 am - 4:30 pm</p></footer>"
    )
    assert organisations(html, kinds=("service",), url="https://www.larch.example/resources") == []
