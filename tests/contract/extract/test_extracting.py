"""Extraction from a version that waits to records, contacts, counters and events, on both engines."""

from __future__ import annotations

import asyncio
import json
import zlib
from collections.abc import Sequence
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
from sqlalchemy import select, text, update
from sqlalchemy.ext.asyncio import AsyncConnection

from surveyor.db import Database
from surveyor.db.tables import (
    contact_sources,
    contacts,
    domain_crawl,
    metadata,
    page_snapshots,
    record_changes,
    record_sources,
    records,
)
from surveyor.errors import DatabaseUnreachable, Refused
from surveyor.extract.commit import Finished, NullHook, Written
from surveyor.extract.store import queue, snapshots
from surveyor.extract.store.snapshots import PageKey
from surveyor.extract.values import Field, FoundRecord, Page, Reading, Source
from surveyor.extract.worker import ExtractWorker
from surveyor.names import DEFAULT_RULES, NameRules, canonical_domain, url_key
from surveyor.registry import service
from surveyor.registry.lifecycle import QualityStatus, ReviewStatus
from surveyor.registry.store import changes, forgotten, languages, register
from surveyor.registry.store import records as registry_records
from surveyor.review.forgetting import forget_contact
from tests.support.extract_help import (
    START,
    contact,
    extract,
    lose,
    record,
    see,
    states,
    table,
    told,
    values,
    worker,
)
from tests.support.registry_help import ADMIN, add_domain, get

GRANT = record("Small Grants", deadline="2026-12-01", amount_max=5000, currency="EUR")


async def _site(db: Database, name: str = "site.example", *, approved: bool = True) -> int:
    return (await add_domain(db, name, approved=approved)).no


async def test_what_was_read_of_a_version_is_kept(db: Database, tmp_path: Path) -> None:
    no = await _site(db)
    await see(db, no, "/grants", title="Grants", text="# Grants", relevant=True)
    done = await extract(db, tmp_path)
    (row,) = await table(db, page_snapshots)
    assert (row.extract_state, row.title, row.language, row.is_relevant) == ("done", "Grants", "en", True)
    assert (str(row.relevance), row.reasons) == ("0.90", ["said so"])
    assert snapshots.readable(row.markdown) == "# Grants"
    assert (row.extractor_version, row.extract_by, row.body) == ("test-1", None, None)
    assert (done.progress.pages, done.progress.relevant) == (1, 1)
    (event,) = await told(db, "PageFlagged")
    assert event.data == {"snapshot": row.id, "relevance": "0.90"}


async def test_a_domain_has_the_language_of_most_of_its_pages(db: Database, tmp_path: Path) -> None:
    no = await _site(db)
    async with db.write() as tx:
        await languages.guess(tx, no, "fr")
        await languages.guess(tx, no, "it")
    assert (await get(db, no)).language == "fr", "a guess stands until a page is read"
    for path, language in (("/1", "de"), ("/2", "en"), ("/3", "en"), ("/4", "de"), ("/5", "de")):
        await see(db, no, path, text=path, language=language)
        await extract(db, tmp_path)
        asked = [row.language for row in await table(db, page_snapshots)]
        most = max(sorted(set(asked)), key=asked.count)
        assert (await get(db, no)).language == most, asked


async def test_a_record_is_stored_with_its_source_and_counted_once(db: Database, tmp_path: Path) -> None:
    no = await _site(db)
    await see(db, no, "/grants", text="one", relevant=True, records=[GRANT])
    await extract(db, tmp_path)
    (row,) = await table(db, records)
    (source,) = await table(db, record_sources)
    (snapshot,) = await table(db, page_snapshots)
    assert values(row.fields) == values(GRANT["fields"])
    assert row.fields["deadline"] == {
        "value": "2026-12-01",
        "source": "structure",
        "quote": "deadline: 2026-12-01",
        "snapshot": snapshot.id,
        "key": url_key("/grants"),
    }
    assert (source.record_id, source.key, source.snapshot_id) == (row.id, url_key("/grants"), snapshot.id)
    assert (await get(db, no)).records_stored == 1
    (event,) = await told(db, "RecordsExtracted")
    assert event.data == {"snapshot": snapshot.id, "new": {"funding_program": 1}, "changed": {}}


