"""Rows of workers, and the value that is read from them."""

from __future__ import annotations

import os
import socket
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from enum import StrEnum
from typing import Any, NamedTuple
from uuid import UUID

from sqlalchemy import func, select, update
from sqlalchemy.ext.asyncio import AsyncConnection

from surveyor import __version__
from surveyor.db import now
from surveyor.db.dialect import turn
from surveyor.db.tables import domain_crawl, workers

# A worker reports at least every ten seconds; one that was silent for a minute is not counted on.
REPORT_SECONDS = 10.0
_SILENT = timedelta(seconds=60)
# Who holds domains and commits nothing for so long is stuck: the longest delay is a minute, and an answer
# has less than that.
STALLED = timedelta(seconds=300)


# Who has not reported twice in a row gets no share kept for it, and who asked so long ago has gone.
_LATELY, _ASKED = timedelta(seconds=25), timedelta(seconds=3)


class WorkerKind(StrEnum):
    CLAIMING = "claiming"
    PASSIVE = "passive"


@dataclass(frozen=True, slots=True)
class Worker:
    id: str
    kind: WorkerKind
    host: str
    pid: int
    program_version: str
    started_at: datetime
    last_seen_at: datetime
    stopped_at: datetime | None
    run_id: UUID | None
    holding_since: datetime | None
    last_commit_at: datetime | None
    claims: int
    expired_claims: int
    read_at: datetime

    @property
    def state(self) -> str:
        if self.stopped_at is not None:
            return "stopped"
        if self.read_at - self.last_seen_at > _SILENT:
            return "silent"
        return "stalled" if self.idle_for > STALLED else "working"

    @property
    def stall(self) -> str | None:
        """What is wrong with a worker that gets nowhere, and what to do; none if nothing is."""
        if self.state != "stalled":
            return None
        minutes = int(self.idle_for.total_seconds()) // 60
        return (
            f"holds leases and commits nothing: {self.claims} domains, for {minutes} min; see its log, end it"
            f" and start it again (`surveyor release-claims --worker {self.id}` frees its domains)"
        )

    @property
    def idle_for(self) -> timedelta:
        """How long it has held domains without committing anything."""
        if self.holding_since is None or not self.claims:
            return timedelta()
        return self.read_at - max(self.holding_since, self.last_commit_at or self.holding_since)


_SHOWN: list[Any] = [column for column in workers.c if column.name != "asked_at"]


async def enter_alone(tx: AsyncConnection) -> None:
    """Who looks for workers of the other kind and then enters does both before the next one looks."""
    await tx.execute(select(turn("workers")))


async def add(tx: AsyncConnection, worker: str, kind: WorkerKind, run_id: UUID | None) -> None:
    await tx.execute(
        workers.insert().values(
            id=worker,
            kind=kind,
            run_id=run_id,
            host=socket.gethostname(),
            pid=os.getpid(),
            program_version=__version__,
            started_at=now(),
            last_seen_at=now(),
        )
    )


async def set_run(tx: AsyncConnection, worker: str, run_id: UUID) -> None:
    await tx.execute(update(workers).where(workers.c.id == worker).values(run_id=run_id))


async def seen(tx: AsyncConnection, worker: str, *, holding: bool = False) -> None:
    since = func.coalesce(workers.c.holding_since, now()) if holding else None
    values = {"last_seen_at": now(), "holding_since": since}
    await tx.execute(update(workers).where(workers.c.id == worker).values(values))


async def committed(tx: AsyncConnection, worker: str) -> None:
    """A group of its pages is in this transaction."""
    await tx.execute(update(workers).where(workers.c.id == worker).values(last_commit_at=now()))


async def stopped(tx: AsyncConnection, names: Sequence[str]) -> None:
    await tx.execute(
        update(workers)
        .where(workers.c.id.in_(names), workers.c.stopped_at.is_(None))
        .values(stopped_at=now())
    )


async def working(tx: AsyncConnection, kind: WorkerKind) -> list[str]:
    """Names of the workers of that kind that reported lately."""
    query = select(workers.c.id, workers.c.last_seen_at, now()).where(
        workers.c.kind == kind, workers.c.stopped_at.is_(None)
    )
    return [name for name, last, moment in await tx.execute(query) if moment - last <= _SILENT]


class Colleague(NamedTuple):
    """Another worker that takes leases."""

    id: str
    is_asking: bool  # it found nothing due, and would take a share


async def colleagues(tx: AsyncConnection, worker: str) -> list[Colleague]:
    """Others that reported lately."""
    w = workers.c
    query = select(w.id, w.last_seen_at, w.asked_at, now()).where(
        w.kind == WorkerKind.CLAIMING, w.stopped_at.is_(None), w.id != worker
    )
    return [
        Colleague(name, asked is not None and moment - asked <= _ASKED)
        for name, last, asked, moment in await tx.execute(query)
        if moment - last <= _LATELY
    ]


async def ask(tx: AsyncConnection, worker: str, *, asks: bool) -> None:
    """It would take a share of what others hold, now; or it has enough."""
    values = {"asked_at": now() if asks else None}
    await tx.execute(update(workers).where(workers.c.id == worker).values(values))


async def listing(tx: AsyncConnection, limit: int) -> list[Worker]:
    held = (
        select(
            domain_crawl.c.claimed_by,
            func.count().label("claims"),
            func.count().filter(domain_crawl.c.claim_expires_at <= now()).label("expired"),
        )
        .where(domain_crawl.c.claimed_by.is_not(None))
        .group_by(domain_crawl.c.claimed_by)
        .subquery()
    )
    query = (
        select(*_SHOWN, func.coalesce(held.c.claims, 0), func.coalesce(held.c.expired, 0), now())
        .outerjoin(held, held.c.claimed_by == workers.c.id)
        .order_by(workers.c.stopped_at.is_not(None), workers.c.last_seen_at.desc(), workers.c.id)
        .limit(limit)
    )
    found: Any = await tx.execute(query)
    return [Worker(row[0], WorkerKind(row[1]), *row[2:]) for row in found]
