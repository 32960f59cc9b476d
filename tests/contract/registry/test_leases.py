"""Who may crawl what: claims, renewals, and what an old epoch is worth. On both engines."""

from __future__ import annotations

import asyncio
from datetime import timedelta
from typing import Any

import pytest
import time_machine
from sqlalchemy import event, text, update
from tests.lease_help import TurnedClock, release, second_door, write_crawl
from tests.registry_help import ADMIN, add_domain, add_domains, claim_one, get

from surveyor.db import Database, later, now
from surveyor.db.tables import domain_crawl, domains
from surveyor.errors import LeaseLost, RefusedByDatabase
from surveyor.ids import new_id
from surveyor.registry.actors import SYSTEM
from surveyor.registry.domain import Domain
from surveyor.registry.leases import Claimer, Lease, renew, still_held
from surveyor.registry.lifecycle import CrawlStatus, QualityStatus, ReviewStatus
from surveyor.registry.store import changes, events, leases, rows
from surveyor.registry.store import release as releasing
from surveyor.registry.store.leases import ClaimFilter
from surveyor.registry.store.release import Outcome


def _names(taken: list[Lease]) -> list[str]:
    return [lease.domain.domain for lease in taken]


def _site(*indexes: int) -> list[str]:
    return [f"site{index}.example" for index in indexes]


async def _commit_a_page(db: Database, lease: Lease) -> bool:
    """What a worker's group commit does to the row: counters, under the guard of its lease."""
    guard = leases.held(lease.no, lease.worker, lease.epoch)
    counted = {"pages_crawled": domain_crawl.c.pages_crawled + 1}
    async with db.write() as tx:
        done = await tx.execute(update(domain_crawl).where(guard).values(counted))
    return done.rowcount == 1


# --- who is taken ---


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
    assert not lease.was_abandoned


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


async def _suspend(db: Database, no: int) -> None:
    async with db.write() as tx:
        await changes.advance_review(tx, no, ReviewStatus.SUSPENDED, ADMIN)


async def _reject(db: Database, no: int) -> None:
    await _suspend(db, no)
    async with db.write() as tx:
        await changes.advance_review(tx, no, ReviewStatus.REJECTED, ADMIN, reason="no")


async def _back_to_review(db: Database, no: int) -> None:
    async with db.write() as tx:
        await changes.advance_review(tx, no, ReviewStatus.PENDING_REVIEW, ADMIN)


async def _blacklist(db: Database, no: int) -> None:
    async with db.write() as tx:
        await changes.advance_quality(tx, no, QualityStatus.BLACKLISTED, ADMIN, reason="scam")


_WITHDRAWALS = [_suspend, _reject, _back_to_review, _blacklist]


@pytest.mark.parametrize("forbid", _WITHDRAWALS, ids=lambda act: act.__name__.strip("_"))
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
    await write_crawl(db, domain.no, due_at=later(0.3))
    claimer = Claimer(db, "w", 60)
    assert await claimer.claim(1) == []
    await asyncio.sleep(0.35)
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


# --- how long it is held ---


async def test_a_renewal_prolongs_a_live_lease_of_that_epoch(db: Database) -> None:
    await add_domains(db, 2)
    claimer = Claimer(db, "w", 60)
    taken = await claimer.claim(2)
    assert await renew(db, "w", taken, 600) == {lease.no for lease in taken}
    for lease in taken:
        row = await get(db, lease.no)
        assert row.claim_expires_at is not None
        assert row.claim_expires_at == row.due_at
        assert row.claim_expires_at > lease.expires_at + timedelta(seconds=500)
    assert await renew(db, "w", [], 600) == set()


async def test_a_renewal_keeps_what_is_ours_and_leaves_out_what_is_lost(db: Database) -> None:
    await add_domains(db, 3)
    kept, ended, other = await Claimer(db, "w", 60).claim(3)
    await _suspend(db, ended.no)
    await write_crawl(db, other.no, claimed_by="somebody")
    assert await renew(db, "w", [kept, ended, other], 600) == {kept.no}
    assert (await get(db, ended.no)).claim_expires_at is None
    row = await get(db, other.no)
    assert row.claim_expires_at == other.expires_at


async def test_an_ended_lease_is_not_renewed_although_nobody_took_it(db: Database) -> None:
    await add_domain(db, "example.org")
    lease = await claim_one(db, seconds=0.1)
    await asyncio.sleep(0.12)
    assert await renew(db, "w1", [lease], 60) == set()
    assert not await _commit_a_page(db, lease)
    with pytest.raises(LeaseLost) as lost:
        await release(db, lease)
    assert (lost.value.domain, lost.value.epoch) == ("example.org", lease.epoch)


async def test_an_old_epoch_of_the_same_name_does_not_prolong_the_new_lease(db: Database) -> None:
    await add_domain(db, "example.org")
    old = await claim_one(db, "same", seconds=0.05)
    await asyncio.sleep(0.06)
    new = await claim_one(db, "same", seconds=30)
    assert await renew(db, "same", [old], 6000) == set()
    assert (await get(db, new.no)).claim_expires_at == new.expires_at


