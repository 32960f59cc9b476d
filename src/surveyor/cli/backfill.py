"""The command that brings in old crawl logs."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import asdict
from datetime import timedelta
from typing import TYPE_CHECKING, Annotated

from cyclopts import Parameter

from surveyor import backfill as old_logs
from surveyor.archive import WarcWriter
from surveyor.cli import runtime, show
from surveyor.clock import SystemClock
from surveyor.registry.actors import Actor

if TYPE_CHECKING:
    from surveyor.bootstrap import Workspace


def backfill(
    log: Annotated[
        str,
        Parameter(help="A log: postgresql://…, a SQLite file, CSV, JSON Lines, Scrapy's log, WARC, CDX(J)."),
    ],
    *,
    apply: Annotated[bool, Parameter(negative="", help="Write it; without this nothing is changed.")] = False,
    table: Annotated[str, Parameter(help="Of a database: the table of requests.")] = old_logs.LOG_TABLE,
    map: Annotated[  # noqa: A002 - the word of the command line
        tuple[str, ...],
        Parameter(help="Which column is which: THEIRS=domain, url, status, images_found or crawled_at."),
    ] = (),
    provenance: Annotated[
        str | None, Parameter(help="Where stored images are listed: a database or a CSV file.")
    ] = None,
    provenance_table: Annotated[
        str, Parameter(help="Of a database: the table of images.")
    ] = old_logs.IMAGE_TABLE,
    provenance_map: Annotated[
        tuple[str, ...], Parameter(help="Which of its columns is which: THEIRS=domain or image.")
    ] = (),
    source: Annotated[str, Parameter(help="The source that new domains get.")] = "backfill_crawl_log",
    for_review: Annotated[
        bool, Parameter(negative="", help="Queue new domains for review instead of approving them.")
    ] = False,
    pages: Annotated[
        bool,
        Parameter(negative="", help="Bring its URLs too and, from WARC, contents, which `extract` reads."),
    ] = False,
    json: Annotated[bool, Parameter(negative="", help="Print the result as JSON.")] = False,
) -> None:
    """Bring in old crawl logs of another crawler; a dry run unless you say --apply."""
    wish = old_logs.Wish(
        log,
        old_logs.Mapped(table, map),
        provenance,
        old_logs.Mapped(provenance_table, provenance_map),
        source,
        for_review,
        apply,
        pages,
    )
    report = runtime.in_workspace(lambda workspace: _run(workspace, wish))
    if json:
        show.print_json(asdict(report))
    else:
        _show(report)


async def _run(workspace: Workspace, wish: old_logs.Wish) -> old_logs.Report:
    profile = workspace.profile
    with show.progress(None) as bar:
        task = bar.add_task("0 rows")

        def advance(now: old_logs.Report) -> None:
            done = now.new + now.filled + now.kept
            bar.update(
                task,
                description=f"{show.count(now.rows)} rows, {show.count(done)} of {show.count(now.domains)}",
            )

        with keeping_contents(workspace) as keeper:
            return await old_logs.backfill(
                workspace.db,
                wish,
                Actor.operator(),
                workspace.name_rules,
                yields=profile.yields,
                revisit=timedelta(hours=profile.limits.scrape_frequency_hours),
                keeper=keeper,
                progress=advance,
            )


@contextmanager
def keeping_contents(workspace: Workspace) -> Iterator[old_logs.Keeper]:
    """Contents lie where a crawl of this workspace would put them."""
    if workspace.settings.crawl.archive != "warc":
        yield old_logs.Keeper(None)
        return
    size = workspace.settings.archive.warc_bytes
    with WarcWriter(workspace.archive_folder, "backfill", size, SystemClock()) as archive:
        yield old_logs.Keeper(archive)


def _show(report: old_logs.Report) -> None:
    runtime.say(
        f"{show.count(report.rows, 'row')} of {show.count(report.log_domains)} hosts:"
        f" {show.count(report.domains, 'domain')}, {show.count(report.new)} new,"
        f" {show.count(report.filled)} known and filled in, {show.count(report.kept)} alive and left alone"
    )
    runtime.say(
        f"{show.count(report.exhausted)} exhausted, {show.count(report.blocked)} blocked,"
        f" {show.count(report.images_stored)} stored images"
    )
    for line in report.by_status:
        runtime.say(
            f"  {line['status']}: {line['domains']} domains, {line['avg_pages']} pages"
            f" and {'-' if line['avg_yield'] is None else line['avg_yield']} images a page on average"
        )
    if report.rows_left_out or report.images_left_out:
        runtime.say(
            f"left out: {show.count(report.rows_left_out, 'row')} that name no domain,"
            f" {show.count(report.images_left_out, 'image')} of domains that the log does not know"
        )
    for text in report.left_out:
        runtime.say(f"  {show.safe(text)}")
    if (pages := report.pages) is not None:
        left = "".join(f", {show.count(count)} left out: {why}" for why, count in pages.left_out.items())
        runtime.say(
            f"pages: {show.count(pages.new)} new, {show.count(pages.contents)} with content,"
            f" {show.count(pages.kept)} known and left alone{left}"
        )
    if report.applied:
        share = f"{show.count(report.backfilled_domains)} of {show.count(report.total_domains)} domains"
        runtime.say(f"{share} in the register are by {show.safe(report.source)}")
    else:
        runtime.say("nothing was changed: this was a dry run; --apply writes it")
