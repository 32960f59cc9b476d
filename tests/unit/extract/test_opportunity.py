"""Things to sign up for, on whole pages."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from surveyor.extract.fields.venues import town_in, venue_in
from tests.unit.extract.programme_pages import ANSWERS, found_on, names, read
from tools.extract_report import Report, compare

KIND = "opportunity"


@pytest.mark.parametrize("name", names(KIND))
def test_a_page_gives_what_a_person_would_take_from_it(name: str) -> None:
    report = Report()
    compare(report, name, found_on(name, KIND), {**ANSWERS[name], "contacts": []})
    assert report.wrong == []


def test_a_service_that_has_closed_invites_nobody() -> None:
    said = "Volunteers met in Omaha, Nebraska. Sign up by May 1, 2027."
    page = f"<main><h1>Tutoring has closed</h1><p>{said}</p></main>"
    assert not [one for one in read(page, profile="community") if one.kind == KIND]


def test_american_dates_have_the_month_first() -> None:
    page = (
        "<title>Tutors wanted | Elm Reads</title><main><h1>Tutors wanted</h1><p>Apply by 3/4/2027.</p></main>"
    )
    (one,) = [one for one in read(page, profile="community") if one.kind == KIND]
    assert one.fields["deadline"].value == "2027-03-04"


@pytest.mark.parametrize(
    ("said", "place"),
    [
        ("Classes are held at Lakeside Community College, evenings.", "Lakeside Community College"),
        ("Work sites are in and around Butte, Montana.", "Butte, Montana"),
        ("Курсът се провежда в Стара Загора от януари.", "Стара Загора"),
        ("Los talleres se imparten en la Biblioteca Central.", "Biblioteca Central"),
        ("Training is held in January.", None),
        ("It is held every week.", None),
    ],
)
def test_a_sentence_says_where(said: str, place: str | None) -> None:
    assert venue_in(said) == place


@settings(max_examples=60, deadline=None)
@given(st.text(max_size=300))
def test_any_text_has_a_venue_or_none(text: str) -> None:
    found = venue_in(text)
    assert found is None or found


def test_a_section_with_a_day_below_a_title_of_one_word_is_what_is_offered() -> None:
    html = (
        "<html lang=en><title>Volunteer at the food bank</title><main><h1>Volunteer</h1>"
        "<h2>Saturday sorting shift</h2><p>Two hours, forty crates. The next free shift is on 9 May 2027."
        " Sign up by 6 May 2027.</p><h2>Van drivers</h2><p>We need two drivers on Wednesdays.</p></main>"
    )
    found = [one for one in read(html, profile="community") if one.kind == KIND]
    assert [one.name for one in found] == ["Saturday sorting shift"]


def test_a_page_on_which_nobody_speaks_invites_nobody() -> None:
    html = (
        "<html lang=en><title>Volunteering | Ann Elm</title><main><h1>Social Volunteering</h1>"
        "<h3>World Jamboree</h3><p>Represented Elmland as a delegate. Spoke of peace.</p></main>"
    )
    assert [one for one in read(html, profile="community") if one.kind == "opportunity"] == []


@pytest.mark.parametrize(
    ("language", "title", "said"),
    [
        (
            "fr",
            "Devenir bénévole",
            "Donnez deux heures par semaine : lecture, courses. Écrivez à info@elm.example.",
        ),
        ("es", "Hazte voluntario", "Buscamos personas para acompañar a mayores. Llama al 923 12 34 56."),
        ("bg", "Стани доброволец", "Търсим хора, които да помагат в приюта. Пишете на info@elm.example."),
        ("ro", "Devino voluntar", "Căutăm oameni care să citească copiilor. Scrie-ne la info@elm.example."),
        ("el", "Γίνε εθελοντής", "Ζητάμε εθελοντές για το συσσίτιο κάθε Τρίτη. Τηλ. 2410 123456."),
        ("pt", "Seja voluntário", "Procuramos pessoas para apoiar idosos. Ligue 222 123 456."),
    ],
)
def test_who_looks_for_helpers_need_not_say_we(language: str, title: str, said: str) -> None:
    page = f"<html lang={language}><title>{title} - Elm</title><main><h1>{title}</h1><p>{said}</p></main>"
    assert [one.name for one in read(page, profile="community") if one.kind == KIND] == [title]


@pytest.mark.parametrize(
    ("said", "town"),
    [
        ("Buscamos voluntarios para acompañar a mayores en Salamanca.", "Salamanca"),
        ("Wir suchen Helfer in Leipzig.", "Leipzig"),
        ("Nous cherchons des bénévoles à Grenoble, le samedi.", "Grenoble"),
        ("Търсим доброволци в Русе.", "Русе"),
        ("Procuramos voluntários no Porto.", "Porto"),
        ("We need drivers in San Antonio.", "San Antonio"),
        ("We need drivers in Vans.", None),
    ],
)
def test_a_town_is_found_behind_a_word_of_place(said: str, town: str | None) -> None:
    assert town_in(said) == town


def test_the_town_where_helpers_are_looked_for_is_where_they_help() -> None:
    page = (
        "<html lang=es><title>Hazte voluntario - Elm</title><main><h1>Hazte voluntario</h1>"
        "<p>Buscamos personas para acompañar a mayores en Salamanca. Llama al 923 12 34 56.</p></main>"
    )
    (one,) = [one for one in read(page, profile="community") if one.kind == KIND]
    assert one.fields["location"].value == "Salamanca"