async def test_the_same_thing_on_two_pages_is_one_record_with_two_sources(
    db: Database, tmp_path: Path
) -> None:
    no = await _site(db)
    await see(db, no, "/grants", text="one", records=[GRANT])
    better = record("SMALL grants", source="json_ld", deadline="2026-12-02", funder="The Fund")
    await see(db, no, "/news", text="two", records=[better])
    await extract(db, tmp_path)
    (row,) = await table(db, records)
    assert len(await table(db, record_sources)) == 2
    assert values(row.fields) == {
        "name": "SMALL grants",
        "deadline": "2026-12-02",
        "funder": "The Fund",
        "amount_max": 5000,
        "currency": "EUR",
    }
    assert (await get(db, no)).records_stored == 1
    assert await table(db, record_changes) == []


async def test_a_page_that_says_it_differently_is_a_change_with_old_and_new(
    db: Database, tmp_path: Path
) -> None:
    no = await _site(db)
    await see(db, no, "/grants", text="one", records=[GRANT])
    await extract(db, tmp_path)
    later = record("Small Grants", deadline="2027-03-01", amount_max=5000, currency="EUR")
    await see(db, no, "/grants", hours=5, text="two", records=[later])
    await extract(db, tmp_path)
    (row,) = await table(db, records)
    newest = max(one.id for one in await table(db, page_snapshots))
    (change,) = await table(db, record_changes)
    assert (change.record_id, change.field, change.old, change.new, change.snapshot_id) == (
        row.id,
        "deadline",
        "2026-12-01",
        "2027-03-01",
        newest,
    )
    (event,) = await told(db, "RecordChanged")
    assert event.data == {
        "record": str(row.id),
        "kind": "funding_program",
        "fields": ["deadline"],
        "snapshot": newest,
    }
    assert (await told(db, "RecordsExtracted"))[-1].data["changed"] == {"funding_program": 1}
    assert (await get(db, no)).records_stored == 1


async def test_a_record_that_vanished_is_gone_and_comes_back(db: Database, tmp_path: Path) -> None:
    no = await _site(db)
    await see(db, no, "/grants", text="one", records=[GRANT])
    await extract(db, tmp_path)
    await see(db, no, "/grants", hours=5, text="nothing")
    await extract(db, tmp_path)
    (row,) = await table(db, records)
    assert row.gone_at is not None
    assert values(row.fields)["deadline"] == "2026-12-01", "what was last known stays"
    assert [event.data for event in await told(db, "RecordGone")] == [
        {"record": str(row.id), "kind": "funding_program"}
    ]
    await see(db, no, "/grants", hours=9, text="three", records=[GRANT])
    await extract(db, tmp_path)
    (row,) = await table(db, records)
    assert row.gone_at is None
    assert len(await told(db, "RecordBack")) == 1
    assert (await get(db, no)).records_stored == 1


async def test_a_record_that_another_page_still_tells_of_stays(db: Database, tmp_path: Path) -> None:
    no = await _site(db)
    await see(db, no, "/grants", text="one", records=[GRANT])
    await see(db, no, "/news", text="two", records=[record("Small Grants")])
    await extract(db, tmp_path)
    await see(db, no, "/grants", hours=5, text="nothing")
    await extract(db, tmp_path)
    (row,) = await table(db, records)
    assert row.gone_at is None
    assert values(row.fields) == {"name": "Small Grants"}
    assert len(await told(db, "RecordGone")) == 0


