"""How long a domain is held, how a lease ends, and what an old epoch is worth. On both engines."""

from __future__ import annotations

import asyncio
from datetime import timedelta
from typing import Any

import pytest
import time_machine
from sqlalchemy import update

from surveyor.db import Database, later, now
from surveyor.db.tables import domain_crawl, domains
from surveyor.errors import LeaseLost
from surveyor.registry.actors import SYSTEM
from surveyor.registry.leases import Claimer, Lease, renew, still_held
from surveyor.registry.lifecycle import CrawlStatus, QualityStatus, ReviewStatus
from surveyor.registry.store import changes, events, leases
from surveyor.registry.store import release as releasing
from surveyor.registry.store.release import Outcome
from tests.support.lease_help import WITHDRAWALS, blacklist, release, second_door, suspend, write_crawl
from tests.support.registry_help import ADMIN, add_domain, add_domains, claim_one, get


def _site(*indexes: int) -> list[str]:
    return [f"site{index}.example" for index in indexes]


async def _commit_a_page(db: Database, lease: Lease) -> bool:
    """What a worker's group commit does to the row: counters, under the guard of its lease."""
    guard = leases.held(lease.no, lease.worker, lease.epoch)
    counted = {"pages_crawled": domain_crawl.c.pages_crawled + 1}
    async with db.write() as tx:
        done = await tx.execute(update(domain_crawl).where(guard).values(counted))
    return done.rowcount == 1


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
    await suspend(db, ended.no)
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
    lost = await claim_one(db, "first", seconds=60)
    assert await Claimer(db, "second", 60).claim(1) == []
    assert await renew(db, "first", [lost], 0.2) == {lost.no}
    await asyncio.sleep(0.22)
    found = await claim_one(db, "second")
    assert (found.no, found.epoch, found.domain.claimed_by is not None) == (lost.no, lost.epoch + 1, True)
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
            await leases.mark_ready(tx)
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
    await suspend(db, withdrawn.no)
    await write_crawl(db, ended.no, claim_expires_at=now())
    await write_crawl(db, other.no, claimed_by="somebody")
    assert await still_held(db, "w") == {kept.no: kept.epoch}


@pytest.mark.parametrize("hours", [1, -1])
async def test_time_is_the_databases_and_not_the_processs(db: Database, hours: int) -> None:
    await add_domains(db, 2)
    held = await claim_one(db, "w", seconds=60)
    turned = (await get(db, held.no)).read_at + timedelta(hours=hours)
    with time_machine.travel(turned, tick=True):
        free = await Claimer(db, "v", 60).claim(2)
        assert held.no not in {lease.no for lease in free}, "our clock frees nothing"
        assert await renew(db, "w", [held], 0.1) == {held.no}
        await asyncio.sleep(0.12)
        assert await renew(db, "w", [held], 60) == set(), "nor does it keep anything"
        taken = await claim_one(db, "v", seconds=60)
        row = await get(db, taken.no)
    assert taken.no == held.no
    assert timedelta(seconds=30) < taken.expires_at - row.read_at <= timedelta(seconds=60)
    assert abs(row.read_at - turned) > timedelta(minutes=50)


# --- what an old epoch is worth ---


@pytest.mark.parametrize("forbid", WITHDRAWALS, ids=lambda act: act.__name__)
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
    await suspend(db, lease.no)
    async with db.write() as tx:
        await changes.advance_review(tx, lease.no, ReviewStatus.APPROVED, ADMIN)
    new = await claim_one(db, "w2")
    assert new.epoch == lease.epoch + 2
    assert new.domain.claimed_by is None, "its last holder was told, it did not vanish"
    with pytest.raises(LeaseLost):
        await release(db, lease)


async def test_approval_of_a_blacklisted_domain_makes_nothing_due(db: Database) -> None:
    domain = await add_domain(db, "example.org", approved=False)
    await blacklist(db, domain.no)
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


async def test_after_a_release_by_hand_the_site_is_asked_only_after_a_full_delay(db: Database) -> None:
    """Its holder may have asked just now, and stored nothing of it."""
    await add_domain(db, "example.org")
    first = await claim_one(db, "first")
    async with db.write() as tx:
        await leases.release_claims(tx, ADMIN, worker=None, expired_only=False)
    second = await claim_one(db, "second")
    assert (first.waits_full_delay, second.waits_full_delay) == (False, True)
    await release(db, second)
    assert not (await claim_one(db, "third")).waits_full_delay


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
    await suspend(db, lease.no)
    async with db.read() as tx:
        before = await events.of_domain(tx, lease.no, 10)
    with pytest.raises(LeaseLost):
        await release(db, lease, Outcome(status=CrawlStatus.EXHAUSTED))
    async with db.read() as tx:
        assert await events.of_domain(tx, lease.no, 10) == before
        assert (await tx.execute(domains.select())).one().version == 2
