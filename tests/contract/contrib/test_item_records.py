"""Records out of items: written when their page is over, replaced by the next visit, beside what is read."""

from __future__ import annotations

from typing import Any

from surveyor.contrib.scrapy.queue import RequestFrontier
from surveyor.db import Database, current_time
from surveyor.extract.contributed import PageRecords, RecordWriter
from surveyor.extract.record_set import Contributor, Version
from surveyor.extract.store import queries
from surveyor.extract.store import records as record_store
from surveyor.extract.store.queries import RecordFilter, RecordRow
from surveyor.extract.values import Field, FoundRecord, Source
from surveyor.frontier.changes import RANK_NORMAL, DomainChanges, NewUrl
from surveyor.frontier.sql import SqlFrontier
from surveyor.registry.actors import Actor
from surveyor.registry.store import forgotten
from tests.support.registry_help import add_domain, claim_one, get

PAGE = 7
WRITER = RecordWriter(Actor.worker("a-worker"), "records")


def _found(name: str, source: Source = Source.ITEM, **more: Any) -> FoundRecord:
    values = {"name": name, **more}
    return FoundRecord("organisation", {key: Field(value, source, "") for key, value in values.items()})


async def _write(db: Database, no: int, *found: FoundRecord, whole: bool = True) -> None:
    contributor = Contributor.ITEMS if whole else Contributor.SOME_ITEMS
    async with db.write() as tx:
        await WRITER.write(tx, no, [PageRecords(PAGE, list(found), contributor)])


async def _read(db: Database, no: int, *found: FoundRecord) -> None:
    """Extraction reads the same page."""
    async with db.write() as tx:
        record_set = await record_store.record_set(tx, no, [PAGE], found)
        moment = await current_time(tx)
        record_set.merge_page(Version(PAGE, 5, moment, 5), found, Contributor.READING)
        await record_store.write(tx, no, record_set, moment, published=True)


async def _records(db: Database, no: int) -> dict[str, RecordRow]:
    async with db.read() as tx:
        return {row.name: row for row in await queries.record_page(tx, RecordFilter(no), 10)}


async def test_items_become_records_with_the_commit_that_makes_their_page_over(db: Database) -> None:
    await add_domain(db, "a.example")
    lease = await claim_one(db)
    frontier = RequestFrontier(SqlFrontier(), WRITER)
    async with db.write() as tx:
        await frontier.open(tx, {lease.no: lease.epoch})
    frontier.keep_records(lease.no, PageRecords(PAGE, [_found("Food Bank")], Contributor.ITEMS))
    for changes, names in (
        (DomainChanges(lease.no, lease.epoch, [NewUrl(PAGE, "/x", 0, RANK_NORMAL, None)]), set[str]()),
        (DomainChanges(lease.no, lease.epoch, finished=[PAGE]), {"Food Bank"}),
    ):
        async with db.write() as tx:
            applied = await frontier.apply(tx, [changes])
        await frontier.settle(db, [changes], applied)
        assert set(await _records(db, lease.no)) == names
    assert (await get(db, lease.no)).records_stored == 1


async def test_a_page_that_comes_again_without_an_item_withdraws_its_record_unless_one_was_refused(
    db: Database,
) -> None:
    no = (await add_domain(db, "a.example")).no
    await _write(db, no, _found("Food Bank", phone="+442079460018"), _found("Night Shelter"))
    await _write(db, no, _found("Night Shelter"), whole=False)
    assert set(await _records(db, no)) == {"Food Bank", "Night Shelter"}
    await _write(db, no, _found("Food Bank", phone="+442079460019"))
    found = await _records(db, no)
    assert set(found) == {"Food Bank"}
    assert found["Food Bank"].values["phone"] == "+442079460019"
    async with db.read() as tx:
        changed = [
            (one.field, one.old, one.new) for one in await queries.changes(tx, found["Food Bank"].id, 5)
        ]
    assert changed == [("phone", "+442079460018", "+442079460019")]


async def test_a_spider_and_extraction_tell_of_one_page_and_neither_takes_away_the_others(
    db: Database,
) -> None:
    no = (await add_domain(db, "a.example")).no
    await _write(db, no, _found("Food Bank", phone="+442079460018"))
    await _read(db, no, _found("Food Bank", Source.JSON_LD, phone="+442079460000", email="post@a.example"))
    both = {"name": "Food Bank", "phone": "+442079460018", "email": "post@a.example"}
    assert (await _records(db, no))["Food Bank"].values == both, "items are believed first"
    await _read(db, no)
    assert (await _records(db, no))["Food Bank"].values == {"name": "Food Bank", "phone": "+442079460018"}
    await _read(db, no, _found("Food Bank", Source.JSON_LD, email="post@a.example"))
    await _write(db, no)
    assert (await _records(db, no))["Food Bank"].values == {"name": "Food Bank", "email": "post@a.example"}
    await _read(db, no)
    assert await _records(db, no) == {}


async def test_what_somebody_asked_to_be_forgotten_is_not_kept(db: Database) -> None:
    no = (await add_domain(db, "a.example")).no
    async with db.write() as tx:
        await forgotten.add_contact(db, tx, "jo@a.example")
    await _write(db, no, _found("Food Bank", email="jo@a.example"))
    assert (await _records(db, no))["Food Bank"].values == {"name": "Food Bank"}