async def test_content_that_comes_back_tells_anew(db: Database, tmp_path: Path) -> None:
    no = await _site(db)
    for hours, found in ((0, [GRANT]), (5, []), (9, [GRANT])):
        await see(db, no, "/grants", hours=hours, text="one" if found else "two", records=found)
        await extract(db, tmp_path)
    (row,) = await table(db, records)
    assert row.gone_at is None
    assert await states(db) == ["done", "done"]


async def test_the_same_content_again_is_not_read_again(db: Database, tmp_path: Path) -> None:
    no = await _site(db)
    await see(db, no, "/grants", text="one", records=[GRANT])
    await extract(db, tmp_path)
    await see(db, no, "/grants", hours=5, text="one", records=[GRANT])
    assert (await extract(db, tmp_path)).progress.pages == 0


async def test_a_version_that_says_the_same_is_folded_without_a_word(db: Database, tmp_path: Path) -> None:
    no = await _site(db)
    pages_folded: list[tuple[int, int]] = []

    class Noted(NullHook):
        async def unchanged(self, tx: AsyncConnection, pages: Sequence[PageKey]) -> None:
            pages_folded.extend(pages)

    await see(db, no, "/grants", text="one", relevant=True, records=[GRANT])
    await extract(db, tmp_path)
    before = len(await told(db))
    for hours in (5, 9):
        await see(db, no, "/grants", hours=hours, text="one", relevant=True, records=[GRANT], counter=hours)
        async with worker(db, tmp_path) as made:
            made._commits._refresh_hook = Noted()
            await made.run()
    first, second, third = await table(db, page_snapshots, page_snapshots.c.id)
    assert [second.extract_state, third.extract_state] == ["unchanged", "unchanged"]
    assert (second.unchanged_since, third.unchanged_since) == (first.id, first.id)
    assert pages_folded == [(no, url_key("/grants"))] * 2
    assert len(await told(db)) == before
    (source,) = await table(db, record_sources)
    assert (source.snapshot_id, source.seen_at) == (first.id, START + timedelta(hours=9))


async def test_versions_read_in_the_wrong_order_come_to_the_same(db: Database, tmp_path: Path) -> None:
    no = await _site(db)
    await extract(db, tmp_path)  # the rules are known: from now on only what waits is read
    await see(db, no, "/grants", text="old", records=[record("Old Grants")])
    await see(db, no, "/grants", hours=5, text="same", records=[GRANT])
    await see(db, no, "/grants", hours=9, text="same", records=[GRANT], counter=2)
    ids = [row.id for row in await table(db, page_snapshots, page_snapshots.c.id)]
    for id_ in reversed(ids):
        await _only(db, id_)
        assert (await extract(db, tmp_path)).progress.pages == 1
    first, second, third = await table(db, page_snapshots, page_snapshots.c.id)
    assert [first.extract_state, second.extract_state, third.extract_state] == ["done", "done", "unchanged"]
    assert third.unchanged_since == second.id
    assert [row.name for row in await table(db, records)] == ["Small Grants"], "an old version tells nothing"


async def _only(db: Database, wanted: int | None) -> None:
    """Let one version wait, and hide the others that do."""
    s = page_snapshots.c
    async with db.write() as tx:
        hidden = {"extract_state": "quarantined", "extract_error": "hidden"}
        await tx.execute(update(page_snapshots).where(s.extract_state == "waiting").values(hidden))
        shown = update(page_snapshots).where(s.id == wanted, s.extract_error == "hidden")
        await tx.execute(shown.values(extract_state="waiting", extract_error=None))


