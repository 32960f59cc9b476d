"""Commands of the crawl stage."""

from __future__ import annotations

import asyncio
import os
import signal
import time
from dataclasses import asdict
from typing import TYPE_CHECKING, Annotated, Any
from uuid import UUID

from cyclopts import Parameter

from surveyor.cli import crawl_processes, live, runtime, show
from surveyor.cli.beside import Beside
from surveyor.cli.domains import Json, Limit
from surveyor.crawl import service
from surveyor.crawl.plan import RunOptions
from surveyor.errors import Refused, UsageError
from surveyor.registry.actors import Actor

if TYPE_CHECKING:
    from surveyor.bootstrap import Workspace
    from surveyor.crawl.worker import CrawlWorker


def crawl(
    *domain: Annotated[str, Parameter(help="Only these domains; each must be approved and due.")],
    workers: Annotated[int, Parameter(help="Worker processes.")] = 1,
    max_pages: Annotated[int | None, Parameter(help="Pages for the whole run.")] = None,
    max_pages_per_domain: Annotated[int | None, Parameter(help="Pages per domain in this run.")] = None,
    depth: Annotated[
        int | None, Parameter(help="Links from the start page; 0 is the start page alone.")
    ] = None,
    once: Annotated[bool, Parameter(negative="", help="End when nothing is due (the default).")] = False,
    continuous: Annotated[
        bool, Parameter(negative="", help="Go on and wait for domains to come due.")
    ] = False,
    run: Annotated[str | None, Parameter(show=False)] = None,
    json: Annotated[bool, Parameter(negative="", help="End with one JSON summary.")] = False,
) -> int:
    """Crawl approved domains that are due."""
    for name, value in (
        ("--workers", workers),
        ("--max-pages", max_pages),
        ("--max-pages-per-domain", max_pages_per_domain),
    ):
        if value is not None and value < 1:
            raise UsageError(f"{name} must be at least 1, not {value}")
    if depth is not None and depth < 0:
        raise UsageError(f"--depth must be at least 0, not {depth}")
    if once and continuous:
        raise UsageError("--once and --continuous exclude each other")
    options = RunOptions(max_pages, max_pages_per_domain, depth)
    begun = time.monotonic()
    summary = runtime.in_workspace(
        lambda workspace: _crawl(workspace, list(domain), workers, options, continuous, run), quick_loop=True
    )
    seconds = summary.pop("ended", time.monotonic()) - begun
    summary |= {
        "seconds": round(seconds, 3),
        "pages_per_second": round(summary["pages"] / max(seconds, 0.001), 2),
    }
    if json:
        show.print_json(summary)
    elif run is None:
        runtime.say(live.summary_line(summary))
    return 0


async def _crawl(
    workspace: Workspace,
    names: list[str],
    workers: int,
    options: RunOptions,
    continuous: bool,
    run: str | None,
) -> dict[str, Any]:
    only = await _narrowed(workspace, names) if names else None
    by = Actor.operator()
    run_id = UUID(run) if run else await service.start_run(workspace.db, by, options, continuous=continuous)
    if run is not None:  # one of several; whoever started it shows how it goes
        told = await _work(workspace, run_id, options, only, continuous, silent=True)
        return {"run_id": str(run_id)} | told
    extraction = await Beside.start(workspace)
    try:
        async with live.view(workspace.db, run_id):
            if workers > 1:
                told = await crawl_processes.run(workspace, run_id, workers, names, options, continuous)
            else:
                told = await _work(workspace, run_id, options, only, continuous)
    except BaseException:
        extraction.stop()
        raise
    told["ended"] = time.monotonic()
    if not continuous:
        await service.finish_run(workspace.db, run_id, told["stopped_by"])
    extracted = await extraction.finish(interrupted=told["stopped_by"] == "interrupt")
    return {"run_id": str(run_id)} | told | {"extracted": extracted}


async def _narrowed(workspace: Workspace, names: list[str]) -> tuple[int, ...]:
    numbers, refused = await service.narrow(workspace.db, [workspace.domain_name(name) for name in names])
    if not numbers:
        raise Refused("; ".join(f"{refusal.domain}: {refusal.why}" for refusal in refused))
    for refusal in refused:
        runtime.say(f"{refusal.domain}: {refusal.why}")
    return numbers


