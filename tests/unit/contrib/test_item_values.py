"""Items as records of a kind: what is taken as it is, what is made normal, what is refused and why."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import UTC, date, datetime
from decimal import Decimal
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from scrapy import Field, Item

from surveyor.contrib.scrapy.item_values import Mapped, mapped_of, read_mapping, record_of
from surveyor.extract import kinds
from surveyor.extract.field_values import BadValue, Context
from surveyor.extract.values import Source
from surveyor.names import NameRules
from surveyor.profiles.kinds import DeclaredKind

SHELTER = DeclaredKind.model_validate(
    {
        "words": {"en": ["shelter"]},
        "fields": {
            "dogs": {"type": "number", "words": {"en": ["dogs"]}},
            "fee": {"type": "money", "words": {"en": ["fee"]}},
            "size": {"type": "choice", "choices": {"small": {"en": ["small"]}, "large": {"en": ["large"]}}},
        },
    }
)
CONTEXT = Context("https://city.example.uk/grants/", NameRules(), ("BG",), {"shelter": SHELTER})
GRANT = Mapped("funding_program")


class Grant(Item):  # type: ignore[misc]
    name = Field()
    deadline = Field()


class SmallGrant(Grant):
    pass


@dataclass
class Place:
    title: str


@pytest.fixture(autouse=True)
def shelters() -> Any:
    kinds.declare({"shelter": SHELTER})
    yield
    kinds.declare({})


def _values(item: Any, mapped: Mapped = GRANT) -> dict[str, Any]:
    return {name: field.value for name, field in record_of(item, mapped, CONTEXT).fields.items()}


def test_values_are_normal_whatever_form_the_spider_gives_them() -> None:
    item = {
        "name": ["  Small\n Grants "],  # as an ItemLoader leaves it
        "amount_max": "5,000.50",
        "amount_min": Decimal("100"),
        "deadline": datetime(2026, 6, 30, 12, tzinfo=UTC),
        "eligibility": ["clubs", "charities"],
        "image_urls": ["x.png"],
        "region": None,
    }
    found = record_of(item, GRANT, CONTEXT)
    assert {field.source for field in found.fields.values()} == {Source.ITEM}
    assert _values(item) == {
        "name": "Small Grants",
        "amount_min": 100,
        "amount_max": 5000.5,
        "deadline": "2026-06-30",
        "eligibility": ["clubs", "charities"],
    }
    place = {"name": "Bank", "phone": "020 7946 0018", "website": "/contact", "email": "Post@Bank.UK"}
    assert _values(place, Mapped("organisation")) == {
        "name": "Bank",
        "phone": "+442079460018",
        "website": "https://city.example.uk/contact",
        "email": "post@bank.uk",
    }


def test_a_kind_of_the_profile_is_held_to_its_own_fields() -> None:
    shelter = Mapped("shelter", {"name": "title"})
    assert _values(
        {"title": "Paws", "dogs": 12, "fee": "30", "fee_currency": "EUR", "size": "small"}, shelter
    ) == {
        "name": "Paws",
        "dogs": 12,
        "fee": 30,
        "fee_currency": "EUR",
        "size": "small",
    }
    with pytest.raises(BadValue, match="size of a shelter is one of its choices, not 'huge'"):
        _values({"title": "Paws", "size": "huge"}, shelter)


@pytest.mark.parametrize(
    ("item", "message"),
    [
        ({"deadline": "2026-06-30"}, "a funding_program needs a name, and 'name' has none"),
        ({"name": ["a", "b"]}, "a funding_program needs a name, and 'name' has none"),
        (
            {"name": "x", "deadline": "soon"},
            "deadline of a funding_program is a date such as 2026-06-30, not 'soon'",
        ),
        (
            {"name": "x", "amount_max": "a lot"},
            "amount_max of a funding_program is a number such as 5000, not 'a lot'",
        ),
        (
            {"name": "x", "amount_max": float("nan")},
            "amount_max of a funding_program is a number such as 5000, not nan",
        ),
        (
            {"name": "x", "region": {"a": 1}},
            "region of a funding_program is a text or a list of texts, not {'a': 1}",
        ),
        ({"name": "\x00"}, "name of a funding_program is a text or a list of texts, not '\\x00'"),
    ],
)
def test_what_is_no_record_is_refused_with_the_field_its_value_and_what_it_should_be(
    item: dict[str, Any], message: str
) -> None:
    with pytest.raises(BadValue) as refused:
        record_of(item, GRANT, CONTEXT)
    assert str(refused.value) == message


def test_an_item_is_known_by_its_class_or_one_that_it_stems_from() -> None:
    mapping = read_mapping(
        {"Grant": "funding_program", f"{__name__}.Place": {"kind": "service", "fields": {"name": "title"}}}
    )
    assert mapped_of(SmallGrant(), mapping) == Mapped("funding_program")
    assert mapped_of(Place("x"), mapping) == Mapped("service", {"name": "title"})
    assert mapped_of({}, mapping) is None


@pytest.mark.parametrize(
    ("setting", "message"),
    [
        ([], "SURVEYOR_RECORDS says no item"),
        ({"Grant": 3}, "'Grant' names no kind"),
        ({"Grant": "grants"}, "there is no kind 'grants'; there are funding_program, service"),
        (
            {"Grant": {"kind": "service", "fields": {"title": "name"}}},
            "a service has no field 'title'; it has name,",
        ),
    ],
)
def test_a_setting_that_says_nothing_usable_says_what_to_write(setting: Any, message: str) -> None:
    with pytest.raises(ValueError, match="SURVEYOR_RECORDS") as refused:
        read_mapping(setting)
    assert message in str(refused.value)


_ANYTHING = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text() | st.dates() | st.binary(),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(), inner, max_size=2),
    max_leaves=5,
)


@given(
    st.dictionaries(
        st.sampled_from(["name", "deadline", "amount_max", "phone", "email", "website", "address"]), _ANYTHING
    ),
    st.sampled_from(["funding_program", "organisation", "business"]),
)
def test_any_item_is_a_record_or_is_refused(item: dict[str, Any], kind: str) -> None:
    try:
        found = record_of(item, Mapped(kind), CONTEXT)
    except BadValue as refused:
        assert len(str(refused)) < 250 and "\n" not in str(refused)
        return
    assert isinstance(found.name, str) and found.name
    if "deadline" in found.fields:
        date.fromisoformat(str(found.fields["deadline"].value))
