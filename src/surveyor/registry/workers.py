"""Workers: who is at work, with which domains, and which of them are gone.

A claiming worker takes leases. A passive one (an existing crawler that only reports)
does not, so the two must not run beside each other.
"""

from __future__ import annotations

import os
import secrets
import socket
from pathlib import Path
from uuid import UUID

from surveyor.db import Database
from surveyor.errors import Refused
from surveyor.process import locks
from surveyor.registry.store import leases as lease_store
from surveyor.registry.store import workers as store
from surveyor.registry.store.workers import REPORT_SECONDS, Colleague, Worker, WorkerKind

__all__ = [
    "REPORT_SECONDS",
    "Colleague",
    "Worker",
    "WorkerKind",
    "any_at_work",
    "ask",
    "colleagues",
    "enter",
    "free_leases_of_the_dead",
    "leave",
    "listing",
    "new_worker_id",
    "report",
    "set_run",
]


def new_worker_id() -> str:
    """Unique per process start, so that a name never comes back with an old lease."""
    # 48 bits: with 24, two of a thousand starts shared a name once in thirty tries.
    return f"{socket.gethostname()}-{os.getpid()}-{secrets.token_hex(6)}"


def lock_folder(db: Database) -> Path | None:
    """Where workers on one machine keep their locks; only SQLite has one machine for sure."""
    # Resolved, so that processes which name the database differently look into one folder.
    return db.file.resolve().parent / "workers" if db.file else None


async def enter(
    db: Database, worker: str, kind: WorkerKind = WorkerKind.CLAIMING, run_id: UUID | None = None
) -> locks.WorkerLock | None:
    """Take a place among the workers, before the first claim."""
    folder = lock_folder(db)
    lock = locks.WorkerLock(folder, worker) if folder else None
    other = WorkerKind.PASSIVE if kind is WorkerKind.CLAIMING else WorkerKind.CLAIMING
    try:
        async with db.write() as tx:
            await store.enter_alone(tx)
            for name in await store.working(tx, other):
                if folder is None or not locks.is_dead(folder, name):
                    raise Refused(f"the {other} worker {name} is at work; stop it before a {kind} one starts")
            await store.add(tx, worker, kind, run_id)
    except BaseException:
        if lock:
            lock.close()
        raise
    return lock


async def report(db: Database, worker: str, *, holding: bool = False) -> None:
    """It lives; `holding`: it has domains claimed."""
    async with db.write() as tx:
        await store.seen(tx, worker, holding=holding)


async def set_run(db: Database, worker: str, run_id: UUID) -> None:
    """The run it works for, if that begins after it entered: a run without a worker counts as abandoned."""
    async with db.write() as tx:
        await store.set_run(tx, worker, run_id)


async def leave(db: Database, worker: str, lock: locks.WorkerLock | None) -> None:
    try:
        async with db.write() as tx:
            await store.seen(tx, worker)
            await store.stopped(tx, [worker])
    finally:
        if lock:
            lock.close()


async def free_leases_of_the_dead(db: Database, here: Path | None = None) -> int:
    """Make what dead processes of this machine hold due at once; returns how many domains.

    `here` is where processes of this machine keep their locks if others are on other machines.
    """
    own = lock_folder(db)
    folder = own or here
    if folder is None:
        return 0
    async with db.read() as tx:
        holders = await lease_store.claimants(tx)
    dead = [name for name in holders if locks.is_dead(folder, name, may_be_elsewhere=own is None)]
    if not dead:
        return 0
    async with db.write() as tx:
        await store.stopped(tx, dead)
        return await lease_store.free_claims_of(tx, dead)


async def any_at_work(db: Database) -> bool:
    """Whether a worker would take a domain that comes due now."""
    folder = lock_folder(db)
    async with db.read() as tx:
        names = await store.working(tx, WorkerKind.CLAIMING)
    return any(folder is None or not locks.is_dead(folder, name) for name in names)


async def colleagues(db: Database, worker: str) -> list[Colleague]:
    """Other workers that take leases, less those of this machine that are known to be dead."""
    folder = lock_folder(db)
    async with db.read() as tx:
        found = await store.colleagues(tx, worker)
    return [one for one in found if folder is None or not locks.is_dead(folder, one.id)]


async def ask(db: Database, worker: str, *, asks: bool) -> None:
    async with db.write() as tx:
        await store.ask(tx, worker, asks=asks)


async def listing(db: Database, limit: int) -> list[Worker]:
    """Workers, those at work first, with what they hold."""
    async with db.read() as tx:
        return await store.listing(tx, limit)