async def _work(
    workspace: Workspace,
    run_id: UUID,
    options: RunOptions,
    only: tuple[int, ...] | None,
    continuous: bool,
    *,
    silent: bool = False,
) -> dict[str, Any]:
    from surveyor.bootstrap import crawl_worker

    async with crawl_worker(workspace, run_id, options, only=only, continuous=continuous) as worker:
        _stop_on_signals(worker, silent)
        progress = await worker.run()
        committer = worker.committer
        return {
            "pages": committer.pages,
            "domains": len(progress.domains),
            "bytes": committer.bytes,
            "errors": committer.errors,
            "stopped_by": progress.stopped_by,
        }


def _stop_on_signals(worker: CrawlWorker, silent: bool) -> None:
    """The first interrupt lets what is in flight end; the second ends the process."""

    def stop() -> None:
        if worker.stopping.is_set():
            os._exit(runtime.INTERRUPTED)
        worker.stopping.set()
        if not silent:
            runtime.say(runtime.STOPPING)

    loop = asyncio.get_running_loop()
    for signum in (signal.SIGINT, signal.SIGTERM):
        loop.add_signal_handler(signum, stop)


def recrawl(
    *domain: Annotated[str, Parameter(help="Domains whose pages are to be fetched again.")],
    json: Json = False,
) -> None:
    """Make all pages of a domain due now."""
    if not domain:
        raise UsageError("name at least one domain")

    async def act(workspace: Any) -> list[dict[str, Any]]:
        told = []
        for name in domain:
            found, count = await service.recrawl(workspace.db, workspace.domain_name(name), Actor.operator())
            told.append({"domain": found.domain, "pages": count, "due_at": found.due_at})
        return told

    told = runtime.in_workspace(act)
    if json:
        show.print_json(told)
        return
    for line in told:
        due = "due now" if line["due_at"] else "not due: it is not approved"
        runtime.say(f"{line['domain']}: {show.count(line['pages'])} pages to fetch again, {due}")


def queue_status(*, limit: Limit = 50, json: Json = False) -> None:
    """List domains with URLs waiting, the longest queues first."""

    async def act(workspace: Any) -> list[Any]:
        return await service.queue_status(workspace.db, limit)

    found = runtime.in_workspace(act)
    if json:
        show.print_json([asdict(line) for line in found])
    elif not found:
        runtime.say("nothing waits")
    else:
        columns = [
            ("DOMAIN", "left"),
            ("STATUS", "left"),
            ("WAITING", "right"),
            ("DUE", "left"),
            ("HELD BY", "left"),
            ("STOPPED BY", "left"),
        ]
        rows = [
            [
                show.domain_name(line.domain),
                line.crawl_status,
                show.count(line.frontier_size),
                show.when(line.due_at),
                line.claimed_by or "-",
                line.stopped_by or "-",
            ]
            for line in found
        ]
        show.print_table(columns, rows)


def list_runs(*, limit: Limit = 20, json: Json = False) -> None:
    """List runs, the latest first."""

    async def act(workspace: Any) -> list[Any]:
        return await service.list_runs(workspace.db, limit)

    found = runtime.in_workspace(act)
    if json:
        show.print_json([asdict(run) for run in found])
    elif not found:
        runtime.say("nothing was crawled yet")
    else:
        columns = [
            ("RUN", "left"),
            ("STARTED", "left"),
            ("ENDED", "left"),
            ("PAGES", "right"),
            ("DOMAINS", "right"),
            ("ERRORS", "right"),
            ("STOPPED BY", "left"),
        ]
        rows = [
            [
                str(run.id),
                show.when(run.started_at),
                show.when(run.ended_at),
                show.count(run.pages),
                show.count(run.domains),
                show.count(run.errors),
                run.stopped_by or "-",
            ]
            for run in found
        ]
        show.print_table(columns, rows)


def cleanup_runs(*, json: Json = False) -> None:
    """Close runs whose workers are gone."""

    async def act(workspace: Any) -> int:
        return await service.cleanup_runs(workspace.db)

    closed = runtime.in_workspace(act)
    if json:
        show.print_json({"closed": closed})
    else:
        runtime.say(f"closed {closed} runs")
