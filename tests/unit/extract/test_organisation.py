"""An organisation is told by its name beside an address, a telephone, mail or a website."""

from __future__ import annotations

import json

import pytest

from surveyor.extract.values import Source
from tests.unit.extract.organisations_help import fields, organisations

PAGE = "<title>Grants | Willow Trust</title><main><h1>Grants</h1><p>{}</p></main><footer>{}</footer>"
FOOTERS = {
    "commas": "Willow Trust, 12 Mill Street, Northfield, MN 55057, (507) 555-0133, hi@willow.example",
    "strokes": "Willow Trust | 12 Mill Street, Northfield, MN 55057 | (507) 555-0133 | hi@willow.example",
    "lines": "Willow Trust<br>12 Mill Street<br>Northfield, MN 55057<br>(507) 555-0133<br>hi@willow.example",
    "paragraphs": "<p>Willow Trust</p><p>12 Mill Street, Northfield, MN 55057</p><p>(507) 555-0133</p>"
    "<p><a href='mailto:hi@willow.example'>write</a></p>",
    "columns": "<div><h4>Willow Trust</h4><p>12 Mill Street<br>Northfield, MN 55057</p></div>"
    "<div><h4>Contact</h4><p>Tel. (507) 555-0133<br>Fax (507) 555-0134<br>hi@willow.example</p></div>",
    "a sentence": "This site is run by the Willow Trust, 12 Mill Street, Northfield, MN 55057, "
    "(507) 555-0133, hi@willow.example",
}


@pytest.mark.parametrize("footer", FOOTERS.values(), ids=FOOTERS.keys())
def test_the_footer_says_who_is_behind_a_page(footer: str) -> None:
    (found,) = organisations(PAGE.format("We give.", footer))
    assert found.kind == "organisation"
    assert fields(found) == {
        "name": "Willow Trust",
        "address": "12 Mill Street, Northfield, MN 55057",
        "phone": "+15075550133",
        "email": "hi@willow.example",
    }


@pytest.mark.parametrize(
    "footer",
    ["© 2026 Willow Trust", "Questions: help@willow.example", "Technical questions: (507) 555-0133", ""],
)
def test_a_name_alone_or_a_channel_alone_is_no_organisation(footer: str) -> None:
    assert organisations(PAGE.format("We give.", footer)) == []


def test_marks_come_first_and_lines_complete_them() -> None:
    script = json.dumps({"@type": "NGO", "name": "Willow Trust", "url": "https://www.willow.example"})
    (found,) = organisations(
        f'<script type="application/ld+json">{script}</script>'
        + PAGE.format("We give.", "Willow Trust, 12 Mill Street, Northfield, MN 55057")
    )
    assert fields(found)["website"] == "https://www.willow.example"
    assert fields(found)["address"] == "12 Mill Street, Northfield, MN 55057"
    assert (found.fields["name"].source, found.fields["address"].source) == (Source.JSON_LD, Source.STRUCTURE)


def test_what_belongs_to_a_person_is_not_the_organisations() -> None:
    footer = (
        "Willow Trust, 12 Mill Street, Northfield, MN 55057, (507) 555-0133. Ana Reed, director, 507-555-0140"
    )
    (found,) = organisations(PAGE.format("We give.", footer))
    assert fields(found)["phone"] == "+15075550133"


def test_a_card_about_others_is_not_the_organisation_of_the_page() -> None:
    card = "</p><div class=card><h3>Moorland Society</h3><p>12 Moor Lane, Denver, CO 80202</p></div><p>"
    assert organisations(PAGE.format(card, "© Willow Trust")) == []


def test_kinds_nobody_asked_for_are_not_looked_for() -> None:
    name, address = "Willow Food Pantry", "12 Mill Street, Northfield, MN 55057"
    html = f"<title>{name}</title><h1>{name}</h1><p>{address}</p>"
    assert [one.kind for one in organisations(html)] == ["service"]
    assert [one.kind for one in organisations(html, kinds=("organisation",))] == ["organisation"]


@pytest.mark.parametrize(("title", "names"), [("Förderungen", []), ("Willow", ["Willow"])])
def test_one_word_above_a_page_names_nobody_unless_the_site_is_called_so(
    title: str, names: list[str]
) -> None:
    html = (
        f"<html lang=de><title>{title}</title><main><h1>{title}</h1><p>Wir sind für Sie da.</p></main>"
        "<footer>Plater Straße 1, 19086 Plate, Tel. 03861 300 200</footer>"
    )
    assert [one.name for one in organisations(html, kinds=("organisation",))] == names


def test_a_year_that_is_part_of_a_name_stays() -> None:
    html = (
        "<title>SV Blau-Weiß 1920</title><main><h1>Herzlich willkommen beim SV Blau-Weiß 1920</h1>"
        "<p>Sportplatzweg 1, 12345 Musterstadt, Tel. 030 1234567</p></main>"
        "<footer>© 2026 SV Blau-Weiß 1920</footer>"
    )
    assert [one.name for one in organisations(html)] == ["SV Blau-Weiß 1920"]