async def test_other_rules_read_everything_again_and_call_nothing_a_change(
    db: Database, tmp_path: Path
) -> None:
    no = await _site(db)
    await see(db, no, "/grants", text="one", relevant=True, records=[GRANT])
    await extract(db, tmp_path)
    async with db.write() as tx:  # as if the old rules had missed the deadline
        poorer = record("Small Grants", amount_max=5000, currency="EUR")
        await tx.execute(update(records).values(fields=poorer["fields"]))
        await tx.execute(update(record_sources).values(fields=poorer["fields"]))
        body = json.dumps({"text": "one", "relevant": True, "records": [GRANT]}, sort_keys=True).encode()
        await tx.execute(update(page_snapshots).values(body=zlib.compress(body)))
    assert (await extract(db, tmp_path, version="test-2")).progress.pages == 1
    assert (await extract(db, tmp_path, version="test-2")).progress.pages == 0
    async with db.write() as tx:  # as if whoever made the queue anew had been killed in the middle
        await tx.execute(update(page_snapshots).values(body=zlib.compress(body)))
        await register.set_fact(db, tx, queue.QUEUED_FOR, "test-1")
    assert (await extract(db, tmp_path, version="test-2")).progress.pages == 0, "it was read with these"
    (row,) = await table(db, records)
    assert values(row.fields)["deadline"] == "2026-12-01"
    assert await table(db, record_changes) == []
    assert len(await told(db, "PageFlagged")) == 1


@pytest.mark.parametrize("state", ["pending", "suspended", "blacklisted"])
async def test_only_domains_that_are_approved_are_read(db: Database, tmp_path: Path, state: str) -> None:
    no = await _site(db, approved=state != "pending")
    await see(db, no, "/grants", text="one", records=[GRANT])
    async with db.write() as tx:
        if state == "suspended":
            await changes.advance_review(tx, no, ReviewStatus.SUSPENDED, ADMIN)
        elif state == "blacklisted":
            await changes.advance_quality(tx, no, QualityStatus.BLACKLISTED, ADMIN, reason="scam")
    assert (await extract(db, tmp_path)).progress.pages == 0
    assert await states(db) == ["waiting"]


async def test_a_domain_suspended_while_it_is_read_keeps_nothing_of_it(db: Database, tmp_path: Path) -> None:
    no = await _site(db)
    await see(db, no, "/grants", text="one", records=[GRANT])
    async with worker(db, tmp_path) as made:
        write = made._commits.write

        async def suspend_first(group: object) -> object:
            async with db.write() as tx:
                await changes.advance_review(tx, no, ReviewStatus.SUSPENDED, ADMIN)
            return await write(group)  # type: ignore[arg-type]

        made._commits.write = suspend_first  # type: ignore[method-assign,assignment]
        await made.run()
    assert await states(db) == ["waiting"]
    assert await table(db, records) == []


async def test_contacts_are_kept_with_their_pages_and_gone_with_the_last(
    db: Database, tmp_path: Path
) -> None:
    no = await _site(db)
    office = contact("office@site.example", name="The Office")
    await see(db, no, "/", text="home", contacts=[office])
    await see(
        db, no, "/team", text="team", contacts=[contact("office@site.example"), contact("x@site.example")]
    )
    await extract(db, tmp_path)
    rows = {row.value: row for row in await table(db, contacts)}
    assert set(rows) == {"office@site.example", "x@site.example"}
    assert rows["office@site.example"].name == "The Office"
    assert len(await table(db, contact_sources)) == 3
    await see(db, no, "/team", hours=5, text="team 2")
    await extract(db, tmp_path)
    rows = {row.value: row.gone_at is not None for row in await table(db, contacts)}
    assert rows == {"office@site.example": False, "x@site.example": True}
    await see(db, no, "/team", hours=9, text="team 3", contacts=[contact("x@site.example")])
    await extract(db, tmp_path)
    assert not any(row.gone_at for row in await table(db, contacts))


async def test_a_forgotten_contact_does_not_come_back(db: Database, tmp_path: Path) -> None:
    no = await _site(db)
    async with db.write() as tx:
        await forgotten.add_contact(db, tx, "Jo@site.example")
    await see(db, no, "/", text="home", contacts=[contact("jo@site.example"), contact("al@site.example")])
    await extract(db, tmp_path)
    assert [row.value for row in await table(db, contacts)] == ["al@site.example"]


