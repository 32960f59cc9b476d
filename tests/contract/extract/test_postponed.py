"""Pages that were read while the language model could not be asked are asked about later, on both engines."""

from __future__ import annotations

from collections.abc import AsyncIterator
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest
from sqlalchemy import delete, select, update

from surveyor.db import Database, current_time, later, now
from surveyor.db.tables import model_rests, model_usage, page_snapshots, records
from surveyor.db.tables import register as facts
from surveyor.extract.llm.prompt import Prompt
from surveyor.extract.llm.reader import ModelReader
from surveyor.extract.store import postponed
from surveyor.extract.worker import ExtractWorker, Plan
from surveyor.llm.asking import Asker
from surveyor.llm.endpoint import Endpoint
from surveyor.llm.postponed import Postponed
from surveyor.net.transport import verifying_tls
from surveyor.operations.demand import Demand
from surveyor.settings import NetSettings
from tests.support.extract_help import GROUND, VERSION, InThisProcess, see, states, table
from tests.support.modelstub import ModelStub, telling
from tests.support.registry_help import add_domain

TLS = verifying_tls()  # made once: reading the machine's certificates takes a while
TEXT = "Small Grants\nThe Town Fund gives up to 5,000 EUR.\nApply by 29 January 2027."
GRANT = {"kind": "funding_program", "name": "Small Grants", "funder": "Town Fund"}


@pytest.fixture
async def stub() -> AsyncIterator[ModelStub]:
    async with ModelStub.serve() as stub:
        stub.say = telling(GRANT)
        yield stub


@pytest.fixture
async def site(db: Database) -> int:
    return (await add_domain(db, "site.example", approved=True)).no


async def see_pages(db: Database, no: int, count: int) -> None:
    for place in range(count):
        await see(db, no, f"/{place}", text=f"{place} {TEXT}", relevant=True)


async def extract(
    db: Database, stub: ModelStub, folder: Path, version: str = VERSION, **settings: Any
) -> int:
    """Returns how many pages a worker of its own read."""
    chosen = stub.settings(**settings)
    endpoint = Endpoint(stub.account, chosen, NetSettings(), TLS)
    try:
        reader = ModelReader(Asker(db, endpoint, chosen), Prompt(GROUND.kinds), GROUND, chosen)
        plan = Plan(version=version, yields="records")
        return (await ExtractWorker(db, InThisProcess(), folder, plan, also=reader).run()).pages
    finally:
        await endpoint.close()


async def time_passes(db: Database) -> None:
    """Until the endpoint may be asked again, and into another day."""
    async with db.write() as tx:
        await tx.execute(delete(model_usage))
        await tx.execute(update(model_rests).values(until=now()))
        value = (await tx.execute(select(facts.c.value).where(facts.c.name == "model_postponed"))).scalar()
        if value:
            first = value.split()[1]
            past = f"2020-01-01T00:00:00+00:00 {first}"
            await tx.execute(update(facts).where(facts.c.name == "model_postponed").values(value=past))


async def versions(db: Database) -> set[str]:
    return {row.extractor_version for row in await table(db, page_snapshots)}


@pytest.mark.parametrize("mood", ["no_quota", "limited", "failing", "hang_up"])
async def test_pages_read_while_the_endpoint_fails_are_asked_about_once_it_answers(
    db: Database, stub: ModelStub, site: int, tmp_path: Path, mood: str
) -> None:
    await see_pages(db, site, 4)
    stub.mood = mood
    await extract(db, stub, tmp_path)
    assert await states(db) == ["done"] * 4, "nobody waits for it"
    assert len(stub.requests) == 1
    assert not await Demand(db).of_extraction(), "it is too early"
    assert await extract(db, stub, tmp_path) == 0
    stub.mood = ""
    await time_passes(db)
    assert await Demand(db).of_extraction()
    assert await extract(db, stub, tmp_path) == 4
    assert len(stub.requests) == 5
    assert len(set(stub.pages)) == 4, "each of them"
    assert {row.fields["funder"]["source"] for row in await table(db, records)} == {"model"}
    assert await versions(db) == {VERSION}
    assert not await Demand(db).of_extraction()
    assert await extract(db, stub, tmp_path) == 0, "and once"


