"""What people and programs see: tables, key-value pages, JSON, numbers and times in one style."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Iterable, Sequence
from datetime import datetime
from typing import TYPE_CHECKING, Any

import orjson
from rich.cells import cell_len
from rich.console import Console
from rich.text import Text

from surveyor.cli import runtime, tables
from surveyor.cli.tables import Column as Column
from surveyor.cli.tables import Note as Note
from surveyor.cli.tables import Row as Row
from surveyor.db.types import to_json
from surveyor.errors import UsageError
from surveyor.names import looks_deceptive, shown_domain

if TYPE_CHECKING:
    from rich.progress import Progress

# Wide enough that a pipe never cuts a name.
_PIPE_WIDTH = 240
# A table on a pipe is as wide as it must be: a program or a pager takes it from there.
_WHOLE = 100_000


class Output(Console):
    """Standard output; a closed pipe ends the command without an error, as with any other."""

    def on_broken_pipe(self) -> None:
        raise BrokenPipeError


class Screen(Output):
    """A terminal: a line that is too long goes on in the next one, between two words and indented."""

    def print_line(self, line: Text) -> None:
        if cell_len(line.plain) <= self.width:
            self.print(line, soft_wrap=True)
            return
        indent = len(line.plain) - len(line.plain.lstrip()) + 4
        for place, part in enumerate(line.divide(tables.breaks(line.plain, self.width, indent))):
            part.rstrip()
            self.print(Text(" " * indent) + part if place else part, soft_wrap=True)


def print_line(line: Text | str, out: Console | None = None) -> None:
    """One line of prose or of names and values; a pipe gets it whole."""
    text, out = Text(line) if isinstance(line, str) else line, out or console()
    if isinstance(out, Screen):
        out.print_line(text)
    else:
        out.print(text, soft_wrap=True)


def console() -> Console:
    if sys.stdout.isatty():
        return Screen(highlight=False, **colours())
    return Output(highlight=False, width=_PIPE_WIDTH, no_color=True)


def error_console() -> Console:
    return Console(stderr=True, **colours())


def colours() -> dict[str, Any]:
    """Who sets NO_COLOR wants no styles of any kind, not only no colours."""
    return {"no_color": True, "color_system": None} if os.environ.get("NO_COLOR") else {}


def result(data: Any, *shown: str | Callable[[], object], json: bool) -> None:
    """What came of a command: a JSON document for programs, or what makes it; for the person lines, or what
    prints them.
    """
    if json:
        print_json(data() if callable(data) else data)
        return
    for one in shown:
        if isinstance(one, str):
            runtime.say(one)
        else:
            one()


def print_json(value: Any) -> None:
    """One JSON document, nothing else; `--columns` keeps those keys of the objects of a list."""
    if (wanted := runtime.options.columns) and isinstance(value, list):
        value = [{name: row[name] for name in wanted if name in row} for row in value]
    data = orjson.dumps(value, default=to_json, option=orjson.OPT_INDENT_2 | orjson.OPT_UTC_Z)
    sys.stdout.buffer.write(data + b"\n")
    sys.stdout.buffer.flush()


def json_line(value: Any) -> bytes:
    """One JSON document on a line of its own."""
    return orjson.dumps(value, default=to_json, option=orjson.OPT_UTC_Z | orjson.OPT_APPEND_NEWLINE)


def print_table(columns: Sequence[Column], rows: Iterable[Row | Note]) -> None:
    """Columns are (heading, 'left' or 'right'). On a terminal the table fits; a pipe gets it whole."""
    shown, out = tables.with_short_ids(list(rows)), console()
    if wanted := runtime.options.columns:
        known = [tables.key(heading) for heading, _ in columns]
        if unknown := [name for name in wanted if tables.key(name) not in known]:
            raise UsageError(f"there is no column {safe(unknown[0])}; there are {', '.join(known)}")
        columns, shown = tables.chosen(columns, shown, wanted)
    width = out.width if sys.stdout.isatty() else _WHOLE
    for line in tables.fitted(columns, shown, width):
        out.print(line, soft_wrap=True)


def safe(text: str | None) -> str:
    """Foreign text for a terminal: no control characters, no direction tricks, one line."""
    if not text:
        return "-"
    return "".join(ch if ch.isprintable() else "�" for ch in text)


def label_width(labels: Iterable[str]) -> int:
    """The column of labels before values: 16 wide, or wider where a profile's own field has a longer name."""
    return max([16, *(len(label) + 2 for label in labels)])


def cut(text: str | None, most: int = 60) -> str:
    """A title in a table: so many characters of it."""
    shown = safe(text)
    return shown if len(shown) <= most else shown[:most] + "…"


def domain_name(domain: str) -> str:
    """As people write it, with the stored form when that differs and a warning when it may deceive."""
    shown = shown_domain(domain)
    if shown == domain:
        return domain
    return f"{shown} ({domain}){' ⚠ mixed scripts' if looks_deceptive(domain) else ''}"


def when(moment: datetime | None) -> str:
    return moment.strftime("%Y-%m-%d %H:%M") if moment else "-"


def ago(moment: datetime | None, now: datetime) -> str:
    """`42 s ago`, `7 min ago`, `3 h ago`: for what should not be long ago."""
    if moment is None:
        return "-"
    seconds = max(0, int((now - moment).total_seconds()))
    if seconds < 120:
        return f"{seconds} s ago"
    return f"{seconds // 60} min ago" if seconds < 7_200 else f"{seconds // 3_600:,} h ago"


def count(number: int, noun: str = "") -> str:
    """`1,200`, or with a noun `1,200 pages` and `1 page`."""
    if not noun:
        return f"{number:,}"
    if number != 1:
        noun = f"{noun[:-1]}ies" if noun.endswith("ry") else f"{noun}s"
    return f"{number:,} {noun}"


def rate(value: float | None) -> str:
    return "-" if value is None else f"{value:.2f}"


def progress(total_bytes: int | None) -> Progress:
    """A bar on standard error; on a pipe it stays silent."""
    from rich.progress import BarColumn, DownloadColumn, SpinnerColumn, TimeElapsedColumn, TimeRemainingColumn

    if total_bytes:
        return _bar(BarColumn(), DownloadColumn(), TimeRemainingColumn())
    return _bar(SpinnerColumn(), TimeElapsedColumn())


def counted_progress() -> Progress:
    """A bar over so many things on standard error; on a pipe it stays silent."""
    from rich.progress import BarColumn, MofNCompleteColumn, TimeRemainingColumn

    return _bar(BarColumn(), MofNCompleteColumn(), TimeRemainingColumn())


def _bar(*columns: Any) -> Progress:
    from rich.progress import Progress, TextColumn

    out = error_console()
    return Progress(TextColumn("{task.description}"), *columns, console=out, disable=not out.is_terminal)
