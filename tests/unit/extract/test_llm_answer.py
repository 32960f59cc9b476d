"""What is taken of a model's answer: known kinds and fields of the right shape, and nothing else."""

from __future__ import annotations

import contextlib
import json
from typing import Any

import orjson
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from surveyor.extract.llm.answer import (
    MOST_RECORDS,
    framed,
    json_schema,
    read_records,
    to_json,
)
from surveyor.extract.values import FIELDS
from surveyor.llm.question import Nonsense

KINDS = ("funding_program", "service", "organisation")


def read_answer(content: str) -> list[Any]:
    return read_records(framed(content)["records"], KINDS)


def read(*records: Any) -> list[Any]:
    return [(one.kind, one.fields) for one in read_answer(json.dumps({"records": records}))]


def grant(**fields: Any) -> dict[str, Any]:
    return {"kind": "funding_program", "name": "Small Grants"} | fields


def test_fields_that_are_null_or_empty_are_left_out() -> None:
    told = grant(funder=None, region="", deadline="2027-01-29", amount_max=5000)
    assert read(told) == [
        ("funding_program", {"name": "Small Grants", "deadline": "2027-01-29", "amount_max": 5000})
    ]


@pytest.mark.parametrize(
    "record",
    [
        pytest.param(grant(deadline="29.01.2027"), id="day in another form"),
        pytest.param(grant(deadline="2027-02-30"), id="day that no calendar has"),
        pytest.param(grant(deadline="20270129"), id="day without hyphens"),
        pytest.param(grant(amount_max="5000"), id="amount as text"),
        pytest.param(grant(amount_max=True), id="amount as truth"),
        pytest.param(grant(amount_max=-1), id="amount below zero"),
        pytest.param(grant(amount_max=10**13), id="amount beyond reason"),
        pytest.param(grant(currency="euro"), id="currency that is no code"),
        pytest.param(grant(currency="EUR\n"), id="currency with a line break"),
        pytest.param(grant(language="english"), id="language that is no code"),
        pytest.param(grant(phone="+359 2 987 65 43"), id="field of another kind"),
        pytest.param(grant(name=""), id="no name"),
        pytest.param(grant(name=" \n\t\u200b"), id="name of nothing"),
        pytest.param(grant(name="x" * 301), id="long name"),
        pytest.param(grant(name=["Small Grants"]), id="name in a list"),
        pytest.param(grant(eligibility="x" * 1_001), id="long text"),
        pytest.param({"kind": "funding_program"}, id="name left out"),
        pytest.param({"kind": "business", "name": "A"}, id="kind that the profile has not"),
        pytest.param({"kind": None, "name": "A"}, id="no kind"),
        pytest.param({"kind": {"a": 1}, "name": "A"}, id="kind as an object"),
        pytest.param({"kind": "service", "name": "A", "phone": "029876543"}, id="number that is not E.164"),
        pytest.param({"kind": "service", "name": "A", "categories": ["x"] * 21}, id="long list"),
        pytest.param({"kind": "service", "name": "A", "categories": [1]}, id="list of numbers"),
        pytest.param("Small Grants", id="text"),
        pytest.param(None, id="nothing"),
    ],
)
def test_a_record_that_breaks_a_rule_is_left_out_and_the_others_stay(record: Any) -> None:
    assert read(record, grant()) == [("funding_program", {"name": "Small Grants"})]


def test_signs_that_are_not_seen_are_no_part_of_a_text() -> None:
    assert read(grant(name="Small\x1b[2J \u202eGrants\u0000")) == [
        ("funding_program", {"name": "Small [2J Grants"})
    ]


@pytest.mark.parametrize(
    "content",
    ["", "null", "[]", "{}", '{"records": null}', '{"records": [], "more": 1}', '{"Records": []}', "NaN"],
)
def test_another_frame_is_no_answer(content: str) -> None:
    with pytest.raises(Nonsense):
        read_answer(content)


def test_more_records_than_were_asked_for_are_no_answer() -> None:
    assert len(read(*[grant()] * MOST_RECORDS)) == MOST_RECORDS
    with pytest.raises(Nonsense):
        read(*[grant()] * (MOST_RECORDS + 1))


def test_an_answer_longer_than_any_is_not_even_parsed() -> None:
    with pytest.raises(Nonsense, match="longer"):
        read_answer('{"records": []}' + " " * 100_000)


def test_what_is_remembered_is_read_as_it_was() -> None:
    told = read_answer(json.dumps({"records": [grant(amount_max=5000.5, region="Town")]}))
    assert read_records(orjson.loads(orjson.dumps(to_json(told))), KINDS) == told


def test_the_schema_that_is_sent_names_every_field_of_every_kind_and_no_other() -> None:
    schema = json_schema(KINDS)
    records = schema["properties"]["records"]["items"]["anyOf"]
    for kind, record in zip(KINDS, records, strict=True):
        assert record["properties"]["kind"]["enum"] == [kind]
        assert set(record["properties"]) == {"kind", *FIELDS[kind]} == set(record["required"])
        assert record["additionalProperties"] is False


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=10),
    lambda inner: st.lists(inner, max_size=2) | st.dictionaries(st.text(max_size=3), inner, max_size=2),
    max_leaves=4,
)
NAMES = st.sampled_from(sorted({name for names in FIELDS.values() for name in names}))
RECORD = st.fixed_dictionaries(
    {"kind": st.sampled_from([*FIELDS, "admin"])}, optional={"name": st.text(max_size=20)}
).flatmap(lambda some: st.dictionaries(NAMES, JSON, max_size=4).map(lambda more: some | more))


@settings(max_examples=50)
@given(st.lists(RECORD | JSON, max_size=3))
def test_whatever_is_said_only_known_fields_of_known_kinds_come_of_it(records: list[Any]) -> None:
    for one in read_answer(json.dumps({"records": _finite(records)})):
        assert one.kind in KINDS
        assert set(one.fields) <= set(FIELDS[one.kind])
        assert one.fields["name"]


def _finite(value: Any) -> Any:
    """JSON knows no infinity."""
    return json.loads(json.dumps(value), parse_constant=lambda _: 0)


@given(st.text())
def test_any_text_is_an_answer_or_nonsense(content: str) -> None:
    with contextlib.suppress(Nonsense):
        read_answer(content)
