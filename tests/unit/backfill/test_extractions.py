"""Rows of extractions as records: which kind, which page, which values; what cannot be kept says why."""

from __future__ import annotations

import json
from datetime import UTC, datetime, timedelta
from typing import Any, cast

import pytest
from hypothesis import given
from hypothesis import strategies as st

from surveyor.backfill import Destination
from surveyor.backfill.cells import Dates
from surveyor.backfill.registers.columns import Kind, columns_of, kind_by_columns, kind_by_name
from surveyor.backfill.registers.extractions import TheirRecord, read
from surveyor.backfill.registers.run import LeftOut, Run, TableReport
from surveyor.db import Database
from surveyor.extract import kinds
from surveyor.extract.values import Source
from surveyor.names import DEFAULT_RULES
from surveyor.profiles.kinds import DeclaredKind
from surveyor.registry.actors import Actor

PAGE = "https://www.food.example.uk/help"
SHELTER = DeclaredKind.model_validate(
    {"words": {"en": ["shelter"]}, "fields": {"dogs": {"type": "number", "words": {"en": ["dogs"]}}}}
)


@pytest.fixture(autouse=True)
def shelters() -> Any:
    kinds.declare({"shelter": SHELTER})
    yield
    kinds.declare({})


def _run(**more: Any) -> Run:
    nowhere = cast(Database, None)
    into = Destination(
        nowhere, Actor.operator(), DEFAULT_RULES, "records", timedelta(days=7), kinds={"shelter": SHELTER}
    )
    run = Run("old", False, into, **more)
    run.tables.append(TableReport("extractions", "x"))
    return run


def _read(run: Run | None = None, **row: Any) -> TheirRecord:
    run = run or _run()
    usual = {"url": PAGE, "kind": "service", "seen_at": "2025-03-01"}
    return read(run.cells({name: one for name, one in (usual | row).items() if one is not None}), run)


def _values(found: TheirRecord) -> dict[str, Any]:
    return {name: field.value for name, field in found.record.fields.items()}


def test_fields_stand_in_json_or_in_columns_and_become_normal() -> None:
    run = _run(dates=Dates.DAY_FIRST)
    data = {"Title": " Food\n Bank ", "phoneNumber": "020 7946 0018", "hours": None, "colour": "red"}
    found = _read(run, data=json.dumps(data), eligibility="everybody")
    assert found.record.kind == "service"
    assert _values(found) == {"name": "Food Bank", "phone": "+442079460018", "eligibility": "everybody"}
    assert {field.source for field in found.record.fields.values()} == {Source.IMPORT}
    assert (found.domain, found.seen_at) == ("food.example.uk", datetime(2025, 3, 1, tzinfo=UTC))
    assert run.now.unknown_columns == ("data.colour",)
    grant = _read(run, kind="Funding programmes", name="Grant", deadline="05/02/2026", amount_max="5,000")
    assert _values(grant) == {"name": "Grant", "deadline": "2026-02-05", "amount_max": 5000}
    assert _values(_read(kind="shelters", data={"name": "Paws", "dogs": 12})) == {"name": "Paws", "dogs": 12}


@pytest.mark.parametrize(
    ("word", "kind"),
    [("Businesses", "business"), ("organization", "organisation"), ("OPPORTUNITIES", "opportunity")],
)
def test_a_kind_is_known_in_any_spelling(word: str, kind: str) -> None:
    assert _read(kind=word, name="x").record.kind == kind


def test_a_value_that_its_field_cannot_hold_is_noted_and_the_rest_is_kept() -> None:
    run = _run()
    assert _values(_read(run, name="Food Bank", phone="ask inside")) == {"name": "Food Bank"}
    assert run.now.unread.samples == {"phone": "ask inside"}


def test_a_page_known_by_its_id_is_found_in_the_table_of_pages() -> None:
    when = datetime(2025, 2, 1, tzinfo=UTC)
    found = _read(_run(pages={"7": (PAGE, when)}), url=None, page=7, seen_at=None, name="Food Bank")
    assert (found.url.text, found.seen_at) == (PAGE, when)


@pytest.mark.parametrize(
    ("row", "reason"),
    [
        ({"kind": "planet"}, "“planet” is no kind of records; there are business, "),
        ({"kind": None}, "“” is no kind of records"),
        ({"url": None, "page": "7"}, "only an id says which page is meant; give the table of pages along"),
        ({"url": "nothing"}, "no URL of a page is named"),
        ({"seen_at": None}, "no date says when it was read"),
        ({"seen_at": "2190-01-01"}, "its date is in the future"),
        ({"data": "{"}, "its data is no JSON object"),
        ({"data": [{"name": "x"}]}, "its data is no JSON object"),
        ({"name": None}, "a service needs a name, and it has none"),
        ({"name": ["a", "b"]}, "a service needs a name, and it has none"),
    ],
)
def test_a_row_that_cannot_be_kept_says_why(row: dict[str, Any], reason: str) -> None:
    with pytest.raises(LeftOut) as left:
        _read(**({"name": "Food Bank"} | row))
    assert left.value.reason.startswith(reason)


def test_a_list_of_organisations_is_no_table_of_extractions_unless_its_name_says_so() -> None:
    columns = ["url", "type", "name", "phone", "email"]
    assert kind_by_columns(columns, ()) is Kind.DOMAINS
    assert kind_by_name("extractions-2025") is Kind.EXTRACTIONS
    assert {"phone", "dogs", "kind"} <= columns_of(Kind.EXTRACTIONS).keys()


_JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(), inner, max_size=3),
    max_leaves=5,
)
_NAMES = st.sampled_from(("name", "title", "phone", "deadline", "amount_max", "x"))


@given(st.sampled_from(("funding_program", "service", "?")), st.dictionaries(_NAMES, _JSON, max_size=4))
def test_any_json_becomes_a_record_with_a_name_or_is_left_out(kind: str, data: dict[str, Any]) -> None:
    try:
        found = _read(kind=kind, data=data)
    except LeftOut:
        return
    assert found.record.name.strip()
    json.dumps(_values(found), allow_nan=False)
