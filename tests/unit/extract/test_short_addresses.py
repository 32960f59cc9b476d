"""Addresses without a postal code."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from surveyor.extract.fields import phones
from surveyor.extract.fields.streets import short_address


@pytest.mark.parametrize(
    ("line", "address"),
    [
        ("The pantry is at 151 Stage Road, Monroe.", "151 Stage Road, Monroe"),
        ("Wir sind in der Blaicher Straße 20 in Kulmbach zu finden", "Blaicher Straße 20, Kulmbach"),
        ("45 rue Général Ferrié à Grenoble", "45 rue Général Ferrié, Grenoble"),
        ("Where: 5 place René Char", "5 place René Char"),
        ("Str. Lungă nr. 18, sector 1", "Str. Lungă nr. 18"),
    ],
)
def test_a_street_with_a_number_is_an_address(line: str, address: str) -> None:
    assert short_address(line) == address


@pytest.mark.parametrize(
    "line",
    [
        "We are open 7 days a week",
        "On the street",
        "Room 11, second floor",
        "Call 2 of 2026",
        "",
        "Spring 2019",
        "Terminator 2",
        "ZD-20U 5V 8W USB Soldering Iron",
        "216pcs 5mm Neocube Square",
    ],
)
def test_other_numbers_are_no_address(line: str) -> None:
    assert short_address(line) is None


@given(st.text(max_size=200))
def test_any_line_is_looked_at(line: str) -> None:
    found = short_address(line)
    assert found is None or any(map(str.isdigit, found))


def test_opening_hours_are_no_telephone() -> None:
    assert phones.find("Отворено от 07.30-19.00 часа", ["BG"]) == []
