"""A text's hash stays when nothing of substance changed, and changes when something did."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from surveyor.extract.fingerprint import distance, simhash, text_hash

PAGE = """Seed grants
Grants of 3,000 to 18,000 euros for orchards that neighbours plant together.
Deadline: 29 January 2027
Call 0711 555-214 or write to us.
{}"""


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("Last updated: 3 November 2026", "Last updated: 14 November 2026"),
        ("Page last modified on 03.11.2026 10:22", "Page last modified on 14.11.2026 08:01"),
        ("Today is Sunday, 15 November 2026", "Today is Monday, 16 November 2026"),
        ("Последна промяна: 09.11.2026", "Последна промяна: 12.11.2026 г."),
        ("Stand: 1. Oktober 2026", "Stand: 12. November 2026"),
        ("Dernière mise à jour le 3 novembre 2026", "Dernière mise à jour le 4 novembre 2026 à 10:30"),
        ("Ultima actualizare: 3 noiembrie 2026", "Ultima actualizare: 4 noiembrie 2026"),
        ("Τελευταία ενημέρωση: 3/11/2026", "Τελευταία ενημέρωση: 4/11/2026"),
        ("Última actualización: 3 de noviembre de 2026", "Última actualización: 4 de noviembre de 2026"),
        ("10:42", "10:43"),
        ("You are visitor 88213", "You are visitor 88,214"),
        ("Посетител номер 4417", "Посетител номер 4420"),
        ("1 204 views", "1 311 views"),
        ("Посещения: 1204", "Посещения: 1205"),
        ("35 Kommentare", "36 Kommentare"),
        ("Posted 3 hours ago by Ann", "Posted 5 hours ago by Ann"),
        ("Публикувано преди 3 часа", "Публикувано преди 4 часа"),
        ("vor 2 Stunden", "vor 12 Minuten"),
        ("il y a 3 jours", "il y a une semaine"),
        ("© 2026 Orchard Fund", "© 2027 Orchard Fund"),
        ("Copyright 2019-2026 Orchard Fund", "Copyright 2019-2027 Orchard Fund"),
        ("Two   spaces", "Two spaces"),
        ("SHOUTED LINE", "Shouted line"),
    ],
)
def test_what_moves_by_itself_is_no_change(before: str, after: str) -> None:
    assert text_hash(PAGE.format(before)) == text_hash(PAGE.format(after))


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("29 January 2027", "28 January 2027"),
        ("18,000 euros", "19,000 euros"),
        ("0711 555-214", "0711 555-215"),
        ("orchards", "meadows"),
        ("Deadline", "Last deadline"),
        ("neighbours plant", "neighbours do not plant"),
        ("Seed grants", "Seed grant"),
    ],
)
def test_what_people_changed_is_a_change(before: str, after: str) -> None:
    page = PAGE.format("Office hours: 10:00 to 12:00")
    assert before in page
    assert text_hash(page) != text_hash(page.replace(before, after))


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("29 January 2027", "30 January 2027"),
        ("Until 29 January 2027", "Until 30 January 2027"),
        ("Opens 10:00 to 12:00", "Opens 10:00 to 13:00"),
        ("200 euros", "300 euros"),
        ("Updated rules: 3 projects, 4 November 2026", "Updated rules: 4 projects, 4 November 2026"),
        ("Grants since 2019", "Grants since 2020"),
    ],
)
def test_a_line_is_left_out_only_when_nothing_else_is_in_it(before: str, after: str) -> None:
    assert text_hash(PAGE.format(before)) != text_hash(PAGE.format(after))


def test_a_stamp_that_appears_is_no_change() -> None:
    assert text_hash(PAGE.format("Last updated: 3 November 2026")) == text_hash(PAGE.format(""))


LONG = " ".join(f"w{number * number % 997} and v{number % 89}" for number in range(300))


def test_near_texts_have_near_simhashes_and_others_have_not() -> None:
    near = LONG.replace("v17", "lakes").replace("v44", "paths")
    other = " ".join(f"quite{number} another text" for number in range(300))
    assert distance(simhash(LONG), simhash(LONG)) == 0
    assert distance(simhash(LONG), simhash(near)) <= 16
    assert distance(simhash(LONG), simhash(other)) >= 18


@given(st.text())
def test_hashes_fit_the_database(text: str) -> None:
    for value in (text_hash(text), simhash(text)):
        assert -(1 << 63) <= value < 1 << 63
    assert distance(simhash(text), simhash(text)) == 0


def test_long_lines_of_figures_end_soon() -> None:
    for line in ("1 " * 50_000, "12." * 50_000, "updated " * 20_000, "vor 1 " * 20_000):
        text_hash(line)
        simhash(line)
