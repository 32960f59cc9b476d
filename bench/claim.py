"""Claims among 10,000 and among 1,000,000 domains, 300,000 of the best cooling down; fifty at once.

The two databases are asked in turns, so that a busy machine hurts both alike; CPU is that of the
program and of the server together. What is due is marked as ready, as it is in a register at work; the
planner is asked first without any figures of the tables (as after a large import), then with fresh ones.
"""

from __future__ import annotations

import argparse
import asyncio
import re
import statistics
import tempfile
import time
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import asyncpg
from sqlalchemy import (
    BigInteger,
    Text,
    case,
    cast,
    event,
    func,
    insert,
    literal,
    not_,
    select,
    text,
    update,
)

from bench.cpu import running_seconds
from bench.servers import postgres
from bench.target import Target
from surveyor.db import Database, later, now, schema
from surveyor.db.tables import domain_crawl, domains
from surveyor.registry.leases import Claimer
from surveyor.settings import DatabaseSettings

AT_ONCE = 50  # as a worker does
COOLING = 0.3  # of the best
LARGEST_RATIO = 1.5  # big / small, by medians of CPU
MOST_MS = 1.0  # of CPU per domain
LEASE_SECONDS = 1800.0
# Co-prime to both sizes: spreads the priorities over the table, as registration order does.
SPREAD = 7919


def main(argv: list[str]) -> int:
    parser = argparse.ArgumentParser(prog="bench claim", description=(__doc__ or "").split("\n", 1)[0])
    parser.add_argument("--domains", type=int, default=1_000_000, help="rows of the big register")
    parser.add_argument("--small", type=int, default=10_000, help="rows of the small one")
    parser.add_argument("--claims", type=int, default=60, help="claims per measurement")
    parser.add_argument("--at-once", type=int, default=AT_ONCE, help="domains per claim")
    parser.add_argument("--cooling", type=float, default=COOLING, help="share of the best that cools down")
    parser.add_argument("--engine", choices=("postgresql", "sqlite", "both"), default="both")
    parser.add_argument("--keep", type=Path, help="build the big register here and use it again")
    args = parser.parse_args(argv)
    engines = ("postgresql", "sqlite") if args.engine == "both" else (args.engine,)
    return max([asyncio.run(_bench(engine, args)) for engine in engines])


@dataclass
class Register:
    """One database of a size, and what claims on it took and cost (milliseconds)."""

    db: Database
    size: int
    claimer: Claimer
    at_once: int
    took: list[float] = field(default_factory=list)
    cost: list[float] = field(default_factory=list)

    async def claim(self) -> None:
        started, spent = time.perf_counter(), running_seconds()
        taken = await self.claimer.claim(self.at_once)
        self.took.append((time.perf_counter() - started) * 1000)
        self.cost.append((running_seconds() - spent) * 1000)
        if len(taken) != self.at_once:
            raise SystemExit(f"only {len(taken)} claimed; use fewer --claims or a larger --small")

    @property
    def cpu_per_domain(self) -> float:
        return statistics.median(self.cost) / self.at_once

    def line(self) -> str:
        ordered = sorted(self.took)
        return (
            f"  {self.size:>10,} domains  median {statistics.median(ordered):6.2f} ms"
            f"  p95 {ordered[int(len(ordered) * 0.95)]:6.2f} ms per claim of {self.at_once},"
            f" {self.cpu_per_domain:5.3f} ms of CPU per domain"
        )


async def _bench(engine: str, args: argparse.Namespace) -> int:
    async with _registers(engine, args) as (small, big):
        print(f"{engine}: {args.claims} claims each, {args.cooling:.0%} of the best are cooling down")
        targets: list[Target] = []
        rounds = ("without figures", "with fresh figures") if engine == "postgresql" else ("as it is",)
        for condition in rounds:
            if condition == "with fresh figures":
                for register in (small, big):
                    await _execute(register.db, "ANALYZE")
            targets += await _measure(small, big, args.claims, condition)
        sound = await _walks_its_indexes(big)
        await _print_ripening(big)
    print(*targets, sep="\n")
    return int(not all(target.is_met for target in targets) or not sound)


