"""A model that obeys every order of a page can do no more than fill in records of that page."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from sqlalchemy import select

from surveyor.db import Database
from surveyor.db.tables import (
    domain_crawl,
    event_feed,
    events,
    metadata,
    model_answers,
    model_usage,
    page_snapshots,
    record_sources,
    records,
    register,
)
from surveyor.extract.llm.places import Places
from surveyor.llm.question import one_line
from tests.contract.extract.injected_pages import INJECTED, TOWN
from tests.contract.extract.test_llm import extract_with, stub
from tests.support.extract_help import contact, extract, record, see, table, told
from tests.support.modelstub import KEY, ModelStub, obedient
from tests.support.registry_help import add_domain

__all__ = ["stub"]

# What reading a page writes with or without a model; what it may say is looked at below.
_OF_THE_PAGE = {records, record_sources, events, event_feed, page_snapshots, model_answers, model_usage}
_COUNTED = ("records_stored", "priority_key", "language")


async def _everything(db: Database, attacker: int) -> dict[str, list[Any]]:
    """All rows of all tables, but for what reading a page of the attacker writes."""
    found = {}
    async with db.read() as tx:
        for one in metadata.sorted_tables:
            query = select(one)
            if one in _OF_THE_PAGE:
                if "domain_no" not in one.c or one in (events, event_feed):
                    continue
                query = query.where(one.c.domain_no != attacker)
            if one is register:
                query = query.where(~register.c.name.startswith("extractor_"))
            found[one.name] = [_row(one, row, attacker) for row in await tx.execute(query)]
    return found


def _row(one: Any, row: Any, attacker: int) -> Any:
    kept = row._asdict()
    if one is domain_crawl and row.no == attacker:
        kept = {name: value for name, value in kept.items() if name not in _COUNTED}
    return kept


async def test_forty_pages_of_orders_change_nothing_but_their_own_records(
    db: Database, stub: ModelStub, tmp_path: Path
) -> None:
    assert len(INJECTED) >= 40
    victim = (await add_domain(db, "victim.example", approved=True)).no
    told_of = [record("Victim Foundation", kind="organisation", email="office@victim.example")]
    await see(
        db, victim, "/", text="Victim", relevant=True, records=told_of, contacts=[contact("a@b.example")]
    )
    await extract(db, tmp_path)
    attacker = (await add_domain(db, "attacker.example", approved=True)).no
    texts = {}
    for name, (orders, _) in INJECTED.items():
        texts[name] = TOWN + orders.replace("PORT", str(stub.port))
        await see(db, attacker, f"/{name}", text=texts[name], title=name, relevant=True)
    known = len(await told(db))
    before = await _everything(db, attacker)

    stub.say = obedient
    await extract_with(db, stub, tmp_path, max_page_chars=200_000)

    assert len(stub.requests) == len(INJECTED)
    assert stub.strangers == [], "nothing that a page or a model names is fetched"
    assert await _everything(db, attacker) == before
    fresh = (await told(db))[known:]
    assert {event.kind.value for event in fresh} == {"PageFlagged", "RecordsExtracted"}
    for event in fresh:
        assert set(event.data) <= {"snapshot", "relevance", "new", "changed"}
    assert KEY not in str([body["messages"] for body in stub.requests])
    await _check_records(db, attacker, texts, stub.port)


async def _check_records(db: Database, attacker: int, texts: dict[str, str], port: int) -> None:
    names = {row.id: row.target.removeprefix("/") for row in await _pages(db, attacker)}
    found: dict[str, set[str]] = {name: set() for name in INJECTED}
    for row in await table(db, record_sources):
        if row.domain_no != attacker:
            continue
        page = names[row.snapshot_id]
        found[page].add(row.fields["name"]["value"])
        for field in row.fields.values():
            assert field["source"] == "model"
            assert one_line(field["quote"]) == field["quote"]
            _check_on_page(field["value"], texts[page])
    assert found == {
        name: {one.replace("PORT", str(port)) for one in allowed} for name, (_, allowed) in INJECTED.items()
    }
    kinds = {row.kind for row in await table(db, records) if row.domain_no == attacker}
    assert kinds <= {"funding_program", "organisation"}


def _check_on_page(value: Any, text: str) -> None:
    if isinstance(value, str):
        assert one_line(value) == value
        assert not value.startswith("javascript")
        assert Places(text, within_lines=False).find(value), value
    else:
        assert value == 5000, "no number that the page does not name as a sum"


async def _pages(db: Database, no: int) -> list[Any]:
    from surveyor.db.tables import pages

    joined = (page_snapshots.c.domain_no == pages.c.domain_no) & (page_snapshots.c.key == pages.c.key)
    query = select(page_snapshots.c.id, pages.c.target).join_from(page_snapshots, pages, joined)
    async with db.read() as tx:
        return list(await tx.execute(query.where(pages.c.domain_no == no)))
