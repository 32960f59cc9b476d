"""What only a frontier in Redis has to promise: it may be lost, late, full or somebody else's."""

from __future__ import annotations

import signal
from collections.abc import AsyncIterator, Sequence
from itertools import count
from pathlib import Path
from typing import Any

import pytest
from redis.asyncio import Redis
from redis.crc import key_slot
from structlog.testing import capture_logs

from surveyor.crawl import service
from surveyor.crawl.store import visits
from surveyor.db import Database
from surveyor.errors import BadSettings, FrontierLost, FrontierUnreachable, LeaseLost
from surveyor.frontier import reconcile
from surveyor.frontier.changes import RANK_FIRST, NewUrl
from surveyor.frontier.reconcile import Checkpoint
from surveyor.frontier.redis import scripts
from surveyor.frontier.redis.connect import connect, new_client
from surveyor.frontier.redis.scripts import Call, facts_key
from surveyor.frontier.redis.steps import Step, Steps
from surveyor.frontier.sql import SqlFrontier
from surveyor.names import url_key
from surveyor.settings import DatabaseSettings
from tests.contract.frontier.world import Died, Visit, World, new_world
from tests.support import servers
from tests.support.lease_help import write_crawl
from tests.support.registry_help import ADMIN, get


@pytest.fixture
async def db(sqlite_template: Path, tmp_path: Path) -> AsyncIterator[Database]:
    """SQLite alone: what differs here is Redis."""
    path = tmp_path / "surveyor.db"
    path.write_bytes(sqlite_template.read_bytes())
    database = Database.open(DatabaseSettings(url=f"sqlite:///{path}"), tmp_path)
    yield database
    await database.close()


@pytest.fixture
def kind() -> str:
    return "redis"


@pytest.fixture
async def client(redis_url: str) -> AsyncIterator[Redis]:
    client = new_client(redis_url)
    yield client
    await client.aclose()


async def crawled(world: World, no: int) -> Visit:
    """A visit in the middle: two pages over, one moved, one in hand, some waiting, some cut."""
    visit = await world.visit(no)
    visit.add("/", depth=0, rank=RANK_FIRST)
    await visit.commit(want=1)
    visit.finish("/", "/a", "/b", "/moved")
    await visit.commit(want=3)
    visit.finish("/a", "/a/1", "/a/2", "/b", cut=["/too/deep"], traps=["/trap"])
    visit.finish("/moved", "/new", state="ended", reason="redirect", status=301)
    visit.add("/submitted", depth=0)
    await visit.commit()
    return visit


WAITING = {"/b": 1, "/a/1": 2, "/a/2": 2, "/new": 1, "/submitted": 0}


async def drained(visit: Visit) -> dict[str, int]:
    """All that waits, with its depth."""
    await visit.commit(want=99)
    return {target: url.depth for target, url in visit.hand.items()}


# --- lost


async def test_a_flushed_redis_is_noticed_and_the_frontier_rebuilt(world: World) -> None:
    no = await world.domain()
    await crawled(world, no)
    before = await world.counters(no)
    await world.flush()
    visit = await world.visit(no)
    assert await drained(visit) == WAITING
    visit.add("/", "/a", "/moved", "/trap", "/too/deep", depth=4, on="/x", cut="depth")
    visit.add("/too/deep", depth=2, on="/x")
    visit.add("/trap", depth=2, on="/x")
    assert await visit.commit(want=9) == ["/too/deep"]
    await visit.leave()
    found = await world.counters(no)
    assert (found.discovered, found.waiting) == (before.discovered + 1 + 4, len(WAITING) + 1)


async def test_another_empty_server_is_no_reason_to_fetch_anything_again(
    world: World, valkey: servers.Valkey
) -> None:
    no = await world.domain()
    await crawled(world, no)
    world.redis_url = valkey.url
    assert await drained(await world.visit(no)) == WAITING


