"""People are found by what stands beside their names; those who are only told of are not."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from surveyor.extract.fields import people

FOUND = {
    "en": (
        "write to Ilse van Houten, Head of Programmes (ilse@a.example), and",
        ("Ilse van Houten", "Head of Programmes"),
    ),
    "en before": (
        "please ring our Grants Officer, Daniel Okafor, on 01353 555 123",
        ("Daniel Okafor", "Grants Officer"),
    ),
    "en asks": ("Ring 503 555 0196 and ask for Wendell Ochoa, or write", ("Wendell Ochoa", None)),
    "en office": (
        "Questions go to Lyle Red Elk, Apprenticeship Office, lyle@a.example.",
        ("Lyle Red Elk", "Apprenticeship Office"),
    ),
    "en surname": ("Secretary: Professor Isobel Grant", ("Professor Isobel Grant", "Secretary")),
    "de": ("Größere Mengen bei Katrin Pohle, 03381 2122-60, k.pohle@a.example.", ("Katrin Pohle", None)),
    "de number": (
        "senden Sie an: Ernst-Ludwig Maurer, 1. Vorsitzender. Eine Rücksendung",
        ("Ernst-Ludwig Maurer", "1. Vorsitzender"),
    ),
    "de courtesy": (
        "Ansprechpartnerin: Frau Dr. Sabine Müller-Lang, Tel. 030 1234567",
        ("Dr. Sabine Müller-Lang", None),
    ),
    "fr": (
        "Clémence Aubusson, chargée de mission patrimoine, 05 55 12 34 58",
        ("Clémence Aubusson", "chargée de mission patrimoine"),
    ),
    "bg label": ("Секретар: Боряна Цонева, тел. (02) 987 44 12", ("Боряна Цонева", "Секретар")),
    "bg courtesy": ("Лице за контакт: г-жа Мария Петрова, тел. 02 987 44 12", ("Мария Петрова", None)),
    "bg title": (
        "инж. Стефка Андонова – главен експерт, тел. 0301/ 6 24 52",
        ("инж. Стефка Андонова", "главен експерт"),
    ),
    "ro": ("Vă ajută Sorina Bucur, consilier, s.bucur@a.example", ("Sorina Bucur", "consilier")),
    "el": ("Πληροφορίες: κ. Σταύρος Μπέλος, τηλ. 26410-55342", ("Σταύρος Μπέλος", None)),
    "el title": (
        "Υπεύθυνη: Δρ Νεφέλη Καρρά, συντονίστρια, n.karra@a.example",
        ("Δρ Νεφέλη Καρρά", "συντονίστρια"),
    ),
    "es": (
        "Dirige la clínica la Dra. Amparo Quintana, directora médica",
        ("Dra. Amparo Quintana", "directora médica"),
    ),
}


@pytest.mark.parametrize(("line", "person"), FOUND.values(), ids=FOUND.keys())
def test_a_person_is_found(line: str, person: tuple[str, str | None]) -> None:
    assert [(one.name, one.role) for one in people.find([line])] == [person]


def test_a_card_has_the_role_below_the_name() -> None:
    (person,) = people.find(
        ["Bogdan Iliescu", "Programme Lead, Eastern Europe", "Bogdan grew up in Petroșani."]
    )
    assert (person.name, person.role) == ("Bogdan Iliescu", "Programme Lead, Eastern Europe")


@pytest.mark.parametrize(
    "line",
    [
        "Von Marlies Huber, 14.11.2026",
        "41 Bewerbungen seien eingegangen, sagte Schulleiterin Ingrid Sailer. Besonders",
        "Der Stifter, Bauunternehmer Konrad Rotter, sprach kurz und gut an diesem langen Abend im Rathaus",
        "Open Door Law Project · 1444 Wazee St, Denver · 303-555-0170",
        "Fundația Podul, Calea Aradului 119, tel. 0256 277 460",
        "In spring the town thanked Maria Gomez, director of the museum, for her long work with all of us",
        "Frau Todorova aus dem dritten Stock",
        "New York, Director of Programs",
    ],
)
def test_who_is_only_told_of_is_no_contact(line: str) -> None:
    assert people.find([line]) == []


def test_in_an_article_only_who_can_be_reached_counts() -> None:
    line = "“We are glad,” says the note. Maria Gomez, director of the library"
    assert people.find([line], strict=True) == []
    assert people.find(["Contact: Maria Gomez, editor, maria@a.example"], strict=True)


def test_the_site_is_no_person() -> None:
    assert people.find(["Harvey Milner, director, 030 1234567"], own="Harvey Milner") == []


@pytest.mark.parametrize(
    ("local", "name", "bears"),
    [
        ("k.pohle", "Katrin Pohle", True),
        ("r.minchev", "Радослав Минчев", True),
        ("vardaki", "Ειρήνη Βαρδάκη", True),
        ("mueller", "Sabine Müller", True),
        ("info", "Katrin Pohle", False),
    ],
)
def test_an_address_bears_a_name(local: str, name: str, bears: bool) -> None:
    assert people.bears(local, name) is bears


@settings(max_examples=100, deadline=None)
@given(st.lists(st.text(alphabet="Aa Bb. Dr,:(@)Frau директор0", max_size=80), max_size=4))
def test_no_lines_are_too_odd(lines: list[str]) -> None:
    for person in people.find(lines, mail=["a.b@c.example"]):
        assert person.name in lines[person.line]
