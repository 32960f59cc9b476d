"""A business is told by its marks, or by words, with a door or a telephone."""

from __future__ import annotations

import json

import pytest

from surveyor.extract.values import Source
from tests.unit.extract.organisations_help import fields, organisations


def test_marks_tell_a_business_and_the_page_its_hours() -> None:
    script = json.dumps(
        {
            "@type": "Bakery",
            "name": "Rising Moon",
            "telephone": "(541) 555-0109",
            "url": "https://moon.example/",
            "openingHours": "We-Su 07:00-14:00",
            "address": {
                "streetAddress": "84 Wall St",
                "addressLocality": "Bend",
                "addressRegion": "OR",
                "postalCode": "97703",
            },
        }
    )
    html = f'<script type="application/ld+json">{script}</script><h1>Bread</h1><p>TEXT</p>'
    (found,) = organisations(html.replace("TEXT", "Wednesday to Sunday, 7 am to 2 pm"))
    assert (found.kind, fields(found)) == (
        "business",
        {
            "name": "Rising Moon",
            "address": "84 Wall St, Bend, OR 97703",
            "phone": "+15415550109",
            "hours": "Wednesday to Sunday, 7 am to 2 pm",
            "website": "https://moon.example/",
        },
    )
    (silent,) = organisations(html.replace("TEXT", "Sourdough and rye."))
    assert silent.fields["hours"] == (
        "Wednesday-Sunday 07:00-14:00",
        Source.JSON_LD,
        "Wednesday-Sunday 07:00-14:00",
    )


def test_opengraph_tells_a_business() -> None:
    (found,) = organisations(
        '<meta property="og:type" content="business.business">'
        '<meta property="business:contact_data:phone_number" content="+1 507-555-0133">'
        '<meta property="business:contact_data:website" content="https://mill.example/">'
        "<h1>Old Mill Barbers</h1><p>Tue-Fri 9-6</p>"
    )
    assert (found.kind, found.name) == ("business", "Old Mill Barbers")
    assert found.fields["phone"].value == "+15075550133"
    assert found.fields["website"].source is Source.OPENGRAPH


def test_a_pantry_marked_as_a_restaurant_is_a_service() -> None:
    script = json.dumps(
        {"@type": "FoodEstablishment", "name": "Brendan's Food Pantry", "telephone": "508-555-0147"}
    )
    (found,) = organisations(f'<script type="application/ld+json">{script}</script><h1>Hours</h1>')
    assert found.kind == "service"


def test_words_tell_a_business_and_its_footer_the_rest() -> None:
    (found,) = organisations(
        "<title>About Us | Blue Heron Café</title><header><a href='/'>Blue Heron Café</a></header>"
        "<main><h1>About Us</h1><p>We bake scones.</p></main>"
        "<footer><p>301 Pine Street<br>Livingston, MT 59047</p>"
        "<p>Mon–Fri 6:30–3</p><p>(406) 555-0188</p></footer>"
    )
    assert fields(found) == {
        "name": "Blue Heron Café",
        "address": "301 Pine Street, Livingston, MT 59047",
        "phone": "+14065550188",
        "hours": "Mon–Fri 6:30–3",
    }


def test_a_page_of_a_shop_that_sells_one_thing_is_no_business() -> None:
    script = json.dumps({"@type": "Product", "name": "Soap"})
    html = f'<script type="application/ld+json">{script}</script><h1>Soap</h1><p>Our shop: (406) 555-0188</p>'
    assert [one.kind for one in organisations(html)] == []


SHOP = (
    "<html><head><title>Visit | Corner Loaf</title></head><body><header>Corner Loaf</header><main>"
    "<h1>Visit us</h1><p>{}</p><p>Tuesday to Saturday 7 am to 3 pm</p>"
    "<p>Sourdough, pastries and sandwiches from $4, baked all night. Order online or take a table.</p></main>"
    "<footer>© 2024 Corner Loaf. All rights reserved.</footer></body></html>"
)


def test_a_page_that_says_where_and_when_is_of_a_business_called_as_its_site() -> None:
    (found,) = organisations(SHOP.format("84 Wall St, Bend, OR 97703"))
    assert (found.kind, fields(found)) == (
        "business",
        {
            "name": "Corner Loaf",
            "address": "84 Wall St, Bend, OR 97703",
            "hours": "Tuesday to Saturday 7 am to 3 pm",
        },
    )


def test_a_club_that_meets_at_times_is_no_business() -> None:
    found = organisations(SHOP.replace("Corner Loaf", "Bend Chess Club").format("84 Wall St, Bend, OR 97703"))
    assert [one.kind for one in found] == ["organisation"]


def test_branches_side_by_side_are_a_business_each() -> None:
    found = organisations(
        "<html><head><title>Locations | Corner Loaf</title></head><body><header>Corner Loaf</header><main>"
        "<h1>Locations</h1><h2>Downtown</h2><p>84 Wall St, Bend, OR 97703</p><p>Tue-Sat 7 am to 3 pm</p>"
        "<h2>Riverside</h2><p>12 Mill Rd, Bend, OR 97701</p><p>Wed-Sun 8 am to 2 pm</p></main></body></html>"
    )
    assert [(one.kind, one.name, one.fields["hours"].value) for one in found if one.kind == "business"] == [
        ("business", "Downtown", "Tue-Sat 7 am to 3 pm"),
        ("business", "Riverside", "Wed-Sun 8 am to 2 pm"),
    ]


