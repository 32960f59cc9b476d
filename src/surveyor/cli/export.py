"""The command that exports data: for a spreadsheet, a program, or another register."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

from cyclopts import Parameter

from surveyor.cli import runtime, show
from surveyor.errors import UsageError
from surveyor.export import Format, Order, What, service, target
from surveyor.export.values import PUBLISHED
from surveyor.export.writers import format_names

if TYPE_CHECKING:
    from surveyor.bootstrap.workspace import Workspace
    from surveyor.export.service import Progress
    from surveyor.export.values import Stream

_STDOUT = Path("-")


def export(
    what: Annotated[What, Parameter(name="WHAT", help="What to write, one row each.")],
    *,
    out: Annotated[
        Path | None,
        Parameter(
            allow_leading_hyphen=True, help="File to write, .gz compresses it; by default standard output."
        ),
    ] = None,
    kind: Annotated[
        str | None,
        Parameter(name="--format", help="csv, jsonl, parquet or one of a plugin; by default as FILE ends."),
    ] = None,
    domain: Annotated[str | None, Parameter(help="Only of this domain.")] = None,
    since: Annotated[
        str | None, Parameter(help="Only what was found, fetched or changed since this UTC date or time.")
    ] = None,
    everything: Annotated[
        bool,
        Parameter(
            name="--all",
            negative="",
            help="Records and contacts: also those not published, and those that are gone.",
        ),
    ] = False,
    bom: Annotated[bool, Parameter(negative="", help="Mark CSV as UTF-8, for Excel.")] = False,
    force: Annotated[bool, Parameter(negative="", help="Replace FILE if it exists.")] = False,
) -> None:
    """Write rows of one moment as CSV, JSON Lines or Parquet, in an order that stays.

    CSV is safe to open: a cell that would be a formula has an apostrophe before it.
    """
    file = None if out in (None, _STDOUT) else out
    chosen = _format(file, kind)
    if bom and chosen != Format.CSV:
        raise UsageError(f"--bom is for csv; {chosen} is UTF-8 in any case")
    if everything and what not in PUBLISHED:
        raise UsageError(f"--all is for {' and '.join(PUBLISHED)}; {what} are always whole")
    start = _moment(since) if since else None

    async def act(workspace: Workspace) -> int:
        name = workspace.domain_name(domain) if domain else None
        # With the whole profile come the kinds of records that it declares.
        yields = workspace.profile.yields if what == "records" else workspace.yields
        order = Order(what, chosen, yields, workspace.name_rules, name, start, everything, bom)
        with _progress(what, visible=file is not None or not sys.stdout.isatty()) as advance:
            if file is not None:
                return await service.to_file(workspace.db, order, file, advance, force=force)
            return await service.to_stream(workspace.db, order, _standard_output(), advance)

    if file is not None:
        target.check(file, force=force)
    count = runtime.in_workspace(act)
    if file is None:
        sys.stdout.buffer.flush()
    else:
        runtime.say(f"{file}: {show.count(count, what.removesuffix('s'))}")
    if not count:
        narrowed = domain or since
        more = "; --all gives those not published or gone too" if what in PUBLISHED and not everything else ""
        runtime.say(f"no {'such ' if narrowed else ''}{what}{more}")


def _format(file: Path | None, given: str | None) -> str:
    if given is not None and given not in (known := format_names()):
        raise UsageError(f"there is no format {show.safe(given)}; there are {', '.join(known)}")
    if file is not None:
        return target.format_of(file, given)
    if given == Format.PARQUET:
        raise UsageError("Parquet goes into a file; add --out FILE.parquet")
    return given or Format.CSV


def _moment(text: str) -> datetime:
    try:
        given = datetime.fromisoformat(text)
        return given.replace(tzinfo=UTC) if given.tzinfo is None else given.astimezone(UTC)
    except (ValueError, OverflowError):
        shown = show.safe(text[:40])
        raise UsageError(
            f"--since takes a date or a time such as 2026-11-01 or 2026-11-01T12:30, not {shown}"
        ) from None


@contextmanager
def _progress(what: What, *, visible: bool) -> Iterator[Progress]:
    """Rows so far, on standard error; not between the rows themselves."""
    if not visible:
        yield lambda _: None
        return
    with show.progress(None) as bar:
        task = bar.add_task(f"0 {what}")
        yield lambda count: bar.update(task, description=f"{show.count(count)} {what}")


def _standard_output() -> Stream:
    return _Terminal(sys.stdout.buffer) if sys.stdout.isatty() else sys.stdout.buffer


class _Terminal:
    """Foreign text must not send control sequences to the terminal."""

    def __init__(self, stream: Stream) -> None:
        self._stream = stream

    def write(self, data: bytes, /) -> object:
        shown = "".join(ch if ch.isprintable() or ch in "\r\n\t" else "�" for ch in data.decode())
        return self._stream.write(shown.encode())
