"""Commands of the extract stage: read what waits, read one file, learn from decisions."""

from __future__ import annotations

import asyncio
import os
import sys
import time
from dataclasses import asdict
from typing import TYPE_CHECKING, Annotated, Any

from cyclopts import Parameter

from surveyor.cli import extract_file, runtime, show
from surveyor.cli.listing import Json
from surveyor.errors import Refused, UsageError
from surveyor.extract import service
from surveyor.operations.extract_process import FINISH
from surveyor.registry.actors import Actor

if TYPE_CHECKING:
    from surveyor.bootstrap.workspace import Workspace
    from surveyor.extract.worker import ExtractWorker

# Seconds between two looks at how far it is.
_LOOK = 0.5
# How much lower than the crawl an extraction beside it is ranked by the system.
_NICE = 5


def extract(
    *domain: Annotated[str, Parameter(help="Only these domains; each must be approved.")],
    limit: Annotated[int | None, Parameter(help="How many pages at most.")] = None,
    processes: Annotated[int | None, Parameter(help="Pages read at once.")] = None,
    once: Annotated[bool, Parameter(negative="", help="End when nothing waits (the default).")] = False,
    continuous: Annotated[bool, Parameter(negative="", help="Keep running and wait for new pages.")] = False,
    until_idle: Annotated[
        float | None, Parameter(help="With --continuous: end once no page came for so many seconds.")
    ] = None,
    train: Annotated[
        bool, Parameter(negative="", help="Learn from decided candidates which pages are wanted.")
    ] = False,
    file: Annotated[
        str | None,
        Parameter(allow_leading_hyphen=True, help="Read one page from a file or -; stores nothing."),
    ] = None,
    url: Annotated[str | None, Parameter(help="With --file: the address of the page.")] = None,
    beside: Annotated[bool, Parameter(show=False, negative="")] = False,
    json: Json = False,
) -> int:
    """Extract text, relevance, records and contacts from new and changed pages."""
    _check(domain, limit, processes, once, continuous, train, file, url)
    if until_idle is not None and (not continuous or until_idle < 0):
        raise UsageError("--until-idle goes with --continuous, and is a number of seconds")
    if file is not None:
        assert url is not None
        return runtime.in_workspace(lambda workspace: extract_file.read_file(workspace, file, url, json))
    if train:
        return _train(json)
    begun = time.monotonic()
    summary = runtime.in_workspace(
        lambda workspace: _extract(workspace, list(domain), limit, processes, continuous, beside, until_idle)
    )
    seconds = time.monotonic() - begun
    summary |= {
        "seconds": round(seconds, 3),
        "pages_per_second": round(summary["pages"] / max(seconds, 0.001), 2),
    }
    if json:
        show.print_json(summary)
    elif not beside and until_idle is None:
        runtime.say(_line(summary))
    return 0


def _check(
    domain: tuple[str, ...],
    limit: int | None,
    processes: int | None,
    once: bool,
    continuous: bool,
    train: bool,
    file: str | None,
    url: str | None,
) -> None:
    for name, value in (("--limit", limit), ("--processes", processes)):
        if value is not None and value < 1:
            raise UsageError(f"{name} must be at least 1, not {value}")
    if once and continuous:
        raise UsageError("--once and --continuous exclude each other")
    if train and file is not None:
        raise UsageError("--train and --file are two things; ask for one")
    if (file is not None or train) and (domain or limit or processes or once or continuous):
        raise UsageError("--train and --file stand alone; domains and limits are for reading what is stored")
    if (file is None) != (url is None):
        raise UsageError("--file PAGE and --url ADDRESS go together; links of a page start at its address")


async def _extract(
    workspace: Workspace,
    names: list[str],
    limit: int | None,
    processes: int | None,
    continuous: bool,
    beside: bool,
    until_idle: float | None,
) -> dict[str, Any]:
    from surveyor.bootstrap.workers import extract_worker

    only = await _named(workspace, names) if names else None
    options: dict[str, Any] = {"only": only, "limit": limit, "continuous": continuous or beside}
    options["until_idle"] = until_idle
    async with extract_worker(workspace, processes=processes, **options) as worker:
        if beside:
            os.nice(_NICE)
            watching = asyncio.create_task(_until_interrupted(worker))
        else:
            watching = asyncio.create_task(_show(workspace, worker, only))
        runtime.stop_on_signals(worker.stopping, silent=beside)
        try:
            progress = await worker.run()
        finally:
            watching.cancel()
            await asyncio.gather(watching, return_exceptions=True)
    return asdict(progress) | {"waiting": await service.count_waiting(workspace.db, only)}


async def _named(workspace: Workspace, names: list[str]) -> tuple[int, ...]:
    numbers, refused = await service.narrow(workspace.db, [workspace.domain_name(name) for name in names])
    if not numbers:
        raise Refused("; ".join(refused))
    for line in refused:
        runtime.say(line)
    return numbers


async def _until_interrupted(worker: ExtractWorker) -> None:
    """Beside a crawl: its last word says whether to finish what waits; silence is that it is gone."""
    reader = asyncio.StreamReader()
    await asyncio.get_running_loop().connect_read_pipe(
        lambda: asyncio.StreamReaderProtocol(reader), sys.stdin
    )
    if await reader.readline() == FINISH:
        worker.finishing.set()
        await reader.read()
    else:
        worker.stopping.set()


async def _show(workspace: Workspace, worker: ExtractWorker, only: tuple[int, ...] | None) -> None:
    """A bar on a terminal over what waits; on a pipe it stays silent."""
    with show.counted_progress() as bar:
        task, total = bar.add_task("reading pages", total=None), 0
        try:
            while True:
                waiting = await service.count_waiting(workspace.db, only)
                # A page that is being read waits no more and is not done yet: the total never falls.
                total = max(total, _done(worker) + waiting)
                bar.update(task, completed=_done(worker), total=total)
                await asyncio.sleep(_LOOK)
        finally:
            bar.update(task, completed=_done(worker), total=max(total, _done(worker)))


def _done(worker: ExtractWorker) -> int:
    return worker.progress.pages + worker.progress.quarantined


def _line(summary: dict[str, Any]) -> str:
    if not any(summary[name] for name in ("pages", "quarantined", "waiting")):
        return "no page waits to be read; `surveyor crawl` and `surveyor refresh` bring some"
    message = (
        f"{show.count(summary['pages'], 'page')} read in {summary['seconds']:.1f} s"
        f" ({summary['pages_per_second']:.1f}/s), {summary['relevant']} relevant,"
        f" {show.count(summary['records'], 'new record')}, {summary['changed']} changed"
    )
    aside = f", {summary['quarantined']} in quarantine" if summary["quarantined"] else ""
    rest = f"; {show.count(summary['waiting'])} still wait" if summary["waiting"] else ""
    return message + aside + rest


def _train(json: bool) -> int:
    from surveyor.extract.training import train_model

    quality = runtime.in_workspace(lambda workspace: train_model(workspace.db, Actor.operator())).quality
    text = (
        f"learned from {show.count(quality.examples, 'page')}, {show.count(quality.wanted)} wanted;"
        f" on sites it had not seen: accuracy {quality.accuracy}, precision {quality.precision},"
        f" recall {quality.recall}; `surveyor extract` reads all pages again with it"
    )
    show.result(quality._asdict(), text, json=json)
    return 0