async def test_an_expired_lease_is_anothers_to_take(db: Database) -> None:
    await add_domain(db, "example.org")
    lost = await claim_one(db, "first", seconds=0.2)
    assert await Claimer(db, "second", 60).claim(1) == []
    await asyncio.sleep(0.22)
    found = await claim_one(db, "second")
    assert (found.no, found.epoch, found.was_abandoned) == (lost.no, lost.epoch + 1, True)
    assert (await get(db, lost.no)).attempts == 2


async def test_a_renewal_and_a_claim_never_both_succeed_at_the_moment_a_lease_ends(
    db: Database, db_url: str
) -> None:
    """The renewal begins in time and waits for the row while another marks it as due."""
    domain = await add_domain(db, "example.org")
    lease = await claim_one(db, seconds=0.4)
    async with second_door(db_url) as other:
        async with other.write() as tx:
            await tx.execute(update(domain_crawl).where(domain_crawl.c.no == domain.no).values(run_pages=1))
            renewal = asyncio.create_task(renew(db, "w1", [lease], 60))
            await asyncio.sleep(0.45)
            await leases.ripen(tx)
        kept = await renewal
        assert not (kept and (await get(db, domain.no)).ready), "what was renewed does not wait for a taker"
        taken = await Claimer(other, "w2", 60).claim(1)
    assert (kept, len(taken)) in [({domain.no}, 0), (set(), 1)]


async def test_renewals_and_a_release_by_hand_do_not_wait_for_each_other_crosswise(
    db: Database, db_url: str
) -> None:
    await add_domains(db, 40)
    async with second_door(db_url) as other:
        for _ in range(8):
            taken = await Claimer(db, "w", 60).claim(40)
            assert len(taken) == 40

            async def by_hand() -> list[str]:
                async with other.write() as tx:
                    return await leases.release_claims(tx, ADMIN, worker=None, expired_only=False)

            backwards = list(reversed(taken))
            await asyncio.gather(renew(db, "w", taken, 60), by_hand(), renew(other, "w", backwards, 60))


async def test_a_worker_reads_all_its_epochs_in_one_go(db: Database) -> None:
    await add_domains(db, 4)
    kept, withdrawn, ended, other = await Claimer(db, "w", 60).claim(4)
    assert len(await still_held(db, "w")) == 4
    await _suspend(db, withdrawn.no)
    await write_crawl(db, ended.no, claim_expires_at=now())
    await write_crawl(db, other.no, claimed_by="somebody")
    assert await still_held(db, "w") == {kept.no: kept.epoch}


@pytest.mark.parametrize("hours", [1, -1])
async def test_time_is_the_databases_and_not_the_processs(db: Database, hours: int) -> None:
    await add_domains(db, 2)
    short = await claim_one(db, "w", seconds=0.2)
    turned = (await get(db, short.no)).read_at + timedelta(hours=hours)
    with time_machine.travel(turned, tick=True):
        assert await Claimer(db, "v", 60).claim(2) != [], "the free one"
        assert await Claimer(db, "v", 60).claim(2) == [], "the held one is not freed by our clock"
        assert await renew(db, "w", [short], 0.2) == {short.no}
        await asyncio.sleep(0.22)
        assert await renew(db, "w", [short], 60) == set()
        taken = await claim_one(db, "v", seconds=60)
        row = await get(db, taken.no)
    assert taken.no == short.no
    assert timedelta(seconds=50) < taken.expires_at - row.read_at <= timedelta(seconds=60)
    assert abs(row.read_at - turned) > timedelta(minutes=50)


# --- what an old epoch is worth ---


@pytest.mark.parametrize("forbid", _WITHDRAWALS, ids=lambda act: act.__name__.strip("_"))
async def test_a_withdrawal_ends_the_lease_at_once(db: Database, forbid: Any) -> None:
    await add_domain(db, "example.org")
    lease = await claim_one(db)
    assert await _commit_a_page(db, lease)
    await forbid(db, lease.no)
    row = await get(db, lease.no)
    assert row.lease_epoch > lease.epoch
    assert (row.due_at, row.claimed_by, row.claim_expires_at, row.ready) == (None, None, None, False)
    assert await still_held(db, "w1") == {}
    assert await renew(db, "w1", [lease], 60) == set()
    assert not await _commit_a_page(db, lease)
    with pytest.raises(LeaseLost):
        await release(db, lease, Outcome(status=CrawlStatus.ACTIVE))
    assert (await get(db, lease.no)).row() == row.row()
    assert await Claimer(db, "w2", 60).claim(1) == []


