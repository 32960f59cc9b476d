"""No page costs more than its length is worth, and no character of one stops its reading."""

from __future__ import annotations

from collections.abc import Callable
from datetime import date
from time import process_time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from surveyor.extract import messages
from surveyor.extract.fields import addresses, postcodes
from surveyor.extract.layout import titles
from surveyor.extract.organisations import naming
from surveyor.extract.profile_view import ProfileView
from surveyor.extract.reading import Reader
from surveyor.extract.values import Page
from surveyor.profiles import loader
from surveyor.words import well_formed

# Characters of the small text; the other has sixteen times as many.
_SMALL = 400
_TIMES = 16
# A linear pattern takes 16 times as long on the larger text, a quadratic one 256 times.
_MOST = 80.0


def _cost(work: Callable[[str], object], text: str) -> float:
    def once() -> float:
        begun = process_time()
        work(text)
        return process_time() - begun

    return min(once() for _ in range(5))


def _search_offices(text: str) -> object:
    return naming._OFFICE.search(text)


@pytest.mark.parametrize(
    ("work", "unit"),
    [
        (titles.parts_of, " "),
        (titles.parts_of, " -"),
        (titles.parts_of, " \n"),
        (_search_offices, "a"),
        (_search_offices, "2019"),
        (postcodes._PLAIN_CITY.search, "A"),
        (postcodes._PLAIN_CITY.search, "A-"),
        (postcodes._CITY_CODE.search, "A"),
        (postcodes.place_at, "1 A"),
        (postcodes.has_city, "A "),
        (addresses._STRONG.split, "\n"),
    ],
)
def test_a_pattern_costs_what_the_length_of_its_text_is_worth(
    work: Callable[[str], object], unit: str
) -> None:
    small = _cost(work, unit * (_SMALL // len(unit)))
    large = _cost(work, unit * (_SMALL * _TIMES // len(unit)))
    assert large <= max(small, 2e-5) * _MOST


@pytest.mark.parametrize(
    "markup",
    [
        '<script type="application/ld+json">{"@type":"NGO","name":"Reed \\ud83d Trust","\\ud800":"\\udc00",'
        '"email":"a@reed.example","sameAs":{"@id":"\\ud800"}}</script>',
        '<p>Write to <script>document.write("<b>\\uD800 a@reed.example</b>")</script></p>',
    ],
    ids=["linked data", "script"],
)
def test_half_a_character_is_replaced_and_its_page_is_read(markup: str, view: ProfileView) -> None:
    page = Page("https://reed.example/", markup.encode(), "text/html", date(2026, 11, 15))
    reading = messages.unpack_reading(messages.pack_reading(Reader(view).read(page)))
    assert "a@reed.example" in {contact.value for contact in reading.contacts}


@given(st.text(st.characters(exclude_categories=())))
def test_any_text_can_be_made_well_formed_and_stays_if_it_is(text: str) -> None:
    clean = well_formed(text)
    clean.encode()
    assert clean == text or any("\ud800" <= sign <= "\udfff" for sign in text)


def test_two_halves_are_joined() -> None:
    assert well_formed("\ud83d\ude00 \ud83d!") == "\U0001f600 \ufffd!"


def test_a_page_of_thousands_of_headings_is_no_list_of_places_to_be_read_for_seconds() -> None:
    told = "Main Street, Springfield, IL 62701, phone (217) 555-0100, Mon-Fri 9am-5pm, for families in need"
    rows = (f"<h{2 + i % 5}>Food pantry number {i}</h{2 + i % 5}><p>{i} {told}</p>" for i in range(4_000))
    markup = f"<title>Contact | Food Pantry</title><h1>Contact</h1>{''.join(rows)}"
    reader = Reader(ProfileView.of(loader.load("community")))
    page = Page("https://pantry.example/contact", markup.encode(), "text/html", date(2026, 11, 15))
    begun = process_time()
    reader.read(page)
    assert process_time() - begun < 4.0
