"""What every frontier promises to a visit."""

from __future__ import annotations

import tracemalloc

from surveyor.crawl import service
from surveyor.crawl.store import visits
from surveyor.frontier.changes import RANK_FIRST, RANK_LATER, UrlKind
from surveyor.registry import service as registry
from surveyor.registry.lifecycle import ReviewStatus
from surveyor.registry.store import changes, rows
from tests.contract.frontier.world import World
from tests.support.lease_help import write_crawl
from tests.support.registry_help import ADMIN

MANY = 50_000
WATCHED = 10_000
GROUP = 2_500  # links of fifty pages


async def test_a_new_domain_is_new_until_its_first_url_is_committed(world: World) -> None:
    no = await world.domain()
    visit = await world.visit(no)
    assert visit.opened.is_new
    visit.add("/", depth=0)
    assert await visit.commit(want=5) == ["/"]
    assert not (await world.visit(no)).opened.is_new


async def test_urls_come_by_rank_then_breadth_first_then_in_the_order_of_discovery(world: World) -> None:
    visit = await world.visit(await world.domain())
    visit.add("/deep", depth=7)
    visit.add("/later", depth=1, rank=RANK_LATER)
    visit.add("/b", "/a", depth=2)
    visit.add("/first", depth=9, rank=RANK_FIRST)
    visit.add("/c", depth=1)
    await visit.commit()
    visit.add("/d", depth=2)
    assert await visit.commit(want=3) == ["/first", "/c", "/b"]
    assert await visit.take(9) == ["/a", "/d", "/deep", "/later"]
    assert await visit.take(9) == []


async def test_what_is_taken_says_where_it_stood(world: World) -> None:
    visit = await world.visit(await world.domain())
    visit.add("/a?b=ä%20c", depth=3, rank=RANK_LATER)
    await visit.commit(want=1)
    taken = visit.hand["/a?b=ä%20c"]
    assert (taken.depth, taken.rank, taken.attempts, taken.suspect) == (3, RANK_LATER, 0, 0)


_TAKEN_FOR = {
    "/map.xml": UrlKind.SITEMAP,
    "/part.xml": UrlKind.NESTED_SITEMAP,
    "/inner.xml": UrlKind.INNERMOST_SITEMAP,
    "/news": UrlKind.FEED,
}


def _kind_of(target: str) -> UrlKind:
    return _TAKEN_FOR.get(target, UrlKind.PAGE)


async def test_what_a_url_is_taken_for_survives_death_and_a_frontier_that_is_lost(world: World) -> None:
    no = await world.domain()
    visit = await world.visit(no)
    visit.kind_of = _kind_of
    visit.add("/", "/map.xml", depth=0)
    assert await visit.commit(want=2) == ["/", "/map.xml"]
    assert [visit.hand[target].kind for target in ("/", "/map.xml")] == [UrlKind.PAGE, UrlKind.SITEMAP]
    visit.finish("/map.xml", "/part.xml", "/news", "/a", state="ended", reason="sitemap")
    await visit.die_unsettled(want=1)
    found = ["/", "/a", "/news", "/part.xml"]
    for accident in (world.flush, None, world.flush):
        if accident is not None:
            await accident()
        visit = await world.visit(no)
        visit.kind_of = _kind_of
        assert sorted(await visit.take(9)) == found
        assert {target: url.kind for target, url in visit.hand.items()} == {t: _kind_of(t) for t in found}
    visit.give_back("/part.xml", attempts=1, to_the_end=True)
    await visit.leave()
    visit = await world.visit(no)
    await visit.take(9)
    assert (visit.hand["/part.xml"].kind, visit.hand["/part.xml"].attempts) == (UrlKind.NESTED_SITEMAP, 1)


