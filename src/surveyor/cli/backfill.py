"""The command that brings in old crawl logs."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import asdict
from datetime import timedelta
from typing import TYPE_CHECKING, Annotated

from cyclopts import Parameter

from surveyor import backfill as old_logs
from surveyor.archive import WarcWriter
from surveyor.backfill import Destination, Keeper
from surveyor.cli import runtime, show
from surveyor.clock import SystemClock
from surveyor.registry.actors import Actor

if TYPE_CHECKING:
    from surveyor.bootstrap.workspace import Workspace


def backfill(
    log: Annotated[
        str,
        Parameter(
            help="postgresql://…, a SQLite file, CSV, JSON Lines, WARC, CDX(J), Scrapy's log or JOBDIR."
        ),
    ],
    *,
    apply: Annotated[
        bool, Parameter(negative="", help="Write the changes; without this nothing is changed.")
    ] = False,
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
    spider: Annotated[
        str | None,
        Parameter(help="Of a JOBDIR with --pages: the spider that goes on with its requests as they were."),
    ] = None,
    json: Annotated[bool, Parameter(negative="", help="Print the result as JSON.")] = False,
) -> None:
    """Import old crawl logs of another crawler; a dry run without --apply."""
    request = old_logs.BackfillRequest(
        log,
        old_logs.Mapped(table, map),
        provenance,
        old_logs.Mapped(provenance_table, provenance_map),
        source,
        for_review,
        apply,
        pages,
        spider,
    )
    report = runtime.in_workspace(lambda workspace: _run(workspace, request))
    show.result(asdict(report), lambda: _show(report), json=json)


async def _run(workspace: Workspace, request: old_logs.BackfillRequest) -> old_logs.Report:
    with show.progress(None) as bar:
        task = bar.add_task("0 rows")

        def advance(now: old_logs.Report) -> None:
            done = now.new + now.filled + now.kept
            bar.update(
                task,
                description=f"{show.count(now.rows)} rows, {show.count(done)} of {show.count(now.domains)}",
            )

        with destination(workspace) as into:
            return await old_logs.backfill(into, request, advance)


@contextmanager
def destination(workspace: Workspace) -> Iterator[Destination]:
    """The workspace; contents lie where a crawl of it would put them."""
    profile, archive = workspace.profile, None
    with ExitStack() as stack:
        if workspace.settings.crawl.archive == "warc":
            size = workspace.settings.archive.warc_bytes
            writer = WarcWriter(workspace.archive_folder, "backfill", size, SystemClock())
            archive = stack.enter_context(writer)
        yield Destination(
            workspace.db,
            Actor.operator(),
            workspace.name_rules,
            profile.yields,
            timedelta(hours=profile.limits.scrape_frequency_hours),
            Keeper(archive),
            profile.geography.phone_regions,
            profile.kinds,
        )


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
    if report.seen:
        seen = show.count(report.seen, "request")
        runtime.say(f"{seen} made or queued before are known by their hashes alone, which name no URL")
    if (pages := report.pages) is not None:
        left = "".join(f", {show.count(count)} left out: {why}" for why, count in pages.left_out.items())
        newer = f" {show.count(pages.newer)} newer than known," if pages.newer else ""
        runtime.say(
            f"pages: {show.count(pages.new)} new,{newer} {show.count(pages.contents)} with content,"
            f" {show.count(pages.kept)} known and left alone{left}"
        )
    if report.applied:
        share = f"{show.count(report.backfilled_domains)} of {show.count(report.total_domains)} domains"
        runtime.say(f"{share} in the register are by {show.safe(report.source)}")
    else:
        runtime.say("nothing was changed: this was a dry run; --apply writes it")
