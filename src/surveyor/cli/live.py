"""The live view of a crawl on a terminal; on a pipe, a plain line now and then."""

from __future__ import annotations

import sys
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

from rich.console import Console, Group
from rich.live import Live
from rich.progress_bar import ProgressBar
from rich.table import Table
from rich.text import Text

from surveyor.cli import show

if TYPE_CHECKING:
    from surveyor.crawl.worker import CrawlWorker

_REFRESH_SECONDS = 0.5
# Domains shown; the rest is counted.
_SHOWN = 12


@contextmanager
def view(worker: CrawlWorker) -> Iterator[None]:
    if not sys.stderr.isatty():
        yield
        return
    done = threading.Event()
    begun = time.monotonic()
    with Live(console=Console(stderr=True), refresh_per_second=4, transient=True) as screen:

        def refresh() -> None:
            while not done.wait(_REFRESH_SECONDS):
                screen.update(_screen(worker, time.monotonic() - begun))

        thread = threading.Thread(target=refresh, daemon=True)
        thread.start()
        try:
            yield
        finally:
            done.set()
            thread.join()


def _screen(worker: CrawlWorker, seconds: float) -> Group:
    committer, visits = worker.committer, list(worker.visits.values())
    pages = committer.pages
    head = Text(
        f"{show.count(pages)} pages, {pages / max(seconds, 0.001):.1f}/s, {len(visits)} domains in hand,"
        f" {show.count(committer.errors)} errors, {seconds:.0f} s",
        style="bold",
    )
    table = Table.grid(padding=(0, 2))
    for visit in visits[:_SHOWN]:
        total = max(visit.plan.pages, 1)
        bar = ProgressBar(total=total, completed=visit.pages, width=24)
        table.add_row(
            show.domain_name(visit.domain), bar, f"{visit.pages} pages", f"{visit.pace.delay:.1f} s apart"
        )
    more = [Text(f"… and {len(visits) - _SHOWN} more", style="dim")] if len(visits) > _SHOWN else []
    return Group(head, table, *more)


def summary_line(summary: dict[str, Any]) -> str:
    return (
        f"{show.count(summary['pages'], 'page')} of {show.count(summary['domains'], 'domain')}"
        f" in {summary['seconds']:.1f} s ({summary['pages_per_second']:.1f}/s),"
        f" {summary['bytes'] / 1e6:.1f} MB, {show.count(summary['errors'], 'error')};"
        f" stopped by {summary['stopped_by']}"
    )