async def test_what_waits_as_a_page_is_a_list_once_something_says_so_and_no_page_again(world: World) -> None:
    no = await world.domain()
    visit = await world.visit(no)
    visit.add("/part.xml", "/news", depth=2, on="/")
    await visit.commit()
    visit.kind_of = _kind_of
    visit.add("/part.xml", "/news", depth=2, on="/")
    await visit.commit()
    visit.kind_of = lambda target: UrlKind.PAGE
    visit.add("/part.xml", depth=1, on="/")
    visit.add("/news", depth=1)
    assert await visit.commit(want=9) == ["/part.xml", "/news"]
    assert [(url.depth, url.kind) for url in visit.hand.values()] == [
        (1, UrlKind.NESTED_SITEMAP),
        (1, UrlKind.FEED),
    ]
    visit.finish("/news", state="ended", reason="feed")
    await visit.leave()
    assert (await world.row(no, "/news")).kind == UrlKind.FEED


async def test_adding_ignores_what_is_known_whatever_became_of_it(world: World) -> None:
    no = await world.domain()
    visit = await world.visit(no)
    visit.add("/waits", "/done", "/gone", "/taken")
    visit.add("/trap", on="/", cut="calendar")
    await visit.commit(want=4)
    visit.finish("/done")
    visit.finish("/gone", state="ended", reason="gone", status=410)
    visit.give_back("/waits")
    await visit.commit()
    before = await world.counters(no)
    visit.add("/waits", "/done", "/gone", "/taken", "/trap", on="/done")
    visit.add("/done", depth=0)
    await visit.commit()
    assert await visit.count() == 1
    assert await visit.take(9) == ["/waits"]
    await visit.leave()
    assert (await world.counters(no)).discovered == before.discovered == 4


async def test_a_shorter_way_brings_a_waiting_url_nearer_and_a_longer_one_does_not(world: World) -> None:
    visit = await world.visit(await world.domain())
    visit.add("/deep", depth=5)
    visit.add("/middle", depth=3)
    visit.add("/near", depth=3)
    await visit.commit()
    visit.add("/deep", "/near", depth=2, on="/")
    visit.add("/middle", depth=8, on="/")
    assert await visit.commit(want=3) == ["/deep", "/near", "/middle"]
    assert [visit.hand[target].depth for target in ("/deep", "/near", "/middle")] == [2, 2, 3]


async def test_what_only_depth_had_cut_waits_when_a_shorter_way_is_found(world: World) -> None:
    no = await world.domain()
    visit = await world.visit(no)
    visit.add("/", depth=0)
    await visit.commit(want=1)
    visit.add("/deep", depth=4, on="/", cut="depth")
    visit.add("/trap", depth=4, on="/", cut="calendar")
    await visit.commit()
    row = await world.row(no, "/deep")
    assert (row.state, row.reason, row.depth) == ("ended", "depth", 4)
    assert (await world.counters(no)).discovered == 1
    visit.add("/deep", "/trap", depth=2, on="/")
    assert await visit.commit(want=9) == ["/deep"]
    assert visit.hand["/deep"].depth == 2
    visit.finish("/deep")
    await visit.leave()
    row = await world.row(no, "/deep")
    assert (row.state, row.reason, row.depth) == ("done", None, 2)
    assert (await world.counters(no)).discovered == 2


async def test_what_depth_had_cut_waits_when_it_is_wanted_at_that_depth(world: World) -> None:
    """Somebody raised the limit."""
    no = await world.domain()
    visit = await world.visit(no)
    visit.add("/", depth=0)
    visit.add("/deep", depth=4, on="/", cut="depth")
    await visit.commit(want=1)
    visit.add("/deep", depth=4, on="/")
    assert await visit.commit(want=9) == ["/deep"]
    await visit.leave()
    assert (await world.counters(no)).discovered == 2


async def test_cutting_does_not_touch_what_waits_already(world: World) -> None:
    no = await world.domain()
    visit = await world.visit(no)
    visit.add("/a", "/b", depth=2)
    await visit.commit()
    visit.add("/a", depth=4, on="/", cut="depth")
    visit.add("/b", depth=4, on="/", cut="calendar")
    visit.add("/c", depth=2, on="/")
    visit.add("/c", depth=4, on="/", cut="depth")
    await visit.commit()
    assert await visit.take(9) == ["/a", "/b", "/c"]