async def test_a_rejection_withdraws_even_a_lease_that_should_not_be(db: Database) -> None:
    domain = await add_domain(db, "example.org", approved=False)
    await write_crawl(
        db, domain.no, claimed_by="w1", claim_expires_at=later(60), due_at=later(60), lease_epoch=1
    )
    async with db.write() as tx:
        await changes.advance_review(tx, domain.no, ReviewStatus.REJECTED, ADMIN, reason="no")
    row = await get(db, domain.no)
    assert (row.lease_epoch, row.claimed_by, row.due_at) == (2, None, None)


async def test_what_does_not_end_permission_leaves_the_lease_alone(db: Database) -> None:
    await add_domain(db, "example.org")
    lease = await claim_one(db)
    async with db.write() as tx:
        await changes.advance_quality(tx, lease.no, QualityStatus.NO_FUNDS_THIS_YEAR, ADMIN)
        await changes.edit(tx, lease.no, {"notes": "nice"}, ADMIN, seen_version=None)
    assert await _commit_a_page(db, lease)
    await release(db, lease, Outcome(status=CrawlStatus.ACTIVE))


async def test_a_decision_given_back_makes_the_domain_due_under_a_new_epoch(db: Database) -> None:
    await add_domain(db, "example.org")
    lease = await claim_one(db)
    await _suspend(db, lease.no)
    async with db.write() as tx:
        await changes.advance_review(tx, lease.no, ReviewStatus.APPROVED, ADMIN)
    new = await claim_one(db, "w2")
    assert new.epoch == lease.epoch + 2
    assert not new.was_abandoned, "its last holder was told, it did not vanish"
    with pytest.raises(LeaseLost):
        await release(db, lease)


async def test_approval_of_a_blacklisted_domain_makes_nothing_due(db: Database) -> None:
    domain = await add_domain(db, "example.org", approved=False)
    await _blacklist(db, domain.no)
    async with db.write() as tx:
        row = await changes.advance_review(tx, domain.no, ReviewStatus.APPROVED, ADMIN)
    assert row.due_at is None
    assert await Claimer(db, "w", 60).claim(1) == []


async def test_a_release_by_hand_ends_the_epoch_and_leaves_an_event(db: Database) -> None:
    await add_domains(db, 3)
    mine, theirs = await claim_one(db, "mine"), await claim_one(db, "theirs", seconds=0.05)
    async with db.write() as tx:
        assert await leases.release_claims(tx, ADMIN, worker="nobody", expired_only=False) == []
    await asyncio.sleep(0.06)
    async with db.write() as tx:
        assert await leases.release_claims(tx, ADMIN, worker=None, expired_only=True) == _site(1)
    assert await _commit_a_page(db, mine), "a live lease is not ended by --expired"
    async with db.write() as tx:
        assert await leases.release_claims(tx, ADMIN, worker="mine", expired_only=False) == _site(0)
    assert not await _commit_a_page(db, mine)
    for lease in (mine, theirs):
        with pytest.raises(LeaseLost):
            await release(db, lease)
        async with db.read() as tx:
            [told] = await events.of_domain(tx, lease.no, 5)
        assert (told.kind, told.actor, told.data) == ("ClaimReleased", "ada", {"worker": lease.worker})
    assert len(await Claimer(db, "w", 60).claim(3)) == 3


async def test_a_thousand_stale_writes_are_refused_a_thousand_times(db: Database) -> None:
    """Under the same worker name, under another, one epoch late or many; nothing changes."""
    domain = await add_domain(db, "example.org")
    old: list[Lease] = []
    for _ in range(8):
        old.append(await claim_one(db, "same"))
        async with db.write() as tx:
            await leases.release_claims(tx, SYSTEM, worker=None, expired_only=False)
    live = await claim_one(db, "same")
    stale = [*old, Lease(live.domain, "other", live.epoch, live.expires_at)]
    stale.append(Lease(live.domain, "same", live.epoch + 1, live.expires_at))
    before = (await get(db, domain.no)).row()
    tried = 0
    async with db.write() as tx:
        while tried < 1_000:
            for lease in stale:
                guard = leases.held(lease.no, lease.worker, lease.epoch)
                assert await leases.renew(tx, lease.worker, {lease.no: lease.epoch}, 600) == set()
                assert (await tx.execute(update(domain_crawl).where(guard).values(run_pages=9))).rowcount == 0
                with pytest.raises(LeaseLost):
                    await releasing.release(tx, lease, Outcome(status=CrawlStatus.ACTIVE), "records")
                tried += 3
    assert (await get(db, domain.no)).row() == before
    assert await _commit_a_page(db, live)


async def test_a_lost_release_rolls_back_what_was_written_with_it(db: Database) -> None:
    await add_domain(db, "example.org")
    lease = await claim_one(db)
    await _suspend(db, lease.no)
    async with db.read() as tx:
        before = await events.of_domain(tx, lease.no, 10)
    with pytest.raises(LeaseLost):
        await release(db, lease, Outcome(status=CrawlStatus.EXHAUSTED))
    async with db.read() as tx:
        assert await events.of_domain(tx, lease.no, 10) == before
        assert (await tx.execute(domains.select())).one().version == 2
