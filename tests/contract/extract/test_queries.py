"""Looking at what extraction found: pages of records, one record's story, contacts, versions, quarantined."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from sqlalchemy import insert, update

from surveyor.db import Database, now
from surveyor.db.tables import domains, page_snapshots, record_sources, records
from surveyor.errors import NotFound
from surveyor.extract import queries, service, stats
from surveyor.extract.queries import RecordFilter
from surveyor.extract.store import queue
from surveyor.ids import new_id
from surveyor.names import url_key
from tests.support.extract_help import contact, extract, record, see, told
from tests.support.registry_help import ADMIN, add_domain


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
    everything = await queries.list_records(db, RecordFilter(gone=True), 10)
    assert {(row.domain, row.name) for row in everything} == {
        ("site.example", "Small Grants"),
        ("site.example", "The Fund"),
        ("other.example", "Other Grants"),
    }
    ids = [row.id for row in everything]
    assert ids == sorted(ids, reverse=True)
    first = await queries.list_records(db, RecordFilter(gone=True), 2)
    rest = await queries.list_records(db, RecordFilter(gone=True), 2, first[-1].id)
    assert [row.id for row in first + rest] == ids
    mine = await queries.list_records(db, RecordFilter(domain_no=no), 10)
    assert [row.name for row in mine] == ["Small Grants"], "the organisation is gone"
    of_kind = await queries.list_records(db, RecordFilter(kind="organisation", gone=True), 10)
    assert [row.name for row in of_kind] == ["The Fund"]


async def test_records_that_are_not_published_are_shown_on_demand(db: Database, tmp_path: Path) -> None:
    await _world(db, tmp_path)
    async with db.write() as tx:
        await tx.execute(update(records).values(published=False))
    assert await queries.list_records(db, RecordFilter(gone=True), 10) == []
    assert len(await queries.list_records(db, RecordFilter(gone=True, unpublished=True), 10)) == 3


async def test_a_record_tells_its_sources_with_their_text_and_what_changed(
    db: Database, tmp_path: Path
) -> None:
    no = await _world(db, tmp_path)
    (row,) = await queries.list_records(db, RecordFilter(domain_no=no), 10)
    story = await queries.record_story(db, row.id)
    (source,) = story.sources
    assert (source.url, source.markdown) == ("https://site.example/grants", "# New")
    assert source.fields["deadline"]["quote"] == "deadline: 2027-01-01"
    assert [(one.field, one.old, one.new) for one in story.changes] == [
        ("deadline", "2026-12-01", "2027-01-01")
    ]
    told = queries.record_json(row)
    assert (told["deadline"], told["sources"]["deadline"]["source"]) == ("2027-01-01", "structure")
    with pytest.raises(NotFound, match="surveyor records"):
        await queries.record_story(db, new_id())


async def test_versions_contacts_and_pages_quarantined_are_shown(db: Database, tmp_path: Path) -> None:
    no = await _world(db, tmp_path)
    new, old = await queries.versions_of(db, no, url_key("/grants"))
    assert (new.extract_state, new.is_relevant, new.reasons) == ("done", True, ["said so"])
    assert await queries.markdown_of(db, old.id) == "# Old"
    assert await queries.version(db, new.id) == new
    (office,) = await queries.contacts_of(db, no, 10)
    assert (office.value, office.pages) == ("office@site.example", 1)
    assert await queries.contacts_of(db, no, 10, office.id) == []
    (bad,) = await queries.quarantined(db, 10)
    assert (bad.url, bad.tries, bad.why) == ("https://other.example/bad", 3, "ValueError: no sense in it")
    assert await queries.quarantined(db, 10, no=no) == []
    counts = await queries.counts(db, no)
    assert (counts.waiting, counts.records, counts.gone, counts.contacts) == (0, {"funding_program": 1}, 1, 1)
    with pytest.raises(NotFound):
        await queries.markdown_of(db, 10**9)


async def test_pages_in_quarantine_are_read_again_when_a_person_asks(db: Database, tmp_path: Path) -> None:
    await _world(db, tmp_path)
    (bad,) = await queries.quarantined(db, 10)
    assert await queries.quarantined(db, 10, no=bad.domain_no, key=url_key("/else")) == []
    assert await service.read_again(db, ADMIN, bad.domain_no, url_key("/else")) == 0
    assert await service.read_again(db, ADMIN, bad.domain_no + 1) == 0
    assert await service.read_again(db, ADMIN, bad.domain_no, url_key("/bad")) == 1
    assert await service.read_again(db, ADMIN) == 0, "it waits already"
    assert await queries.count_quarantined(db) == 0
    (lifted,) = await told(db, "QuarantineLifted")
    assert (lifted.actor, lifted.data) == (ADMIN.name, {"pages": 1})
    await extract(db, tmp_path)
    (again,) = await queries.quarantined(db, 10)
    assert (again.id, again.tries) == (bad.id, 3), "three readers more, and the cause was not mended"


async def test_what_is_not_kept_stays_in_quarantine(db: Database, tmp_path: Path) -> None:
    await _world(db, tmp_path)
    async with db.write() as tx:
        await tx.execute(update(page_snapshots).values(body=None, archive=None))
    assert await service.read_again(db, ADMIN) == 0
    assert await queries.count_quarantined(db) == 1


async def test_pages_of_a_domain_that_nobody_reads_stay_in_quarantine(db: Database, tmp_path: Path) -> None:
    await _world(db, tmp_path)
    (bad,) = await queries.quarantined(db, 10)
    async with db.write() as tx:
        await tx.execute(
            update(domains).values(review_status="suspended").where(domains.c.no == bad.domain_no)
        )
    assert await service.read_again(db, ADMIN) == 0
    assert await queries.count_quarantined(db) == 1


async def test_a_page_that_fails_again_meanwhile_is_not_let_go_twice(
    db: Database, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    no = await _world(db, tmp_path)
    for name in ("/two", "/three"):
        await see(db, no, name, crash=True)
    s = page_snapshots.c
    stopped = update(page_snapshots).values(extract_state="quarantined", extract_error="again", body=b"x")
    async with db.write() as tx:
        await tx.execute(stopped)
    monkeypatch.setattr(queue, "_BATCH", 2)
    release, turns = queue.release, list[int]()

    async def with_readers(*given: Any) -> Any:
        turns.append(1)
        assert len(turns) < 10, "readers that fail keep it going"
        released = await release(*given)
        await given[0].execute(stopped.where(s.extract_state == "waiting"))
        return released

    monkeypatch.setattr(queue, "release", with_readers)
    count = await queries.count_quarantined(db)
    assert await service.read_again(db, ADMIN) == count > 2
    assert await queries.count_quarantined(db) == count > await queries.count_quarantined(db, no)
    assert await queries.count_quarantined(db, no, url_key("/two")) == 1


async def test_records_are_counted_as_they_are_listed(db: Database, tmp_path: Path) -> None:
    no = await _world(db, tmp_path)
    async with db.write() as tx:
        await tx.execute(update(records).where(records.c.domain_no != no).values(published=False))
    for wanted in (
        RecordFilter(),
        RecordFilter(unpublished=True),
        RecordFilter(gone=True),
        RecordFilter(unpublished=True, only_gone=True),
        RecordFilter(kind="organisation", gone=True),
        RecordFilter(kind="funding_program"),
        RecordFilter(domain_no=no, unpublished=True, gone=True),
    ):
        assert await queries.count_records(db, wanted) == len(await queries.list_records(db, wanted, 10)), (
            wanted
        )
    (gone,) = await queries.list_records(db, RecordFilter(unpublished=True, only_gone=True), 10)
    assert gone.name == "The Fund"
    assert await queries.count_records(db, RecordFilter()) == 1
    assert await queries.count_records(db, RecordFilter(unpublished=True)) == 2


async def test_what_changed_is_listed_with_its_record_the_latest_first(db: Database, tmp_path: Path) -> None:
    no = await _world(db, tmp_path)
    other = [record("Small Grants", deadline="2027-03-01", region="BG")]
    await see(db, no, "/grants", hours=6, text="# Newest", relevant=True, records=other)
    await extract(db, tmp_path)
    every = await queries.list_changes(db, RecordFilter(), 10)
    assert [(one.name, one.field, one.old, one.new) for one in every if one.field == "deadline"] == [
        ("Small Grants", "deadline", "2027-01-01", "2027-03-01"),
        ("Small Grants", "deadline", "2026-12-01", "2027-01-01"),
    ]
    first = await queries.list_changes(db, RecordFilter(), 1)
    assert first + await queries.list_changes(db, RecordFilter(), 10, first[-1].id) == every
    assert await queries.list_changes(db, RecordFilter(domain_no=no), 10) == every
    assert await queries.list_changes(db, RecordFilter(domain_no=no + 1), 10) == []
    assert await queries.list_changes(db, RecordFilter(kind="service"), 10) == []
    async with db.write() as tx:
        await tx.execute(update(records).values(published=False))
    assert await queries.list_changes(db, RecordFilter(), 10) == []
    assert await queries.list_changes(db, RecordFilter(unpublished=True), 10) != []


async def test_days_say_how_many_records_were_found_and_changed(db: Database, tmp_path: Path) -> None:
    no = await _world(db, tmp_path)
    again = [record("Small Grants", deadline="2027-03-01")]  # which counts once
    await see(db, no, "/grants", hours=6, text="# Newest", relevant=True, records=again)
    await extract(db, tmp_path)
    async with db.write() as tx:  # pages of these tests were seen on a day that has long passed
        await tx.execute(update(records).values(first_seen_at=now()))
    (today,) = await stats.per_day(db)
    assert (len(today.when), today.found, today.changed) == (10, 3, 1)


async def test_a_record_on_many_pages_shows_the_latest_and_says_how_many(
    db: Database, tmp_path: Path
) -> None:
    no = await _world(db, tmp_path)
    (row,) = await queries.list_records(db, RecordFilter(domain_no=no), 10)
    told = {"record_id": row.id, "domain_no": no, "snapshot_id": 1, "fields": {}}
    times = {"first_seen_at": now(), "seen_at": now()}
    async with db.write() as tx:
        for key in range(30):
            gone_at = now() if key == 0 else None
            await tx.execute(insert(record_sources).values(**told, **times, key=key, gone_at=gone_at))
    story = await queries.record_story(db, row.id)
    assert (story.pages, len(story.sources)) == (31, 10)
    assert all(source.gone_at is None for source in story.sources)
    (short,) = await queries.stories_of(db, no, 10)
    assert (short.record, len(short.sources)) == (row, 1)


async def test_a_version_knows_its_text_its_neighbours_and_its_records(db: Database, tmp_path: Path) -> None:
    no = await _world(db, tmp_path)
    new, old = await queries.versions_of(db, no, url_key("/grants"))
    story = await queries.version_story(db, new.id)
    assert (story.markdown, story.version.has_text) == ("# New", True)
    assert story.beside == ("site.example", "https://site.example/grants", old.id, None)
    assert [(one.kind, one.name) for one in story.records] == [("funding_program", "Small Grants")]
    before = await queries.version_story(db, old.id)
    assert (before.beside.older, before.beside.newer, before.records) == (None, new.id, [])
    (bad,) = await queries.quarantined(db, 10)
    aside = await queries.version_story(db, bad.id)
    assert (aside.markdown, aside.version.has_text) == (None, False)
    assert await queries.count_quarantined(db) == 1


async def test_what_was_found_on_a_domain_comes_in_one_value(db: Database, tmp_path: Path) -> None:
    no = await _world(db, tmp_path)
    found = await queries.found_on(db, no, 10)
    assert [one.name for one in found.records] == ["Small Grants"]
    assert [one.value for one in found.contacts] == ["office@site.example"]
    assert (found.quarantined, found.counts.gone) == ([], 1)
