"""What is plugged in, and what is wrong with it."""

from __future__ import annotations

from dataclasses import asdict

from surveyor import entry_points, logs
from surveyor.cli import runtime, show
from surveyor.cli.listing import Json
from surveyor.settings import LogSettings


def plugins(*, json: Json = False) -> int:
    """List what is built in and what other packages bring; exit code 1 if one of them is broken."""
    logs.configure(LogSettings())
    found = entry_points.every()
    rows = [asdict(one) | {"group": one.group.short, "built_in": one.is_built_in} for one in found]
    columns = [("GROUP", "left"), ("NAME", "left"), ("PACKAGE", "left"), ("STATE", "left")]
    show.result(rows, lambda: show.print_table(columns, map(_row, found)), json=json)
    return runtime.FAILED if any(one.error for one in found) else 0


def _row(one: entry_points.Plugin) -> list[str]:
    package = f"{show.safe(one.package)} {show.safe(one.version)}"
    state = f"left out: {show.safe(one.error)}" if one.error else "ok"
    return [one.group.short, show.safe(one.name), package, state]
