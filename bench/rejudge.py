"""Judging again: results per second and memory over many stored results, and an interrupt in the middle."""

from __future__ import annotations

import argparse
import asyncio
import json
import resource
import signal
import subprocess
import sys
import tempfile
import time
from decimal import Decimal
from itertools import islice
from pathlib import Path
from uuid import UUID

from sqlalchemy import func, select

from bench.judge import labelled_results
from surveyor import workspaces
from surveyor.bootstrap.workspace import Workspace, open_workspace
from surveyor.db import now
from surveyor.db.bulk import converter, insert_many
from surveyor.db.tables import domains, search_results
from surveyor.judge.values import SearchHit
from surveyor.registry.domain import SubmitterType
from surveyor.registry.store import register
from surveyor.registry.store.register import NewDomain, Origin
from tests.support.judge_help import add_session

PER_DOMAIN = 5  # results
_BATCH = 2_000  # domains made in one transaction
# One domain of so many has results that are judged otherwise now; all were judged by an older version.
CHANGED = 50
_OLD = "1"
_COLUMNS = (
    "session_id", "domain_no", "provider", "query", "position", "url", "title", "description",
    "is_duplicate", "found_at", "confidence", "judge_version", "judged_at",
)  # fmt: skip


def main(argv: list[str]) -> int:
    parser = argparse.ArgumentParser(prog="bench rejudge", description=__doc__)
    parser.add_argument("--results", type=int, default=1_000_000)
    given = parser.parse_args(argv)
    with tempfile.TemporaryDirectory() as made:
        folder = Path(made) / "ws"
        begun = time.monotonic()
        asyncio.run(_build(folder, given.results))
        print(f"built {given.results:,} results in {time.monotonic() - begun:.0f} s", flush=True)
        _run(folder, "told only")
        _run(folder, "interrupted", "--apply", stop_at=given.results // 2)
        _run(folder, "once more", "--apply")
        _run(folder, "nothing left", "--apply")
    return 0


def _run(folder: Path, what: str, *options: str, stop_at: int = 0) -> None:
    """Run the command; memory is looked at by the clock, for the command itself says nothing on a pipe."""
    command = [sys.executable, "-m", "surveyor", "--workspace", str(folder), "judge", "--again", "--json"]
    begun, used = time.monotonic(), _cpu()
    process = subprocess.Popen([*command, *options], stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    seen: list[float] = []
    while process.poll() is None:
        seen.append(_mib(process.pid))
        if stop_at and len(seen) % 4 == 0 and asyncio.run(_rejudged(folder)) >= stop_at:
            process.send_signal(signal.SIGINT)
            stop_at = 0
        time.sleep(0.25)
    out, err = process.communicate()
    seconds, cpu = time.monotonic() - begun, _cpu() - used
    tenth = seen[len(seen) // 10]
    version = asyncio.run(_rejudged(folder))
    report = {key: value for key, value in json.loads(out or "{}").items() if key != "changes"}
    print(f"{what:13} {seconds:6.1f} s, {cpu:.1f} s CPU, exit code {process.returncode}")
    if read := report.get("read"):
        print(f"{'':13} {read / seconds:6,.0f} results/s, {read / cpu:,.0f} per second of CPU")
    print(f"{'':13} {tenth:6.0f} MiB after a tenth of the time, {seen[-2]:.0f} MiB at the end")
    print(
        f"{'':13} {report or err.decode().strip()}; {version:,} of this version",
        flush=True,
    )


def _cpu() -> float:
    """Seconds that children which have ended spent, the kernel's part included."""
    spent = resource.getrusage(resource.RUSAGE_CHILDREN)
    return spent.ru_utime + spent.ru_stime


def _mib(pid: int) -> float:
    try:
        pages = int(Path(f"/proc/{pid}/statm").read_text().split()[1])
    except (OSError, IndexError):  # it has just ended
        return 0.0
    return pages * 4096 / (1 << 20)


async def _rejudged(folder: Path) -> int:
    async with open_workspace(folder) as workspace, workspace.db.read() as tx:
        query = select(func.count()).select_from(search_results)
        return int((await tx.execute(query.where(search_results.c.judge_version != _OLD))).scalar_one())


async def _build(folder: Path, count: int) -> None:
    await workspaces.make(folder, "funding")
    async with open_workspace(folder) as workspace:
        session = await add_session(workspace.db)
        numbers = iter(range(count // PER_DOMAIN))
        while batch := list(islice(numbers, _BATCH)):
            await _add(workspace, session, batch)


async def _add(workspace: Workspace, session: UUID, batch: list[int]) -> None:
    """Domains with their results, each with the words of a labelled one and a few of its own."""
    labelled, panel = labelled_results(), await workspace.panel()
    names = [f"site{number}.example" for number in batch]
    origin = Origin("searxng", SubmitterType.SYSTEM, "system")
    async with workspace.db.write() as tx:
        await register.add_batch(tx, [NewDomain(name) for name in names], origin)
        query = select(domains.c.domain, domains.c.no).where(domains.c.domain.in_(names))
        known = dict((await tx.execute(query)).tuples().all())
        moment = converter(tx, search_results.c.found_at)((await tx.execute(select(now()))).scalar_one())
        by = converter(tx, search_results.c.session_id)(session)
        confidence = converter(tx, search_results.c.confidence)
        rows = []
        for number, name in zip(batch, names, strict=True):
            for place in range(PER_DOMAIN):
                words = labelled[(number * PER_DOMAIN + place) % len(labelled)]
                url, title = f"https://{name}/{place}", f"{words.title} {number}"[:500]
                judgment = panel.judge(SearchHit(url, title, words.description))
                kept = judgment.confidence if number % CHANGED else Decimal("0.30")
                texts = (place + 1, url, title, words.description, False, moment)
                rows.append((by, known[name], "bench", "q", *texts, confidence(kept), _OLD, moment))
        await insert_many(tx, search_results, _COLUMNS, rows)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
