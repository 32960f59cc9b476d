"""The database's part in the work of many workers: claims, looks at leases, renewals, releases with delays.

The statements are real and go to a real PostgreSQL; the workers' time is not: a visit of 25 pages with a
second between them is over as soon as its turn comes. So the figure is CPU of the database per second of the
workers' time. Pages that are committed are not in it; `bench crawl` has those.
"""

from __future__ import annotations

import argparse
import asyncio
import heapq
import random
import statistics
import time
from collections import Counter
from dataclasses import dataclass, field
from pathlib import Path

from bench.claim import LEASE_SECONDS, fill
from bench.cpu import cpu_of_children
from surveyor.db import Database, schema
from surveyor.errors import Deadlocked
from surveyor.registry import leases
from surveyor.registry.leases import Claimer, Lease
from surveyor.registry.lifecycle import CrawlStatus
from surveyor.registry.store import release
from surveyor.registry.store.release import Outcome
from surveyor.settings import DatabaseSettings
from tests.support.servers import Postgres

LOOK_SECONDS = 5.0  # how often a worker asks whether its leases are still its own
RENEW_SECONDS = LEASE_SECONDS / 3
LANES = 20  # connections at once; a worker has one where thousands share a pooler
AT_ONCE = 50  # domains in one claim or release, as a worker groups them


def main(argv: list[str]) -> int:
    parser = argparse.ArgumentParser(prog="bench simulate", description=(__doc__ or "").split("\n", 1)[0])
    parser.add_argument("--workers", type=int, default=1_000)
    parser.add_argument("--held", type=int, default=50, help="Domains that one worker holds at once.")
    parser.add_argument("--pages", type=float, default=25, help="Pages of a visit, in the mean.")
    parser.add_argument("--delay", type=float, default=1.0, help="Seconds between two of them.")
    parser.add_argument("--visits", type=int, default=60_000)
    parser.add_argument("--seed", type=int, default=1)
    given = parser.parse_args(argv)
    server = Postgres.create()
    try:
        return asyncio.run(_bench(server.url(), given))
    finally:
        server.remove()


@dataclass
class Run:
    """What became of it so far; `turns` is a heap of (the workers' time, what, worker)."""

    db: Database
    given: argparse.Namespace
    random: random.Random
    turns: list[tuple[float, str, int]] = field(default_factory=list)
    held: dict[int, list[Lease]] = field(default_factory=dict)
    holder: dict[int, int] = field(default_factory=dict)  # domain -> worker
    done: Counter[str] = field(default_factory=Counter)
    claims: list[float] = field(default_factory=list)  # milliseconds
    now: float = 0.0

    def visit_seconds(self) -> float:
        """A group of domains is given back together; visits differ in length, as sites do."""
        return self.given.delay * self.random.expovariate(1 / self.given.pages)


