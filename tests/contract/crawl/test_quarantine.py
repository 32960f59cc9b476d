"""A value that no row can hold costs its own page, at the third try for good, and nobody else anything."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Sequence
from datetime import UTC, datetime
from hashlib import sha256
from typing import Any

import pytest
from sqlalchemy import select
from structlog.testing import capture_logs

from surveyor.archive.images import ImageFacts
from surveyor.archive.rights import Rights
from surveyor.crawl import service
from surveyor.crawl.images.commit import ImageCommits
from surveyor.crawl.images.outbox import ImageResult, Sighting
from surveyor.crawl.store import group
from surveyor.crawl.store import images as image_store
from surveyor.crawl.store import visits as visit_store
from surveyor.crawl.store.failures import ATTEMPTS
from surveyor.db import Database
from surveyor.db.tables import crawl_log, domain_crawl, image_urls, robots, write_failures
from surveyor.errors import DatabaseError, Deadlocked
from surveyor.frontier.protocol import Frontier
from surveyor.names import url_key
from surveyor.net.robots import RobotsRow
from tests.contract.frontier.world import Visit, World, committer, new_world
from tests.support.registry_help import add_domain

_MOMENT = datetime(2026, 1, 1, tzinfo=UTC)
_TARGETS = ("/", "/good", "/bad")
UNWRITABLE = "a lone \ud800 surrogate"


@pytest.fixture(params=["sql", "redis"])
async def world(db: Database, request: pytest.FixtureRequest) -> AsyncIterator[World]:
    url = request.getfixturevalue("valkey").url if request.param == "redis" else None
    async with new_world(db, url) as made:
        yield made


async def _visits(world: World, *names: str) -> list[Visit]:
    """One worker with these domains, three pages of each in hand."""
    frontier = world.new_frontier()
    found = [await world.visit(await world.domain(name), frontier, "worker") for name in names]
    for visit in found:
        visit.committer = found[0].committer
        visit.committer.join(visit.member)
        visit.add(*_TARGETS)
        await visit.take(len(_TARGETS))
    return found


async def _again(world: World, visit: Visit, frontier: Frontier | None = None) -> Visit:
    """The lost visit lets go, and the next one takes what waits."""
    async with world.db.write() as tx:
        await visit_store.let_go(tx, visit.frontier, visit.lease)
    later = await world.visit(visit.no, frontier)
    await later.take(len(_TARGETS))
    return later


async def _states(world: World, no: int, targets: Sequence[str] = _TARGETS) -> list[str | None]:
    rows = [await world.row(no, target) for target in targets]
    return [None if row is None else row.state for row in rows]


async def test_neighbours_of_a_page_that_cannot_be_written_are_written(world: World) -> None:
    bad, other = await _visits(world, "a.example", "b.example")
    for target in _TARGETS:
        bad.finish(target, f"{target}link")
        other.finish(target)
    bad.outbox.results[-1].etag = UNWRITABLE
    bad.outbox.want = other.outbox.want = 1
    await bad.committer.commit()
    assert bad.committer.failure is None
    assert bad.is_lost and not other.is_lost, "only its own visit begins anew, from what is true"
    assert await _states(world, bad.no) in (["done", "done", "taken"], ["done", "done", None])
    assert await _states(world, other.no) == ["done", "done", "done"]
    assert (await world.counters(bad.no)).crawled == 2
    async with world.db.read() as tx:
        found = (await tx.execute(select(write_failures))).one()
    assert (found.domain_no, found.kind, found.key, found.tries) == (bad.no, "page", url_key("/bad"), 1)
    found_later = await _again(world, bad)
    assert sorted(found_later.hand) == ["/bad", "/goodlink", "/link"], "its own link is not known yet"


async def test_the_third_refusal_quarantines_the_page_also_across_restarts(world: World) -> None:
    (visit,) = await _visits(world, "a.example")
    for target in ("/", "/good"):
        visit.finish(target)
    for number in range(ATTEMPTS):
        assert await service.count_quarantined(world.db) == 0
        visit.finish("/bad")
        visit.outbox.results[-1].title = visit.outbox.results[-1].etag = UNWRITABLE
        await visit.committer.commit(visit.member)
        assert visit.committer.failure is None and visit.is_lost
        if number < ATTEMPTS - 1:
            visit = await _again(world, visit)  # with a frontier and a committer of its own, as a new process
            assert list(visit.hand) == ["/bad"]
    row = await world.row(visit.no, "/bad")
    assert (row.state, row.reason, row.etag) == ("ended", "quarantined", None)
    assert await service.count_quarantined(world.db) == 1
    last = await _again(world, visit)
    assert not last.hand and await last.count() == 0
    assert (await world.counters(visit.no)).waiting == 0
    async with world.db.read() as tx:
        logged = (await tx.execute(select(crawl_log.c.url, crawl_log.c.reason))).all()
    assert ("https://a.example/bad", "quarantined") in [tuple(row) for row in logged]


async def test_links_of_a_page_come_with_it_and_not_without_it(world: World) -> None:
    (visit,) = await _visits(world, "a.example")
    visit.finish("/bad", "/below")
    visit.outbox.results[-1].status = 10**30
    await visit.committer.commit(visit.member)
    later = await _again(world, visit)
    assert sorted(later.hand) == ["/", "/bad", "/good"]
    later.finish("/bad", "/below")  # the site has mended it
    assert await later.commit(want=1) == ["/below"]
    assert (await world.row(visit.no, "/bad")).state == "done"


async def test_a_robots_txt_that_cannot_be_written_costs_no_page(world: World) -> None:
    (visit,) = await _visits(world, "a.example")
    visit.finish("/good")
    moment = (_MOMENT, _MOMENT)
    visit.outbox.robots.append(RobotsRow("https://a.example", "allowed", 200, UNWRITABLE, *moment, "", b""))
    await visit.committer.commit(visit.member)
    assert visit.committer.failure is None
    assert (await world.row(visit.no, "/good")).state == "done"
    async with world.db.read() as tx:
        assert (await tx.execute(select(robots))).all() == []
        assert (await tx.execute(select(write_failures))).all() == []


async def test_a_database_that_has_no_such_column_is_an_error_of_all(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    (visit,) = await _visits(world, "a.example")
    visit.finish("/good")

    async def broken(*_: object) -> None:
        raise DatabaseError("no such column: title")

    monkeypatch.setattr("surveyor.crawl.store.group.write_pages", broken)
    await visit.committer.commit(visit.member)
    assert visit.committer.failure is not None, "no page is to blame, so none is counted"
    async with world.db.read() as tx:
        assert (await tx.execute(select(write_failures))).all() == []


async def test_an_image_that_cannot_be_written_is_quarantined_and_the_others_are_stored(
    db: Database,
) -> None:
    async with new_world(db, None) as world:
        visit = await world.visit(await world.domain(), worker="worker")
        of_images = ImageCommits(world.run, approve_assets=False)
        with capture_logs() as lines:
            for number in range(ATTEMPTS):
                visit.committer = committer(world, visit.frontier, "worker", of_images)
                if number == 0:
                    visit.outbox.images.sightings += [_shown("/good.png"), _shown("/bad.png")]
                visit.outbox.images.want = 2
                await visit.committer.commit(visit.member)
                visit.outbox.images.results += [_fetched("/good.png", ""), _fetched("/bad.png", UNWRITABLE)]
                await visit.committer.commit(visit.member)
                assert visit.is_lost and visit.committer.failure is None
                async with db.write() as tx:
                    await image_store.open_host(tx, visit.no)
                visit = await world.visit(visit.no, worker="worker")
        told = [(line["event"], line["url"]) for line in lines if line.get("url")]
        refused = [("image not written", "https://a.example/bad.png")] * ATTEMPTS
        assert told == [*refused, ("image quarantined", "https://a.example/bad.png")]
        async with db.read() as tx:
            query = select(image_urls.c.target, image_urls.c.state, image_urls.c.reason)
            states = {target: (state, reason) for target, state, reason in await tx.execute(query)}
        assert states == {"/good.png": ("done", None), "/bad.png": ("ended", "quarantined")}


def _shown(target: str) -> Sighting:
    return Sighting(None, url_key(target), target, f"https://a.example{target}", 7, "", _MOMENT)


def _fetched(target: str, creator: str) -> ImageResult:
    result = ImageResult(url_key(target), f"https://a.example{target}", "done", _MOMENT, status=200)
    content = sha256(target.encode()).digest()
    result.facts = ImageFacts("png", 64, 48, content, 0, Rights(creator=creator))
    result.file, result.size = "ab/cd/x.png", 10
    return result


async def test_a_group_that_stood_crosswise_to_another_workers_is_tried_again(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    (visit,) = await _visits(world, "a.example")
    visit.finish("/good")
    real, failures = group.write_pages, [Deadlocked("deadlock detected")]

    async def fails_once(*arguments: Any) -> None:
        if failures:
            raise failures.pop()
        await real(*arguments)

    monkeypatch.setattr(group, "write_pages", fails_once)
    assert await visit.commit(want=1) == [], "all three are in hand"
    assert not visit.is_lost and (await world.row(visit.no, "/good")).state == "done"


@pytest.mark.parametrize("engine_name", ["postgresql"])
async def test_two_transactions_that_wait_for_each_other_are_told_apart_from_other_errors(
    db: Database,
) -> None:
    numbers = [(await add_domain(db, f"{letter}.example")).no for letter in "ab"]
    both = asyncio.Barrier(2)

    async def lock(first: int, second: int) -> None:
        async with db.write() as tx:
            await tx.execute(select(domain_crawl).where(domain_crawl.c.no == first).with_for_update())
            await both.wait()
            await tx.execute(select(domain_crawl).where(domain_crawl.c.no == second).with_for_update())

    done = await asyncio.gather(lock(*numbers), lock(*reversed(numbers)), return_exceptions=True)
    assert sorted(type(one) for one in done if one is not None) == [Deadlocked]
