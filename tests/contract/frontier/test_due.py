"""Pages that are due, taken from every frontier: after what waits, by rank and date, through every death."""

from __future__ import annotations

from sqlalchemy import update

from surveyor.db import later
from surveyor.db.tables import pages
from surveyor.frontier import due_pages
from surveyor.frontier.changes import RANK_FIRST, RANK_LATER, RANK_NORMAL
from surveyor.names import url_key
from tests.contract.frontier.world import Visit, World

PAGES = ("/a", "/b", "/c", "/d")


async def _crawled(world: World) -> tuple[int, Visit]:
    """A domain whose pages are all done."""
    no = await world.domain()
    visit = await world.visit(no)
    visit.add("/")
    await visit.take(1)
    visit.finish("/", *PAGES, content_hash=b"home", etag='"home"')
    await visit.take(4)
    for target in PAGES:
        visit.finish(target, content_hash=target.encode(), etag=f'"{target}"')
    assert await visit.take(1) == []
    return no, visit


async def _set_due(world: World, no: int, dates: dict[str, tuple[int, float]]) -> None:
    """Rank and seconds from now, by target."""
    async with world.db.write() as tx:
        for target, (rank, seconds) in dates.items():
            mine = (pages.c.domain_no == no, pages.c.key == url_key(target))
            await tx.execute(update(pages).where(*mine).values(rank=rank, next_visit_at=later(seconds)))


ALL_DUE = {
    "/a": (RANK_NORMAL, -10.0),
    "/b": (RANK_NORMAL, -20.0),
    "/c": (RANK_FIRST, -5.0),
    "/d": (RANK_LATER, -99.0),
    "/": (RANK_FIRST, 3600.0),
}


async def test_due_pages_come_when_nothing_waits_the_best_and_longest_due_first(world: World) -> None:
    no, visit = await _crawled(world)
    await _set_due(world, no, ALL_DUE)
    before = await world.counters(no)
    visit.add("/new", on="/a")
    assert await visit.take(1) == ["/new"], "what waits goes first"
    visit.finish("/new")
    taken = await visit.take(2) + await visit.take(3)
    # One that lies elsewhere takes them in batches, and keeps the rank within one.
    assert (
        taken == ["/c", "/b", "/a", "/d"]
        if world.redis_url is None
        else ([taken[0], {*taken[1:3]}, taken[3]] == ["/c", {"/a", "/b"}, "/d"])
    )
    past = visit.hand["/b"].past
    assert past is not None and past.content_hash == b"/b"
    assert visit.hand["/b"].etag == '"/b"'
    assert await visit.take(1) == [], "the rest is not due"
    for target in taken:
        visit.finish(target, content_hash=target.encode())
    assert await visit.take(1) == [], "a page that was visited is not due any more"
    await visit.leave()
    after = await world.counters(no)
    assert (after.waiting, after.discovered - before.discovered) == (0, 1)
    assert after.crawled == after.discovered


async def test_due_pages_in_the_hand_of_the_dead_come_back(world: World) -> None:
    no, visit = await _crawled(world)
    await visit.leave()
    await _set_due(world, no, ALL_DUE)
    doomed = await world.visit(no)
    assert len(await doomed.take(3)) == 3
    heir = await world.visit(no)
    assert heir.opened.returned == 3
    assert sorted(await heir.take(2) + await heir.take(9)) == sorted(PAGES)
    assert all(heir.hand[target].past for target in PAGES)
    for target in PAGES:
        heir.finish(target)
    assert await heir.take(5) == []
    await heir.leave()
    assert (await world.counters(no)).waiting == await heir.count() == 0


async def test_due_pages_that_were_not_fetched_wait(world: World) -> None:
    no, visit = await _crawled(world)
    await _set_due(world, no, ALL_DUE)
    assert len(await visit.take(3)) == 3
    await visit.leave()
    waiting = (await world.counters(no)).waiting
    assert waiting >= 3 and waiting == await visit.count()
    again = await world.visit(no)
    assert sorted(await again.take(2) + await again.take(9)) == sorted(PAGES)


async def test_a_redis_that_forgot_everything_knows_what_is_due(world: World) -> None:
    no, visit = await _crawled(world)
    await visit.leave()
    await _set_due(world, no, ALL_DUE)
    await (await world.visit(no)).take(2)
    await world.flush()
    heir = await world.visit(no)
    assert sorted(await heir.take(2) + await heir.take(9)) == sorted(PAGES)


async def test_the_first_date_of_a_domain_is_found_whatever_its_rank(world: World) -> None:
    no, _ = await _crawled(world)
    async with world.db.read() as tx:
        assert await due_pages.next_visit(tx, no) is None
    await _set_due(world, no, {"/a": (RANK_FIRST, 50.0), "/b": (RANK_LATER, 20.0), "/c": (RANK_NORMAL, 70.0)})
    first = (await world.row(no, "/b")).next_visit_at
    async with world.db.read() as tx:
        assert await due_pages.next_visit(tx, no) == first