async def test_what_a_group_finds_twice_is_one_url_on_the_shortest_way_and_not_cut(
    world: World,
) -> None:
    no = await world.domain()
    visit = await world.visit(no)
    visit.add("/", depth=0)
    await visit.commit(want=1)
    visit.add("/deep", depth=4, on="/", cut="depth")
    visit.add("/odd", depth=2, on="/", cut="calendar")
    visit.add("/a", "/odd", depth=3, on="/")
    visit.add("/a", "/deep", depth=2, on="/")
    visit.add("/a", depth=3, on="/")
    visit.finish("/")
    assert sorted(await visit.commit(want=9)) == ["/a", "/deep", "/odd"]
    assert [visit.hand[target].depth for target in ("/a", "/deep", "/odd")] == [2, 2, 3]
    await visit.leave()
    assert await world.counters(no) == (4, 1, 3, 1)


async def test_a_url_is_in_one_hand_only(world: World) -> None:
    visit = await world.visit(await world.domain())
    visit.add(*(f"/{number}" for number in range(20)))
    first = await visit.commit(want=7)
    second = await visit.take(20)
    assert len(first) == 7 and len(second) == 13
    assert not set(first) & set(second)
    assert await visit.count() == 0


async def test_a_new_epoch_gets_back_what_the_dead_holder_had_as_suspects_at_their_places(
    world: World,
) -> None:
    no = await world.domain()
    dead = await world.visit(no)
    dead.add("/a", "/b", "/c", "/d")
    await dead.commit(want=3)
    dead.finish("/b")
    await dead.commit()
    visit = await world.visit(no)
    assert (visit.opened.returned, visit.opened.quarantined) == (2, 0)
    assert (await world.counters(no)).waiting == await visit.count() == 3
    assert await visit.take(9) == ["/a", "/c", "/d"]
    assert [visit.hand[target].suspect for target in ("/a", "/c", "/d")] == [1, 1, 0]


async def test_a_page_that_takes_its_process_down_three_times_alone_is_quarantined(world: World) -> None:
    no = await world.domain()
    visit = await world.visit(no)
    visit.add("/poison", depth=2)
    await visit.commit(want=1)
    for crash in range(3):
        visit = await world.visit(no)
        assert await visit.take(1) == ["/poison"]
        assert visit.hand["/poison"].suspect == crash + 1
        await visit.fetch_alone("/poison")
    visit = await world.visit(no)
    assert (visit.opened.returned, visit.opened.quarantined) == (0, 1)
    row = await world.row(no, "/poison")
    assert (row.state, row.reason, row.depth) == ("ended", "poison", 2)
    assert await visit.take(1) == []
    visit.add("/poison", on="/")
    assert await visit.commit(want=1) == []
    assert (await world.visit(no)).opened[:3] == (False, 0, 0)
    assert (await world.counters(no)).discovered == 1


async def test_crashes_of_others_do_not_count_against_a_page(world: World) -> None:
    no = await world.domain()
    visit = await world.visit(no)
    visit.add("/a")
    for _ in range(6):
        assert await visit.commit(want=1) == ["/a"]
        visit = await world.visit(no)
    await visit.take(1)
    assert visit.hand["/a"].suspect == 1


async def test_a_page_that_was_fetched_alone_and_given_back_took_nobody_down(world: World) -> None:
    no = await world.domain()
    visit = await world.visit(no)
    visit.add("/a")
    await visit.commit(want=1)
    visit = await world.visit(no)
    await visit.take(1)
    await visit.fetch_alone("/a")
    visit.give_back("/a", attempts=1)
    await visit.commit(want=1)
    assert (visit.hand["/a"].attempts, visit.hand["/a"].suspect) == (1, 1)


