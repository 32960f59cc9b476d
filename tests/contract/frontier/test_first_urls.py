"""The first URLs of a domain are handed out as they are added: in a frontier of SQL nobody looks them up."""

from __future__ import annotations

import pytest
from sqlalchemy import insert

from surveyor.db.tables import pages
from surveyor.frontier.changes import RANK_FIRST, RANK_LATER
from surveyor.names import url_key
from tests.contract.frontier.world import World
from tests.support.statements import texts


@pytest.fixture(params=["sql", "sql in partitions"])
def kind(request: pytest.FixtureRequest) -> str:
    return str(request.param)


async def test_what_is_found_first_comes_in_the_same_order_and_is_not_looked_up(world: World) -> None:
    visit = await world.visit(await world.domain())
    visit.add("/later", depth=0, rank=RANK_LATER)
    visit.add("/b", "/a", depth=2)
    visit.add("/c", depth=1)
    taken: list[str] = []

    async def take() -> None:
        taken[:] = await visit.commit(want=3)

    asked = await texts(world.db, take)
    assert taken == ["/c", "/b", "/a"]
    assert not [text for text in asked if "ORDER BY pages.rank" in text]
    assert await visit.take(9) == ["/later"]


async def test_urls_that_others_name_between_the_opening_and_the_first_commit_come_next(world: World) -> None:
    no = await world.domain()
    visit = await world.visit(no)
    for target in ("/named", "/known"):
        row = {"domain_no": no, "key": url_key(target), "target": target, "state": "waiting"}
        async with world.db.write() as tx:
            await tx.execute(insert(pages).values(**row, depth=0, rank=RANK_FIRST, seq=1))
    visit.add("/known", "/", depth=1)
    assert await visit.commit(want=5) == ["/known", "/"]
    assert await visit.take(5) == ["/named"]


async def test_what_an_opening_saw_that_was_rolled_back_counts_for_nothing(world: World) -> None:
    no = await world.domain()
    visit = await world.visit(no)
    async with world.db.write() as tx:
        row = {"domain_no": no, "key": url_key("/named"), "target": "/named", "state": "waiting"}
        await tx.execute(insert(pages).values(**row, depth=0, rank=RANK_FIRST, seq=1))
        await visit.frontier.open(tx, {no: visit.epoch})
    assert await visit.take(5) == ["/named"]
