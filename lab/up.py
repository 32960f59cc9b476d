"""Everything at once for a while: each part killed in turn, all back, nothing lost, memory that stays."""

from __future__ import annotations

import argparse
import asyncio
import os
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from statistics import fmean

import psutil
from sqlalchemy import func, select

from surveyor.bootstrap.workspace import Workspace, open_workspace
from surveyor.crawl import service as crawl
from surveyor.db.tables import page_snapshots, pages
from surveyor.names import canonical_domain
from surveyor.operations import queries
from surveyor.operations.store import PartLine
from surveyor.registry import check as consistency
from surveyor.registry.actors import Actor
from surveyor.review.decisions import Decision, Target, Verb, decide
from surveyor.smallweb import expected, in_thread
from surveyor.workspaces import make

_LOOK_SECONDS = 2.0
# Of memory in the last quarter against the second.
_MOST_GROWTH = 1.05


def main(argv: list[str]) -> int:
    parser = argparse.ArgumentParser(prog="lab up", description=__doc__)
    parser.add_argument("--minutes", type=float, default=10.0)
    asked = parser.parse_args(argv)
    with tempfile.TemporaryDirectory(prefix="surveyor-lab-") as made, in_thread() as web:
        os.environ.update(web.environment(delay_seconds=0.05))
        folder = Path(made) / "w"
        asyncio.run(make(folder, "funding"))
        with _up(folder) as process:
            return asyncio.run(_watch(folder, process, asked.minutes * 60))


@contextmanager
def _up(folder: Path) -> Iterator[subprocess.Popen[bytes]]:
    command = [sys.executable, "-m", "surveyor", "--workspace", str(folder), "up", "--port", "0"]
    process = subprocess.Popen(command, stderr=subprocess.DEVNULL)
    try:
        yield process
    finally:
        process.send_signal(signal.SIGINT)
        try:
            process.wait(60)
        except subprocess.TimeoutExpired:
            process.kill()


async def _watch(folder: Path, process: subprocess.Popen[bytes], seconds: float) -> int:
    began, memory, killed, failures = time.monotonic(), [], [], []
    async with open_workspace(folder) as place:
        while (spent := time.monotonic() - began) < seconds:
            await asyncio.sleep(_LOOK_SECONDS)
            found = {one.name: one for one in await queries.parts(place.db)}
            memory.append((spent, _memory(process)))
            await _work(place)
            # Each lasting part once, in the first quarter: a new process is smaller than an old one.
            lasting = sorted(name for name, one in found.items() if one.pid is not None)
            victim = next((name for name in lasting if name not in killed), None)
            if victim and len(killed) * seconds / 40 + 5 < spent < seconds / 4:
                os.kill(int(found[victim].pid or 0), signal.SIGKILL)
                killed.append(victim)
        failures += _missing(killed, {one.name: one for one in await queries.parts(place.db)})
        failures += [f"{one.count} {one.what}" for one in await consistency.check(place.db, canonical_domain)]
        print(f"killed: {', '.join(killed)}")
        print(await _done(place))
    second, last = _mean(memory, seconds, 1), _mean(memory, seconds, 3)
    growth = last / second
    quarters = f"{second / 1e6:.0f} MB in the second quarter, {last / 1e6:.0f} MB in the last"
    print(f"memory: {quarters}, {growth:.3f} x")
    if growth > _MOST_GROWTH:
        failures.append(f"memory grew by {100 * (growth - 1):.1f} %")
    for line in failures:
        print(f"  FAILED {line}")
    print("NOT sound" if failures else "sound")
    return 1 if failures else 0


async def _work(place: Workspace) -> None:
    """Decide as a person would, and see that there is always something to crawl."""
    wishes = [Target(one.host) for one in expected("funding") if one.decision == "approve"]
    await decide(place.db, Decision(Verb.APPROVE, Actor.operator()), wishes)
    for wish in wishes[:6]:
        try:
            await crawl.recrawl(place.db, wish.domain, Actor.operator())
        except Exception as error:  # not found yet
            del error


def _missing(killed: list[str], found: dict[str, PartLine]) -> list[str]:
    return [f"{name} is {found[name].message}" for name in killed if found[name].message != "running"]


async def _done(place: Workspace) -> str:
    async with place.db.read() as tx:
        states = dict((await tx.execute(select(pages.c.state, func.count()).group_by(pages.c.state))).all())
        read = (await tx.execute(select(func.count()).select_from(page_snapshots))).scalar_one()
    return f"pages by state: {states}; versions: {read}"


def _memory(process: subprocess.Popen[bytes]) -> int:
    """Of the whole tree, in bytes, what is shared counted by its share."""
    total = 0
    try:
        tree = [psutil.Process(process.pid), *psutil.Process(process.pid).children(recursive=True)]
    except psutil.NoSuchProcess:
        return 0
    for one in tree:
        try:
            total += one.memory_full_info().pss
        except psutil.Error:
            continue
    return total


def _mean(memory: list[tuple[float, int]], seconds: float, quarter: int) -> float:
    return fmean(used for spent, used in memory if quarter <= 4 * spent / seconds < quarter + 1)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
