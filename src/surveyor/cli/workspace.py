"""Commands that make a workspace and look after its health."""

from __future__ import annotations

import asyncio
import os
import shlex
from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Annotated

from cyclopts import Parameter
from rich.text import Text

from surveyor import doctor as checks
from surveyor import workspaces
from surveyor.bootstrap.workspace import find_workspace
from surveyor.cli import runtime, show
from surveyor.cli.listing import Json
from surveyor.extract.lexicon import missing_words


def init(
    directory: Annotated[
        Path | None,
        Parameter(name="DIR", help="Folder to make; by default the workspace, or the present folder."),
    ] = None,
    *,
    profile: Annotated[
        str | None, Parameter(help="funding, community, images, or the path of your own.")
    ] = None,
    json: Json = False,
) -> None:
    """Make a workspace: settings, database, profile. On an existing one: bring it up to date."""
    folder = directory or runtime.options.workspace or Path(os.environ.get("SURVEYOR_WORKSPACE") or ".")
    made = asyncio.run(workspaces.make(folder.absolute(), profile))
    lines = [f"{'made' if made.is_new else 'brought up to date'}: {made.path} (profile {made.profile})"]
    if made.is_new and profile is None:
        lines.append("  --profile takes another one; `surveyor profile new NAME` begins one about your topic")
    if made.replaced_profile:
        was = "an earlier text of it" if made.replaced_profile == made.profile else made.replaced_profile
        lines.append(f"  the register goes by this profile from now on; before, by {was}")
    if warning := missing_words(made.languages):
        lines.append(f"warning: {warning}")
    here = "" if made.path == Path().absolute() else f" --workspace {shlex.quote(str(folder))}"
    lines.append(f"next: surveyor{here} ingest-seeds FILE\n  or: surveyor{here} search")
    show.result(asdict(made) | {"path": str(made.path)}, *lines, json=json)


def doctor(*, json: Json = False) -> int:
    """Check versions, database, Redis, disk and clock; each is ok, or says what to do."""
    found = asyncio.run(checks.examine(find_workspace(runtime.options.workspace)))
    show.result([asdict(check) for check in found], lambda: _print(found), json=json)
    return 1 if any(check.result == "fail" for check in found) else 0


_MARKS = {"ok": ("ok  ", "green"), "warn": ("warn", "yellow"), "fail": ("FAIL", "red")}


def _print(found: Sequence[checks.Check]) -> None:
    out = show.console()
    for check in found:
        mark, colour = _MARKS[check.result]
        line = Text(f"{mark}  ", style=colour) + Text(f"{check.name:<10} {check.message}", style="default")
        show.print_line(line, out)
