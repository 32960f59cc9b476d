"""Several workers for one run: each a process of its own, started, signalled and summed up here."""

from __future__ import annotations

import asyncio
import os
import signal
import sys
from typing import TYPE_CHECKING, Any
from uuid import UUID

import orjson

from surveyor.cli import runtime
from surveyor.lifeline import lifeline

if TYPE_CHECKING:
    from surveyor.bootstrap import Workspace
    from surveyor.cli.running import Asked


async def run(workspace: Workspace, run_id: UUID, asked: Asked) -> dict[str, Any]:
    """Start the workers, pass interrupts on, and add up what they report."""
    arguments = _arguments(workspace, run_id, asked)
    with lifeline() as (descriptor, environment):
        children = [
            await asyncio.create_subprocess_exec(
                *arguments,
                stdout=asyncio.subprocess.PIPE,
                start_new_session=True,
                pass_fds=[descriptor],
                env=environment,
            )
            for _ in range(asked.workers)
        ]
        interrupted = _pass_signals_on(children)
        outputs = await asyncio.gather(*(child.communicate() for child in children))
    told = [orjson.loads(out) for out, _ in outputs if out.strip()]
    for child in children:
        # One that had not begun yet when it was interrupted ends so, and holds nothing.
        if child.returncode and not (interrupted.is_set() and child.returncode == runtime.INTERRUPTED):
            runtime.say(
                f"worker {child.pid} ended with code {child.returncode}; its domains are taken up again"
            )
    reasons = [summary["stopped_by"] for summary in told] + ["interrupt"] * interrupted.is_set()
    return {
        "pages": sum(summary["pages"] for summary in told),
        "domains": await _domains(workspace, run_id),
        "bytes": sum(summary["bytes"] for summary in told),
        "errors": sum(summary["errors"] for summary in told),
        "stopped_by": next((reason for reason in reasons if reason != "nothing_due"), "nothing_due"),
    }


def _arguments(workspace: Workspace, run_id: UUID, asked: Asked) -> list[str]:
    found = [sys.executable, "-m", "surveyor", "--workspace", str(workspace.path)]
    found += [asked.work, *asked.names, "--run", str(run_id), "--json"]
    options = asked.options
    if options.max_pages_per_domain is not None:
        found += ["--max-pages-per-domain", str(options.max_pages_per_domain)]
    if options.depth is not None:
        found += ["--depth", str(options.depth)]
    return [*found, "--continuous"] if asked.continuous else found


def _pass_signals_on(children: list[asyncio.subprocess.Process]) -> asyncio.Event:
    """Hand interrupts on; returns what tells that there was one."""
    interrupted = asyncio.Event()

    def stop() -> None:
        for child in children:
            if child.returncode is None:
                child.send_signal(signal.SIGINT)
        if interrupted.is_set():
            os._exit(runtime.INTERRUPTED)
        interrupted.set()
        runtime.say(runtime.STOPPING)

    loop = asyncio.get_running_loop()
    for signum in (signal.SIGINT, signal.SIGTERM):
        loop.add_signal_handler(signum, stop)
    return interrupted


async def _domains(workspace: Workspace, run_id: UUID) -> int:
    from surveyor.crawl.store import runs

    async with workspace.db.read() as tx:
        return await runs.domains_of(tx, run_id)
