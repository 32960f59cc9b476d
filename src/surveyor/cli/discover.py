"""Commands of the discover stage."""

from __future__ import annotations

from dataclasses import asdict
from typing import TYPE_CHECKING, Annotated

from cyclopts import Parameter

from surveyor.cli import runtime, show
from surveyor.discover import seeds
from surveyor.discover.seeds.formats import read_lines, read_scored
from surveyor.errors import BadInput
from surveyor.frontier.redis.seeds import sorted_set
from surveyor.registry.actors import Actor

if TYPE_CHECKING:
    from surveyor.bootstrap import Workspace
    from surveyor.discover.seeds import IngestReport


def ingest_seeds(
    file: Annotated[
        str,
        Parameter(
            allow_leading_hyphen=True,
            help="A list (plain, .gz or .zip), - for standard input, or redis://host:port/db.",
        ),
    ],
    *,
    format: Annotated[seeds.SeedFormat, Parameter(help="How the lines are written.")] = seeds.SeedFormat.AUTO,  # noqa: A002
    source: Annotated[
        str | None, Parameter(help="Name of the list and its version, such as tranco_20260205.")
    ] = None,
    for_review: Annotated[
        bool, Parameter(negative="", help="Queue them for review instead of approving them.")
    ] = False,
    json: Annotated[bool, Parameter(negative="", help="Print the result as JSON.")] = False,
) -> int:
    """Bring in a list of domains; known ones keep their state."""
    report = runtime.in_workspace(lambda workspace: _ingest(workspace, file, format, source, for_review))
    if json:
        show.print_json(asdict(report))
    else:
        _tell(report, for_review)
    return 0


async def _ingest(
    workspace: Workspace, file: str, wanted: seeds.SeedFormat, source: str | None, for_review: bool
) -> IngestReport:
    opened = None
    if file.startswith(("redis://", "rediss://", "unix://")):
        name, lines, total = source or "redis", read_scored(sorted_set(file)), None
    else:
        opened = seeds.open_source(file)
        name, lines, total = source or opened.name, read_lines(opened.lines(), wanted), opened.total_bytes
    with show.progress(total) as bar:
        task = bar.add_task("reading", total=total)

        def advance(report: IngestReport) -> None:
            done = opened.read_bytes() if opened else None
            told = f"{show.count(report.lines)} lines, {show.count(report.new)} new"
            bar.update(task, completed=done, description=told)

        report = await seeds.ingest(
            workspace.db,
            lines,
            name,
            Actor.operator(),
            for_review=for_review,
            rules=workspace.name_rules,
            progress=advance,
        )
    if opened:
        opened.close()
    if report.new + report.known == 0:
        raise BadInput(_nothing(file, report))
    return report


def _nothing(file: str, report: IngestReport) -> str:
    if not report.lines:
        return f"{file} is empty; nothing was changed"
    first = report.bad_lines[0]
    return (
        f"{file} has no line that names a domain"
        f" (line {first.number}: {show.safe(first.text)}: {first.reason}); --format says how it is written"
    )


def _tell(report: IngestReport, for_review: bool) -> None:
    became = "queued for review" if for_review else "approved"
    runtime.say(
        f"{show.count(report.lines, 'line')}: {show.count(report.new, 'new domain')} {became},"
        f" {show.count(report.known)} already known, {show.count(report.bad)} bad"
    )
    for line in report.bad_lines:
        runtime.say(f"  line {line.number}: {show.safe(line.text)}: {line.reason}")
    if report.bad > len(report.bad_lines):
        runtime.say(f"  … and {show.count(report.bad - len(report.bad_lines))} more")
