"""Whose hours open a door, and whose do not; several houses of one owner; whom a page is named after."""

from __future__ import annotations

import pytest

from surveyor.extract.values import FoundRecord
from tests.unit.extract.organisations_help import fields, organisations

MILL = "<p>12 Mill Street, Northfield, MN 55057</p>"


def places(html: str, url: str = "https://www.willow.example/page") -> list[FoundRecord]:
    return [one for one in organisations(html, url=url) if one.kind != "organisation"]


@pytest.mark.parametrize(
    ("name", "title", "times"),
    [
        ("Grace Fellowship", "Plan your visit", "We meet every Sunday from 10:00 to 11:15 am."),
        ("Saint Mark's Church", "Visit", "Sunday: 8:00 am - 9:00 am Communion"),
        ("Parroquia San Blas", "Horarios", "Domingos de 10:00 a 11:00. Sábados de 19:00 a 20:00."),
        ("Parohia Sfântul Gheorghe", "Program", "Duminică 9:00 - 11:30"),
        ("Храм „Свети Георги“", "Работно време", "Неделя 9:00 - 11:30 ч."),
    ],
)
def test_the_times_of_a_house_of_worship_open_no_door(name: str, title: str, times: str) -> None:
    html = (
        f"<title>{title} | {name}</title><header>{name}</header><main>"
        f"<h1>{title}</h1><p>{times}</p>{MILL}</main>"
    )
    assert places(html) == []


def test_a_house_of_worship_that_helps_is_a_service() -> None:
    html = (
        "<title>Visit | Grace Fellowship</title><header>Grace Fellowship</header><main><h1>Food Pantry</h1>"
        f"<p>Tuesday 9 am - 11 am, for families in need.</p>{MILL}</main>"
    )
    assert [(one.kind, one.name) for one in places(html)] == [("service", "Food Pantry")]


@pytest.mark.parametrize(
    ("title", "times", "url"),
    [
        ("Prof. Dr. Jana Keller", "Sprechzeiten: Dienstag 14-15 Uhr", "https://larch.example/keller"),
        ("Jana Keller", "Sprechstunde: Dienstag 14-15 Uhr", "https://larch.example/~keller"),
        ("Margaret Harlow", "Office hours: Monday 2:00 - 4:00 pm", "https://larch.example/~harlow/"),
    ],
)
def test_the_hours_of_somebody_who_teaches_open_no_door(title: str, times: str, url: str) -> None:
    html = f"<title>{title}</title><main><h1>{title}</h1><p>{times}</p>{MILL}</main>"
    assert places(html, url) == []


def test_what_is_said_of_a_clinic_in_general_names_none() -> None:
    html = (
        "<title>Eligibility for a Free Urgent Care Clinic | Ash Notes</title><main>"
        "<h1>Eligibility for a Free Urgent Care Clinic</h1>"
        "<p>Call it between 9 am and 5 pm, Monday to Friday.</p></main>"
    )
    assert places(html) == []


SHOPS = (
    "<title>TITLE | Ash Trust</title><header><p>Report a fire: 0300 123 4567</p></header><main><h1>TITLE</h1>"
    "<p>Three shops raise money for us.</p><h3>Mill Road</h3>"
    "<address>188 Mill Road, Cambridge, CB1 3LP</address>"
    "<p>01223 496012</p><table><tr><td>Monday</td><td>10am-5pm</td></tr><tr><td>Sunday</td>"
    "<td>11am-5pm</td></tr></table>"
    "<h3>Larch Street</h3><address>61 Larch Street, Cambridge, CB1 1DJ</address><p>01223 496013</p></main>"
)


@pytest.mark.parametrize("title", ["Shops", "Our Stores"])
def test_shops_of_one_owner_are_a_business_each(title: str) -> None:
    found = places(SHOPS.replace("TITLE", title))
    assert [(one.kind, one.name, one.fields["phone"].value) for one in found] == [
        ("business", "Mill Road", "+441223496012"),
        ("business", "Larch Street", "+441223496013"),
    ]