async def test_records_raise_the_priority_of_their_domain(db: Database, tmp_path: Path) -> None:
    no = await _site(db)
    async with db.write() as tx:
        await tx.execute(update(domain_crawl).values(pages_discovered=10, pages_crawled=10))
    before = await get(db, no)
    await see(db, no, "/grants", text="one", records=[GRANT, record("Large Grants")])
    await extract(db, tmp_path)
    after = await get(db, no)
    assert after.records_stored == 2
    assert after.priority_key == before.priority_key + 200


async def test_two_workers_share_the_work_and_do_none_twice(db: Database, tmp_path: Path) -> None:
    for index in range(3):
        no = await _site(db, f"site{index}.example")
        for page in range(10):
            found = [record(f"Grants {page}", deadline="2026-12-01")]
            await see(db, no, f"/{page}", text=f"{page}", records=found)
    done = await asyncio.gather(extract(db, tmp_path), extract(db, tmp_path))
    assert sum(each.progress.pages for each in done) == 30
    assert sum(each.progress.records for each in done) == 30
    assert set(await states(db)) == {"done"}
    assert len(await told(db, "RecordsExtracted")) == 30


async def test_an_ended_claim_is_anybodys_and_its_old_holder_writes_nothing(
    db: Database, tmp_path: Path
) -> None:
    no = await _site(db)
    await see(db, no, "/grants", text="one", records=[GRANT])
    async with db.write() as tx:
        (stale,) = await queue.claim(tx, "old", 5, seconds=-1)
        assert await queue.claim(tx, "new", 5, seconds=60) != []
    async with db.write() as tx:
        assert await queue.still_held(tx, "old", [stale.id]) == set()
        assert await queue.failed(tx, "old", stale.id, "v", "late") is None
        assert await queue.claim(tx, "third", 5, seconds=60) == []
        assert await queue.still_held(tx, "new", [stale.id]) == {stale.id}


async def test_a_pass_goes_on_where_the_last_claim_ended(db: Database) -> None:
    numbers = [await _site(db, f"site{index}.example") for index in range(2)]
    for no in numbers:
        for page in range(3):
            await see(db, no, f"/{page}", text=f"{page}")
    async with db.write() as tx:
        first = await queue.claim(tx, "w", 4, 60)
        last = first[-1]
        rest = await queue.claim(tx, "w", 4, 60, after=queue.PassCursor(last.domain_no, last.id))
    assert [one.domain_no for one in first + rest] == [numbers[0]] * 3 + [numbers[1]] * 3


async def test_a_limit_ends_the_work(db: Database, tmp_path: Path) -> None:
    no = await _site(db)
    for page in range(5):
        await see(db, no, f"/{page}", text=f"{page}")
    assert (await extract(db, tmp_path, limit=3)).progress.pages == 3
    assert sorted(await states(db)) == ["done"] * 3 + ["waiting"] * 2


async def test_a_stopped_worker_gives_back_what_it_did_not_read(db: Database, tmp_path: Path) -> None:
    no = await _site(db)
    for page in range(5):
        await see(db, no, f"/{page}", text=f"{page}", act="hang")

    async def stop_soon(made: ExtractWorker) -> None:
        while not made._in_hand:
            await asyncio.sleep(0.01)
        made.stopping.set()

    async with worker(db, tmp_path, seconds=0.5, continuous=True) as made:
        await asyncio.gather(made.run(), stop_soon(made))
    rows = await table(db, page_snapshots, page_snapshots.c.id)
    assert {row.extract_state for row in rows} == {"waiting"}
    assert sum(row.extract_tries for row in rows) == 1, "the one that was being read"


async def test_nothing_is_read_from_what_was_not_kept(db: Database, tmp_path: Path) -> None:
    no = await _site(db)
    await see(db, no, "/grants", text="one", records=[GRANT])
    async with db.write() as tx:
        await tx.execute(update(page_snapshots).values(body=None))
    await extract(db, tmp_path)
    (row,) = await table(db, page_snapshots)
    assert (row.extract_state, row.extract_error) == ("done", "its content was not kept")


