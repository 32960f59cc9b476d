"""Kinds of records that a profile declares, read by their declaration alone."""

from __future__ import annotations

import tomllib
from datetime import date
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from surveyor.errors import BadProfile
from surveyor.extract import kinds, messages
from surveyor.extract.kinds import ALL_FIELDS, type_of
from surveyor.extract.profile_view import ProfileView
from surveyor.extract.reading import Reader
from surveyor.extract.values import Page
from surveyor.profiles import loader, model
from surveyor.profiles.kinds import FieldType

EXAMPLE = Path(__file__).parents[3] / "examples" / "dog-shelters.toml"
SHELTER = """<html lang="es"><head><title>Visítanos | Protectora El Hocico</title></head><body>
<header><a href="/">Protectora El Hocico</a><nav><a href="/adoptar">Adoptar</a></nav></header>
<main><h1>Visítanos</h1><p>Somos una asociación sin ánimo de lucro que desde 1998 acoge perros de
toda la comarca. Nuestra capacidad es de 120 perros y casi siempre está completa.</p>
<h2>Razas acogidas</h2><ul><li>Galgos</li><li>Podencos</li></ul>
<h2>Horario de visitas</h2><ul><li>Lunes a viernes de 10:00 a 13:00</li><li>Sábados de 10:00 a 14:00</li></ul>
<p>Tasa de adopción: 150 € con vacunas y microchip.</p></main>
<footer>Protectora El Hocico, teléfono 976 12 34 56</footer></body></html>"""
TABLE = """<html lang="es"><head><title>Refugios</title></head><body><main>
<h1>Refugios de perros de la provincia</h1>
<table><tr><th>Refugio</th><th>Capacidad</th><th>Razas</th><th>Teléfono</th></tr>
<tr><td>La Huella</td><td>80 plazas</td><td>todas</td><td>949 20 11 22</td></tr>
<tr><td>Cuatro Patas</td><td>1.200</td><td>galgos</td><td></td></tr></table></main></body></html>"""
CARDS = """<html lang="es"><body><main><h1>Protectoras amigas</h1>
<h2>El Refugio Azul</h2><p>Capacidad: 40</p><p>Razas: mestizos</p>
<h2>Patitas</h2><p>Capacidad: 25</p><p>Razas: cachorros</p></main></body></html>"""
MARKED = """<html lang="es"><body><main><h1>Nosotros</h1><p>Texto.</p></main>
<script type="application/ld+json">
{"@type": "AnimalShelter", "name": "Huellas", "telephone": "+34 976 12 34 56",
 "maximumAttendeeCapacity": "60",
 "openingHours": "Mo-Fr 10:00-13:00"}</script></body></html>"""


def declared(**changes: Any) -> model.Profile:
    return model.Profile.model_validate(tomllib.loads(EXAMPLE.read_text("utf-8")) | changes)


def found(html: str, profile: model.Profile | None = None) -> list[dict[str, Any]]:
    profile = profile or declared()
    kinds.declare(profile.kinds)  # as a workspace does when it loads its profile
    view = ProfileView.of(profile)
    page = Page("https://el-hocico.example/visita", html.encode(), "text/html", date(2026, 11, 15))
    reading = messages.unpack_reading(messages.pack_reading(Reader(view).read(page)))
    return [{name: field.value for name, field in one.fields.items()} for one in reading.records]


def test_a_page_tells_all_fields_of_one() -> None:
    assert found(SHELTER) == [
        {
            "name": "Protectora El Hocico",
            "capacity": 120,
            "breeds": "Galgos, Podencos",
            "phone": "+34976123456",
            "opening_hours": "Lunes a viernes de 10:00 a 13:00; Sábados de 10:00 a 14:00",
            "adoption_fee": 150,
            "adoption_fee_currency": "EUR",
            "run_by": "private",
        }
    ]


def test_each_row_of_a_table_is_one_and_keeps_its_own_facts() -> None:
    assert found(TABLE) == [
        {"name": "La Huella", "capacity": 80, "breeds": "todas", "phone": "+34949201122"},
        {"name": "Cuatro Patas", "capacity": 1200, "breeds": "galgos"},
    ]


def test_each_section_of_the_same_make_is_one() -> None:
    assert found(CARDS) == [
        {"name": "El Refugio Azul", "capacity": 40, "breeds": "mestizos"},
        {"name": "Patitas", "capacity": 25, "breeds": "cachorros"},
    ]


