"""Claims by several processes, some of them killed: no domain is ever in two hands at one database time."""

from __future__ import annotations

import argparse
import asyncio
import random
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path

from sqlalchemy import func, select

from lab.claim_log import Verdict, judge, microseconds
from lab.claims_worker import MOST_AT_ONCE, Orders
from surveyor.db import Database, now, schema
from surveyor.db.tables import domain_crawl
from surveyor.registry.domain import SubmitterType
from surveyor.registry.lifecycle import ReviewStatus
from surveyor.registry.store import register
from surveyor.registry.store.leases import held_by
from surveyor.registry.store.register import NewDomain, Origin
from surveyor.settings import DatabaseSettings
from tests.support.servers import Postgres

ENGINES = ("sqlite", "postgresql")
STEADY_SECONDS = 60.0
VICTIM_SECONDS = 2.0  # short, so that what the killed held is taken over within the run
HELD_TRIES = 200  # looks for a moment at which a victim holds something
STALE_EVERY = 20
POLL_SECONDS = 0.1
STALLED_SECONDS = 60.0  # without a single claim: something is stuck


@dataclass(frozen=True, slots=True, kw_only=True)
class Plan:
    claims: int
    workers: int
    domains: int
    kills: int
    seed: int
    victim_seconds: float = VICTIM_SECONDS


@dataclass(slots=True)
class Report:
    """What a run came to, for people and for the suite."""

    verdict: Verdict
    seconds: float
    kills: int
    taken_over: int
    epochs: int  # as the register counts them
    failed: list[str] = field(default_factory=list)  # workers that ended by themselves

    @property
    def unrecorded(self) -> int:
        """Claims that were committed, whose worker was killed before it could say so."""
        return self.epochs - self.verdict.claims

    @property
    def is_sound(self) -> bool:
        return not (
            self.verdict.violations or self.failed or not 0 <= self.unrecorded <= self.kills * MOST_AT_ONCE
        )

    def summary(self) -> str:
        v = self.verdict
        lines = [
            f"  {v.claims:,} claims in {self.seconds:.1f} s = {v.claims / self.seconds:,.0f} claims/s,"
            f" asked for {v.asked:,} times; {self.kills} workers killed,"
            f" {self.taken_over} domains taken over",
            f"  overlaps {v.overlaps}, over-claims {v.over_claims}, lost while alive {v.lost_alive},"
            f" epochs out of order {v.epochs_out_of_order}, unrecorded {self.unrecorded};"
            f" stale writes {v.stale_tried:,} tried, {v.stale_accepted} accepted",
            *(f"  VIOLATION {example}" for example in v.examples),
            *(f"  FAILED {name}" for name in self.failed),
        ]
        return "\n".join(lines)


def main(argv: list[str]) -> int:
    parser = argparse.ArgumentParser(prog="lab claims", description=__doc__)
    parser.add_argument("--claims", type=int, default=100_000)
    parser.add_argument("--workers", type=int, default=8, help="processes at once")
    parser.add_argument("--engine", choices=(*ENGINES, "both"), default="both")
    parser.add_argument("--domains", type=int, default=2_000)
    parser.add_argument("--kills", type=int, default=12, help="workers killed and replaced during a run")
    parser.add_argument("--seed", type=int, default=None)
    args = parser.parse_args(argv)
    seed = args.seed if args.seed is not None else random.SystemRandom().randrange(2**31)
    plan = Plan(claims=args.claims, workers=args.workers, domains=args.domains, kills=args.kills, seed=seed)
    sound = True
    for engine in ENGINES if args.engine == "both" else (args.engine,):
        print(
            f"claims on {engine}: {plan.workers} workers, {plan.domains:,} domains, seed {seed}, {commit()}"
        )
        with tempfile.TemporaryDirectory(prefix="surveyor-lab-") as folder, _database(engine, folder) as url:
            report = asyncio.run(run(plan, url, Path(folder)))
        print(report.summary(), flush=True)
        sound = sound and report.is_sound
    return 0 if sound else 1


def commit() -> str:
    asked = ["git", "rev-parse", "--short", "HEAD"]
    done = subprocess.run(asked, capture_output=True, text=True, cwd=Path(__file__).parent)
    return f"commit {done.stdout.strip()}" if done.returncode == 0 else "no commit"


@contextmanager
def _database(engine: str, folder: str) -> Iterator[str]:
    if engine == "sqlite":
        yield f"sqlite:///{folder}/surveyor.db"
        return
    server = Postgres.create()
    try:
        yield server.url()
    finally:
        server.remove()


async def run(plan: Plan, url: str, folder: Path) -> Report:
    """The whole run on an empty database; `folder` takes the ledgers."""
    db = Database.open(DatabaseSettings(url=url), folder)
    try:
        await schema.upgrade(db)
        await _fill(db, plan.domains)
        crowd = Crowd(plan, url, folder, db)
        started = time.perf_counter()
        try:
            await crowd.until_done()
        finally:
            crowd.end()
        seconds = time.perf_counter() - started
        async with db.read() as tx:
            epochs = (await tx.execute(select(func.sum(domain_crawl.c.lease_epoch)))).scalar_one()
        taken_over = await crowd.taken_over()
    finally:
        await db.close()
    # Without lock files a killed worker's lease lasts to its end; with them, to the kill.
    verdict = judge(sorted(folder.glob("*.ledger")), crowd.killed if db.is_sqlite else {})
    return Report(verdict, seconds, len(crowd.killed), taken_over, int(epochs), crowd.failed)