async def test_a_body_that_is_not_what_was_fetched_is_quarantined(db: Database, tmp_path: Path) -> None:
    no = await _site(db)
    await see(db, no, "/grants", text="one", records=[GRANT])
    async with db.write() as tx:
        await tx.execute(update(page_snapshots).values(body=zlib.compress(b"another")))
    await extract(db, tmp_path)
    (row,) = await table(db, page_snapshots)
    assert row.extract_state == "quarantined"
    assert "another content" in row.extract_error
    async with db.read() as tx:
        assert (await tx.execute(select(records))).all() == []


async def test_a_record_of_a_page_that_is_left_is_gone_when_the_crawl_ends(
    db: Database, tmp_path: Path
) -> None:
    no = await _site(db)
    await see(
        db, no, "/grants", text="one", relevant=True, records=[GRANT], contacts=[contact("a@b.example")]
    )
    await extract(db, tmp_path)
    await lose(db, no, "/grants", hours=5)
    async with db.write() as tx:
        await registry_records.note_ends(tx, [(no, datetime.now(UTC))])
    await extract(db, tmp_path)
    (row,) = await table(db, records)
    (person,) = await table(db, contacts)
    assert row.gone_at is not None and person.gone_at is not None
    assert (await get(db, no)).quality_status == "processed_low_quality"
    await see(
        db,
        no,
        "/grants",
        hours=9,
        text="one",
        relevant=True,
        records=[GRANT],
        contacts=[contact("a@b.example")],
    )
    await extract(db, tmp_path)
    (row,) = await table(db, records)
    assert row.gone_at is None, "the page came back as it was"


async def test_forgetting_a_contact_takes_it_out_of_records_and_all_its_pages(
    db: Database, tmp_path: Path
) -> None:
    no = await _site(db)
    fund = record("The Fund", kind="organisation", email="jo@site.example", address="1 High Street")
    for target in ("/", "/team"):
        await see(db, no, target, text=target, records=[fund], contacts=[contact("jo@site.example")])
    await extract(db, tmp_path)
    other = record("The Fund", kind="organisation", email="al@site.example", address="1 High Street")
    await see(db, no, "/", hours=5, text="new", records=[other], contacts=[contact("jo@site.example")])
    await extract(db, tmp_path)
    assert len(await table(db, record_changes)) == 1
    done = await forget_contact(db, tmp_path, DEFAULT_RULES, "JO@site.example", ADMIN)
    assert (done.contacts, done.snapshots) == (1, 3)
    everything = [repr(row) for which in metadata.sorted_tables for row in await table(db, which)]
    assert not [row for row in everything if "jo@" in row.lower()]
    (row,) = await table(db, records)
    assert values(row.fields)["address"] == "1 High Street"
    await see(db, no, "/team", hours=9, text="again", records=[fund], contacts=[contact("jo@site.example")])
    await extract(db, tmp_path)
    assert "jo@" not in repr([await table(db, which) for which in (records, record_sources, contacts)])


async def test_records_follow_a_merged_domain(db: Database, tmp_path: Path) -> None:
    kept = await _site(db, "blog.example.org")
    other = await _site(db, "example.org")
    for no, name in ((kept, "Small Grants"), (other, "Large Grants")):
        shared = record("The Fund", kind="organisation")
        await see(db, no, "/", text=name, records=[record(name), shared])
    await extract(db, tmp_path)
    rules = NameRules(collapse_subdomains=True)  # switched on after both were registered
    await service.merge_domains(db, lambda name: canonical_domain(name, rules), ADMIN, dry_run=False)
    rows = await table(db, records)
    assert sorted(row.name for row in rows) == ["Large Grants", "Small Grants", "The Fund"]
    ids = {row.id for row in rows}
    assert {row.record_id for row in await table(db, record_sources)} == ids
    for which in (records, record_sources, page_snapshots):
        assert {row.domain_no for row in await table(db, which)} == {kept}