async def test_a_redis_that_forgets_in_the_middle_of_a_visit_ends_the_visit(world: World) -> None:
    no = await world.domain()
    visit = await crawled(world, no)
    await world.flush()
    visit.finish("/b", "/b/1")
    with pytest.raises(FrontierLost):
        await visit.commit(want=1)
    expected = {target: depth for target, depth in WAITING.items() if target != "/b"} | {"/b/1": 2}
    assert await drained(await world.visit(no)) == expected
    assert (await world.counters(no)).waiting == len(expected)


async def test_a_rebuilt_page_keeps_its_rank_where_the_database_knows_it(world: World) -> None:
    no = await world.domain()
    await crawled(world, no)
    await world.flush()
    visit = await world.visit(no)
    assert (await visit.take(2))[0] == "/new"  # a redirect's target goes first


# --- late


async def test_a_group_that_redis_never_heard_of_is_read_from_the_database(world: World) -> None:
    no = await world.domain()
    visit = await crawled(world, no)
    visit.finish("/b", "/b/1", "/a", cut=["/b/deep"], traps=["/b/trap"])
    visit.add("/late/submission", depth=1)
    await visit.die_unsettled(want=2)
    visit = await world.visit(no)
    expected = {target: depth for target, depth in WAITING.items() if target != "/b"}
    assert await visit.count() == (await world.counters(no)).waiting == len(expected) + 2
    assert await drained(visit) == expected | {"/b/1": 2, "/late/submission": 1}
    visit.add("/b/trap", "/b", on="/x")
    assert await visit.commit(want=9) == []


async def test_a_redis_that_came_back_older_is_brought_up_to_date(world: World) -> None:
    """As after a crash that cost it its last second."""
    no = await world.domain()
    visit = await crawled(world, no)
    old = await world.redis_keys()
    await visit.commit(want=2)
    visit.finish("/submitted", "/s/1")
    visit.finish("/b", "/b/1")
    await visit.commit(want=1)
    visit.finish(next(iter(visit.hand)), "/c/1")
    await visit.commit()
    left = await drained(visit)
    await world.restore(old)
    visit = await world.visit(no)
    assert await drained(visit) == left
    assert (await world.counters(no)).waiting == len(left)