async def test_pages_beyond_the_budget_of_the_day_are_asked_about_on_the_next_days(
    db: Database, stub: ModelStub, site: int, tmp_path: Path
) -> None:
    await see_pages(db, site, 5)
    await extract(db, stub, tmp_path, requests_per_day=2)
    assert await states(db) == ["done"] * 5
    (value,) = [row.value for row in await table(db, facts) if row.name == "model_postponed"]
    assert value.split()[0].endswith("T00:00:00+00:00"), "at midnight"
    for asked in (4, 5):
        await time_passes(db)
        await extract(db, stub, tmp_path, requests_per_day=2)
        assert len(stub.requests) == asked
    assert len(set(stub.pages)) == 5
    assert await versions(db) == {VERSION}


async def test_only_pages_that_were_not_asked_about_are_read_again(
    db: Database, stub: ModelStub, site: int, tmp_path: Path
) -> None:
    await see_pages(db, site, 3)
    await extract(db, stub, tmp_path)
    await see(db, site, "/later", text=f"later {TEXT}", relevant=True)
    await see(db, site, "/dull", text="Nothing here.", relevant=False)
    stub.mood = "no_quota"
    assert await extract(db, stub, tmp_path) == 2
    stub.mood = ""
    await time_passes(db)
    assert await extract(db, stub, tmp_path) == 1
    assert stub.pages[-1] == f"A page\nlater {TEXT}"


async def test_a_page_on_which_the_endpoint_fails_is_asked_about_twice_and_then_left(
    db: Database, stub: ModelStub, site: int, tmp_path: Path
) -> None:
    await see_pages(db, site, 1)
    stub.mood = "failing"
    for asked in (1, 2, 2):
        await extract(db, stub, tmp_path)
        assert len(stub.requests) == asked
        await time_passes(db)
    assert await versions(db) == {VERSION}
    (row,) = await table(db, page_snapshots)
    assert row.body is None, "it was kept for this alone"


async def test_a_page_whose_question_failed_has_one_try_left_however_often_it_is_not_asked(
    db: Database, stub: ModelStub, site: int, tmp_path: Path
) -> None:
    await see_pages(db, site, 1)
    stub.mood = "failing"
    await extract(db, stub, tmp_path)
    await time_passes(db)
    async with db.write() as tx:
        await tx.execute(update(model_rests).values(until=later(3_600)))
    assert await extract(db, stub, tmp_path) == 1
    assert len(stub.requests) == 1
    assert await versions(db) == {postponed.marks(VERSION)[1]}
    await time_passes(db)
    await extract(db, stub, tmp_path)
    assert len(stub.requests) == 2
    assert await versions(db) == {VERSION}


async def test_a_page_that_no_day_can_pay_for_is_not_read_again_for_it(
    db: Database, stub: ModelStub, site: int, tmp_path: Path
) -> None:
    await see_pages(db, site, 1)
    assert await extract(db, stub, tmp_path, tokens_per_day=10) == 1
    assert await versions(db) == {VERSION}
    await time_passes(db)
    assert not await Demand(db).of_extraction()


async def test_more_pages_than_one_round_are_found_however_far_apart_their_rows_are(
    db: Database, stub: ModelStub, site: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(postponed, "_WINDOW", 3)
    monkeypatch.setattr(postponed, "_ROUND", 2)
    await see_pages(db, site, 7)
    await extract(db, stub, tmp_path, requests_per_day=2)
    await time_passes(db)
    assert await extract(db, stub, tmp_path) == 5
    assert len(set(stub.pages)) == 7
    assert "model_postponed" not in {row.name for row in await table(db, facts)}


async def test_other_rules_read_everything_anew_and_leave_nothing_to_look_for(
    db: Database, stub: ModelStub, site: int, tmp_path: Path
) -> None:
    await see_pages(db, site, 2)
    stub.mood = "no_quota"
    await extract(db, stub, tmp_path)
    stub.mood = ""
    await time_passes(db)
    assert await extract(db, stub, tmp_path, version="other rules") == 2
    assert await versions(db) == {"other rules"}
    assert "model_postponed" not in {row.name for row in await table(db, facts)}


async def test_the_latest_moment_and_the_first_row_are_noted(db: Database) -> None:
    async with db.write() as tx:
        moment = await current_time(tx)
        first, second = moment - timedelta(hours=2), moment - timedelta(hours=1)
        for until, id_ in ((second, 9), (first, 5), (second, 7)):
            await postponed.note(db, tx, [(id_, Postponed(until))])
        assert await postponed.are_due(tx)
        await postponed.note(db, tx, [(8, Postponed(moment + timedelta(hours=1)))])
        assert not await postponed.are_due(tx)
    (value,) = [row.value for row in await table(db, facts) if row.name == "model_postponed"]
    assert value.endswith(" 5")