def test_a_box_beside_the_content_tells_nothing_of_the_last_branch() -> None:
    html = (
        "<title>Kontakt | Bäckerei Kraus</title><header>Bäckerei Kraus</header><main><h1>Kontakt</h1>"
        "<h2>Filiale Mitte</h2><p>Parkweg 1, 12345 Musterstadt</p><p>Mo-Fr 6-18 Uhr</p>"
        "<h2>Filiale Süd</h2><p>Hauptstraße 7, 12345 Musterstadt</p></main>"
        "<aside><p>Unser Partner: Reinigung Sauber, Tel. 030 5555555, Sa 7-12 Uhr</p></aside>"
    )
    found = [fields(one) for one in organisations(html, kinds=("business",))]
    assert found[1:] == [{"name": "Filiale Süd", "address": "Hauptstraße 7, 12345 Musterstadt"}]


@pytest.mark.parametrize(
    ("name", "hours"),
    [
        ("AS Montclair", "Entraînement U13 : mardi et jeudi de 18h à 19h30"),
        ("SV Blau-Weiß", "Geschäftsstelle: Di 18-19 Uhr"),
        ("Morning Show", "Listen live Monday to Friday 6am - 10am"),
        ("Desk Lamp", "Customer support Mon-Fri 9am-5pm"),
    ],
)
def test_hours_of_something_that_is_named_before_them_make_no_business(name: str, hours: str) -> None:
    html = f"<title>{name}</title><main><h1>{name}</h1><p>{hours}</p><p>Call +33 4 78 12 34 56</p></main>"
    assert organisations(html, kinds=("business",)) == []


def test_a_club_may_be_the_end_of_a_longer_word() -> None:
    html = (
        "<title>Schaakvereniging De Toren</title><main><h1>Schaakvereniging De Toren</h1>"
        "<p>maandag 20:00-23:00</p><p>Kerkstraat 5, 1234 AB Utrecht</p></main>"
    )
    assert organisations(html, kinds=("business",)) == []


LARCH = "<title>{title} | Larch</title><header>Larch</header><main><h1>{title}</h1>{text}</main>"


def test_a_shop_that_only_has_a_telephone_may_only_send_things() -> None:
    text = "<p>Beads from $3.</p><p>Call (507) 555-0133</p>"
    assert organisations(LARCH.format(title="The Bead Shop", text=text), kinds=("business",)) == []
    at_home = text + "<p>12 Mill Street, Northfield, MN 55057</p>"
    (found,) = organisations(LARCH.format(title="The Bead Shop", text=at_home), kinds=("business",))
    assert found.name == "The Bead Shop"


def test_a_restaurant_is_found_by_its_telephone() -> None:
    text = "<p>Call (507) 555-0133</p>"
    (found,) = organisations(LARCH.format(title="Restaurant Larch", text=text), kinds=("business",))
    assert fields(found) == {"name": "Restaurant Larch", "phone": "+15075550133"}


@pytest.mark.parametrize(
    "text",
    [
        "<p>Lectures: Kresge 502. "
        "Instructor: Ann Lark, 655 Mill Street, Northfield, MN 55057.</p>"
        "<ul><li>Office hours: Thursday 9:30 AM - 10:30 AM</li></ul>",
        "<p>The syllabus and all assignments are online.</p><p>Mondays and Wednesdays 12 - 12:50 PM</p>",
        "<p>My office is in Kemeny Hall. My scheduled office hours:</p><p>Monday 3:30-4:30 pm</p>",
        "<p>Vorlesung und Klausur.</p><p>Montag 10 bis 12 Uhr</p>",
    ],
)
def test_hours_of_who_teaches_make_no_business(text: str) -> None:
    assert organisations(LARCH.format(title="Graphics 315", text=text), kinds=("business",)) == []


def test_a_page_that_is_called_by_what_it_is_for_names_no_business() -> None:
    html = "<title>Office Hours</title><h1>Office Hours</h1><p>Monday 3:30-4:30 pm, Friday 9-10 am</p>"
    assert organisations(html, kinds=("business",)) == []


@pytest.mark.parametrize(
    ("title", "text"),
    [
        ("Worship With Us", "<p>Sunday 9:00 am - 10:15 am Traditional</p><p>Wednesday 7 pm - 8 pm</p>"),
        ("Gottesdienste", "<p>Sonntag 10 bis 11 Uhr Hauptgottesdienst</p><p>Mittwoch 18 bis 19 Uhr</p>"),
        ("Horaires des messes", "<p>Samedi 18h - 19h</p><p>Dimanche 10h30 - 11h30</p>"),
        ("Stundenplan", "<p>Montag 18:00 - 19:30 Uhr Hatha</p><p>Dienstag 10:00 - 11:30 Uhr</p>"),
    ],
)
def test_times_of_what_a_page_is_about_make_no_business_of_it(title: str, text: str) -> None:
    assert organisations(LARCH.format(title=title, text=text), kinds=("business",)) == []