async def test_a_finished_suspect_is_innocent(world: World) -> None:
    no = await world.domain()
    visit = await world.visit(no)
    visit.add("/a")
    await visit.commit(want=1)
    visit = await world.visit(no)
    await visit.take(1)
    visit.finish("/a")
    await visit.leave()
    row = await world.row(no, "/a")
    assert (row.state, row.suspect, row.attempts) == ("done", 0, 0)


async def test_what_a_living_holder_gives_up_is_no_suspect(world: World) -> None:
    no = await world.domain()
    lost = await world.visit(no)
    lost.add("/a", "/b")
    await lost.commit(want=1)
    async with world.db.write() as tx:
        await visits.abandon(tx, lost.frontier, lost.lease.worker)
    visit = await world.visit(no)
    assert await visit.count() == (await world.counters(no)).waiting == 2
    assert await visit.take(9) == ["/a", "/b"]
    assert [url.suspect for url in visit.hand.values()] == [0, 0]
    dead = await world.visit(no)
    await dead.take(9)
    assert [url.suspect for url in dead.hand.values()] == [1, 1]


async def test_a_suspect_that_a_living_holder_gives_up_took_nobody_down(world: World) -> None:
    no = await world.domain()
    visit = await world.visit(no)
    visit.add("/a")
    await visit.commit(want=1)
    for crash in range(3):
        visit = await world.visit(no)
        await visit.take(1)
        assert visit.hand["/a"].suspect == crash + 1
        await visit.fetch_alone("/a")
    async with world.db.write() as tx:  # the third time its process lives, and had lost its frontier
        await visits.abandon(tx, visit.frontier, visit.lease.worker)
    visit = await world.visit(no)
    assert visit.opened.quarantined == 0
    await visit.take(1)
    assert visit.hand["/a"].suspect == 1


async def test_given_back_a_url_waits_at_its_place_or_at_the_end_of_its_depth(world: World) -> None:
    visit = await world.visit(await world.domain())
    visit.add("/a", "/b", "/c", depth=1)
    visit.add("/deep", depth=2)
    await visit.commit(want=2)
    visit.give_back("/a", attempts=1, to_the_end=True)
    visit.give_back("/b", attempts=2)
    assert await visit.commit(want=9) == ["/b", "/c", "/a", "/deep"]
    assert [visit.hand[target].attempts for target in ("/a", "/b", "/c")] == [1, 2, 0]


async def test_counters_are_exact_when_a_visit_is_over(world: World) -> None:
    no = await world.domain()
    visit = await world.visit(no)
    visit.add("/", depth=0)
    await visit.commit(want=10)
    visit.finish("/", "/a", "/b", "/c", cut=["/too/deep"])
    await visit.commit(want=10)
    visit.finish("/a", "/d", "/")
    visit.finish("/b", state="ended", reason="robots", was_fetched=False)
    visit.outbox.unused += 1
    await visit.leave()
    assert await world.counters(no) == (4, 2, 2, 2)
    visit = await world.visit(no)
    assert await visit.take(10) == ["/c", "/d"]
    await visit.leave()
    assert await world.counters(no) == (4, 2, 2, 2)


async def test_pages_that_are_asked_for_again_come_with_their_validators(world: World) -> None:
    no = await world.domain()
    visit = await world.visit(no)
    visit.add("/a", "/b")
    await visit.commit(want=2)
    visit.finish("/a", "/c", etag='"1"', last_modified="Monday")
    visit.finish("/b")
    await visit.leave()
    _, count = await service.recrawl(world.db, "a.example", ADMIN)
    assert count == 2
    visit = await world.visit(no)
    assert not visit.opened.is_new
    assert await visit.count() == (await world.counters(no)).waiting == 3
    assert set(await visit.take(9)) == {"/a", "/b", "/c"}
    assert (visit.hand["/a"].etag, visit.hand["/a"].last_modified) == ('"1"', "Monday")
    assert visit.hand["/c"].etag is None
    for target in ("/a", "/b", "/c"):
        visit.finish(target)
    await visit.leave()
    assert await world.counters(no) == (3, 3, 0, 5)