async def test_another_reader_may_add_records_after_the_rules(db: Database, tmp_path: Path) -> None:
    no = await _site(db)
    await see(db, no, "/grants", text="one", records=[GRANT])

    async def also(page: Page, reading: Reading) -> Reading:
        assert (page.url, len(reading.records)) == ("https://site.example/grants", 1)
        guess = {
            "region": Field("Bath", Source.MODEL, "in Bath"),
            "name": Field("Small grants", Source.MODEL, ""),
        }
        return replace(reading, records=[*reading.records, FoundRecord("funding_program", guess)])

    async with worker(db, tmp_path) as made:
        made._also = also
        await made.run()
    (row,) = await table(db, records)
    assert (row.name, values(row.fields)["region"]) == ("Small Grants", "Bath")


async def test_a_worker_outlives_a_database_that_is_away_for_a_while(db: Database, tmp_path: Path) -> None:
    no = await _site(db)
    await see(db, no, "/grants", text="one", records=[GRANT])
    async with worker(db, tmp_path) as made:
        write, failures = made._commits.write, [1, 2]

        async def sometimes(group: Sequence[Finished]) -> Written:
            if failures:
                failures.pop()
                raise DatabaseUnreachable("it is away")
            return await write(group)

        made._commits.write = sometimes  # type: ignore[method-assign]
        await made.run()
    assert await states(db) == ["done"]
    assert len(await table(db, records)) == 1


async def test_a_worker_with_old_rules_writes_nothing_and_ends(db: Database, tmp_path: Path) -> None:
    no = await _site(db)
    await see(db, no, "/grants", text="one", records=[GRANT])
    async with worker(db, tmp_path, continuous=True) as old:
        write = old._commits.write

        async def after_others_came(group: Sequence[Finished]) -> Written:
            await extract(db, tmp_path, version="test-2")
            return await write(group)

        old._commits.write = after_others_came  # type: ignore[method-assign]
        with pytest.raises(Refused, match="start it again"):
            await old.run()
    assert await states(db) == ["waiting"]
    assert await table(db, records) == []
    await extract(db, tmp_path, version="test-2")
    assert await states(db) == ["done"]


async def test_a_page_that_no_row_can_hold_is_quarantined_and_the_others_are_written(
    db: Database, tmp_path: Path
) -> None:
    no = await _site(db)
    for page in range(4):
        name = "Bad Grants" if page == 2 else f"Grants {page}"
        await see(db, no, f"/{page}", text=f"{page}", records=[record(name)])
    async with worker(db, tmp_path) as made:
        write = made._commits.write

        async def refusing(group: Sequence[Finished]) -> Written:
            if any(one.reading.records[0].name == "Bad Grants" for one in group):
                async with db.write() as tx:
                    await tx.execute(text("INSERT INTO crawl_ends (domain_no) VALUES (NULL)"))
            return await write(group)

        made._commits.write = refusing  # type: ignore[method-assign]
        await made.run()
    assert sorted(await states(db)) == ["done"] * 3 + ["quarantined"]
    assert len(await table(db, records)) == 3
    (row,) = [row for row in await table(db, page_snapshots) if row.extract_state == "quarantined"]
    assert row.extract_tries == 3
    assert row.extract_error.startswith("what was read cannot be stored: ")


async def test_pages_that_tell_of_very_much_are_written_in_pieces(db: Database, tmp_path: Path) -> None:
    no = await _site(db)
    for page in range(9):
        crowd = [contact(f"p{page}x{number}@site.example") for number in range(300)]
        await see(db, no, f"/{page}", text=f"{page}", records=[record(f"Grants {page}")] * 2, contacts=crowd)
    done = await extract(db, tmp_path, processes=4)
    assert (done.progress.pages, done.progress.quarantined) == (9, 0)
    assert len(await table(db, contacts)) == 2700
