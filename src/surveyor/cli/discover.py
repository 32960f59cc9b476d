"""Commands of the discover stage."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import asdict, dataclass, replace
from typing import TYPE_CHECKING, Annotated, Any

from cyclopts import Parameter

from surveyor.cli import runtime, show
from surveyor.discover import links, seeds
from surveyor.errors import BadInput, UsageError
from surveyor.frontier.redis.seeds import sorted_set
from surveyor.registry.actors import Actor

if TYPE_CHECKING:
    from surveyor.bootstrap.workspace import Workspace
    from surveyor.discover.links import LinksReport
    from surveyor.discover.seeds import DecisionsReport, IngestReport

    Advance = Callable[[IngestReport | DecisionsReport], None]


# Names of a kind that a message lists.
_NAMED = 10


def ingest_seeds(
    file: Annotated[
        str,
        Parameter(
            allow_leading_hyphen=True,
            help="A list (plain, CSV, XLSX, .gz or .zip), - for standard input, or redis://host:port/db.",
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
    column: Annotated[
        str | None, Parameter(help="Of a table: the column of addresses, by heading, letter or number.")
    ] = None,
    sheet: Annotated[str | None, Parameter(help="Of a workbook: the sheet to read.")] = None,
    context: Annotated[
        tuple[str, ...],
        Parameter(help="Of a table: a column to keep as context, by heading; all keeps every other one."),
    ] = (),
    dry_run: Annotated[
        bool, Parameter(negative="", help="Show what would happen and change nothing.")
    ] = False,
    json: Annotated[bool, Parameter(negative="", help="Print the result as JSON.")] = False,
) -> int:
    """Add domains from a list; known ones keep their state. Decisions in a sheet are applied."""
    options = _Options(format, source, for_review, seeds.TableOptions(column, context), sheet, dry_run)
    report = runtime.in_workspace(lambda workspace: _ingest(workspace, file, options))
    show.result(asdict(report), lambda: _print(report, options), json=json)
    return 0


@dataclass(frozen=True)
class _Options:
    """The options of the command."""

    format: seeds.SeedFormat
    source: str | None
    for_review: bool
    table: seeds.TableOptions
    sheet: str | None
    dry_run: bool

    @property
    def is_text(self) -> bool:
        return self.format is seeds.SeedFormat.LINKS

    @property
    def read_as(self) -> seeds.SeedFormat:
        """Who names a column means a table."""
        named = self.table.column is not None or self.table.context
        return seeds.SeedFormat.TABLE if named and self.format is seeds.SeedFormat.AUTO else self.format


async def _ingest(workspace: Workspace, file: str, options: _Options) -> IngestReport | DecisionsReport:
    if file.startswith(("redis://", "rediss://", "unix://")):
        with _reading(None) as advance:
            lines = seeds.read_scored(sorted_set(file))
            return await _seeds(workspace, file, lines, options.source or "redis", options, advance)
    if file == "-":
        runtime.say_if_typed()
    opened = seeds.open_list(file, workspace.name_rules, options.sheet, is_text=options.is_text)
    try:
        if options.is_text:
            return await _links(workspace, file, opened, options)
        found, raw = seeds.with_format(opened.lines(), options.read_as, workspace.name_rules)
        name = options.source or opened.name
        with _reading(opened) as advance:
            if found is seeds.SeedFormat.DECISIONS:
                return await _decisions(workspace, file, raw, name, options, advance)
            if found is seeds.SeedFormat.TABLE:
                return await _table(workspace, file, raw, name, options, advance)
            return await _seeds(workspace, file, seeds.read_lines(raw, found), name, options, advance)
    finally:
        opened.close()


async def _links(
    workspace: Workspace, file: str, opened: seeds.SeedSource, options: _Options
) -> IngestReport:
    """A page links to more than its author would vouch for: a person looks at each."""
    found = seeds.read_links(opened.pieces(), workspace.name_rules)
    with _reading(opened) as advance:
        queued = replace(options, for_review=True)
        return await _seeds(workspace, file, found, options.source or opened.name, queued, advance)


async def _table(
    workspace: Workspace, file: str, raw: Iterator[bytes], source: str, options: _Options, advance: Advance
) -> IngestReport:
    try:
        table = seeds.open_table(raw, workspace.name_rules, options.table)
    except BadInput as error:
        raise BadInput(f"{file}: {show.safe(str(error))}") from None
    report = await _seeds(workspace, file, table.lines, source, options, advance)
    return replace(report, column=table.layout.name, without_address=table.without_address)


@contextmanager
def _reading(opened: seeds.SeedSource | None) -> Iterator[Advance]:
    """A bar that goes as far as the file was read."""
    total = opened.total_bytes if opened else None
    with show.progress(total) as bar:
        task = bar.add_task("reading", total=total)

        def advance(report: IngestReport | DecisionsReport) -> None:
            done = opened.read_bytes() if opened else None
            message = f"{show.count(report.lines)} lines, {show.count(report.new)} new"
            bar.update(task, completed=done, description=message)

        yield advance


async def _seeds(
    workspace: Workspace, file: str, lines: Any, source: str, options: _Options, advance: Advance
) -> IngestReport:
    report = await seeds.ingest(
        workspace.db,
        lines,
        source,
        Actor.operator(),
        for_review=options.for_review,
        rules=workspace.name_rules,
        progress=advance,
        dry_run=options.dry_run,
    )
    if report.new + report.known == 0:
        raise BadInput(_nothing(file, report, "has no address in it" if options.is_text else "is empty"))
    return report


async def _decisions(
    workspace: Workspace, file: str, raw: Iterator[bytes], source: str, options: _Options, advance: Advance
) -> DecisionsReport:
    if options.for_review:
        raise UsageError("a sheet of decisions is decided already; leave --for-review away")
    lines = seeds.read_decisions(raw)
    report = await seeds.decide(
        workspace.db,
        lines,
        source,
        Actor.operator(),
        workspace.name_rules,
        progress=advance,
        dry_run=options.dry_run,
    )
    if report.lines == report.bad:
        raise BadInput(_nothing(file, report))
    return report


def _nothing(file: str, report: IngestReport | DecisionsReport, empty: str = "is empty") -> str:
    file = "standard input" if file == "-" else file
    if not report.lines:
        return f"{file} {empty}; nothing was changed"
    first = report.bad_lines[0]
    what = "a domain" if isinstance(report, seeds.IngestReport) else "a decision that can be followed"
    return (
        f"{file} has no line that names {what}"
        f" (line {first.number}: {show.safe(first.text)}: {first.reason});"
        " --format links queues every address in a text for review"
    )


def _print(report: IngestReport | DecisionsReport, options: _Options) -> None:
    if isinstance(report, seeds.IngestReport):
        became = "queued for review" if options.for_review or options.is_text else "approved"
        new = show.count(report.new - len(report.held), "new domain")
        message = f"{new} {became}, {show.count(report.known)} already known"
        if report.pages:
            message += f", {show.count(report.pages, 'page')} below start pages queued"
        if report.column is not None:
            runtime.say(f"addresses are in “{show.safe(report.column)}”; --column names another")
        if report.without_address:
            message += f", {show.count(report.without_address, 'row')} without an address"
    else:
        counts = ("approved", "rejected", "suspended", "blacklisted", "unchanged")
        message = ", ".join(f"{show.count(getattr(report, name))} {name}" for name in counts)
        message += f" ({show.count(report.new, 'new domain')})"
    counted = f"{report.lines:,} addresses" if options.is_text else show.count(report.lines, "line")
    runtime.say(f"{counted}: {message}, {show.count(report.bad)} bad")
    if isinstance(report, seeds.IngestReport) and report.held:
        named = ", ".join(report.held[:_NAMED]) + (" …" if len(report.held) > _NAMED else "")
        held = show.count(len(report.held), "host")
        runtime.say(f"{held} of many owners queued for review (an approval would be for all of it): {named}")
    if isinstance(report, seeds.IngestReport) and report.undecided:
        runtime.say(
            f"{show.count(report.undecided)} of those known are not approved: `surveyor approve DOMAIN...`,"
            " or --file FILE with one per line"
        )
    if report.dry_run:
        runtime.say("nothing was changed: this was a dry run")
    for line in report.bad_lines:
        runtime.say(f"  line {line.number}: {show.safe(line.text)}: {show.safe(line.reason)}")
    if report.bad > len(report.bad_lines):
        runtime.say(f"  … and {show.count(report.bad - len(report.bad_lines))} more")


def discover_links(
    *,
    limit: Annotated[int, Parameter(help="How many new domains at most, the most linked first.")] = 1000,
    min_domains: Annotated[
        int, Parameter(help="Only those that at least this many registered domains link to.")
    ] = 1,
    json: Annotated[bool, Parameter(negative="", help="Print the result as JSON.")] = False,
) -> None:
    """Queue unknown domains that stored pages link to for review, the most linked first."""
    for name, value in (("--limit", limit), ("--min-domains", min_domains)):
        if value < 1:
            raise UsageError(f"{name} must be at least 1, not {value}")

    async def act(workspace: Workspace) -> LinksReport:
        with show.progress(None) as bar:
            task = bar.add_task("0 pages")
            return await links.discover_links(
                workspace.db,
                Actor.operator(),
                workspace.name_rules,
                limit=limit,
                least_domains=min_domains,
                progress=lambda now: bar.update(task, description=f"{show.count(now.pages)} pages read"),
            )

    report = runtime.in_workspace(act)
    text = (
        f"{show.count(report.pages, 'page')} read, {show.count(report.linked, 'foreign domain')} linked to:"
        f" {show.count(report.new)} new and queued for review, {show.count(report.known)} known already"
    )
    show.result(asdict(report), text, json=json)