async def _crawled_with_failures(world: World) -> int:
    """A start page and a page were had, a page and a sitemap failed, and nothing waits."""
    no = await world.domain()
    visit = await world.visit(no)
    visit.kind_of = _kind_of
    visit.add("/", "/map.xml", depth=0)
    visit.add("/a", "/bad")
    await visit.commit(want=9)
    visit.finish("/")
    visit.finish("/a")
    visit.finish("/bad", state="ended", reason="failed", status=500)
    visit.finish("/map.xml", state="ended", reason="failed", status=None)
    await visit.leave()
    assert (await world.counters(no))[:3] == (3, 2, 0), "a page that failed is discovered and not crawled"
    return no


async def test_after_a_reset_the_start_page_and_what_failed_wait_again(world: World) -> None:
    no = await _crawled_with_failures(world)
    await registry.reset_domain(world.db, "a.example", ADMIN, None)
    visit = await world.visit(no)
    assert (await world.counters(no)).waiting == await visit.count() == 3
    assert set(await visit.take(9)) == {"/", "/bad", "/map.xml"}
    assert visit.hand["/map.xml"].kind is UrlKind.SITEMAP
    assert visit.hand["/"].past is not None and visit.hand["/bad"].past is None
    visit.finish("/")
    visit.finish("/bad")
    await visit.leave()
    assert (await world.counters(no))[:3] == (3, 3, 1)


async def test_a_recrawl_asks_for_what_failed_too(world: World) -> None:
    no = await _crawled_with_failures(world)
    _, count = await service.recrawl(world.db, "a.example", ADMIN)
    assert count == 3
    visit = await world.visit(no)
    assert set(await visit.take(9)) == {"/", "/a", "/bad", "/map.xml"}


async def test_an_approved_domain_set_to_pending_by_hand_is_due_and_has_something_to_fetch(
    world: World,
) -> None:
    no = await _crawled_with_failures(world)
    await write_crawl(world.db, no, crawl_status="exhausted", due_at=None)
    await write_crawl(world.db, no, crawl_status="pending")
    async with world.db.read() as tx:
        domain = await rows.get(tx, no)
    assert domain.due_at is not None and domain.due_at <= domain.read_at
    assert domain.frontier_size == 3
    assert set(await (await world.visit(no)).take(9)) == {"/", "/bad", "/map.xml"}
    suspended = await world.domain("b.example")
    async with world.db.write() as tx:
        await changes.advance_review(tx, suspended, ReviewStatus.SUSPENDED, ADMIN)
    for status in ("active", "exhausted", "pending"):
        await write_crawl(world.db, suspended, crawl_status=status)
    async with world.db.read() as tx:
        assert (await rows.get(tx, suspended)).due_at is None


async def test_a_greater_depth_queues_what_depth_had_cut_and_takes_the_domain_from_who_cuts_by_the_old_one(
    world: World,
) -> None:
    no = await world.domain()
    visit = await world.visit(no)
    visit.add("/", depth=0)
    await visit.commit(want=1)
    visit.finish("/", cut=["/a", "/b"], traps=["/trap"])
    await visit.leave()
    await write_crawl(world.db, no, due_at=None, crawl_status="exhausted")
    async with world.db.write() as tx:
        domain = await changes.edit(tx, no, {"max_crawl_depth": 1}, ADMIN, seen_version=None)
    assert domain.due_at is not None and domain.due_at <= domain.read_at
    assert await world.counters(no) == (3, 1, 2, 1)
    visit = await world.visit(no)
    assert await visit.take(9) == ["/a", "/b"]
    async with world.db.write() as tx:
        await changes.edit(tx, no, {"max_crawl_depth": 2}, ADMIN, seen_version=None)
    assert await visit.commit(want=1) == []
    visit.finish("/a")
    await visit.commit()
    assert visit.is_lost


