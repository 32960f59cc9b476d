"""Workers that come, go and die: what happens to their leases, on each engine."""

from __future__ import annotations

import asyncio
import os
import signal
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest
from sqlalchemy import update

from surveyor.db import Database, later, now
from surveyor.db.tables import workers as worker_rows
from surveyor.errors import LeaseLost, Refused, RefusedByDatabase
from surveyor.registry import workers
from surveyor.registry.leases import Claimer, renew
from surveyor.registry.store import workers as store
from surveyor.registry.workers import WorkerKind
from tests.support.lease_help import Holder, release, second_door, write_crawl
from tests.support.registry_help import add_domain, add_domains, claim_one, get


async def test_a_worker_is_seen_at_work_and_then_as_stopped(db: Database) -> None:
    name = workers.new_worker_id()
    await add_domains(db, 3)
    lock = await workers.enter(db, name)
    taken = await Claimer(db, name, 60).claim(2)
    await write_crawl(db, taken[0].no, claim_expires_at=now())
    [worker] = await workers.listing(db, 10)
    assert (worker.id, worker.kind, worker.pid, worker.state) == (name, "claiming", os.getpid(), "working")
    assert (worker.claims, worker.expired_claims) == (2, 1)
    await workers.report(db, name)
    [later] = await workers.listing(db, 10)
    assert later.last_seen_at > worker.last_seen_at
    await workers.leave(db, name, lock)
    [worker] = await workers.listing(db, 10)
    assert worker.state == "stopped"


async def test_a_worker_that_holds_leases_and_commits_nothing_is_stalled(db: Database) -> None:
    lock = await workers.enter(db, "stuck")
    await add_domains(db, 2)
    await workers.report(db, "stuck", holding=False)
    await _set(db, "stuck", started_at=later(-9_000))
    [taken] = await Claimer(db, "stuck", 60).claim(1)
    await workers.report(db, "stuck", holding=True)
    [worker] = await workers.listing(db, 10)
    assert (worker.state, worker.stall) == ("working", None), "it has had nothing to commit until now"
    await _set(db, "stuck", holding_since=later(-301))
    [worker] = await workers.listing(db, 10)
    assert worker.state == "stalled"
    assert worker.stall is not None and "commits nothing: 1 domains, for 5 min" in worker.stall
    async with db.write() as tx:
        await store.committed(tx, "stuck")
    [worker] = await workers.listing(db, 10)
    assert worker.state == "working"
    await _set(db, "stuck", last_commit_at=later(-301))
    assert (await workers.listing(db, 10))[0].state == "stalled"
    await release(db, taken)
    await workers.report(db, "stuck", holding=False)
    assert (await workers.listing(db, 10))[0].state == "working", "who holds nothing may rest"
    await workers.leave(db, "stuck", lock)


async def _set(db: Database, worker: str, **values: Any) -> None:
    async with db.write() as tx:
        await tx.execute(update(worker_rows).where(worker_rows.c.id == worker).values(values))


def test_no_two_starts_of_a_worker_have_one_name() -> None:
    names = {workers.new_worker_id() for _ in range(1_000)}
    assert len(names) == 1_000


@pytest.mark.parametrize("first", list(WorkerKind))
async def test_a_claiming_and_a_passive_worker_do_not_work_beside_each_other(
    db: Database, first: WorkerKind
) -> None:
    second = WorkerKind.PASSIVE if first is WorkerKind.CLAIMING else WorkerKind.CLAIMING
    lock = await workers.enter(db, "first", first)
    same = await workers.enter(db, "same kind", first)
    with pytest.raises(Refused, match=f"the {first} worker first is at work; stop it"):
        await workers.enter(db, "second", second)
    for name, held in (("first", lock), ("same kind", same)):
        await workers.leave(db, name, held)
    await workers.leave(db, "second", await workers.enter(db, "second", second))


async def test_of_two_kinds_that_start_at_the_same_moment_one_is_refused(db: Database, db_url: str) -> None:
    async with second_door(db_url) as other:
        for turn in range(10):
            names = [f"c{turn}", f"p{turn}"]
            locks = await asyncio.gather(
                workers.enter(db, names[0], WorkerKind.CLAIMING),
                workers.enter(other, names[1], WorkerKind.PASSIVE),
                return_exceptions=True,
            )
            assert sum(isinstance(each, Refused) for each in locks) == 1, locks
            for name, lock in zip(names, locks, strict=True):
                if not isinstance(lock, BaseException):
                    await workers.leave(db, name, lock)


