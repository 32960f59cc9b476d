"""What people and programs see: tables, key-value pages, JSON, numbers and times in one style."""

from __future__ import annotations

import sys
from collections.abc import Iterable, Sequence
from datetime import datetime
from decimal import Decimal
from typing import Any
from uuid import UUID

import orjson
from rich.cells import cell_len
from rich.console import Console
from rich.progress import (
    BarColumn,
    DownloadColumn,
    MofNCompleteColumn,
    Progress,
    SpinnerColumn,
    TextColumn,
    TimeElapsedColumn,
    TimeRemainingColumn,
)
from rich.text import Text

from surveyor.names import looks_deceptive, shown_domain
from surveyor.registry.domain import Domain, to_json

# Wide enough that a pipe never cuts a name.
_PIPE_WIDTH = 240


def console() -> Console:
    if sys.stdout.isatty():
        return Console(highlight=False)
    return Console(highlight=False, width=_PIPE_WIDTH, no_color=True)


def print_json(value: Any) -> None:
    """One JSON document, nothing else."""
    data = orjson.dumps(value, default=_plain, option=orjson.OPT_INDENT_2 | orjson.OPT_UTC_Z)
    sys.stdout.buffer.write(data + b"\n")
    sys.stdout.buffer.flush()


def json_line(value: Any) -> bytes:
    """One JSON document on a line of its own."""
    return orjson.dumps(value, default=_plain, option=orjson.OPT_UTC_Z | orjson.OPT_APPEND_NEWLINE)


def _plain(value: Any) -> Any:
    if isinstance(value, Decimal):
        return float(value)
    if isinstance(value, UUID):  # a driver's own kind of it
        return str(value)
    raise TypeError(f"{type(value).__name__} has no place in JSON")


class Note(str):
    """A line under a row: it may be as long as it likes and widens no column."""


Row = Sequence[str | Text]


def print_table(columns: Sequence[tuple[str, str]], rows: Iterable[Row | Note]) -> None:
    """Columns are (heading, 'left' or 'right'); what does not fit the terminal goes on in the next line."""
    shown = list(rows)
    widths = [len(heading) for heading, _ in columns]
    for row in shown:
        if not isinstance(row, Note):
            widths = [max(width, cell_len(str(cell))) for width, cell in zip(widths, row, strict=True)]
    out = console()
    heading = _line([heading for heading, _ in columns], widths, columns)
    out.print(Text(heading.plain, style="bold"), soft_wrap=True)
    for row in shown:
        text = Text(f"  └─ {row}", style="dim") if isinstance(row, Note) else _line(row, widths, columns)
        out.print(text, soft_wrap=True)


def _line(cells: Row, widths: Sequence[int], columns: Sequence[tuple[str, str]]) -> Text:
    line = Text()
    for cell, width, (_, side) in zip(cells, widths, columns, strict=True):
        gap = " " * (width - cell_len(str(cell)))
        text = cell if isinstance(cell, Text) else Text(cell)
        line += Text.assemble(gap, text, "  ") if side == "right" else Text.assemble(text, gap, "  ")
    line.rstrip()
    return line


def safe(text: str | None) -> str:
    """Foreign text for a terminal: no control characters, no direction tricks, one line."""
    if not text:
        return "-"
    return "".join(ch if ch.isprintable() else "�" for ch in text)


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
    columns = (
        [BarColumn(), DownloadColumn(), TimeRemainingColumn()]
        if total_bytes
        else [SpinnerColumn(), TimeElapsedColumn()]
    )
    error_console = Console(stderr=True)
    return Progress(
        TextColumn("{task.description}"),
        *columns,
        console=error_console,
        disable=not error_console.is_terminal,
    )


def counted_progress() -> Progress:
    """A bar over so many things on standard error; on a pipe it stays silent."""
    error_console = Console(stderr=True)
    columns = (BarColumn(), MofNCompleteColumn(), TimeRemainingColumn())
    return Progress(
        TextColumn("{task.description}"),
        *columns,
        console=error_console,
        disable=not error_console.is_terminal,
    )


def domain_json(domain: Domain, yields: str) -> dict[str, Any]:
    return to_json(domain, yields)
