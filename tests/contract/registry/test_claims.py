"""Who is taken by a claim, in which order, and who never is. On both engines."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest
from sqlalchemy import event, text, update

from surveyor.db import Database, later
from surveyor.db.tables import domain_crawl
from surveyor.errors import RefusedByDatabase
from surveyor.ids import new_id
from surveyor.registry.domain import Domain
from surveyor.registry.leases import Claimer, Lease
from surveyor.registry.lifecycle import CrawlStatus
from surveyor.registry.store import changes, events, leases, rows
from surveyor.registry.store.leases import ClaimFilter
from surveyor.registry.store.release import Outcome
from tests.support.lease_help import WITHDRAWALS, TurnedClock, release, second_door, write_crawl
from tests.support.registry_help import ADMIN, add_domain, add_domains, claim_one, get


def _names(taken: list[Lease]) -> list[str]:
    return [lease.domain.domain for lease in taken]


def _site(*indexes: int) -> list[str]:
    return [f"site{index}.example" for index in indexes]


async def test_a_claim_takes_the_best_by_priority(db: Database) -> None:
    await add_domains(db, 30)
    claimer = Claimer(db, "w", 60)
    assert _names(await claimer.claim(4)) == _site(0, 1, 2, 3)


async def test_equals_are_taken_in_the_order_of_registration(db: Database) -> None:
    numbers = [(await add_domain(db, f"{name}.example")).no for name in "cab"]
    taken = await Claimer(db, "w", 60).claim(3)
    assert [lease.no for lease in taken] == numbers


async def test_a_grant_says_what_was_granted(db: Database) -> None:
    await add_domain(db, "example.org")
    lease = await claim_one(db, "w", seconds=60)
    row = await get(db, lease.no)
    assert (row.claimed_by, row.lease_epoch, row.attempts, row.ready) == ("w", lease.epoch, 1, False)
    assert row.claim_expires_at == row.due_at == lease.expires_at
    assert 50 < (lease.expires_at - row.read_at).total_seconds() <= 60
    assert lease.domain.claimed_by is None


@pytest.mark.parametrize("count", [0, -1, -7])
async def test_asking_for_nothing_takes_nothing(db: Database, count: int) -> None:
    await add_domains(db, 5)
    assert await Claimer(db, "w", 60).claim(count) == []


async def test_claims_at_once_share_no_domain_and_take_no_more_than_asked(db: Database, db_url: str) -> None:
    await add_domains(db, 60)
    async with second_door(db_url) as other:
        claimers = [Claimer(each, f"w{index}", 60) for index in range(4) for each in (db, other)]
        taken: list[Lease] = []
        for _ in range(6):
            for share in await asyncio.gather(*(claimer.claim(4) for claimer in claimers)):
                assert len(share) <= 4
                taken += share
    assert len({lease.no for lease in taken}) == len(taken) == 60
    assert {lease.epoch for lease in taken} == {1}


@pytest.mark.parametrize("engine_name", ["postgresql"])  # SQLite has one writer at a time
async def test_a_claim_does_not_wait_for_another_that_hangs(db: Database, db_url: str) -> None:
    await add_domains(db, 20)
    assert len(await Claimer(db, "early", 60).claim(1)) == 1  # marks all of them as ready
    async with second_door(db_url) as other, other.write() as hanging:
        held = await leases.best(hanging, 5, ClaimFilter(), below=None, besides=())
        taken = await asyncio.wait_for(Claimer(db, "w", 60).claim(4), 5)
    assert len(held) == 5
    assert len(taken) == 4
    assert not {place.no for place in held} & {lease.no for lease in taken}


@pytest.mark.parametrize("forbid", WITHDRAWALS, ids=lambda act: act.__name__)
async def test_what_may_not_be_crawled_is_not_claimed_even_when_made_ready_by_hand(
    db: Database, forbid: Any
) -> None:
    domain = await add_domain(db, "example.org")
    await forbid(db, domain.no)
    await write_crawl(db, domain.no, due_at=domain.created_at, ready=True)
    claimer = Claimer(db, "w", 60)
    for _ in range(6):  # the longest due is asked for as well
        assert await claimer.claim(5) == []


async def test_what_is_cooling_down_is_not_claimed_even_when_made_ready_by_hand(db: Database) -> None:
    domain = await add_domain(db, "example.org")
    await write_crawl(db, domain.no, due_at=later(60), ready=True)
    assert await Claimer(db, "w", 60).claim(5) == []


async def test_what_is_never_due_cannot_be_made_ready_by_hand(db: Database) -> None:
    domain = await add_domain(db, "example.org", approved=False)
    assert domain.due_at is None
    with pytest.raises(RefusedByDatabase, match="ready_is_due"):
        await write_crawl(db, domain.no, ready=True)
    assert await Claimer(db, "w", 60).claim(5) == []


async def test_what_comes_due_is_claimed_then_and_not_before(db: Database) -> None:
    domain = await add_domain(db, "example.org")
    await write_crawl(db, domain.no, due_at=later(60))
    claimer = Claimer(db, "w", 60)
    assert await claimer.claim(1) == []
    await write_crawl(db, domain.no, due_at=later(0.05))
    await asyncio.sleep(0.06)
    assert len(await claimer.claim(1)) == 1


@pytest.mark.parametrize("ask", [(10,), (1,) * 10, (3, 3, 4), (7, 3)])
async def test_one_in_five_is_the_longest_due_however_many_are_asked_for(
    db: Database, ask: tuple[int, ...]
) -> None:
    await add_domains(db, 40)
    best = (await get(db, await _number_of(db, "site0.example"))).priority_key
    async with db.write() as tx:  # the worse its priority, the longer has it been due
        await tx.execute(update(domain_crawl).values(due_at=later(domain_crawl.c.priority_key - best - 1)))
    claimer = Claimer(db, "w", 60)
    taken = [name for count in ask for name in _names(await claimer.claim(count))]
    assert sorted(taken) == sorted(_site(0, 1, 2, 3, 4, 5, 6, 7, 38, 39))


async def _number_of(db: Database, name: str) -> int:
    async with db.read() as tx:
        return await rows.find_no(tx, name)


async def test_a_worker_goes_down_the_priorities_and_returns_to_the_top(db: Database) -> None:
    await add_domains(db, 30)
    clock = TurnedClock()
    claimer = Claimer(db, "w", 60, clock)
    first = await claimer.claim(1)
    await release(db, first[0], Outcome(status=CrawlStatus.ACTIVE, crawled=False))
    assert _names(await claimer.claim(2)) == _site(1, 2), "starts below the last one it took"
    clock.seconds += 9.9
    assert _names(await claimer.claim(1)) == _site(3)
    clock.seconds += 0.1
    await write_crawl(db, first[0].no, due_at=later(0))  # not the longest due: this is the fifth claim
    top = await Claimer(db, "other", 60, clock).claim(1)
    assert _names(top) == _site(0)
    await release(db, top[0], Outcome(status=CrawlStatus.ACTIVE, crawled=False))
    claimer._claimed += 1
    assert _names(await claimer.claim(1)) == _site(0), "after ten seconds it looks at the top again"


async def test_a_worker_at_the_bottom_returns_to_the_top_at_once(db: Database) -> None:
    await add_domains(db, 4)
    claimer = Claimer(db, "w", 60, TurnedClock())
    taken = await claimer.claim(4)
    for lease in taken[:2]:
        await release(db, lease, Outcome(status=CrawlStatus.ACTIVE))
    assert len(await claimer.claim(4)) == 2


async def test_more_than_a_thousand_rows_that_nobody_may_take_do_not_hide_the_next_one(db: Database) -> None:
    """A batch of due rows is marked per claim, and the next claim goes on behind it."""
    await add_domains(db, 1_100, approved=False)
    async with db.write() as tx:
        await tx.execute(update(domain_crawl).values(due_at=later(-3600)))
    await add_domain(db, "good.example")
    claimer = Claimer(db, "w", 60)
    taken = [lease for _ in range(3) for lease in await claimer.claim(3)]
    assert _names(taken) == ["good.example"]


async def test_a_claim_can_be_narrowed_to_named_domains(db: Database) -> None:
    await add_domains(db, 5)
    wanted = await add_domain(db, "wanted.example")
    only = ClaimFilter(domain_numbers=(wanted.no,))
    claimer = Claimer(db, "w", 60)
    assert _names(await claimer.claim(3, only)) == ["wanted.example"]
    assert await claimer.claim(3, ClaimFilter(domain_numbers=())) == []


async def test_a_run_does_not_take_a_domain_again_whose_pages_it_has_used(db: Database) -> None:
    domain = await add_domain(db, "example.org")
    run = new_id()
    await write_crawl(db, domain.no, last_crawl_run_id=run, run_pages=10)
    claimer = Claimer(db, "w", 60)
    assert await claimer.claim(1, ClaimFilter(run_id=run, run_pages_default=10)) == []
    assert len(await claimer.claim(1, ClaimFilter(run_id=run, run_pages_default=11))) == 1
    await release(db, (await _reclaimed(db, domain))[0])
    async with db.write() as tx:
        await changes.edit(tx, domain.no, {"max_pages_per_run": 5}, ADMIN, seen_version=None)
    assert await claimer.claim(1, ClaimFilter(run_id=run, run_pages_default=11)) == []
    assert len(await claimer.claim(1, ClaimFilter(run_id=new_id(), run_pages_default=1))) == 1


async def _reclaimed(db: Database, domain: Domain) -> list[Lease]:
    async with db.write() as tx:
        await leases.release_claims(tx, ADMIN, worker=None, expired_only=False)
    return await Claimer(db, "again", 60).claim(1, ClaimFilter(domain_numbers=(domain.no,)))


@pytest.mark.parametrize("status", [CrawlStatus.BLOCKED, CrawlStatus.UNREACHABLE, CrawlStatus.EXHAUSTED])
async def test_a_claim_brings_what_rested_back_to_pending_and_says_so(
    db: Database, status: CrawlStatus
) -> None:
    domain = await add_domain(db, "example.org")
    await write_crawl(db, domain.no, crawl_status="active")
    await write_crawl(db, domain.no, crawl_status=status, block_reason_code="timeout")
    lease = await claim_one(db)
    assert lease.domain.crawl_status is status, "the worker knows that this is a probe"
    assert (await get(db, domain.no)).crawl_status is CrawlStatus.PENDING
    async with db.read() as tx:
        [told] = await events.of_domain(tx, domain.no, 5)
    assert (told.kind, told.from_state, told.to_state) == ("CrawlDueAgain", status, "pending")


async def test_claims_walk_the_partial_indexes_and_sort_nothing(db: Database) -> None:
    """A claim must cost the same among ten rows and ten million; plans show it, clocks do not."""
    await add_domains(db, 200)
    async with db.write() as tx:
        await tx.execute(text("ANALYZE"))  # while none is ready: the figures will be wrong soon
    seen: list[tuple[str, Any]] = []

    def note(_conn: Any, _cursor: Any, statement: str, parameters: Any, *_: Any) -> None:
        if statement.startswith(("SELECT domain_crawl.no", "SELECT domain_crawl.priority_key")):
            seen.append((statement, parameters))

    claimer = Claimer(db, "w", 60)
    await claimer.claim(2)
    event.listen(db.engine.sync_engine, "before_cursor_execute", note)
    await claimer.claim(10)  # below the cursor
    await Claimer(db, "v", 60).claim(10)  # from the top
    event.remove(db.engine.sync_engine, "before_cursor_execute", note)
    plans = [await _plan(db, statement, parameters) for statement, parameters in seen]
    told = "\n".join(plans)
    assert len(plans) == 6
    for index in ("ix_domain_crawl_due", "ix_domain_crawl_best", "ix_domain_crawl_longest_due"):
        assert index in told
    assert "Sort" not in told and "TEMP B-TREE" not in told


async def _plan(db: Database, statement: str, parameters: Any) -> str:
    async with db.read() as tx:
        if db.is_sqlite:
            found = await tx.exec_driver_sql(f"EXPLAIN QUERY PLAN {statement}", parameters)
            return "\n".join(str(row.detail) for row in found)
        # A small table is read faster without an index; what is asked here is whether one would serve.
        await tx.execute(text("SET LOCAL enable_seqscan = off"))
        await tx.execute(text("SET LOCAL enable_bitmapscan = off"))
        found = await tx.exec_driver_sql(f"EXPLAIN {statement}", parameters)
        return "\n".join(str(row[0]) for row in found)


async def test_what_is_locked_is_passed_over_and_yet_due(db: Database, db_url: str) -> None:
    domain = await add_domain(db, "example.org")
    claimer, everything = Claimer(db, "w", 60), ClaimFilter()
    async with second_door(db_url) as other, other.write() as tx:
        await tx.execute(update(domain_crawl).where(domain_crawl.c.no == domain.no).values(attempts=7))
        if not db.is_sqlite:  # which would wait for the writer
            assert await claimer.claim(1) == []
        assert await claimer.is_anything_due(everything)
    assert _names(await claimer.claim(1)) == ["example.org"]
    assert not await claimer.is_anything_due(everything)
