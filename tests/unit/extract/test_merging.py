"""Which findings are one thing, and which page is believed."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from typing import Any
from uuid import UUID

import pytest
from hypothesis import given
from hypothesis import strategies as st

from surveyor.extract import merging
from surveyor.extract.merging import Likely, PageFields
from surveyor.extract.values import Field, FoundRecord, Source

MOMENT = datetime(2026, 3, 1, tzinfo=UTC)


def _fields(source: str = "structure", **values: Any) -> dict[str, dict[str, Any]]:
    return {name: {"value": value, "source": source, "quote": ""} for name, value in values.items()}


def _told(key: int, fields: dict[str, dict[str, Any]], hours: int = 0) -> PageFields:
    return PageFields(key, key * 10, MOMENT + timedelta(hours=hours), fields)


def _found(
    name: str, kind: str = "funding_program", source: Source = Source.TEXT, **more: Any
) -> FoundRecord:
    fields = {field: Field(value, source, "") for field, value in {"name": name, **more}.items()}
    return FoundRecord(kind, fields)


@pytest.mark.parametrize(
    ("one", "other", "same"),
    [
        ("Small Grants", "SMALL  grants!", True),
        ("Grants for Youth", "Youth grants for", True),
        ("Κοινωνική Στήριξη", "ΚΟΙΝΩΝΙΚΗ ΣΤΗΡΙΞΗ", True),
        ("Community Grants", "Community Grant", True),
        ("Förderprogramm Kultur", "Foerderprogramm Kultur", True),
        ("Förderprogramm Kultur", "Förderprogramme Kultur", True),
        ("Call 2025", "Call 2026", False),
        ("Programme A", "Programme B", False),
        ("Grants for the North", "Grants for the South", False),
        ("Small Grants", "Small Grants Programme", False),
        ("Fond 1", "Fond 10", False),
        ("Art", "Act", False),
        ("!!!", "???", False),
        ("!!!", "!!!", True),
    ],
)
def test_names_are_the_same_by_their_words(one: str, other: str, same: bool) -> None:
    assert merging.same_name(one, other) is same
    assert merging.same_name(other, one) is same


def test_an_identity_is_of_the_kind_and_the_words() -> None:
    assert merging.identity("service", "Help  Desk") == merging.identity("service", "help desk")
    assert merging.identity("service", "Help Desk") != merging.identity("business", "Help Desk")
    assert merging.identity("service", "Help Desk") != merging.identity("service", "Desk Help Two")


@pytest.mark.parametrize(
    ("kind", "mine", "theirs", "against"),
    [
        ("funding_program", {"funder": "Ministry of Culture"}, {"funder": "The Ministry of Culture"}, False),
        ("funding_program", {"funder": "Ministry of Culture"}, {"funder": "Green Fund"}, True),
        ("funding_program", {"funder": "Ministry of Culture"}, {}, False),
        ("business", {"address": "12 High Street, Bath"}, {"address": "High Street 12, BA1 Bath"}, False),
        ("business", {"address": "12 High Street, Bath"}, {"address": "7 Mill Lane, Wells"}, True),
        ("organisation", {"address": "12 High Street"}, {"address": "7 Mill Lane"}, False),
    ],
)
def test_what_sets_things_of_one_name_apart(
    kind: str, mine: dict[str, str], theirs: dict[str, str], against: bool
) -> None:
    assert merging.contradict(kind, _fields(**mine), _fields(**theirs)) is against


def test_a_page_that_says_a_thing_twice_says_it_once() -> None:
    found = [
        _found("Small Grants", deadline="2026-01-01"),
        _found("small grants", source=Source.JSON_LD, deadline="2026-02-02", region="Bath"),
        _found("Small Grants", kind="service"),
        _found("Bakery", kind="business", address="12 High Street, Bath"),
        _found("Bakery", kind="business", address="7 Mill Lane, Wells"),
    ]
    joined = merging.joined(found)
    assert [(kind, merging.values_of(fields)) for kind, fields in joined] == [
        ("funding_program", {"name": "small grants", "deadline": "2026-02-02", "region": "Bath"}),
        ("service", {"name": "Small Grants"}),
        ("business", {"name": "Bakery", "address": "12 High Street, Bath"}),
        ("business", {"name": "Bakery", "address": "7 Mill Lane, Wells"}),
    ]


def _likely(number: int, name: str, *, here: bool = False, kind: str = "business", **more: Any) -> Likely:
    return Likely(UUID(int=number), kind, name, _fields(name=name, **more), here)


def test_each_finding_gets_the_record_most_like_it() -> None:
    bath, wells = "12 High Street, Bath", "7 Mill Lane, Wells"
    known = [_likely(1, "Bakery", here=True, address=bath), _likely(2, "Bakery", here=True, address=wells)]
    found = [
        ("business", _fields(name="Bakery", address=wells)),
        ("business", _fields(name="Bakery", address=bath)),
    ]
    assert merging.match(found, known) == [UUID(int=2), UUID(int=1)]
    moved = [
        ("business", _fields(name="Bakery", address=wells)),
        ("business", _fields(name="Bakery", address="5 Quay, Poole")),
    ]
    assert merging.match(moved, known) == [UUID(int=2), UUID(int=1)], "the rest of the page's own changed"


def test_elsewhere_a_thing_that_contradicts_is_another() -> None:
    known = [_likely(1, "Bakery", address="12 High Street, Bath")]
    assert merging.match([("business", _fields(name="Bakery", address="7 Mill Lane, Wells"))], known) == [
        None
    ]
    assert merging.match([("service", _fields(name="Bakery"))], known) == [None]
    assert merging.match([("business", _fields(name="Bakery"))] * 2, known) == [UUID(int=1), None]


def test_a_call_and_its_file_are_one_where_day_and_sum_agree() -> None:
    call = {"funder": "Embassy of Nordmark", "deadline": "2026-12-23", "amount_max": 9000, "currency": "EUR"}
    known = [_likely(1, "Embassy Small Grants Scheme", kind="funding_program", **call)]

    def found(name: str, **more: Any) -> list[UUID | None]:
        return merging.match([("funding_program", _fields(name=name, **{**call, **more}))], known)

    assert found("Small Grants Scheme") == [UUID(int=1)]
    assert found("Small Grants Scheme", deadline="2027-06-23") == [None]
    assert found("Small Grants Scheme for Schools") == [None]
    assert found("Scheme") == [None]
    assert found("Small Grants Scheme", funder="Embassy of Sudmark") == [None]
    assert found("Small Grants Scheme", funder="The Embassy of Nordmark in Sofia") == [UUID(int=1)]


def test_a_word_of_the_giver_that_is_not_its_first_makes_another_programme() -> None:
    call = {
        "funder": "Ministry of Youth and Sports",
        "deadline": "2026-12-23",
        "amount_max": 9000,
        "currency": "EUR",
    }
    known = [_likely(1, "Youth Sports Grants", kind="funding_program", **call)]
    assert merging.match([("funding_program", _fields(name="Sports Grants", **call))], known) == [None]


def test_a_name_within_another_has_all_of_its_words() -> None:
    assert merging.within("Small Grants Scheme", "Embassy Small Grants Scheme")
    assert not merging.within("Small Grants Scheme", "Small Grants Scheme")
    assert not merging.within("Small Grants Scheme", "Embassy Grants Scheme")
    assert not merging.within("Scheme", "Embassy Scheme")


def test_of_a_call_and_its_file_the_fuller_name_is_kept() -> None:
    told = [
        _told(1, _fields(name="Embassy Small Grants Scheme", region="Sofia"), hours=1),
        _told(2, _fields(name="Small Grants Scheme", region="Bulgaria"), hours=5),
    ]
    merged = merging.values_of(merging.merged(told))
    assert merged == {"name": "Embassy Small Grants Scheme", "region": "Bulgaria"}


def test_the_better_source_is_believed_then_the_newer_page() -> None:
    told = [
        _told(1, _fields("text", name="A", deadline="text"), hours=9),
        _told(2, _fields("json_ld", name="B", region="old"), hours=1),
        _told(3, _fields("json_ld", region="new"), hours=5),
    ]
    merged = merging.merged(told)
    assert merging.values_of(merged) == {"name": "B", "deadline": "text", "region": "new"}
    assert (merged["region"]["snapshot"], merged["region"]["key"]) == (30, 3)


def test_amounts_are_taken_with_their_currency() -> None:
    told = [
        _told(1, _fields("json_ld", amount_max=100, currency="EUR")),
        _told(2, _fields("text", amount_min=5, amount_max=9, currency="BGN")),
    ]
    assert merging.values_of(merging.merged(told)) == {"amount_max": 100, "currency": "EUR"}


@given(st.text(max_size=80), st.text(max_size=80))
def test_no_name_breaks_the_comparison(one: str, other: str) -> None:
    assert merging.same_name(one, one)
    assert merging.same_name(one, other) is merging.same_name(other, one)
    assert len(merging.identity("service", one)) == 16
