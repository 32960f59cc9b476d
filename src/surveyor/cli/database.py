"""Commands that look after the schema and the data's consistency."""

from __future__ import annotations

from dataclasses import asdict
from typing import Annotated, Any

from cyclopts import App, Parameter

from surveyor.cli import runtime, show
from surveyor.cli.listing import Json
from surveyor.db import partitions, schema
from surveyor.registry import check as registry_check
from surveyor.registry import service
from surveyor.registry.actors import Actor

app = App(name="db", help="Manage the schema and check the data's consistency.", version_flags=[])


@app.command
def upgrade(*, json: Json = False) -> None:
    """Bring the schema to this program's version, and the URLs into `database.partitions` tables."""
    _move(lambda workspace: schema.upgrade_register(workspace.settings.database, workspace.path), json)


@app.command
def downgrade(
    revision: Annotated[
        str, Parameter(help="A revision such as 0001_initial, -1 for one step, or base for nothing at all.")
    ],
    *,
    yes: Annotated[
        bool, Parameter(negative="", help="Do it: tables and columns the revision lacks are dropped.")
    ] = False,
    json: Json = False,
) -> int:
    """Take the schema back to a revision."""
    if not yes:
        return runtime.usage_error("downgrade drops what the older schema lacks; back up, then add --yes")
    _move(lambda workspace: schema.downgrade(workspace.db, revision), json)
    return 0


def _move(change: Any, json: bool) -> None:
    async def act(workspace: Any) -> tuple[str | None, str | None, int | None]:
        before = await schema.current(workspace.db)
        moved = await change(workspace)
        tables = await partitions.count(workspace.db) if moved else None
        return before, await schema.current(workspace.db), tables

    before, after, tables = runtime.in_workspace(act, any_schema=True)
    lines = [
        f"schema {before or 'none'} → {after or 'none'}" if before != after else f"schema {after} already"
    ]
    if tables is not None:
        lines.append(f"the URLs are in {show.count(tables, 'table')} now")
    show.result({"before": before, "after": after, "moved_to_partitions": tables}, *lines, json=json)


@app.command
def check(*, json: Json = False) -> int:
    """Check the schema's version and the data's consistency."""

    findings = runtime.in_workspace(
        lambda workspace: registry_check.check(workspace.db, workspace.domain_name)
    )
    lines = [_line(finding) for finding in findings]
    lines.append(f"{len(findings)} findings" if findings else "consistent")
    show.result([asdict(finding) for finding in findings], *lines, json=json)
    return 1 if findings else 0


def _line(finding: registry_check.Finding) -> str:
    such = ", ".join(show.safe(name) for name in finding.examples)
    return f"{show.count(finding.count)} {finding.what}, such as {such}; {finding.advice}"


@app.command
def merge_domains(
    *,
    dry_run: Annotated[bool, Parameter(negative="", help="Only show what would be joined.")] = False,
    json: Json = False,
) -> None:
    """Join rows that are one domain under the present rules; counters are summed, the oldest row is kept."""

    async def act(workspace: Any) -> service.MergeReport:
        return await service.merge_domains(
            workspace.db, workspace.domain_name, Actor.operator(), dry_run=dry_run
        )

    report = runtime.in_workspace(act)
    done = "would be joined" if dry_run else "joined"
    names = f": {', '.join(report.merged[:10])}" if report.merged else ""
    waiting = [f"  {name} is being crawled; run this again later" for name in report.waiting]
    bad = [
        f"  {show.safe(name)} is no domain under the present rules; it was left alone"
        for name in report.bad[:10]
    ]
    show.result(asdict(report), f"{len(report.merged)} {done}{names}", *waiting, *bad, json=json)