async def test_a_name_that_is_at_work_is_not_given_twice(db: Database) -> None:
    await add_domain(db, "example.org")
    lock = await workers.enter(db, "same")
    lease = await claim_one(db, "same")
    with pytest.raises(Refused if db.is_sqlite else RefusedByDatabase):
        await workers.enter(db, "same")
    assert await workers.free_leases_of_the_dead(db) == 0, "the first one lives on"
    assert await renew(db, "same", [lease], 60) == {lease.no}
    await workers.leave(db, "same", lock)


async def test_a_killed_worker_loses_its_domain_at_once_or_when_its_lease_ends(
    db: Database, db_url: str
) -> None:
    """At once where the machine knows (SQLite); by time alone where it cannot (PostgreSQL)."""
    domain = await add_domain(db, "example.org")
    holder = Holder(db_url, "victim", 60)
    assert holder.taken == [domain.no]
    claimer = Claimer(db, "heir", 60)
    assert await workers.free_leases_of_the_dead(db) == 0, "it lives"
    assert await claimer.claim(1) == []
    holder.kill()
    freed = await workers.free_leases_of_the_dead(db)
    taken = await claimer.claim(1)
    assert (freed, len(taken)) == ((1, 1) if db.is_sqlite else (0, 0))
    if not taken:
        await write_crawl(db, domain.no, due_at=later(0.3), claim_expires_at=later(0.3))
        ends = (await get(db, domain.no)).claim_expires_at
        while not taken:
            taken = await claimer.claim(1)
        granted_at = taken[0].expires_at - timedelta(seconds=60)
        assert ends is not None and granted_at >= ends, "when the lease ends, and not before"
    assert (taken[0].epoch, taken[0].domain.claimed_by is not None) == (2, True)


async def test_a_living_worker_never_loses_its_domain_to_a_look(db: Database, db_url: str) -> None:
    domain = await add_domain(db, "example.org")
    holder = Holder(db_url, "alive", 60)
    for _ in range(20):
        assert await workers.free_leases_of_the_dead(db) == 0
    os.kill(holder.process.pid, signal.SIGSTOP)  # it hangs, but it is there
    assert await workers.free_leases_of_the_dead(db) == 0
    assert await Claimer(db, "heir", 60).claim(1) == []
    assert (await get(db, domain.no)).claimed_by == "alive"
    holder.kill()


@pytest.mark.parametrize("engine_name", ["sqlite"])  # the one with lock files
async def test_a_worker_that_died_is_dead_although_its_child_lives(db: Database, db_url: str) -> None:
    await add_domain(db, "example.org")
    holder = Holder(db_url, "parent", 60, forks=True)
    try:
        assert await workers.free_leases_of_the_dead(db) == 0
        holder.kill()
        os.kill(holder.child, 0)  # the child is still there
        assert await workers.free_leases_of_the_dead(db) == 1
        assert len(await Claimer(db, "heir", 60).claim(1)) == 1
    finally:
        os.kill(holder.child, signal.SIGKILL)


@pytest.mark.parametrize("engine_name", ["sqlite"])
async def test_what_the_dead_held_is_freed_once_and_their_old_epoch_is_worth_nothing(db: Database) -> None:
    await add_domains(db, 3)
    taken = await Claimer(db, "gone", 60).claim(3)  # it never entered, so it has no lock
    assert await workers.free_leases_of_the_dead(db) == 3
    assert await workers.free_leases_of_the_dead(db) == 0
    assert await renew(db, "gone", taken, 60) == set()
    with pytest.raises(LeaseLost):
        await release(db, taken[0])


@pytest.mark.parametrize("engine_name", ["sqlite"])
async def test_processes_that_name_the_database_differently_know_of_each_other(
    db: Database, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A living worker must not look dead because somebody came by another path."""
    await add_domain(db, "example.org")
    (tmp_path / "elsewhere").mkdir()
    link = tmp_path / "elsewhere" / "link.db"
    link.symlink_to(tmp_path / "surveyor.db")
    monkeypatch.chdir(tmp_path)
    lock = await workers.enter(db, "here")
    lease = await claim_one(db, "here")
    for url in (f"sqlite:///{link}", "sqlite:///surveyor.db", "sqlite:///elsewhere/../surveyor.db"):
        async with second_door(url) as other:
            assert await workers.free_leases_of_the_dead(other) == 0, url
    outsider = Holder(f"sqlite:///{link}", "outsider", 60)
    assert await workers.free_leases_of_the_dead(db) == 0
    outsider.kill()
    assert await renew(db, "here", [lease], 60) == {lease.no}
    await workers.leave(db, "here", lock)