async def _bench(url: str, given: argparse.Namespace) -> int:
    db = Database.open(DatabaseSettings(url=url, statement_seconds=600, pool_size=LANES), Path())
    try:
        await schema.upgrade(db)
        await fill(db, given.visits + given.workers * given.held, cooling=0.0)
        run = Run(db, given, random.Random(given.seed))
        claimers = [Claimer(db, f"worker-{number}", LEASE_SECONDS) for number in range(given.workers)]
        groups = max(1, given.held // AT_ONCE)
        for number in range(given.workers):
            for _ in range(groups):
                heapq.heappush(run.turns, (run.visit_seconds(), "claim", number))
            heapq.heappush(run.turns, (run.random.uniform(0, LOOK_SECONDS), "look", number))
            heapq.heappush(run.turns, (run.random.uniform(0, RENEW_SECONDS), "renew", number))
        began, spent, own = time.monotonic(), cpu_of_children(), time.process_time()
        await asyncio.gather(*(_lane(run, claimers) for _ in range(LANES)))
        return _report(run, time.monotonic() - began, cpu_of_children() - spent, time.process_time() - own)
    finally:
        await db.close()


async def _lane(run: Run, claimers: list[Claimer]) -> None:
    """One connection: whoever's turn is next, until enough visits are over."""
    while run.turns and run.done["visits"] < run.given.visits:
        at, what, worker = heapq.heappop(run.turns)
        run.now = max(run.now, at)
        try:
            pause = await _turn(run, claimers[worker], what, worker)
        except Deadlocked:
            run.done["deadlocks"] += 1
            pause = 0.1
        heapq.heappush(run.turns, (at + pause, what, worker))


async def _turn(run: Run, claimer: Claimer, what: str, worker: int) -> float:
    """One act of a worker; returns the seconds of its time until the next of the kind."""
    mine = run.held.setdefault(worker, [])
    run.done[what] += 1
    if what == "look":
        await leases.are_held(run.db, f"worker-{worker}", mine)
        return LOOK_SECONDS
    if what == "renew":
        kept = await leases.renew(run.db, f"worker-{worker}", mine, LEASE_SECONDS) if mine else set()
        run.done["lost"] += len({lease.no for lease in mine} - kept - _given_back(run, mine))
        return RENEW_SECONDS
    given_back, run.held[worker] = mine[:AT_ONCE], mine[AT_ONCE:]
    if given_back:
        await _release(run, given_back)
    began = time.perf_counter()
    taken = await claimer.claim(AT_ONCE)
    run.claims.append((time.perf_counter() - began) * 1000)
    run.done["empty claims"] += not taken
    run.done["held twice"] += sum(lease.no in run.holder for lease in taken)
    run.holder.update({lease.no: worker for lease in taken})
    run.held[worker].extend(taken)
    return run.visit_seconds()


def _given_back(run: Run, mine: list[Lease]) -> set[int]:
    """Domains that were released while their renewal was on its way."""
    return {lease.no for lease in mine if lease.no not in run.holder}


async def _release(run: Run, given_back: list[Lease]) -> None:
    pages = int(run.given.pages)
    ended = Outcome(
        status=CrawlStatus.EXHAUSTED,
        next_fetch_seconds=run.given.delay,
        frontier_size=0,
        counts={"pages_crawled": pages, "bytes_fetched": pages * 20_000},
    )
    for lease in given_back:
        run.holder.pop(lease.no, None)
    async with run.db.write() as tx:
        ours = await release.release_all(tx, [(lease, ended) for lease in given_back], "records")
    run.done["lost"] += len(given_back) - len(ours)
    run.done["visits"] += len(ours)


def _report(run: Run, seconds: float, database: float, own: float) -> int:
    given, done = run.given, run.done
    visits = done["visits"]
    print(
        f"{given.workers:,} workers with {given.held} domains each, {given.pages:g} pages a visit,"
        f" {given.delay:g} s between them: {visits:,} visits,"
        f" {run.now:,.0f} s of their time in {seconds:,.0f} s"
    )
    print(
        f"  {visits / run.now:,.0f} domains claimed and released a second,"
        f" {visits * given.pages / run.now:,.0f} pages; {done['look']:,} looks, {done['renew']:,} renewals"
    )
    pace = given.workers * given.held / (given.pages * given.delay)  # once all of them are at work
    print(
        f"  the database: {database / visits * 1000:.2f} ms of CPU per visit; at their full pace of"
        f" {pace:,.0f} a second {database / visits * pace:.2f} cores,"
        f" and {own / visits * pace:.2f} for the workers together"
    )
    ordered = sorted(run.claims)
    print(
        f"  a claim of {AT_ONCE}: median {statistics.median(ordered):.0f} ms,"
        f" p95 {ordered[int(len(ordered) * 0.95)]:.0f} ms over {LANES} connections"
    )
    wrong = {name: done[name] for name in ("held twice", "lost", "deadlocks", "empty claims")}
    print("  " + ", ".join(f"{name}: {count}" for name, count in wrong.items()))
    return int(done["held twice"] > 0 or done["lost"] > 0)