async def _fill(db: Database, count: int) -> None:
    origin = Origin("lab", SubmitterType.ADMIN, "lab", ReviewStatus.APPROVED)
    async with db.write() as tx:
        batch = [NewDomain(f"site{index}.example", index + 1) for index in range(count)]
        await register.add_batch(tx, batch, origin)


class Crowd:
    """The worker processes: started, counted, killed and replaced."""

    def __init__(self, plan: Plan, url: str, folder: Path, db: Database) -> None:
        self.plan, self.url, self.folder, self.db = plan, url, folder, db
        self.random = random.Random(plan.seed)
        self.alive: dict[str, subprocess.Popen[bytes]] = {}
        self.killed: dict[str, int] = {}
        self.abandoned: dict[int, int] = {}  # domain -> epoch under which a killed worker held it
        self.failed: list[str] = []
        self.started = 0
        self.read: dict[Path, int] = {}
        self.claims = 0
        (folder / "stop").unlink(missing_ok=True)
        for _ in range(plan.workers):
            self.start()

    def start(self) -> None:
        """Every other worker is a victim: it has short leases, and may be killed at any moment."""
        number, self.started = self.started, self.started + 1
        victim = number % 2 == 1
        orders = Orders(
            name=f"{'victim' if victim else 'steady'}-{number}",
            url=self.url,
            folder=str(self.folder),
            seed=self.plan.seed * 1_000 + number,
            lease_seconds=self.plan.victim_seconds if victim else STEADY_SECONDS,
            stale_every=STALE_EVERY,
        )
        orders.ledger.touch()
        self.alive[orders.name] = subprocess.Popen(
            [sys.executable, "-m", "lab.claims_worker", orders.text()], cwd=Path(__file__).parent.parent
        )

    async def until_done(self) -> None:
        """So many claims, and some more until all kills were made and what was held then is claimed again."""
        await self._until(self.plan.claims)
        most = 3 * self.plan.claims
        while not self.failed and self.claims < most and not await self._is_shown():
            await self._until(self.claims + 1)

    async def _is_shown(self) -> bool:
        return len(self.killed) == self.plan.kills and await self.taken_over() > 0

    async def taken_over(self) -> int:
        """How many domains that a killed worker held were claimed again."""
        c = domain_crawl.c
        async with self.db.read() as tx:
            epochs = {row.no: row.lease_epoch for row in await tx.execute(select(c.no, c.lease_epoch))}
        return sum(epochs[no] > epoch for no, epoch in self.abandoned.items())

    async def _until(self, claims: int) -> None:
        last, moved = 0, time.perf_counter()
        while self.claims < claims:
            await asyncio.sleep(POLL_SECONDS)
            self.count()
            self.note_failures()
            if self.failed:
                return
            if self.claims > last:
                last, moved = self.claims, time.perf_counter()
            elif time.perf_counter() - moved > STALLED_SECONDS:
                self.failed.append(f"nobody claimed anything for {STALLED_SECONDS:.0f} s")
                return
            if self.claims >= (len(self.killed) + 1) * self.plan.claims / (self.plan.kills + 1):
                await self.kill_one()

    def count(self) -> None:
        for path in self.folder.glob("*.ledger"):
            with path.open("rb") as file:
                file.seek(self.read.get(path, 0))
                new = file.read()
            self.claims += new.count(b'["took"')
            self.read[path] = self.read.get(path, 0) + len(new)

    async def kill_one(self) -> None:
        """Kill a worker that holds something; it is stopped first, so that we know until when it acted."""
        victims = [name for name in self.alive if name.startswith("victim")]
        if not victims or len(self.killed) >= self.plan.kills:
            return
        name = self.random.choice(victims)
        process = self.alive[name]
        for _ in range(HELD_TRIES):
            process.send_signal(signal.SIGSTOP)
            async with self.db.read() as tx:
                moment = (await tx.execute(select(now()))).scalar_one()
                holds = await held_by(tx, name)
            if holds:
                break
            process.send_signal(signal.SIGCONT)
            await asyncio.sleep(0.002)
        else:
            return  # it holds nothing: another moment
        process.kill()
        process.wait()
        del self.alive[name]
        self.killed[name] = microseconds(moment)
        self.abandoned |= holds
        self.started += 1 - self.started % 2  # the next number is a victim's again
        self.start()

    def note_failures(self) -> None:
        gone = {name: process.poll() for name, process in self.alive.items()}
        self.failed += [f"{name} ended with {code}" for name, code in gone.items() if code is not None]

    def end(self) -> None:
        (self.folder / "stop").touch()
        for name, process in self.alive.items():
            try:
                code = process.wait(60)
            except subprocess.TimeoutExpired:
                process.kill()
                code = process.wait()
            if code and not self.failed:
                self.failed.append(f"{name} ended with {code}")
