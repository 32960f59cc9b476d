"""What a model tells is kept where the page says it, in the page's own words."""

from __future__ import annotations

from datetime import date
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from surveyor.extract.llm.answer import ClaimedRecord
from surveyor.extract.llm.places import Places
from surveyor.extract.llm.proof import Proof, pruned
from surveyor.extract.profile_view import ProfileView
from surveyor.extract.values import Field, FoundRecord, Source
from surveyor.llm.question import one_line
from surveyor.profiles import loader

GROUND = ProfileView.of(loader.load("community"))
PAGE = """Small Grants (Town)
Given by the Município de Évora.\tRegion: North-West
Between 500 and 5,000 EUR for one project, in all 2 million BGN.
Applications are open from 1 March 2027 to 29 April 2027.
Applications must be written in English.
Open Mon to Fri
9:00 - 17:00, for residents of the town
Tel. +359 2 987 6543, office [at] fund [dot] example
More at www.fund.example/grants?x=1.
"""


def proved(kind: str = "funding_program", page: str = PAGE, **fields: Any) -> dict[str, Any] | None:
    told = ClaimedRecord(kind, {"name": "Small Grants"} | fields)
    record = Proof(page, date(2026, 3, 1), "en", GROUND).record(told)
    return None if record is None else {name: one.value for name, one in record.fields.items()}


def test_a_name_comes_in_the_words_of_the_page_with_the_line_as_quote() -> None:
    record = Proof(PAGE, date(2026, 3, 1), "en", GROUND).record(
        ClaimedRecord("organisation", {"name": "SMALL grants (town)"})
    )
    assert record is not None
    assert record.fields["name"] == Field("Small Grants (Town)", Source.MODEL, "Small Grants (Town)")


@pytest.mark.parametrize(
    "name",
    ["Large Grants", "Small Grant", "Small Grants Town Given", "Grants Small", "mall Grants", "???", "2027"],
)
def test_a_name_that_is_not_on_the_page_is_no_record(name: str) -> None:
    assert proved(name=name) is None


def test_words_of_two_lines_or_cells_are_no_name() -> None:
    assert proved(name="Évora Region") is None
    assert proved(name="North-West Between") is None


@pytest.mark.parametrize(
    ("kind", "field", "told", "kept"),
    [
        ("funding_program", "funder", "municipio de evora", "Município de Évora"),
        ("funding_program", "region", "North West", "North-West"),
        ("funding_program", "deadline", "2027-04-29", "2027-04-29"),
        ("funding_program", "language", "en", "en"),
        ("funding_program", "eligibility", "residents of the town", "residents of the town"),
        ("service", "hours", "Open Mon to Fri 9:00 - 17:00", "Open Mon to Fri 9:00 - 17:00"),
        ("service", "phone", "+35929876543", "+35929876543"),
        ("service", "categories", ["small grants", "Loans", "Small Grants"], ["Small Grants"]),
        ("organisation", "email", "Office@fund.example", "office@fund.example"),
        ("organisation", "website", "https://fund.example/grants?x=1", "https://www.fund.example/grants?x=1"),
    ],
)
def test_a_value_that_the_page_says_is_kept(kind: str, field: str, told: Any, kept: Any) -> None:
    assert proved(kind, **{field: told}) == {"name": "Small Grants", field: kept}


@pytest.mark.parametrize(
    ("kind", "field", "told"),
    [
        ("funding_program", "funder", "Município de Lisboa"),
        ("funding_program", "deadline", "2027-04-30"),
        ("funding_program", "deadline", "2027-03-01"),
        ("funding_program", "language", "bg"),
        ("service", "phone", "+35929876544"),
        ("service", "categories", ["Loans"]),
        ("organisation", "email", "chief@fund.example"),
        ("organisation", "website", "https://fund.example/other"),
        ("organisation", "website", "https://evil.example/grants?x=1"),
        ("organisation", "website", "javascript:alert(1)"),
        ("organisation", "website", "https://[::1"),
    ],
    ids=lambda value: str(value).replace("/", "_"),
)
def test_a_value_that_the_page_does_not_say_is_dropped(kind: str, field: str, told: Any) -> None:
    assert proved(kind, **{field: told}) == {"name": "Small Grants"}


