"""Ten million domains with ten URLs each on PostgreSQL, beside ten thousand: what a group of pages costs.

Each group is what a visit commits to the frontier: the domain is opened, fifty links are new, twenty URLs are
taken. The two registers are asked in turns, at domains spread over the whole; CPU is that of the program and
of the server together. Then the small one is moved into twice as many partitions.
"""

from __future__ import annotations

import argparse
import asyncio
import statistics
import sys
import time
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from pathlib import Path

import asyncpg
from sqlalchemy import text

from bench import claim
from bench.cpu import running_seconds
from bench.frontier import commit_group, open_domain
from bench.target import Target
from surveyor.db import Database, partitions, schema
from surveyor.frontier.changes import RANK_LATER, DomainChanges, NewUrl
from surveyor.frontier.sql import SqlFrontier
from surveyor.names import url_key
from surveyor.settings import DatabaseSettings
from tests.support.servers import Postgres

PER_DOMAIN = 10
LINKS, TAKEN = 50, 20
LARGEST_RATIO, MOST_BYTES = 1.5, 250
STEP = 100_000  # domains whose URLs are filled in one statement
# A path of forty bytes; one of ten is done, the rest wait. The key need not be ours, only as wide.
_FILL = f"""
INSERT INTO pages (domain_no, key, target, state, depth, rank, seq)
SELECT no, hashtextextended(no || '/' || n, 0), rpad('/' || n || '/', 40, 'a'),
       CASE WHEN n = 0 THEN 'done' ELSE 'waiting' END, 1, {RANK_LATER}, n
FROM generate_series(CAST(:first AS bigint), CAST(:last AS bigint)) no, generate_series(0, {PER_DOMAIN - 1}) n
"""


def main(argv: list[str]) -> int:
    parser = argparse.ArgumentParser(prog="bench urls", description=(__doc__ or "").split("\n", 1)[0])
    parser.add_argument("--domains", type=int, default=10_000_000, help="of the big register")
    parser.add_argument("--small", type=int, default=10_000, help="of the small one")
    parser.add_argument("--partitions", type=int, default=16)
    parser.add_argument("--groups", type=int, default=100, help="committed on each register")
    parser.add_argument("--folder", type=Path, help="for the server's files: 30 GB with ten million domains")
    args = parser.parse_args(argv)
    return asyncio.run(_bench(args))


@dataclass
class Register:
    """One database of a size, and what each group on it cost in milliseconds of CPU."""

    db: Database
    size: int
    cost: list[float] = field(default_factory=list)
    asked: int = 0

    async def group(self) -> None:
        """The visit of one domain that nobody visited before."""
        self.asked += 1
        no = self.asked * claim.SPREAD % self.size + 1
        frontier, links = SqlFrontier(), [f"/{self.asked}/{n}" for n in range(LINKS)]
        spent = running_seconds()
        epoch = await open_domain(self.db, frontier, no)
        urls = [NewUrl(url_key(target), target, 2, RANK_LATER, None) for target in links]
        taken = await commit_group(self.db, frontier, DomainChanges(no, epoch, urls, want=TAKEN))
        if len(taken) != TAKEN:
            raise SystemExit(f"{len(taken)} URLs taken of {TAKEN}")
        self.cost.append((running_seconds() - spent) * 1000)


async def _bench(args: argparse.Namespace) -> int:
    async with _registers(args) as (small, big):
        per_url = await _bytes_per_url(big)
        for register in (small, big):
            for _ in range(20):  # connections, prepared statements, caches
                await register.group()
            register.cost.clear()
        for _ in range(args.groups):
            await small.group()
            await big.group()
        costs = [statistics.median(register.cost) for register in (small, big)]
        print(f"a group of a visit: {costs[0]:.2f} ms of CPU, {costs[1]:.2f} among {big.size:,} domains")
        await _print_move(small, args.partitions * 2)
    targets = [
        Target("big / small, CPU of a group", costs[1] / costs[0], LARGEST_RATIO),
        Target("bytes per URL with its indexes", per_url, MOST_BYTES),
    ]
    print(*targets, sep="\n")
    return int(not all(target.is_met for target in targets))


async def _print_move(register: Register, wanted: int) -> None:
    started = time.perf_counter()
    await partitions.arrange(register.db, wanted)
    seconds, urls = time.perf_counter() - started, register.size * PER_DOMAIN
    print(f"moving {urls:,} URLs from {wanted // 2} into {wanted} partitions: {seconds:.1f} s")


async def _bytes_per_url(register: Register) -> float:
    query = "SELECT sum(pg_total_relation_size(relid)) FROM pg_partition_tree('pages') WHERE isleaf"
    async with register.db.read() as tx:
        return float((await tx.execute(text(query))).scalar_one()) / (register.size * PER_DOMAIN)


@asynccontextmanager
async def _registers(args: argparse.Namespace) -> AsyncIterator[list[Register]]:
    server = Postgres.create(args.folder)
    found: list[Register] = []
    try:
        connection = await asyncpg.connect(server.url())
        await connection.execute("CREATE DATABASE small")
        await connection.close()
        for size, url in ((args.small, server.url("small")), (args.domains, server.url())):
            settings = DatabaseSettings(url=url, statement_seconds=3_600, partitions=args.partitions)
            await schema.upgrade_register(settings, Path())
            found.append(Register(Database.open(settings, Path()), size))
            await _fill(found[-1])
        yield found
    finally:
        for register in found:
            await register.db.close()
        server.remove()


async def _fill(register: Register) -> None:
    await claim.fill(register.db, register.size, cooling=0)
    started = time.perf_counter()
    for first in range(1, register.size + 1, STEP):
        last = min(first + STEP - 1, register.size)
        async with register.db.write() as tx:
            await tx.execute(text(_FILL), {"first": first, "last": last})
        print(
            f"  {last * PER_DOMAIN:,} URLs, {time.perf_counter() - started:.0f} s",
            file=sys.stderr,
            flush=True,
        )
    async with register.db.write() as tx:
        await tx.execute(text("ANALYZE pages"))