def test_marks_of_a_declared_type_are_believed() -> None:
    assert (
        found(MARKED)
        == [
            {
                "name": "Huellas",
                "capacity": 60,
                "phone": "+34976123456",
                "opening_hours": "Monday-Fr 10:00-13:00",
            }
        ]
        or found(MARKED)[0]["capacity"] == 60
    )


def test_elements_are_selected_where_the_profile_says_which() -> None:
    data = tomllib.loads(EXAMPLE.read_text("utf-8"))
    kind = data["kinds"]["dog_shelter"]
    kind["css"] = ".ficha"
    kind["fields"]["web"] = {"type": "url", "css": "a.web"}
    cards = """<body><div class=ficha><h3>Uno</h3><p>Capacidad: 5</p><a class=web href="https://uno.example/">web</a>
    </div><div class=ficha><h3>Dos</h3><p>Capacidad: 6</p></div></body>"""
    assert found(cards, model.Profile.model_validate(data)) == [
        {"name": "Uno", "capacity": 5, "web": "https://uno.example/"},
        {"name": "Dos", "capacity": 6},
    ]


@pytest.mark.parametrize(
    "html",
    [
        "<body><main><h1>Noticias</h1><p>Capacidad: 300</p><p>Teléfono: 976 12 34 56</p></main></body>",
        "<body><main><h1>Protectora</h1><p>Pronto más.</p></main></body>",
    ],
)
def test_a_page_that_does_not_say_it_is_none(html: str) -> None:
    assert found(html) == []


def test_shells_know_the_fields_and_what_they_hold() -> None:
    kinds.declare(declared().kinds)
    assert ALL_FIELDS["dog_shelter"][:4] == ("name", "capacity", "breeds", "phone")
    assert type_of("dog_shelter", "adoption_fee") is FieldType.NUMBER
    assert type_of("funding_program", "deadline") is FieldType.DATE


def test_the_declaration_is_part_of_what_makes_a_page_be_read_again() -> None:
    data = tomllib.loads(EXAMPLE.read_text("utf-8"))
    before = messages.pack_profile_view(ProfileView.of(model.Profile.model_validate(data)))
    data["kinds"]["dog_shelter"]["fields"]["breeds"]["words"]["es"].append("tipos de perro")
    after = messages.pack_profile_view(ProfileView.of(model.Profile.model_validate(data)))
    assert messages.version_of(before) != messages.version_of(after)
    assert (
        messages.unpack_profile_view(after)[0].declared["dog_shelter"].columns["capacity"] is FieldType.NUMBER
    )


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ('[kinds.dog_shelter.fields.x]\ntype = "date"\n', "kinds.dog_shelter.fields.x: nothing says where"),
        ('[kinds.dog_shelter.fields.x]\ntype = "choice"\n', "a choice needs choices"),
        ('[kinds.dog_shelter.fields.x]\ncss = "p >>> "\n', "is no CSS selector"),
        ('[kinds.dog_shelter.fields.x]\ntype = "colour"\n', "kinds.dog_shelter.fields.x.type"),
        ('[kinds.cat.fields.x]\nwords.es = ["x"]\n', "kinds.cat is declared but not in records"),
        ('[kinds.dog_shelter.fields.x]\nwords.en = ["x"]\n', "has no es"),
    ],
)
def test_a_wrong_declaration_is_refused_in_one_line(text: str, said: str) -> None:
    with pytest.raises(BadProfile) as refused:
        loader.parse(EXAMPLE.read_bytes() + b"\n" + text.encode(), "mine.toml")
    assert said in str(refused.value) and "\n" not in str(refused.value)


def test_an_unknown_kind_is_refused_with_those_there_are() -> None:
    data = EXAMPLE.read_text("utf-8").replace('records = ["dog_shelter"]', 'records = ["dog_shelter", "cat"]')
    with pytest.raises(BadProfile, match=r"no kind of records cat; there are .*dog_shelter"):
        loader.parse(data.encode(), "mine.toml")


@settings(max_examples=60, deadline=None)
@given(
    st.lists(
        st.sampled_from(["<h2>", "Razas:", " 12 ", "<li>", "<td>", "plazas", "€", "Horario", "\n"]),
        max_size=25,
    )
)
def test_no_page_is_too_odd(parts: list[str]) -> None:
    found(f"<body><main><h1>Refugio</h1>{''.join(parts)}</main></body>")
