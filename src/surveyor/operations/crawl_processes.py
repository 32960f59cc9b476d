"""Several workers for one run: each a process of its own, started, signalled and summed up here."""

from __future__ import annotations

import asyncio
import signal
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from uuid import UUID

import orjson

from surveyor.crawl.plan import RunOptions
from surveyor.crawl.store import runs
from surveyor.db import Database
from surveyor.process import signals
from surveyor.process.commands import command_line, send, starting


@dataclass(frozen=True, slots=True)
class Workers:
    """What each of them is started with. A limit on the pages of the run is kept in the run itself."""

    workspace: Path
    work: str
    count: int
    options: RunOptions
    names: tuple[str, ...] = ()
    continuous: bool = False

    def command(self, run_id: UUID) -> list[str]:
        found = command_line(self.workspace, self.work, *self.names, "--run", str(run_id), "--json")
        if self.options.max_pages_per_domain is not None:
            found += ["--max-pages-per-domain", str(self.options.max_pages_per_domain)]
        if self.options.depth is not None:
            found += ["--depth", str(self.options.depth)]
        return [*found, "--continuous"] if self.continuous else found


async def run(
    db: Database, run_id: UUID, workers: Workers, say: Callable[[str], None], stopping: Callable[[], None]
) -> dict[str, Any]:
    """Start the workers, pass interrupts on, and add up what they report."""
    interrupted = asyncio.Event()
    with starting() as starter:
        command, pipe = workers.command(run_id), asyncio.subprocess.PIPE
        processes = [await starter.start(command, out=pipe) for _ in range(workers.count)]
        _pass_signals_on(processes, interrupted, stopping)
        outputs = await asyncio.gather(*(process.communicate() for process in processes))
    for process in processes:
        # One that had not begun yet when it was interrupted ends so, and holds nothing.
        if process.returncode and not (interrupted.is_set() and process.returncode == signals.INTERRUPTED):
            say(f"worker {process.pid} ended with code {process.returncode}; its domains are taken up again")
    summaries = [orjson.loads(out) for out, _ in outputs if out.strip()]
    reasons = [summary["stopped_by"] for summary in summaries] + ["interrupt"] * interrupted.is_set()
    async with db.read() as tx:
        domains = await runs.domains_of(tx, run_id)
    return {
        "pages": sum(summary["pages"] for summary in summaries),
        "domains": domains or max((summary["domains"] for summary in summaries), default=0),
        "bytes": sum(summary["bytes"] for summary in summaries),
        "errors": sum(summary["errors"] for summary in summaries),
        "stopped_by": next((reason for reason in reasons if reason != "nothing_due"), "nothing_due"),
    }


def _pass_signals_on(
    processes: list[asyncio.subprocess.Process], interrupted: asyncio.Event, stopping: Callable[[], None]
) -> None:
    def interrupt() -> None:
        for process in processes:
            send(process, signal.SIGINT)

    def first() -> None:
        interrupt()
        stopping()

    signals.stop_on_signals(interrupted, first=first, second=interrupt)
