"""The command that brings in registers of others."""

from __future__ import annotations

from dataclasses import asdict
from typing import TYPE_CHECKING, Annotated

from cyclopts import Parameter

from surveyor.backfill import registers
from surveyor.backfill.cells import Dates
from surveyor.cli import runtime, show
from surveyor.cli.backfill import destination

if TYPE_CHECKING:
    from surveyor.backfill.registers import Run, TableReport
    from surveyor.bootstrap.workspace import Workspace


def import_register(
    *sources: Annotated[
        str,
        Parameter(help="Files (CSV, JSON Lines, XLSX), a SQLite file or postgresql://…, with its tables."),
    ],
    apply: Annotated[
        bool, Parameter(negative="", help="Write the changes; without this nothing is changed.")
    ] = False,
    map: Annotated[  # noqa: A002 - the word of the command line
        tuple[str, ...], Parameter(help="Which column is which: THEIRS=OURS, such as site=domain.")
    ] = (),
    as_: Annotated[
        registers.Kind | None,
        Parameter(name="--as", help="What the table contains, if its name does not say so."),
    ] = None,
    table: Annotated[str | None, Parameter(help="Of a database: only this table.")] = None,
    source: Annotated[str | None, Parameter(help="The source that new domains get.")] = None,
    dates: Annotated[Dates, Parameter(help="How to read 05/02/2026.")] = Dates.UNCLEAR,
    for_review: Annotated[
        bool,
        Parameter(negative="", help="Queue crawled domains on which nobody decided, instead of approving."),
    ] = False,
    json: Annotated[bool, Parameter(negative="", help="Print the result as JSON.")] = False,
) -> int:
    """Import another register with who decided, when and why; a dry run without --apply."""
    if not sources:
        return runtime.usage_error(
            "name a file or a database, such as domains.csv or postgresql://me@host/db"
        )
    request = registers.ImportRequest(sources, source, as_, table, map, dates, for_review, apply)
    run = runtime.in_workspace(lambda workspace: _run(workspace, request))
    data = {"source": run.source, "applied": run.apply, "tables": [asdict(table) for table in run.tables]}
    show.result(data, lambda: _show(run), json=json)
    return 0


async def _run(workspace: Workspace, request: registers.ImportRequest) -> Run:
    with show.progress(None) as bar:
        task = bar.add_task("0 rows")

        def advance(now: TableReport) -> None:
            bar.update(task, description=f"{now.kind}: {show.count(now.rows)} rows")

        with destination(workspace) as into:
            return await registers.import_registers(into, request, advance)


def _show(run: Run) -> None:
    for table in run.tables:
        _show_table(table)
    nobody = sum(table.without_person for table in run.tables)
    if nobody:
        runtime.say(f"{show.count(nobody, 'decision')} without a person: they stand as yours ({run.by.name})")
    if run.apply:
        runtime.say(f"new domains have the source {show.safe(run.source)}")
    else:
        runtime.say("nothing was changed: this was a dry run; --apply writes it")


def _show_table(table: TableReport) -> None:
    left = sum(table.left_out.values())
    runtime.say(
        f"{table.kind} ({show.safe(table.where)}): {show.count(table.rows, 'row')},"
        f" {show.count(table.new)} new, {show.count(table.filled)} known and filled in,"
        f" {show.count(table.kept)} left as they are, {show.count(left)} left out"
    )
    for reason, count in sorted(table.left_out.items(), key=lambda pair: -pair[1]):
        sample = table.samples.get(reason)
        runtime.say(f"  left out, {show.count(count)}: {show.safe(reason)}{_such_as(sample)}")
    for name, count in table.unread.counts.items():
        sample = table.unread.samples[name]
        hint = "; --dates day-first or month-first" if "/" in sample else ""
        runtime.say(f"  {show.count(count)} of {name} could not be read{_such_as(sample)}{hint}")
    for text in table.decided_otherwise:
        runtime.say(f"  decided otherwise, and left: {show.safe(text)}")
    if table.unknown_columns:
        runtime.say(f"  columns that are not read: {show.safe(', '.join(table.unknown_columns))}")


def _such_as(sample: str | None) -> str:
    return f" (such as {show.safe(sample)})" if sample else ""
