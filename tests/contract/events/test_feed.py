"""The order of events as listeners see it: none skipped, whoever commits when, in order per domain."""

from __future__ import annotations

import asyncio
import random
from contextlib import AsyncExitStack
from itertools import pairwise

import pytest

from surveyor.db import Database
from surveyor.errors import NotFound
from surveyor.registry import feed
from surveyor.registry.events import EventKind, NewEvent
from surveyor.registry.store import events, rows
from surveyor.registry.store import register as facts
from tests.support.lease_help import second_door
from tests.support.registry_help import add_domain


def _note(text: str, no: int | None = None) -> NewEvent:
    return NewEvent(EventKind.DOMAIN_EDITED, "ada", no, reason=text)


async def _write(db: Database, text: str, no: int | None = None) -> None:
    async with db.write() as tx:
        await events.append(tx, [_note(text, no)])


async def _all(db: Database) -> list[str | None]:
    return [told.event.reason for told in await feed.read(db, 0, 10_000)]


async def test_events_are_read_in_order_from_where_the_reader_was(db: Database) -> None:
    domain = await add_domain(db, "example.org")
    for text in ("one", "two", "three"):
        await _write(db, text, domain.no)
    first, *_ = await feed.read(db, 0, 1)
    assert (first.event.reason, first.domain) == ("one", "example.org")
    assert [told.event.reason for told in await feed.read(db, first.event.id, 10)] == ["two", "three"]
    assert [told.event.reason for told in await feed.latest(db, 2)] == ["two", "three"]
    assert await feed.read(db, (await feed.latest(db, 1))[0].event.id, 10) == []


async def test_an_id_that_nobody_was_told_is_refused_with_what_to_do(db: Database) -> None:
    await _write(db, "one")
    with pytest.raises(NotFound, match="begin with 0"):
        await feed.read(db, 77, 10)


async def test_a_transaction_that_is_rolled_back_leaves_no_event_and_stops_nobody(db: Database) -> None:
    await _write(db, "before")
    with pytest.raises(RuntimeError):
        async with db.write() as tx:
            await events.append(tx, [_note("never")])
            raise RuntimeError
    await _write(db, "after")
    assert await _all(db) == ["before", "after"]


@pytest.mark.parametrize("engine_name", ["postgresql"], indirect=True)
async def test_who_commits_late_is_told_late_and_not_skipped(db: Database, db_url: str) -> None:
    async with second_door(db_url) as other:
        async with other.write() as late:
            await events.append(late, [_note("late")])
            await _write(db, "early")
            assert await _all(db) == ["early"], "nobody waits for the one who takes long"
            await _write(db, "meanwhile")
            assert await _all(db) == ["early", "meanwhile"]
        assert await _all(db) == ["early", "meanwhile", "late"]
        assert await _all(db) == ["early", "meanwhile", "late"], "and the order stays"


@pytest.mark.parametrize("engine_name", ["postgresql"], indirect=True)
async def test_the_event_of_an_older_transaction_does_not_overtake_on_one_domain(
    db: Database, db_url: str
) -> None:
    """`second` begins, then `first`, which writes and commits; then `second` writes."""
    domain = await add_domain(db, "example.org")
    async with AsyncExitStack() as doors:
        one, two = [await doors.enter_async_context(second_door(db_url)) for _ in range(2)]
        async with one.write() as second:
            await facts.set_fact(one, second, "second", "x")  # it has its number now
            async with two.write() as first:
                await rows.get(first, domain.no, lock=True)
                await events.append(first, [_note("first", domain.no)])
            await rows.get(second, domain.no, lock=True)
            await events.append(second, [_note("second", domain.no)])
    assert await _all(db) == ["first", "second"]


async def test_writers_that_commit_in_any_order_are_all_heard_once_and_in_order(
    db: Database, db_url: str
) -> None:
    """Eight writers on six domains; a reader pages along all the while, in small steps."""
    domains = [await add_domain(db, f"site{index}.example") for index in range(6)]
    chance = random.Random(7)
    orders = [[(chance.randrange(6), chance.random() < 0.2) for _ in range(25)] for _ in range(8)]
    expected: set[str] = set()
    heard: list[feed.FeedEntry] = []
    running = True

    async def write(through: Database, writer: int) -> None:
        for turn, (place, fails) in enumerate(orders[writer]):
            text = f"{writer}.{turn}"
            try:
                async with through.write() as tx:
                    if not through.is_sqlite:
                        await facts.set_fact(through, tx, f"writer {writer}", text)
                        await asyncio.sleep(0.002 * ((writer + turn) % 4))
                    await rows.get(tx, domains[place].no, lock=True)
                    await events.append(tx, [_note(text, domains[place].no)])
                    if fails:
                        raise RuntimeError
            except RuntimeError:
                continue
            expected.add(text)

    async def listen(through: Database) -> None:
        while True:
            last = not running
            found = await feed.read(through, heard[-1].event.id if heard else 0, 7)
            heard.extend(found)
            if last and not found:
                return
            await asyncio.sleep(0)

    async with AsyncExitStack() as doors:
        writers = [await doors.enter_async_context(second_door(db_url)) for _ in range(4)]
        listener = asyncio.create_task(listen(db))
        await asyncio.gather(*(write(writers[index % 4], index) for index in range(8)))
        running = False
        await listener
    texts = [told.event.reason for told in heard]
    assert len(texts) == len(set(texts))
    assert set(texts) == expected
    for domain in domains:
        ids = [told.event.id for told in heard if told.event.domain_no == domain.no]
        assert all(first < second for first, second in pairwise(ids))


async def test_a_register_that_was_moved_to_another_server_goes_on_telling(db: Database) -> None:
    await _write(db, "before")
    await feed.read(db, 0, 10)
    async with db.write() as tx:
        await facts.set_fact(db, tx, "events_fed_below", str(10**15))
    await _write(db, "after")
    assert await _all(db) == ["before", "after"]
    await _write(db, "later")
    assert await _all(db) == ["before", "after", "later"]


async def test_a_follower_hears_what_comes(db: Database) -> None:
    await _write(db, "old")
    [old] = await feed.latest(db, 1)
    heard: list[str | None] = []

    async def follow() -> None:
        async for told in feed.follow(db, old.event.id, poll_seconds=0.01):
            heard.append(told.event.reason)
            if len(heard) == 2:
                return

    follower = asyncio.create_task(follow())
    for text in ("new", "newer"):
        await asyncio.sleep(0.02)
        await _write(db, text)
    await asyncio.wait_for(follower, 30)
    assert heard == ["new", "newer"]
