"""Ways to write rows: siblings of one shape, each given a stream and the columns; plugged ones too."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import contextmanager
from importlib import import_module
from typing import Any, Protocol

from surveyor import entry_points
from surveyor.entry_points import BUILT_IN, Group, described
from surveyor.errors import Refused, UsageError
from surveyor.export.columns import Column
from surveyor.export.values import Format, Row, Stream
from surveyor.export.writers.csv import CsvWriter

__all__ = ["Writer", "format_names", "made", "of_ending", "require"]


class Writer(Protocol):
    """Writes pages of rows; nothing is promised of the stream before `close`, which leaves it open."""

    def write(self, rows: Sequence[Row]) -> None: ...

    def close(self) -> None: ...


def format_names() -> tuple[str, ...]:
    return entry_points.names(Group.WRITERS)


def of_ending(ending: str) -> str | None:
    """The format that files with this ending have."""
    for name in BUILT_IN[Group.WRITERS]:
        if ending in _format(name).endings:
            return name
    plugged = entry_points.load(Group.WRITERS).objects
    return next((name for name, one in plugged.items() if ending in one.endings), None)


def _format(name: str) -> Any:
    if target := BUILT_IN[Group.WRITERS].get(name):
        return import_module(target.partition(":")[0]).FORMAT
    loaded = entry_points.load(Group.WRITERS)
    if name in loaded.objects:
        return loaded.objects[name]
    broken = [one.error for one in loaded.plugins if one.name == name]
    why = f"is broken: {broken[0]}" if broken else f"is none; there are {', '.join(format_names())}"
    raise UsageError(f"the format {name} {why}")


def require(kind: str) -> None:
    """Say early what is missing to write this."""
    check: Callable[[], None] | None = getattr(_format(kind), "require", None)
    if check is not None:
        check()


def made(kind: str, stream: Stream, columns: Sequence[Column], *, bom: bool = False) -> Writer:
    """A writer of this format; `bom` is for CSV."""
    if kind == Format.CSV:
        return CsvWriter(stream, columns, bom=bom)
    chosen = _format(kind)
    if kind in BUILT_IN[Group.WRITERS]:
        writer: Writer = chosen.open(stream, columns)
        return writer
    with _named(kind):
        return _Plugged(kind, chosen.open(stream, columns))


class _Plugged:
    """A writer of somebody else's: when it fails, it is named."""

    def __init__(self, name: str, writer: Writer) -> None:
        self._name, self._writer = name, writer

    def write(self, rows: Sequence[Row]) -> None:
        with _named(self._name):
            self._writer.write(rows)

    def close(self) -> None:
        with _named(self._name):
            self._writer.close()


@contextmanager
def _named(name: str) -> Any:
    try:
        yield
    except (Refused, OSError):
        raise
    except Exception as error:
        raise Refused(f"the plugin {name} failed to write: {described(error)}") from error