@pytest.mark.parametrize(
    ("told", "kept"),
    [
        ({"amount_min": 500, "amount_max": 5000}, {"amount_min": 500, "amount_max": 5000, "currency": "EUR"}),
        ({"amount_max": 5000.0, "currency": "EUR"}, {"amount_max": 5000, "currency": "EUR"}),
        ({"amount_max": 5000, "currency": "USD"}, {}),
        ({"amount_max": 4999}, {}),
        ({"amount_min": 5000}, {}),
        ({"amount_min": 500, "amount_max": 2_000_000}, {}),
        ({"amount_max": 2_000_000}, {"amount_max": 2_000_000, "currency": "BGN"}),
        ({"currency": "EUR"}, {}),
        ({"amount_max": 0}, {}),
    ],
    ids=[
        "both",
        "whole",
        "other currency",
        "other sum",
        "wrong end",
        "two currencies",
        "million",
        "no sum",
        "zero",
    ],
)
def test_sums_are_kept_with_the_currency_that_the_page_names(told: Any, kept: Any) -> None:
    assert proved(**told) == {"name": "Small Grants"} | kept


def test_a_minimum_above_the_maximum_is_none() -> None:
    page = "Small Grants of 900 EUR or 100 EUR"
    assert proved(page=page, amount_min=900, amount_max=100) == {"name": "Small Grants"}


def test_what_a_page_hides_between_two_words_is_no_part_of_a_value() -> None:
    assert proved(page="Small " + "-" * 100 + " Grants") is None
    assert proved(page="Small " + "-" * 100 + " Grants, or Small – Grants") == {"name": "Small – Grants"}


def test_control_signs_of_a_page_are_no_part_of_a_value() -> None:
    found = proved(page="Small \x1b\u202e Grants")
    assert found == {"name": "Small Grants"}


def test_sums_are_left_to_the_rules_where_they_read_some() -> None:
    def found(name: str, source: Source, **fields: int) -> FoundRecord:
        told = {"name": name, "funder": "X"} | fields
        return FoundRecord("funding_program", {key: Field(one, source, "") for key, one in told.items()})

    by_rules = [found("Small grants", Source.TEXT, amount_max=1), found("Other", Source.TEXT)]
    told = [found("SMALL Grants", Source.MODEL, amount_min=2), found("Other", Source.MODEL, amount_min=2)]
    assert [set(one.fields) for one in pruned(told, by_rules)] == [
        {"name", "funder"},
        {"name", "funder", "amount_min"},
    ]


@given(st.text(max_size=60), st.text(max_size=12), st.booleans())
def test_what_is_found_has_the_words_that_were_looked_for(text: str, told: str, within_lines: bool) -> None:
    place = Places(text, within_lines=within_lines).find(told)
    if place is not None:
        again = Places(text[place.start : place.end], within_lines=False).find(told)
        assert again is not None
        if within_lines:
            assert not {"\n", "\t"} & set(text[place.start : place.end])


@given(st.lists(st.text("ab", min_size=1, max_size=3), min_size=1, max_size=8), st.data())
def test_any_run_of_words_is_found_where_it_stands(words: list[str], data: st.DataObject) -> None:
    text = " ".join(words)
    first = data.draw(st.integers(0, len(words) - 1))
    last = data.draw(st.integers(first + 1, len(words)))
    told = " ".join(words[first:last])
    place = Places(text, within_lines=True).find(told)
    assert place is not None
    assert text[place.start : place.end] == told


@given(st.text(max_size=200), st.text(max_size=20), st.text(max_size=20))
def test_no_page_and_no_answer_stops_the_proof(page: str, name: str, value: str) -> None:
    fields = {"name": name, "address": value, "email": value, "website": value, "phone": value}
    record = Proof(page, date(2026, 3, 1), None, GROUND).record(ClaimedRecord("organisation", fields))
    if record is not None:
        assert all(one_line(str(one.value)) == one.value for one in record.fields.values())