def test_the_telephone_beside_the_address_comes_before_the_hotline_of_the_header() -> None:
    html = (
        "<title>Elm Clinic</title><header><p>National helpline 0300 123 4567</p></header><main>"
        "<h1>Elm Clinic</h1>"
        "<p>To book call 07700 900142 on a Tuesday.</p><h2>Address</h2><address>1 Pool Way"
        "<br>Cambridge<br>CB5 8NT"
        "</address><p>01223 496012</p><p>Tuesday 9:00-10:30</p></main>"
    )
    (found,) = places(html)
    assert found.fields["phone"].value == "+441223496012"


def test_who_signs_a_page_as_its_maker_is_not_who_it_is_about() -> None:
    html = (
        "<title>together</title><main><h1>Rooms</h1></main>"
        "<footer>© 2026 Jana Keller <p>info@elm.example</p></footer>"
    )
    assert organisations(html) == []


def test_a_slogan_above_a_page_is_no_name_where_its_title_has_one() -> None:
    html = (
        "<title>Food Pantry | Elm Association</title><main><h1>Food for today. Hope for tomorrow.</h1>"
        f"<div><strong>Saturday</strong><span>10 AM - 12 PM</span></div>{MILL}</main>"
    )
    (found,) = places(html)
    assert (found.name, found.fields["hours"].value) == ("Food Pantry", "Saturday 10 AM - 12 PM")


def test_a_service_in_portuguese_is_found_with_its_hours() -> None:
    html = (
        "<html lang='pt'><title>Biblioteca Municipal | Junta de Larche</title><main>"
        "<h1>Biblioteca Municipal</h1>"
        "<p>A biblioteca atende das 9h às 11h30 e das 13h às 17h.</p>"
        "<p>Praça da República, n.º 4, 3000-123 Coimbra</p></main>"
    )
    (found,) = places(html)
    assert fields(found) == {
        "name": "Biblioteca Municipal",
        "address": "Praça da República nº 4, 3000-123 Coimbra",
        "hours": "A biblioteca atende das 9h às 11h30 e das 13h às 17h",
    }


@pytest.mark.parametrize(
    ("kind", "name", "text"),
    [
        ("service", "Repair-Café Larche", "Jeden ersten Samstag im Monat, 14 bis 17 Uhr"),
        ("service", "Leihladen Larche", "Mi 16-19 Uhr, Sa 11-14 Uhr"),
        ("service", "Centro de Dia São Bento", "De segunda a sexta-feira, das 9h às 18h"),
        ("service", "Cantina de ajutor social", "luni-vineri, orele 12:00-14:00"),
        ("business", "Florăria Larche", "Luni - Sâmbătă 9-20"),
        ("business", "Padaria do Largo", "Terça a domingo 7h-19h30"),
        ("business", "Freibad Larche", "Täglich von 9 bis 19 Uhr"),
        ("business", "Trattoria del Ponte", "martedì-domenica 12.00-15.00"),
    ],
)
def test_the_name_says_which_sort_of_house_it_is(kind: str, name: str, text: str) -> None:
    html = (
        f"<title>{name}</title><main><h1>{name}</h1><p>{text}</p><p>Lindenstraße 4, 04109 Leipzig</p></main>"
    )
    assert [(one.kind, one.name) for one in places(html)] == [(kind, name)]


def test_a_page_that_looks_for_hands_is_no_service() -> None:
    html = (
        "<title>Mitmachen | Tafel Larche</title><header>Tafel Larche</header><main><h1>Mitmachen</h1>"
        "<p>Wir suchen Ehrenamtliche für die Essensausgabe, immer dienstags 14 bis 18 Uhr.</p>"
        "<p>0341 123456</p></main>"
    )
    assert places(html) == []


@pytest.mark.parametrize(
    ("name", "title", "times"),
    [
        ("Gasthaus Larche", "Koch (m/w/d) gesucht", "Arbeitszeit: Mo–Fr 8–16 Uhr"),
        ("Larche High School", "Bell Schedule", "Monday-Thursday 8:05 am - 3:10 pm"),
        ("Panadería Larche", "Trabaja con nosotros", "De lunes a viernes de 6:00 a 14:00"),
    ],
)
def test_the_hours_of_a_job_or_of_lessons_open_no_door(name: str, title: str, times: str) -> None:
    html = f"<title>{title} - {name}</title><header>{name}</header><main><h1>{title}</h1>"
    assert places(f"{html}<p>{times}</p>{MILL}</main>") == []
