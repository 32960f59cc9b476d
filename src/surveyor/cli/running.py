"""A run of workers, as `crawl` and `refresh` ask for it: checked, started, shown, interrupted, summed up."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING, Any, NamedTuple
from uuid import UUID

from surveyor.cli import live, runtime, show
from surveyor.crawl import service
from surveyor.crawl.plan import RunOptions
from surveyor.errors import Refused, UsageError
from surveyor.operations import crawl_processes
from surveyor.operations.crawl_processes import Workers
from surveyor.operations.extract_process import ExtractProcess
from surveyor.registry import service as registry
from surveyor.registry.actors import Actor
from surveyor.registry.store.leases import Work

if TYPE_CHECKING:
    from surveyor.bootstrap.workspace import Workspace


class CrawlRequest(NamedTuple):
    """What was said on the command line."""

    work: Work
    names: tuple[str, ...]
    workers: int
    options: RunOptions
    continuous: bool
    run: str | None  # one of several workers of this run; the process that started it shows the progress
    extracts: bool = True  # read pages beside it, where the settings want that
    job: str | None = None  # that asked for it in the admin


def run(asked: CrawlRequest, *, once: bool, json: bool) -> int:
    """Do it, and end with a summary."""
    _check(asked, once)
    begun = time.monotonic()
    summary = runtime.in_workspace(lambda workspace: _run(workspace, asked), quick_loop=True)
    seconds = summary.pop("ended", time.monotonic()) - begun
    hint = summary.pop("hint", None)
    summary |= {
        "seconds": round(seconds, 3),
        "pages_per_second": round(summary["pages"] / max(seconds, 0.001), 2),
    }
    if json:
        show.print_json(summary)
    elif asked.run is None:
        runtime.say(live.summary_line(summary))
        if hint:
            runtime.say(hint)
    return 0


def _check(asked: CrawlRequest, once: bool) -> None:
    runtime.check_workers(asked.workers)
    for name, value, least in (
        ("--max-pages", asked.options.max_pages, 1),
        ("--max-pages-per-domain", asked.options.max_pages_per_domain, 1),
        ("--depth", asked.options.depth, 0),
    ):
        if value is not None and value < least:
            raise UsageError(f"{name} must be at least {least}, not {value}")
    if once and asked.continuous:
        raise UsageError("--once and --continuous exclude each other")


async def _run(workspace: Workspace, asked: CrawlRequest) -> dict[str, Any]:
    only = await _narrowed(workspace, asked) if asked.names else None
    if asked.run is None and not workspace.settings.net.contact:
        runtime.say(
            "warning: net.contact is empty; set it in surveyor.toml, so that owners of sites can reach you"
        )
    if asked.run is not None:
        run_id = UUID(asked.run)
        return {"run_id": asked.run} | await _work(workspace, run_id, asked, only)
    run_id = await service.start_run(
        workspace.db,
        Actor.operator(),
        asked.options,
        continuous=asked.continuous,
        work=asked.work,
        job=asked.job,
    )
    extraction = None
    if asked.extracts and workspace.settings.extract.enabled and await _has_work(workspace, asked):
        extraction = await ExtractProcess.start(workspace.path, runtime.say)
    try:
        async with live.view(workspace.db, run_id):
            if asked.workers > 1:
                workers = Workers(
                    workspace.path, asked.work, asked.workers, asked.options, asked.names, asked.continuous
                )
                summary = await crawl_processes.run(
                    workspace.db, run_id, workers, runtime.say, runtime.say_stopping
                )
            else:
                summary = await _work(workspace, run_id, asked, only)
    except BaseException:
        if extraction is not None:
            extraction.stop()
        raise
    summary["ended"] = time.monotonic()
    if not asked.continuous:
        await service.finish_run(workspace.db, run_id, summary["stopped_by"])
    interrupted = summary["stopped_by"] == "interrupt"
    extracted = None if extraction is None else await extraction.finish(interrupted=interrupted)
    is_idle = not summary["domains"] and summary["stopped_by"] == "nothing_due"
    hint = await _why_nothing(workspace) if is_idle else None
    return {"run_id": str(run_id)} | summary | {"extracted": extracted, "hint": hint}


async def _why_nothing(workspace: Workspace) -> str:
    """What to do when no domain was due."""
    stages = await registry.totals(workspace.db)
    if not stages:
        return "the register is empty: `surveyor ingest-seeds FILE` or `surveyor search` brings domains"
    counts = ", ".join(f"{show.count(number)} {stage}" for stage, number in sorted(stages.items()))
    return f"no domain was due ({counts}): see `surveyor review` and `surveyor why DOMAIN`"


async def _has_work(workspace: Workspace, asked: CrawlRequest) -> bool:
    """Whether there will be pages to read, or are: with nothing to do no process is started for them."""
    from surveyor.operations.demand import Demand

    demand = Demand(workspace.db)
    if asked.continuous or await demand.of_crawl(asked.work):
        return True
    return await demand.is_at_work() or await demand.of_extraction()


async def _narrowed(workspace: Workspace, asked: CrawlRequest) -> tuple[int, ...]:
    names = [workspace.domain_name(name) for name in asked.names]
    numbers, refused = await service.narrow(workspace.db, names, asked.work)
    if not numbers:
        raise Refused("; ".join(f"{refusal.domain}: {refusal.why}" for refusal in refused))
    for refusal in refused:
        runtime.say(f"{refusal.domain}: {refusal.why}")
    return numbers


async def _work(
    workspace: Workspace, run_id: UUID, asked: CrawlRequest, only: tuple[int, ...] | None
) -> dict[str, Any]:
    from surveyor.bootstrap.workers import crawl_worker

    async with crawl_worker(
        workspace, run_id, asked.options, work=asked.work, only=only, continuous=asked.continuous
    ) as worker:
        runtime.stop_on_signals(worker.stopping, silent=asked.run is not None)
        progress = await worker.run()
        written = worker.committer.writer.written
        return {
            "pages": written.pages,
            "domains": len(progress.domains),
            "bytes": written.bytes,
            "errors": written.errors,
            "stopped_by": progress.stopped_by,
        }
