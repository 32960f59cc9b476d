"""A language model beside the rules, as a person runs it: real pages, real processes, a stub on loopback."""

from __future__ import annotations

import asyncio
import hashlib
import zlib
from collections.abc import Callable, Coroutine, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from surveyor.crawl.results import PageResult
from surveyor.crawl.store import group
from surveyor.db import Database
from surveyor.db.tables import model_answers, page_snapshots, records
from surveyor.names import url_key
from surveyor.settings import DatabaseSettings
from tests.support import modelstub
from tests.support.cli_help import Ran, fork, surveyor
from tests.support.extract_help import START, table
from tests.support.in_thread import in_thread
from tests.support.modelstub import KEY, ModelStub, telling
from tests.support.registry_help import add_domain

PAGE = """<html lang="en"><title>Small Grants {place}</title><main><h1>Small Grants {place}</h1>
<p>The Town Fund supports projects of local charities with grants of up to 5,000 EUR.</p>
<h2>Who can apply</h2><p>Registered charities and associations may apply for funding.</p>
<h2>Deadline</h2><p>Applications are accepted until 29 January 2027. Apply for this grant online.</p>
</main></html>"""
ORGANISATION = {"kind": "organisation", "name": "Town Fund", "phone": None}


@dataclass
class World:
    folder: Path
    db_url: str
    stub: ModelStub

    @property
    def settings(self) -> dict[str, str]:
        return {
            "SURVEYOR_DATABASE__URL": self.db_url,
            "SURVEYOR_MODEL__URL": self.stub.url,
            "SURVEYOR_MODEL__NAME": "small-1",
            "SURVEYOR_MODEL__KEY_FILE": "model.key",
        }

    def run(self, *arguments: str, **more: str) -> Ran:
        return surveyor(*arguments, workspace=self.folder, **(self.settings | more))

    def with_database(self, act: Callable[[Database], Coroutine[Any, Any, Any]]) -> Any:
        async def whole() -> Any:
            db = Database.open(DatabaseSettings(url=self.db_url), self.folder)
            try:
                return await act(db)
            finally:
                await db.close()

        return asyncio.run(whole())


@pytest.fixture
def world(tmp_path: Path, db_url: str) -> Iterator[World]:
    with in_thread(modelstub.ModelStub.serve) as stub:
        made = World(tmp_path / "w", db_url, stub)
        assert surveyor("init", made.folder, SURVEYOR_DATABASE__URL=made.db_url).code == 0
        (made.folder / "model.key").write_text(f"{KEY}\n")
        yield made


async def _fetched(db: Database, count: int) -> None:
    """A crawl has fetched these pages."""
    no = (await add_domain(db, "fund.example", approved=True)).no
    for place in range(count):
        body, target = PAGE.format(place=place).encode(), f"/{place}"
        one = PageResult(url_key(target), f"https://fund.example{target}", target, 1, "done", START)
        one.content_hash, one.bytes = hashlib.sha256(body).digest(), len(body)
        one.content_type, one.body = "text/html", zlib.compress(body)
        async with db.write() as tx:
            await group.write_pages(tx, [(no, one)])
            await group.write_snapshots(tx, [(no, one)])


@pytest.mark.parametrize("engine_name", ["sqlite"])
def test_processes_that_read_at_once_keep_to_one_budget(world: World) -> None:
    world.with_database(lambda db: _fetched(db, 12))
    world.stub.say, world.stub.pause = telling(ORGANISATION), 0.02
    budget = {"SURVEYOR_MODEL__REQUESTS_PER_DAY": "5"}
    running = [fork("extract", workspace=world.folder, **world.settings, **budget) for _ in range(2)]
    told = [one.communicate(timeout=200)[1].decode() for one in running]
    assert [one.returncode for one in running] == [0, 0], told
    assert len(world.stub.requests) == 5
    assert set(world.stub.keys) == {f"Bearer {KEY}"}
    assert not any(KEY in one for one in told)
    versions = world.with_database(lambda db: table(db, page_snapshots))
    assert {row.extract_state for row in versions} == {"done"}
    found = world.with_database(lambda db: table(db, records))
    (town,) = [row for row in found if row.kind == "organisation" and row.name == "Town Fund"]
    assert town.fields["name"]["source"] == "model"
    assert len(world.with_database(lambda db: table(db, model_answers))) == 5
    checked = world.run("doctor", "--json", **budget)
    (line,) = [check for check in checked.json if check["name"] == "model"]
    assert line["message"].startswith("small-1: 5 of 5 requests and 1,500 of 1,000,000 tokens used today")
    assert KEY not in checked.out


@pytest.mark.parametrize("engine_name", ["sqlite"])
def test_half_a_setting_is_refused_in_one_line(world: World) -> None:
    refused = world.run("extract", SURVEYOR_MODEL__NAME="")
    assert refused.code == 2
    assert "model.name is empty" in refused.err
    assert "Traceback" not in refused.err
    (check,) = [
        one for one in world.run("doctor", "--json", SURVEYOR_MODEL__NAME="").json if one["name"] == "model"
    ]
    assert check["result"] == "fail"