async def _measure(small: Register, big: Register, claims: int, condition: str) -> list[Target]:
    for register in (small, big):
        for _ in range(10):  # connections, prepared statements, caches
            await register.claim()
        register.took.clear()
        register.cost.clear()
    for _ in range(claims):
        await small.claim()
        await big.claim()
    print(f" {condition}:\n{small.line()}\n{big.line()}", flush=True)
    return [
        Target(f"{condition}: big / small, CPU", big.cpu_per_domain / small.cpu_per_domain, LARGEST_RATIO),
        Target(f"{condition}: ms of CPU per domain", big.cpu_per_domain, MOST_MS),
    ]


# --- the registers ---


@asynccontextmanager
async def _registers(engine: str, args: argparse.Namespace) -> AsyncIterator[list[Register]]:
    async with _two_databases(engine, args.keep) as urls:
        found: list[Register] = []
        try:
            for size, url in zip((args.small, args.domains), urls, strict=True):
                db = Database.open(DatabaseSettings(url=url, statement_seconds=3_600), Path())
                found.append(Register(db, size, Claimer(db, "bench", LEASE_SECONDS), args.at_once))
                await schema.upgrade(db)
                if not await _given_back(db, size):
                    await fill(db, size, args.cooling)
                print(f"  {await _bytes(db) / size:,.0f} bytes per domain with its indexes", flush=True)
            yield found
        finally:
            for register in found:
                await register.db.close()


@asynccontextmanager
async def _two_databases(engine: str, keep: Path | None) -> AsyncIterator[list[str]]:
    if engine == "sqlite":
        with tempfile.TemporaryDirectory(prefix="surveyor-bench-") as folder:
            if keep:
                keep.mkdir(exist_ok=True)
            yield [f"sqlite:///{folder}/small.db", f"sqlite:///{keep or folder}/big.db"]
        return
    with postgres(keep and keep.with_name(f"{keep.name}-postgresql")) as server:
        connection = await asyncpg.connect(server.url())
        await connection.execute("DROP DATABASE IF EXISTS small")
        await connection.execute("CREATE DATABASE small")
        # What the planner knows is part of the measurement, so nobody counts behind our back.
        await connection.execute("ALTER SYSTEM SET autovacuum = off")
        await connection.execute("SELECT pg_reload_conf()")
        await connection.execute("DELETE FROM pg_statistic")
        await connection.execute("UPDATE pg_class SET reltuples = -1 WHERE relname LIKE 'domain%'")
        await connection.close()
        yield [server.url("small"), server.url()]


async def _given_back(db: Database, size: int) -> bool:
    """Whether a kept register is here, which is then as it was filled: what was claimed is ready again."""
    c = domain_crawl.c
    free = {"claimed_by": None, "claim_expires_at": None, "attempts": 0, "due_at": later(-1.0), "ready": True}
    async with db.write() as tx:
        found = (await tx.execute(select(func.max(domains.c.no)))).scalar_one()
        await tx.execute(update(domain_crawl).where(c.claimed_by.is_not(None)).values(free))
    if found not in (None, size):
        raise SystemExit(f"the kept register has {found:,} domains, not {size:,}")
    return found is not None


