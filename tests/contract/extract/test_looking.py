"""Looking at what extraction found: pages of records, one record's story, contacts, versions, set aside."""

from __future__ import annotations

from pathlib import Path

import pytest
from sqlalchemy import update

from surveyor.db import Database
from surveyor.db.tables import records
from surveyor.errors import NotFound
from surveyor.extract import look
from surveyor.extract.look import RecordFilter
from surveyor.ids import new_id
from surveyor.names import url_key
from tests.extract_help import contact, extract, record, see
from tests.registry_help import add_domain


async def _world(db: Database, archive: Path) -> int:
    no = (await add_domain(db, "site.example")).no
    other = (await add_domain(db, "other.example")).no
    grants = [record("Small Grants", deadline="2026-12-01"), record("The Fund", kind="organisation")]
    office = contact("office@site.example")
    await see(db, no, "/grants", text="# Old", relevant=True, records=grants, contacts=[office])
    await see(db, other, "/", text="home", records=[record("Other Grants")], act=None)
    await see(db, other, "/bad", text="bad", act="raise")
    await extract(db, archive)
    again = [record("Small Grants", deadline="2027-01-01")]
    await see(db, no, "/grants", hours=3, text="# New", relevant=True, records=again, contacts=[office])
    await extract(db, archive)
    return no


async def test_records_come_newest_first_in_pages(db: Database, tmp_path: Path) -> None:
    no = await _world(db, tmp_path)
    everything = await look.list_records(db, RecordFilter(gone=True), 10)
    assert {(row.domain, row.name) for row in everything} == {
        ("site.example", "Small Grants"),
        ("site.example", "The Fund"),
        ("other.example", "Other Grants"),
    }
    ids = [row.id for row in everything]
    assert ids == sorted(ids, reverse=True)
    first = await look.list_records(db, RecordFilter(gone=True), 2)
    rest = await look.list_records(db, RecordFilter(gone=True), 2, first[-1].id)
    assert [row.id for row in first + rest] == ids
    mine = await look.list_records(db, RecordFilter(domain_no=no), 10)
    assert [row.name for row in mine] == ["Small Grants"], "the organisation is gone"
    of_kind = await look.list_records(db, RecordFilter(kind="organisation", gone=True), 10)
    assert [row.name for row in of_kind] == ["The Fund"]


async def test_records_that_are_not_published_are_shown_on_demand(db: Database, tmp_path: Path) -> None:
    await _world(db, tmp_path)
    async with db.write() as tx:
        await tx.execute(update(records).values(published=False))
    assert await look.list_records(db, RecordFilter(gone=True), 10) == []
    assert len(await look.list_records(db, RecordFilter(gone=True, unpublished=True), 10)) == 3


async def test_a_record_tells_its_sources_with_their_text_and_what_changed(
    db: Database, tmp_path: Path
) -> None:
    no = await _world(db, tmp_path)
    (row,) = await look.list_records(db, RecordFilter(domain_no=no), 10)
    story = await look.record_story(db, row.id)
    (source,) = story.sources
    assert (source.url, source.markdown) == ("https://site.example/grants", "# New")
    assert source.fields["deadline"]["quote"] == "deadline: 2027-01-01"
    assert [(one.field, one.old, one.new) for one in story.changes] == [
        ("deadline", "2026-12-01", "2027-01-01")
    ]
    told = look.record_json(row)
    assert (told["deadline"], told["sources"]["deadline"]["source"]) == ("2027-01-01", "structure")
    with pytest.raises(NotFound, match="surveyor records"):
        await look.record_story(db, new_id())


async def test_versions_contacts_and_pages_set_aside_are_shown(db: Database, tmp_path: Path) -> None:
    no = await _world(db, tmp_path)
    new, old = await look.versions_of(db, no, url_key("/grants"))
    assert (new.extract_state, new.is_relevant, new.reasons) == ("done", True, ["said so"])
    assert await look.markdown_of(db, old.id) == "# Old"
    assert await look.version(db, new.id) == new
    (office,) = await look.contacts_of(db, no, 10)
    assert (office.value, office.pages) == ("office@site.example", 1)
    assert await look.contacts_of(db, no, 10, office.id) == []
    (bad,) = await look.set_aside(db, 10)
    assert (bad.url, bad.tries, bad.why) == ("https://other.example/bad", 3, "ValueError: no sense in it")
    assert await look.set_aside(db, 10, no=no) == []
    counts = await look.counts(db, no)
    assert (counts.waiting, counts.records, counts.gone, counts.contacts) == (0, {"funding_program": 1}, 1, 1)
    with pytest.raises(NotFound):
        await look.markdown_of(db, 10**9)