def test_what_an_inner_page_is_about_names_no_organisation() -> None:
    (found,) = organisations(
        "<title>Recover Password | Larch Bulbs</title><h1>Recover Password</h1><p>Enter mail.</p><footer>"
        "<a href='/p'>Recover Password</a><p>12 Mill Street, Northfield, MN 55057</p></footer>",
        kinds=("organisation",),
    )
    assert found.name == "Larch Bulbs"


def test_a_copyright_line_without_a_year_names_its_owner() -> None:
    (found,) = organisations(
        "<title>Welcome to campus</title><h1>Welcome to campus</h1>"
        "<footer>Copyright © The Regents of Larch University<br>Larch, MN • (507) 555-0133</footer>",
        kinds=("organisation",),
    )
    assert found.name == "The Regents of Larch University"


def test_contacts_in_german_are_a_page_that_says_how_to_be_reached() -> None:
    (found,) = organisations(
        "<html lang='de'><title>Kontakte – Gemeinde Lärchen</title><header>Gemeinde Lärchen</header><main>"
        "<h2>Kontakte</h2><h5>Küsterei</h5><p>Karl-Marx-Straße 197<br>12055 Berlin</p></main>",
        kinds=("organisation",),
    )
    assert fields(found) == {"name": "Gemeinde Lärchen", "address": "Karl-Marx-Straße 197, 12055 Berlin"}


def test_more_words_beside_the_name_of_a_site_are_none_of_it() -> None:
    (found,) = organisations(
        "<title>Larch Willow | Coats</title><header>Larch Willow</header><h1>Coats</h1>"
        "<footer><ul><li>About Larch Willow</li><li>(507) 555-0133</li></ul></footer>",
        kinds=("organisation",),
    )
    assert found.name == "Larch Willow"


def test_the_only_mail_address_of_a_contact_page_is_the_organisations() -> None:
    (found,) = organisations(
        "<title>Contact | Larch Willow</title><header>Larch Willow</header><main><h1>Contact</h1>"
        "<ul><li>(507) 555-0133</li><li>Email</li><li>hi@larch.example</li></ul></main>",
        kinds=("organisation",),
    )
    assert fields(found) == {"name": "Larch Willow", "phone": "+15075550133", "email": "hi@larch.example"}


def test_the_headline_of_a_front_page_names_its_site() -> None:
    (found,) = organisations(
        "<title>Larch Willow | Coats</title><h1>Larch Willow</h1><p>Coats for sale.</p>"
        "<footer><p>Larch Willow</p><p>12 Mill Street, Northfield, MN 55057</p></footer>",
        kinds=("organisation",),
        url="https://www.lw.example/index.html",
    )
    assert found.name == "Larch Willow"


def test_a_line_beside_an_address_that_nothing_repeats_is_no_name() -> None:
    found = organisations(
        "<title>Our hall</title><main><h1>Our hall</h1><p>It can be hired.</p></main><footer>"
        "<a href='/p'>Weekly Guide</a> <a href='/q'>Bulletin Archive</a>"
        "<p>12 Mill Street, Northfield, MN 55057</p><p>(507) 555-0133</p></footer>",
        kinds=("organisation",),
    )
    assert found == []


def test_a_body_that_a_foot_names_beside_a_telephone_is_not_the_site() -> None:
    (found,) = organisations(
        "<title>Coats | Larch Willow</title><header>Larch Willow</header><main><h1>Coats</h1></main>"
        "<footer><ul><li>The Honest Company</li><li>(507) 555-0133</li></ul></footer>",
        kinds=("organisation",),
    )
    assert found.name == "Larch Willow"


def test_the_address_of_who_keeps_the_machines_is_not_the_organisations() -> None:
    (found,) = organisations(
        "<html lang='fr'><title>Les Mélèzes</title><header><a href='/'>Les Mélèzes</a></header><main>"
        "<h1>Mentions légales</h1><h2>Siège social</h2><p>4 rue du Bec, 93360 Neuilly-Plaisance</p>"
        "<h2>Hébergeur du site</h2><p>Nuages SAS<br>2 rue Kellermann, 59100 Roubaix</p></main>",
        kinds=("organisation",),
        url="https://www.lesmelezes.example/mentions-legales",
    )
    assert found.fields["address"].value == "4 rue du Bec, 93360 Neuilly-Plaisance"


def test_a_page_of_questions_has_the_mail_of_its_house() -> None:
    (found,) = organisations(
        "<title>FAQ | Larch Willow</title><header>Larch Willow</header><main>"
        "<h1>Frequently Asked Questions</h1><p>Write to hi@larch.example.</p></main>",
        kinds=("organisation",),
    )
    assert fields(found) == {"name": "Larch Willow", "email": "hi@larch.example"}


def test_the_only_address_of_a_front_page_is_its_owners_wherever_it_stands() -> None:
    (found,) = organisations(
        "<title>Larch College</title><nav><a href='/'>Larch College</a></nav><main><h2>News</h2>"
        "<p>Term begins.</p></main><nav><ul><li>12 Mill Street, Northfield, MN 55057</li></ul></nav>"
        "<footer>© 2026 Larch College</footer>",
        kinds=("organisation",),
        url="https://www.larch.example/",
    )
    assert fields(found) == {"name": "Larch College", "address": "12 Mill Street, Northfield, MN 55057"}