async def test_what_is_asked_for_while_a_visit_runs_is_found_before_it_ends(world: World) -> None:
    no = await world.domain()
    visit = await world.visit(no)
    visit.add("/a")
    await visit.commit(want=1)
    visit.finish("/a")
    await visit.commit()
    await service.recrawl(world.db, "a.example", ADMIN)
    assert await visit.take(5) == ["/a"]
    visit.finish("/a")
    await visit.leave()
    assert await world.counters(no) == (1, 1, 0, 2)


async def test_a_dropped_frontier_is_empty_and_may_find_everything_again(world: World) -> None:
    no = await world.domain()
    visit = await world.visit(no)
    visit.add("/", depth=0)
    await visit.commit(want=1)
    visit.finish("/", "/a", "/b")
    await visit.commit(want=1)
    async with world.db.write() as tx:
        await visit.frontier.drop(tx, no)
    assert await visit.count() == 0
    visit = await world.visit(no)
    assert visit.opened.returned == 0
    assert await visit.take(9) == []
    visit.add("/", "/a", on="/x")
    assert await visit.commit(want=9) == ["/a"]


async def test_what_was_asked_for_again_comes_with_what_waits(world: World) -> None:
    no = await world.domain()
    visit = await world.visit(no)
    visit.add("/a", "/b")
    assert await visit.commit(want=1) == ["/a"]
    visit.finish("/a")
    await visit.commit()
    await service.recrawl(world.db, "a.example", ADMIN)
    assert sorted(await visit.take(9)) == ["/a", "/b"], "a visit does not ask again after a short answer"
    await visit.leave()
    assert (await world.counters(no)).run_pages == 1, "neither is charged that was not fetched"
    assert await (await world.visit(no)).count() == 2


async def test_domains_of_one_group_do_not_see_each_other(world: World) -> None:
    frontier = world.new_frontier()
    numbers = [await world.domain(f"d{index}.example") for index in range(3)]
    held = [await world.visit(no, frontier, "w") for no in numbers]
    group = held[0].committer
    for visit in held:
        group.join(visit.member)
        visit.add("/same", f"/only/{visit.no}")
        visit.outbox.want = visit.no
    await group.commit()
    assert [len(visit.receive()) for visit in held] == [min(no, 2) for no in numbers]
    for visit in held:
        visit.give_back("/same")
    held[1].finish(f"/only/{held[1].no}")
    await group.commit()
    left = [await (await world.visit(no)).take(9) for no in numbers]
    assert left == [["/same", f"/only/{no}"] if no != numbers[1] else ["/same"] for no in numbers]


async def test_a_holder_whose_epoch_has_passed_changes_nothing(world: World) -> None:
    no = await world.domain()
    stale = await world.visit(no)
    stale.add("/a", "/b")
    await stale.commit(want=1)
    visit = await world.visit(no)
    stale.finish("/a", "/from/the/dead")
    assert await stale.commit(want=1) == []
    assert stale.is_lost
    assert await visit.take(9) == ["/a", "/b"]


async def test_fifty_thousand_urls_wait_in_the_same_memory_as_a_few(world: World) -> None:
    no = await world.domain()
    visit = await world.visit(no)

    async def add(numbers: range) -> None:
        for start in numbers[::GROUP]:
            visit.add(
                *(f"/part/{n % 97}/a-page-with-a-long-name-{n}" for n in range(start, start + GROUP)), on="/"
            )
            await visit.commit()

    await add(range(MANY - WATCHED))
    tracemalloc.start()
    await add(range(MANY - WATCHED, MANY))
    held, _ = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert held < WATCHED * 60  # bytes; a URL that is kept takes four times that
    assert await visit.count() == MANY
    visit = await world.visit(no)
    assert len(await visit.take(32)) == 32
    assert (await world.counters(no)).waiting in (MANY, MANY - 32)
