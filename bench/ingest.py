"""Seeds: time, rows per second and memory for a million-line list on SQLite and PostgreSQL."""

from __future__ import annotations

import argparse
import asyncio
import json
import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import asyncpg

from tests.support.servers import Postgres

MILLION = 1_000_000
MOST_SECONDS = {"sqlite": 60.0, "postgresql": 45.0}  # for a million
_SUFFIXES = ("com", "org", "net", "de", "bg", "co.uk", "io", "eu")


def main(argv: list[str]) -> int:
    parser = argparse.ArgumentParser(prog="bench ingest", description=__doc__)
    parser.add_argument("--lines", type=int, default=MILLION)
    parser.add_argument("--engine", choices=(*MOST_SECONDS, "both"), default="both")
    given = parser.parse_args(argv)
    engines = tuple(MOST_SECONDS) if given.engine == "both" else (given.engine,)
    return max([_bench(engine, given.lines) for engine in engines])


def _bench(engine: str, lines: int) -> int:
    server = Postgres.create() if engine == "postgresql" else None
    try:
        with tempfile.TemporaryDirectory() as folder:
            small = _ingest(Path(folder) / "small", lines // 10, _database(server, "small"))
            large = _ingest(Path(folder) / "large", lines, _database(server, "large"))
            again = _ingest(Path(folder) / "large", lines, _database(server, "large"))
    finally:
        if server is not None:
            server.remove()
    for figures in (small, large, again):
        speed = figures["lines"] / figures["seconds"]
        print(
            f"{engine:>10} {figures['lines']:>9,} lines: {figures['seconds']:6.1f} s, {speed:>8,.0f} lines/s,"
            f" {figures['cpu']:6.1f} s CPU, {figures['mib']:5.0f} MiB, {figures['new']:,} new",
            flush=True,
        )
    print(f"memory for ten times the lines: {large['mib'] / small['mib']:.2f} x")
    print(f"the same list again: {again['new']} new")
    is_late = large["seconds"] > MOST_SECONDS[engine]
    if is_late and lines == MILLION:
        print(f"MISSED: {MOST_SECONDS[engine]:.0f} s are wanted")
    return int(is_late and lines == MILLION)


def _database(server: Postgres | None, name: str) -> dict[str, str]:
    """What the program is told of its database; nothing for SQLite."""
    if server is None:
        return {}
    asyncio.run(_create(server, name))
    return {"SURVEYOR_DATABASE__URL": server.url(name)}


async def _create(server: Postgres, name: str) -> None:
    connection = await asyncpg.connect(server.url())
    if not await connection.fetchval("SELECT 1 FROM pg_database WHERE datname = $1", name):
        await connection.execute(f"CREATE DATABASE {name}")
    await connection.close()


def _ingest(workspace: Path, lines: int, database: dict[str, str]) -> dict[str, float]:
    """CPU is the program's own; PostgreSQL's is not in it."""
    environment = os.environ | database
    seeds = workspace.parent / f"tranco_{lines}.csv"
    if not seeds.exists():
        with seeds.open("w") as out:
            for rank in range(1, lines + 1):
                out.write(f"{rank},site-{rank * 7919 % 9_999_991}.{_SUFFIXES[rank % len(_SUFFIXES)]}\n")
    program = [sys.executable, "-m", "surveyor", "--workspace", str(workspace)]
    if not workspace.exists():
        subprocess.run(
            [sys.executable, "-m", "surveyor", "init", str(workspace)],
            check=True,
            capture_output=True,
            env=environment,
        )
    begun = time.monotonic()
    ingest = [*program, "ingest-seeds", str(seeds), "--json"]
    done = subprocess.Popen(ingest, stdout=subprocess.PIPE, env=environment)
    assert done.stdout is not None
    report = json.loads(done.stdout.read())
    _, status, usage = os.wait4(done.pid, 0)
    assert status == 0
    return {
        "lines": lines,
        "seconds": time.monotonic() - begun,
        "cpu": usage.ru_utime + usage.ru_stime,
        "mib": usage.ru_maxrss / 1024,
        "new": report["new"],
    }
