"""Extractions of another register: records beside ours, each once, for approved domains alone."""

from __future__ import annotations

import json
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest
from sqlalchemy import select, update

from surveyor.backfill import Destination
from surveyor.backfill.registers import ImportRequest, Run, import_registers
from surveyor.db import Database, current_time
from surveyor.db.tables import (
    domain_crawl,
    events,
    page_snapshots,
    pages,
    record_changes,
    record_sources,
    records,
)
from surveyor.extract.completion import judge_ends
from surveyor.extract.record_set import Contributor, Version
from surveyor.extract.store import queries
from surveyor.extract.store import records as record_store
from surveyor.extract.store.queries import RecordFilter, RecordRow
from surveyor.extract.values import Field, FoundRecord, Source
from surveyor.names import DEFAULT_RULES, canonical_domain, url_key
from surveyor.registry.actors import Actor
from surveyor.registry.check import check
from surveyor.registry.store import records as registry_records
from tests.support.registry_help import add_domain, get

HELP = "https://www.food.example/help"
KEY = url_key("/help")
SNAPSHOTS = [{"id": 70, "url": HELP, "markdown": "# Food Bank", "crawled_at": "2025-03-01"}]
EXTRACTIONS = [
    {"id": 1, "page_snapshot_id": 70, "type": "services", "created_at": "2025-03-02T10:00:00Z",
     "data": {"name": "Food Bank", "phone": "+442079460018", "hours": "Mo-Fr"}},
    {"id": 2, "page_snapshot_id": 70, "type": "business", "data": {"name": "Corner Shop"}},
    {"id": 3, "url": "https://food.example/new", "type": "service", "created_at": "2025-03-02",
     "data": {"name": "Night Shelter"}},
    {"id": 4, "page_snapshot_id": 71, "type": "service", "data": {"name": "x"}},
    {"id": 5, "page_snapshot_id": 70, "type": "planet", "data": {"name": "x"}},
    {"id": 6, "url": "https://strange.example/", "type": "service", "created_at": "2025-03-02",
     "data": {"name": "x"}},
    {"id": 7, "url": "https://waits.example/", "type": "service", "created_at": "2025-03-02",
     "data": {"name": "x"}},
]  # fmt: skip
DOMAINS = [
    {"domain_url": "food.example", "status": "approved", "reviewed_by": "bob"},
    {"domain_url": "waits.example", "status": "pending_review"},
]


def _file(folder: Path, name: str, table: list[dict[str, Any]]) -> str:
    path = folder / f"{name}.jsonl"
    path.write_text("".join(json.dumps(row) + "\n" for row in table))
    return str(path)


@pytest.fixture
def register(tmp_path: Path) -> tuple[str, ...]:
    tables = {"extractions": EXTRACTIONS, "page_snapshots": SNAPSHOTS, "domains": DOMAINS}
    return tuple(_file(tmp_path, name, table) for name, table in tables.items())


async def _import(db: Database, *sources: str, apply: bool = True) -> Run:
    into = Destination(db, Actor.operator(), DEFAULT_RULES, "records", timedelta(days=7))
    return await import_registers(into, ImportRequest(sources, source="old", apply=apply))


def _counts(run: Run) -> tuple[int, int, int, int]:
    table = run.tables[-1]
    assert table.kind == "extractions"
    return (table.new, table.filled, table.kept, sum(table.left_out.values()))


async def _all(db: Database) -> dict[str, list[Any]]:
    tables = (records, record_sources, record_changes, events, pages, page_snapshots, domain_crawl)
    async with db.read() as tx:
        return {
            t.name: [tuple(row) for row in await tx.execute(select(t).order_by(*t.primary_key))]
            for t in tables
        }


async def _records(db: Database, no: int) -> dict[str, RecordRow]:
    async with db.read() as tx:
        return {row.name: row for row in await queries.record_page(tx, RecordFilter(no), 10)}


async def _read(db: Database, no: int, **values: Any) -> None:
    """Extraction reads the page, and finds one record on it or none."""
    fields = {name: Field(value, Source.TEXT, "") for name, value in values.items()}
    found = [FoundRecord("service", fields)] if fields else []
    async with db.write() as tx:
        record_set = await record_store.record_set(tx, no, [KEY], found)
        moment = await current_time(tx)
        record_set.merge_page(Version(KEY, 1, moment, 1), found, Contributor.READING)
        await record_store.write(tx, no, record_set, moment, published=True)


async def test_extractions_become_records_with_their_page_and_a_second_run_changes_nothing(
    db: Database, register: tuple[str, ...]
) -> None:
    dry = await _import(db, *register, apply=False)
    assert not any((await _all(db)).values())
    first = await _import(db, *register)
    assert _counts(dry) == _counts(first) == (3, 0, 0, 4)
    assert dry.tables[-1].left_out == first.tables[-1].left_out
    assert {reason.partition(";")[0] for reason in first.tables[-1].left_out} == {
        "only an id says which page is meant",
        "“planet” is no kind of records",
        "its domain is not in the register",
        "its domain is not approved",
    }
    no = await _number(db)
    found = await _records(db, no)
    assert set(found) == {"Food Bank", "Corner Shop", "Night Shelter"}
    assert found["Food Bank"].values == {"name": "Food Bank", "phone": "+442079460018", "hours": "Mo-Fr"}
    assert found["Food Bank"].last_seen_at == datetime(2025, 3, 2, 10, tzinfo=UTC)
    assert found["Corner Shop"].last_seen_at == datetime(2025, 3, 1, tzinfo=UTC), "as its page"
    assert (await get(db, no)).records_stored == 3
    async with db.read() as tx:
        told = select(record_sources.c.key, pages.c.target).join_from(
            record_sources, pages, pages.c.key == record_sources.c.key
        )
        assert {target for _, target in await tx.execute(told)} == {"/help", "/new"}
        waits = select(pages.c.target).where(pages.c.state == "waiting")
        assert set((await tx.execute(waits)).scalars()) == {"/", "/new"}, "what is new is crawled here"
        named = select(events.c.actor, events.c.data).where(events.c.kind == "RecordsExtracted")
        assert {(who, data["imported"]) for who, data in await tx.execute(named)} == {
            (Actor.operator().name, "old")
        }
    before = await _all(db)
    assert _counts(await _import(db, *register)) == (0, 0, 3, 4)
    assert await _all(db) == before