async def fill(db: Database, size: int, cooling: float = COOLING) -> None:
    """Approved domains whose priorities are spread over the table; the best of them are not due."""
    started = time.perf_counter()
    counted = select(literal(0, BigInteger).label("i")).cte("counted", recursive=True)
    counted = counted.union_all(select(counted.c.i + 1).where(counted.c.i < size - 1))
    i = counted.c.i
    place = (i * SPREAD) % size  # 0 is the best
    cools = place < int(size * cooling)
    people = {
        "no": i + 1,
        "id": func.lower(func.hex(func.randomblob(16))) if db.is_sqlite else func.gen_random_uuid(),
        "domain": literal("site") + cast(i, Text) + ".example",
        "parent_domain": literal("site") + cast(i, Text) + ".example",
        "source": literal("bench"),
        "review_status": literal("approved"),
        "submitter_type": literal("admin"),
        "quality_status": literal("discovered"),
        **dict.fromkeys(("first_seen_at", "last_seen_at", "created_at", "updated_at"), now()),
    }
    worked = {
        "no": i + 1,
        "crawl_status": literal("pending"),
        "priority_key": -place,
        "due_at": case((cools, later(86_400.0 + i)), else_=later(-1.0 - i)),
        "ready": not_(cools),
    }
    async with db.write() as tx:
        for table, values in ((domains, people), (domain_crawl, worked)):
            query = select(*(value.label(name) for name, value in values.items())).select_from(counted)
            await tx.execute(insert(table).from_select(list(values), query))
    print(f"{db.dialect_name}: {size:,} domains filled in {time.perf_counter() - started:.1f} s")


# --- what the database says ---


async def _walks_its_indexes(register: Register) -> bool:
    """Print how the statements of one claim find their rows; False if one of them wades or sorts."""
    statements: list[tuple[str, Any]] = []

    def note(_connection: Any, _cursor: Any, statement: str, parameters: Any, *_: Any) -> None:
        statements.append((statement, parameters))

    engine = register.db.engine.sync_engine
    event.listen(engine, "before_cursor_execute", note)
    await register.claim()
    event.remove(engine, "before_cursor_execute", note)
    plans = [await _plan(register.db, *each) for each in statements if each[0].startswith("SELECT")]
    used = sorted(
        {name for plan in plans for name in re.findall(r"\b(?:ix|pk)_\w+|INTEGER PRIMARY KEY", plan)}
    )
    bad = [line.strip() for plan in plans for line in plan.splitlines() if _WADES.search(line)]
    print(f"  walks {', '.join(used)}" + (f"; WADES: {bad}" if bad else "; no sort, no scan of a table"))
    wanted = {"ix_domain_crawl_best", "ix_domain_crawl_longest_due", "ix_domain_crawl_due"}
    return not bad and wanted <= set(used)


_WADES = re.compile(r"Seq Scan|Sort|TEMP B-TREE|SCAN domain\w*$")


async def _plan(db: Database, statement: str, parameters: Any) -> str:
    async with db.read() as tx:
        if db.is_sqlite:
            found = await tx.exec_driver_sql(f"EXPLAIN QUERY PLAN {statement}", parameters)
            return "\n".join(str(row.detail) for row in found)
        found = await tx.exec_driver_sql(f"EXPLAIN {statement}", parameters)
        return "\n".join(str(row[0]) for row in found)


async def _print_ripening(register: Register) -> None:
    """What a claim costs that finds a thousand rows newly due, as after an import."""
    register.took.clear()
    for _ in range(5):
        async with register.db.write() as tx:
            some = select(domain_crawl.c.no).where(domain_crawl.c.ready).limit(1_000)
            await tx.execute(update(domain_crawl).where(domain_crawl.c.no.in_(some)).values(ready=False))
        await register.claim()
    print(f"  a claim that marks 1,000 rows as due on its way: {statistics.median(register.took):.1f} ms")


async def _execute(db: Database, statement: str) -> None:
    async with db.write() as tx:
        await tx.execute(text(statement))


async def _bytes(db: Database) -> int:
    sizes = {
        "sqlite": "SELECT page_count * page_size FROM pragma_page_count(), pragma_page_size()",
        "postgresql": "SELECT pg_total_relation_size('domains') + pg_total_relation_size('domain_crawl')",
    }
    async with db.read() as tx:
        return int((await tx.execute(text(sizes[db.dialect_name]))).scalar_one())
