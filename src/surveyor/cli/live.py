"""The live view of a crawl on a terminal, in any process; on a pipe, a plain line now and then."""

from __future__ import annotations

import asyncio
import sys
import time
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import TYPE_CHECKING, Any
from uuid import UUID

from rich.console import Group
from rich.live import Live
from rich.progress_bar import ProgressBar
from rich.table import Table
from rich.text import Text

from surveyor import logs
from surveyor.cli import show
from surveyor.crawl import service
from surveyor.errors import DatabaseError
from surveyor.net.reasons import Reason

if TYPE_CHECKING:
    from surveyor.crawl.store.progress import RunProgress
    from surveyor.db import Database

# Seconds between two looks: as often as a person notices, and for a log file.
_ON_A_TERMINAL, _ON_A_PIPE = 1.0, 30.0
# Domains shown; the rest is counted.
_SHOWN = 12
_BAR_WIDTH = 24

log = logs.get("crawl")


@asynccontextmanager
async def view(db: Database, run: UUID) -> AsyncIterator[None]:
    """Show how the run stands until the block is left."""
    shown = _on_screen(db, run) if sys.stderr.isatty() else _in_lines(db, run)
    task = asyncio.create_task(shown)
    try:
        yield
    finally:
        task.cancel()
        await asyncio.gather(task, return_exceptions=True)


async def _on_screen(db: Database, run: UUID) -> None:
    begun = time.monotonic()
    with Live(_starting(), console=show.error_console(), auto_refresh=False, transient=True) as screen:
        while True:
            found = await _look(db, run)
            if found is not None:
                screen.update(_screen(found, time.monotonic() - begun), refresh=True)
            await asyncio.sleep(_ON_A_TERMINAL)


async def _in_lines(db: Database, run: UUID) -> None:
    while True:
        await asyncio.sleep(_ON_A_PIPE)
        found = await _look(db, run)
        if found is not None:
            summary = {"pages": found.pages, "domains": found.domains, "waiting": found.waiting}
            log.info("crawl progress", **summary, errors=found.errors)


async def _look(db: Database, run: UUID) -> RunProgress | None:
    """None while the database does not answer; the workers say so themselves."""
    try:
        return await service.progress_of(db, run, _SHOWN)
    except DatabaseError:
        return None


def _starting() -> Text:
    return Text("starting", style="bold")


def _screen(found: RunProgress, seconds: float) -> Group:
    head = Text(
        f"{show.count(found.pages, 'page')}, {found.pages / max(seconds, 0.001):.1f}/s,"
        f" {show.count(found.domains, 'domain')} claimed, {show.count(found.waiting)} URLs waiting,"
        f" {show.count(found.errors, 'error')}, {seconds:.0f} s",
        style="bold",
    )
    table = Table.grid(padding=(0, 2))
    for each in found.claimed:
        bar = ProgressBar(total=max(each.known, 1), completed=each.pages, width=_BAR_WIDTH)
        trouble = f"{show.count(each.errors, 'error')} in a row" if each.errors else ""
        summary = f"{show.count(each.pages)} of {show.count(each.known)}"
        table.add_row(show.domain_name(each.domain), bar, summary, Text(trouble, style="red"))
    rest = found.domains - len(found.claimed)
    more = [Text(f"… and {show.count(rest)} more", style="dim")] if rest > 0 else []
    return Group(head, table, *more)


def summary_line(summary: dict[str, Any]) -> str:
    line = (
        f"{show.count(summary['pages'], 'page')} of {show.count(summary['domains'], 'domain')}"
        f" in {summary['seconds']:.1f} s ({summary['pages_per_second']:.1f}/s),"
        f" {summary['bytes'] / 1e6:.1f} MB, {show.count(summary['errors'], 'error')};"
        f" stopped by {summary['stopped_by']}"
    )
    if summary["extracted"]:
        line += _extracted(summary["extracted"])
    if summary["stopped_by"] == Reason.NO_NETWORK:
        line += "\nthis machine reached nobody: is it connected? What was due is due again in 15 minutes"
    return line


def _extracted(summary: dict[str, Any]) -> str:
    aside = f", {summary['quarantined']} in quarantine" if summary["quarantined"] else ""
    pages, records = show.count(summary["pages"], "page"), show.count(summary["records"], "new record")
    return f"; {pages} read, {records}{aside}"