async def _number(db: Database) -> int:
    async with db.read() as tx:
        return int((await tx.execute(select(page_snapshots.c.domain_no))).scalar_one())


def _row(name: str, when: str, **more: Any) -> dict[str, Any]:
    return {"url": HELP, "kind": "service", "name": name, "extracted_at": when, **more}


async def test_extraction_and_an_import_tell_of_one_page_and_neither_takes_away_the_others(
    db: Database, tmp_path: Path
) -> None:
    no = (await add_domain(db, "food.example")).no
    rows = [_row("Food Bank", "2025-03-02", phone="+442079460018", hours="Mo-Fr"), _row("Soup", "2025-03-02")]
    theirs = _file(tmp_path, "extractions", rows)
    await _import(db, theirs)
    await _read(db, no, name="Food Bank", phone="+442079460000", address="1 Road")
    both = {"name": "Food Bank", "phone": "+442079460000", "address": "1 Road", "hours": "Mo-Fr"}
    found = await _records(db, no)
    assert found["Food Bank"].values == both, "what is read here is believed first"
    assert set(found) == {"Food Bank", "Soup"}, "what extraction did not find is still theirs"
    before = await _all(db)
    assert _counts(await _import(db, theirs)) == (0, 0, 2, 0)
    assert await _all(db) == before
    await _read(db, no)
    assert (await _records(db, no))["Food Bank"].values == {"name": "Food Bank", "hours": "Mo-Fr"}


async def test_an_import_fills_in_what_extraction_read_and_overwrites_nothing(
    db: Database, tmp_path: Path
) -> None:
    no = (await add_domain(db, "food.example")).no
    await _read(db, no, name="Food Bank", phone="+442079460000")
    theirs = _file(
        tmp_path, "extractions", [_row("Food Bank", "2025-03-02", phone="+442079460018", hours="Mo")]
    )
    assert _counts(await _import(db, theirs)) == (0, 1, 0, 0)
    assert (await _records(db, no))["Food Bank"].values == {
        "name": "Food Bank",
        "phone": "+442079460000",
        "hours": "Mo",
    }
    assert not (await _all(db))["record_changes"], "no site changed anything"
    assert await check(db, canonical_domain) == []
    before = await _all(db)
    assert _counts(await _import(db, theirs)) == (0, 0, 1, 0)
    assert await _all(db) == before


async def test_a_dry_run_counts_a_record_once_that_pages_of_several_batches_tell_of(
    db: Database, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("surveyor.backfill.registers.service._BATCH", 2)
    await add_domain(db, "food.example")
    rows = [_row("Food Bank", "2025-03-02") | {"url": f"https://food.example/{n}"} for n in range(5)]
    theirs = _file(tmp_path, "extractions", rows)
    dry = _counts(await _import(db, theirs, apply=False))
    assert dry == _counts(await _import(db, theirs)) == (1, 4, 0, 0)


@pytest.mark.parametrize("order", [1, -1])
async def test_of_several_readings_of_a_page_the_latest_stands_whatever_their_order(
    db: Database, tmp_path: Path, order: int
) -> None:
    no = (await add_domain(db, "food.example")).no
    dated = [("2025-01-01", "Mo", "x"), ("2025-02-01", "Tu", None), ("2025-03-01", "We", None)][::order]
    files = []
    for place, (when, hours, eligibility) in enumerate(dated):
        row = _row("Food Bank", when, hours=hours, eligibility=eligibility)
        files.append(_file(tmp_path, f"extractions{place}", [row]))
    await _import(db, *files)
    latest = {"name": "Food Bank", "hours": "We"}
    assert (await _records(db, no))["Food Bank"].values == latest
    before = await _all(db)
    await _import(db, *files)
    assert await _all(db) == before


async def test_a_page_that_was_read_or_is_gone_here_since_is_left_as_it_is(
    db: Database, tmp_path: Path
) -> None:
    no = (await add_domain(db, "food.example")).no
    theirs = _file(tmp_path, "extractions", [_row("Food Bank", "2025-03-02")])
    await _import(db, theirs)
    async with db.write() as tx:
        moment = await current_time(tx)
        gone = {"state": "ended", "reason": "not_found", "fetched_at": moment, "next_visit_at": None}
        await tx.execute(update(pages).where(pages.c.key == KEY).values(gone))
        await registry_records.note_ends(tx, [(no, moment)])
    await judge_ends(db, Actor.operator(), "records")
    assert await _records(db, no) == {}, "though no version of the page is kept"
    assert _counts(await _import(db, theirs)) == (0, 0, 1, 0)
    assert await _records(db, no) == {}