@pytest.mark.parametrize("groups", [1, 2])
async def test_whoever_dies_while_reading_on_leaves_everything_to_the_next(
    world: World, groups: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """At each of its steps: what is over must not be called so before its links wait."""
    left = {target: depth for target, depth in WAITING.items() if target != "/b"} | {"/b/1": 2}
    for place in range(1, 50):
        no = await world.domain(f"d{place}.example")
        visit = await crawled(world, no)
        await visit.commit(want=1)
        visit.finish("/b", "/b/1")
        await visit.die_unsettled()
        if groups == 2:
            await write_crawl(world.db, no, frontier_checkpoint_id=await _one_group_more(world, no))
        with monkeypatch.context() as patch:
            _dies_at(patch, place)
            try:
                last = await world.visit(no)
            except Died:
                last = None
        assert await drained(last or await world.visit(no)) == left, f"it died at step {place}"
        if last is not None:
            break
    assert 5 < place < 49


async def _one_group_more(world: World, no: int) -> str:
    known = Checkpoint.read((await get(world.db, no)).frontier_checkpoint_id)
    assert known is not None
    return known._replace(group=known.group + 1).text


def _dies_at(patch: pytest.MonkeyPatch, place: int) -> None:
    """The process ends when it is about to run the script of that number."""
    real, numbers = scripts.run_all, count(1)

    async def run_all(client: Redis, calls: Sequence[Call]) -> list[Any]:
        if next(numbers) == place:
            raise Died
        return await real(client, calls)

    patch.setattr(scripts, "run_all", run_all)


async def test_a_redis_that_knows_more_than_the_database_is_not_believed(world: World) -> None:
    """As after the database was restored from a backup."""
    no = await world.domain()
    visit = await crawled(world, no)
    backup = (await get(world.db, no)).frontier_checkpoint_id
    visit.add("/only/in/redis", on="/nowhere")
    await visit.commit()
    await write_crawl(world.db, no, frontier_checkpoint_id=backup)
    assert await drained(await world.visit(no)) == WAITING


async def test_a_ghost_that_settles_after_it_lost_its_domain_changes_nothing(world: World) -> None:
    no = await world.domain()
    visit = await crawled(world, no)
    visit.finish("/b", "/b/1")
    settle = await visit.die_unsettled(want=3)
    heir = await world.visit(no)
    first = await heir.take(1)
    assert await settle() == {}
    assert await heir.count() == (await world.counters(no)).waiting - 1 == len(WAITING) - 1
    assert not set(first) & set(await heir.take(99))


@pytest.mark.parametrize("links", [10, 6_000], ids=["few", "many"])
async def test_a_domain_that_is_lost_while_it_settles_drops_out_alone(world: World, links: int) -> None:
    frontier = world.new_frontier()
    held = [await world.visit(await world.domain(f"d{n}.example"), frontier, "w") for n in range(2)]
    for visit in held:
        held[0].committer.join(visit.member)
        visit.add(*(f"/{number}" for number in range(links)), on="/")
        visit.outbox.want = 1
    mine, lost = held
    real = frontier.settle

    async def settle(*said: Any) -> Any:
        await Steps(world.clients[0]).open(lost.no, lost.epoch + 1)  # somebody claimed it just now
        return await real(*said)

    frontier.settle = settle  # type: ignore[method-assign]
    await mine.committer.commit()
    assert (mine.is_lost, lost.is_lost) == (False, True)
    assert (mine.receive(), lost.receive()) == (["/0"], [])


async def test_a_domain_that_is_lost_while_it_looks_again_drops_out_alone(world: World) -> None:
    no = await world.domain()
    visit = await world.visit(no)
    visit.add("/a")
    await visit.commit(want=1)
    visit.finish("/a")
    await visit.commit()
    await service.recrawl(world.db, "a.example", ADMIN)
    real = visit.frontier.settle

    async def settle(*said: Any) -> Any:
        await write_crawl(world.db, no, lease_epoch=visit.epoch + 1)
        return await real(*said)

    visit.frontier.settle = settle  # type: ignore[method-assign]
    assert await visit.commit(want=1) == []
    assert visit.is_lost
    assert (await world.row(no, "/a")).state == "waiting"


async def test_a_redis_from_before_pages_were_asked_for_again_is_not_believed(world: World) -> None:
    no = await world.domain()
    visit = await world.visit(no)
    visit.add("/a")
    await visit.commit(want=1)
    visit.finish("/a")
    await visit.commit()
    await service.recrawl(world.db, "a.example", ADMIN)
    old: dict[bytes, bytes] = {}

    async def remember(*_: Any) -> set[int]:
        old.update(await world.redis_keys())
        return {no}

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(reconcile, "with_waiting", remember)  # asked before it looks again
        assert await visit.commit(want=1) == ["/a"]
    visit.finish("/a", "/new")
    await visit.commit()
    await world.restore(old)
    assert await drained(await world.visit(no)) == {"/new": 2}


async def test_a_redis_from_before_pages_were_handed_over_is_not_believed(world: World) -> None:
    no = await world.domain()
    visit = await world.visit(no)
    visit.add("/a")
    await visit.commit(want=1)
    visit.finish("/a")
    await visit.leave()
    old = await world.redis_keys()
    await service.recrawl(world.db, "a.example", ADMIN)
    visit = await world.visit(no)
    assert await visit.take(1) == ["/a"]
    visit.finish("/a", "/new")
    await visit.commit()
    await world.restore(old)
    assert await drained(await world.visit(no)) == {"/new": 2}


async def test_a_ghost_hands_nothing_over(world: World) -> None:
    no = await world.domain()
    visit = await world.visit(no, SqlFrontier())
    visit.add("/a")
    await visit.commit()
    with pytest.raises(LeaseLost):
        async with world.db.write() as tx:
            await reconcile.hand_over(tx, no, visit.epoch - 1, [url_key("/a")])
    assert (await world.row(no, "/a")).state == "waiting"


async def test_a_ghost_takes_nothing_back(world: World) -> None:
    no = await world.domain()
    visit = await crawled(world, no)
    with pytest.raises(LeaseLost):
        await SqlFrontier().prepare(world.db, no, visit.epoch - 1)
    assert await world.row(no, "/a/1") is None
    assert await drained(visit) == WAITING


# --- not to be used


async def test_a_redis_that_evicts_keys_is_refused(db: Database) -> None:
    server = servers.Valkey.create("--maxmemory-policy", "allkeys-lru")
    try:
        with pytest.raises(BadSettings, match=r"evicts keys.*maxmemory-policy to noeviction"):
            async with connect(server.url, db):
                pass
    finally:
        server.remove()


async def test_a_redis_that_does_not_answer_is_refused_with_its_address(db: Database) -> None:
    with pytest.raises(BadSettings, match=r"frontier.url: redis://127.0.0.1:1/0 does not answer"):
        async with connect("redis://127.0.0.1:1/0", db):
            pass


async def test_a_redis_without_an_append_only_file_is_warned_about(db: Database) -> None:
    server = servers.Valkey.create("--appendonly", "no")
    try:
        with capture_logs() as told:
            async with connect(server.url, db):
                pass
    finally:
        server.remove()
    (warning,) = told
    assert warning["log_level"] == "warning" and "no append-only file" in warning["message"]


async def test_a_redis_with_another_registers_frontier_is_refused(
    db: Database, redis_url: str, client: Redis
) -> None:
    await client.flushall()
    async with connect(redis_url, db):
        pass
    async with connect(redis_url, db):
        pass
    await client.set("surveyor:register", "somebody else's")
    with pytest.raises(BadSettings, match="another register"):
        async with connect(redis_url, db):
            pass


# --- full, gone, back again


async def test_a_full_redis_fails_loud_and_loses_nothing(db: Database) -> None:
    server = servers.Valkey.create("--maxmemory", "4mb", "--appendonly", "no")
    try:
        async with new_world(db, server.url) as world:
            no = await world.domain()
            visit = await world.visit(no)
            visit.add("/", depth=0)
            await visit.commit(want=1)
            links = [f"/a-page-with-a-rather-long-name/{number}" for number in range(40_000)]
            visit.finish("/", *links)
            with pytest.raises(FrontierUnreachable, match=r"no memory left.*maxmemory"):
                for _ in range(5):
                    await visit.commit()
                    visit.add(*(f"{link}/more" for link in links), on="/")
            await world.clients[-1].config_set("maxmemory", "0")
            visit = await world.visit(no)
            assert await visit.count() >= len(links)
            assert (await world.counters(no)).waiting == await visit.count()
    finally:
        server.remove()


async def test_while_redis_is_gone_nothing_works_and_afterwards_everything_does(
    db: Database, valkey: servers.Valkey
) -> None:
    async with new_world(db, valkey.url) as world:
        no = await world.domain()
        visit = await crawled(world, no)
        valkey.stop(signal.SIGKILL)
        visit.finish("/b", "/b/1")
        with pytest.raises(FrontierUnreachable, match="Redis does not answer"):
            await visit.commit(want=1)
        async with db.write() as tx:  # that the holder lives is said without Redis
            await visits.abandon(tx, visit.frontier, visit.lease.worker)
        with pytest.raises(FrontierUnreachable):
            await visit.frontier.reach()
        with pytest.raises(FrontierUnreachable):
            await world.visit(no)
        valkey.start()
        await visit.frontier.reach()
        expected = {target: depth for target, depth in WAITING.items() if target != "/b"} | {"/b/1": 2}
        visit = await world.visit(no)
        assert await drained(visit) == expected
        assert not any(url.suspect for url in visit.hand.values())


async def test_a_server_that_forgot_its_scripts_is_told_them_again(world: World, client: Redis) -> None:
    visit = await crawled(world, await world.domain())
    await client.script_flush()
    assert await visit.take(1) == ["/new"]


# --- moving


async def test_what_waits_moves_to_redis_and_back_when_the_settings_change(world: World) -> None:
    no = await world.domain()
    in_sql = await world.visit(no, SqlFrontier())
    in_sql.add("/", depth=0)
    await in_sql.commit(want=1)
    in_sql.finish("/", "/a", "/b", "/c")
    await in_sql.commit(want=1)
    await in_sql.leave()
    before = await world.counters(no)

    in_redis = await world.visit(no)
    assert await world.counters(no) == before
    assert await in_redis.take(1) == ["/a"]
    in_redis.finish("/a", "/a/1", "/b")
    await in_redis.commit(want=1)

    back = await world.visit(no, SqlFrontier())
    assert await drained(back) == {"/b": 1, "/c": 1, "/a/1": 2}
    assert [url.suspect for url in back.hand.values()] == [0, 0, 0]
    await back.leave()
    assert (await world.counters(no)).discovered == 5
    assert (await world.row(no, "/b")).state == "waiting"


# --- how it is kept


async def test_what_was_quarantined_leaves_redis_with_the_next_group(world: World, client: Redis) -> None:
    no = await world.domain()
    visit = await world.visit(no)
    visit.add("/poison", "/a")
    await visit.commit(want=1)
    for _ in range(3):
        visit = await world.visit(no)
        await visit.take(1)
        await visit.fetch_alone("/poison")
    visit = await world.visit(no)
    assert await visit.take(1) == ["/a"]
    assert await client.zrange(facts_key(no) + ":taken", 0, -1) == [b"/a"]
    assert await client.hgetall(facts_key(no) + ":marks") == {}


async def test_redis_knows_what_depth_cut_so_that_it_is_written_once(world: World, client: Redis) -> None:
    no = await world.domain()
    await crawled(world, no)
    urls = [NewUrl(url_key(target), target, 4, 1, None, "depth") for target in ("/too/deep", "/never/seen")]
    assert await Steps(client).unknown([(no, urls)], cut=False) == [{urls[1].key}]


async def test_all_keys_of_a_domain_lie_in_one_slot_of_a_cluster(world: World, client: Redis) -> None:
    no = await world.domain()
    visit = await crawled(world, no)
    await visit.commit(want=2)
    keys = await client.keys("*")
    assert {key_slot(key) for key in keys} == {key_slot(facts_key(no).encode())}
    assert len(keys) >= 5


async def test_many_finished_keys_are_known_exactly_and_kept_in_eight_bytes_each(client: Redis) -> None:
    await client.flushall()
    steps, no, count = Steps(client), 7, 3_000
    keys = [url_key(f"/{number}") for number in range(count)]
    await steps.wipe(no, 1)
    for start in range(0, count, 500):
        step = Step(no, 1)
        step.finish([(key, "") for key in keys[start : start + 500]])
        made = await steps.make(step)
        assert made.unfinished == keys[start : start + 500]
    parts = await client.keys(facts_key(no) + ":done:*")
    assert len(parts) == count / 200
    assert {await client.object("encoding", part) for part in parts} == {b"intset"}
    assert sum([await client.scard(part) for part in parts]) == count
    again = Step(no, 1)
    again.finish([(key, "") for key in keys])
    assert (await steps.make(again)).unfinished == []
    await steps.wipe(no)
    assert await client.keys("*") == []
