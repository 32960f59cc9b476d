"""What people put right in records, on both engines: it outlives every reading of the pages."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from surveyor.db import Database
from surveyor.db.tables import record_changes, record_corrections, records
from surveyor.errors import Refused, UsageError
from surveyor.extract import corrections, queries
from surveyor.names import DEFAULT_RULES
from surveyor.registry.actors import Actor, Role
from surveyor.registry.store import records as registry_records
from surveyor.review.forgetting import forget_contact
from tests.support.extract_help import contact, extract, record, see, table, told
from tests.support.registry_help import ADMIN, REVIEWER, add_domain
from tests.support.review_help import find

GRANT = record("Small Grants", deadline="2026-12-01", amount_max=5000, currency="EUR")


async def _read(db: Database, folder: Path, hours: float = 0, *grants: dict[str, Any], text: str = "") -> int:
    domain = await look_for(db)
    await see(db, domain, "/grants", hours, text=text or f"version {hours}", records=list(grants or [GRANT]))
    await extract(db, folder)
    return domain


async def look_for(db: Database) -> int:

    known = await find(db, "site.example")
    return known.no if known else (await add_domain(db, "site.example")).no


async def _one(db: Database) -> Any:
    return (await table(db, records, records.c.id))[0]


def _values(row: Any) -> dict[str, Any]:
    return {name: one["value"] for name, one in row.fields.items()}


async def test_a_corrected_field_is_still_right_after_its_page_was_read_again(
    db: Database, tmp_path: Path
) -> None:
    await _read(db, tmp_path)
    made = (await _one(db)).id
    await corrections.correct(db, made, "amount_max", "8,000", REVIEWER, "the PDF says so")
    await corrections.correct(db, made, "currency", None, REVIEWER)
    await corrections.correct(db, made, "name", "Little Grants", REVIEWER)
    await _read(db, tmp_path, 1, text="the same grant in other words")
    row = await _one(db)
    assert _values(row) == {"name": "Little Grants", "deadline": "2026-12-01", "amount_max": 8000}
    assert (row.name, len(await table(db, records)), await table(db, record_changes)) == (
        "Little Grants",
        1,
        [],
    )
    assert not any(one.was_overtaken for one in await corrections.history(db, made))


async def test_what_the_site_changes_later_is_flagged_and_can_be_taken(db: Database, tmp_path: Path) -> None:
    await _read(db, tmp_path)
    made = (await _one(db)).id
    await corrections.correct(db, made, "amount_max", "8000", REVIEWER)
    later = record("Small Grants", deadline="2026-12-01", amount_max=9000, currency="EUR")
    await _read(db, tmp_path, 1, later)
    (one,) = await corrections.history(db, made)
    assert (one.was_overtaken, one.page_says, one.before) == (True, 9000, 5000)
    assert _values(await _one(db))["amount_max"] == 8000
    (change,) = await table(db, record_changes)
    assert (change.old, change.new) == (5000, 9000), "the history of the pages is that of the pages"
    await corrections.withdraw(db, made, "amount_max", REVIEWER)
    assert _values(await _one(db))["amount_max"] == 9000
    with pytest.raises(Refused, match="is not corrected"):
        await corrections.withdraw(db, made, "amount_max", REVIEWER)
    assert [event.data["field"] for event in await told(db, "RecordCorrected") if event.data] == [
        "amount_max",
        "amount_max",
    ]


async def test_a_hidden_record_is_given_to_nobody_until_it_is_shown_again(
    db: Database, tmp_path: Path
) -> None:
    no = await _read(db, tmp_path)
    made = (await _one(db)).id
    with pytest.raises(UsageError, match="say why"):
        await corrections.set_hidden(db, made, True, REVIEWER)
    await corrections.set_hidden(db, made, True, REVIEWER, "a newsletter")
    await _read(db, tmp_path, 1)
    async with db.write() as tx:
        await registry_records.publish(tx, no)
    assert await queries.list_records(db, queries.RecordFilter(no), 10) == []
    await corrections.set_hidden(db, made, False, REVIEWER)
    assert [one.id for one in await queries.list_records(db, queries.RecordFilter(no), 10)] == [made]


async def test_two_records_become_one_and_stay_one(db: Database, tmp_path: Path) -> None:
    other = record("Grants for clubs and schools", funder="The Fund", deadline="2027-01-01")
    no = await _read(db, tmp_path, 0, GRANT, other)
    first, second = sorted(await table(db, records), key=lambda row: "funder" in row.fields)
    merged = await corrections.merge(db, first.id, second.id, REVIEWER)
    assert (merged.values["funder"], merged.values["deadline"]) == ("The Fund", "2026-12-01")
    await _read(db, tmp_path, 1, GRANT, other)
    shown = await queries.list_records(db, queries.RecordFilter(no), 10)
    assert [(one.id, one.values["funder"]) for one in shown] == [(first.id, "The Fund")]
    with pytest.raises(Refused, match="one kind and one domain"):
        await corrections.merge(db, first.id, first.id, REVIEWER)


async def test_a_record_written_by_hand_keeps_its_words_when_a_page_tells_of_it(
    db: Database, tmp_path: Path
) -> None:
    no = await look_for(db)
    values = {"name": "Small Grants", "deadline": "2027-05-05"}
    made = await corrections.add_by_hand(db, "site.example", "funding_program", values, REVIEWER, "a letter")
    assert (made.published, made.values["deadline"]) == (True, "2027-05-05")
    await _read(db, tmp_path)
    (shown,) = await queries.list_records(db, queries.RecordFilter(no), 10)
    assert shown.values == {
        "name": "Small Grants",
        "deadline": "2027-05-05",
        "amount_max": 5000,
        "currency": "EUR",
    }
    assert [event.kind for event in await told(db, "RecordAdded")] == ["RecordAdded"]


async def test_values_are_of_the_fields_kind_and_submitters_correct_nothing(
    db: Database, tmp_path: Path
) -> None:
    await _read(db, tmp_path)
    made = (await _one(db)).id
    for field, text, wrong in (
        ("amount_max", "lots", "is a number"),
        ("deadline", "in June", "is a date"),
        ("colour", "red", "has no field"),
        ("currency", " ", "type a value"),
    ):
        with pytest.raises(UsageError, match=wrong):
            await corrections.correct(db, made, field, text, REVIEWER)
    with pytest.raises(Refused, match="needs its name"):
        await corrections.correct(db, made, "name", None, REVIEWER)
    with pytest.raises(Refused, match="ask a reviewer"):
        await corrections.correct(db, made, "currency", "USD", Actor("sue", Role.SUBMITTER))
    assert await table(db, record_corrections) == []


async def test_a_forgotten_contact_leaves_corrections_too(db: Database, tmp_path: Path) -> None:
    no = await look_for(db)
    grant = record("Small Grants", email="mila@site.example")
    await see(db, no, "/grants", text="one", records=[grant], contacts=[contact("mila@site.example")])
    await extract(db, tmp_path)
    made = (await _one(db)).id
    await corrections.correct(db, made, "funder", "Mila, mila@site.example", REVIEWER)
    await forget_contact(db, tmp_path, DEFAULT_RULES, "mila@site.example", ADMIN)
    assert await table(db, record_corrections) == []
