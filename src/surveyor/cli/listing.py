"""A list as commands show it: its columns are said once, it is a table or JSON, and is never cut in silence.

Commands ask for one row more than they show (`Listing.ask`), so that `more` is said when there is more and
only then, with what to type to see it.
"""

from __future__ import annotations

import shlex
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Annotated, Any, Generic, TypeVar

from cyclopts import Parameter
from rich.text import Text

from surveyor.cli import runtime, show, usage

Row = TypeVar("Row")


def _limit(kind: type, limit: int | None) -> None:
    if limit is not None and limit < 1:
        raise ValueError("It must be at least 1.")
    usage.storable(kind, None if limit is None else limit + 1)  # a list asks for one row more


Json = Annotated[bool, Parameter(negative="", help="Print JSON instead of a table.")]
Limit = Annotated[int, Parameter(help="How many at most.", validator=_limit)]


def number(heading: str, cell: Callable[[Row], int]) -> Column[Row]:
    """A column of whole numbers."""
    return Column(heading, lambda row: show.count(cell(row)), "right")


@dataclass(frozen=True)
class Column(Generic[Row]):
    """One column: its heading, what stands in it, and on which side."""

    heading: str
    cell: Callable[[Row], str | Text | None]
    side: str = "left"


def _plain(row: Any) -> Mapping[str, Any]:
    found: Mapping[str, Any] = row._asdict() if isinstance(row, tuple) else asdict(row)  # type: ignore[attr-defined]
    return found


@dataclass(frozen=True)
class Listing(Generic[Row]):
    """What is shown of a kind of row. `cursor` is what `--after` takes; without it a larger
    limit shows more.
    """

    columns: Sequence[Column[Row]]
    cursor: Callable[[Row], object] | None = None
    to_json: Callable[[Row], Mapping[str, Any]] = _plain
    notes: Callable[[Row], Sequence[str]] = lambda _: ()
    order: Callable[[Row], Any] | None = None  # of a table; programs get the order of the cursor

    def print(self, found: Sequence[Row], limit: int, *, json: bool, empty: str) -> bool:
        """At most `limit` rows; whether a person was shown any, who may be shown more of them."""
        rows = found[:limit]
        if json:
            show.print_json([self.to_json(row) for row in rows])
        elif rows:
            self._table(rows)
        else:
            runtime.say(empty)
        if len(found) > limit:
            self._more(rows[-1])
        return bool(rows) and not json

    def _table(self, rows: Sequence[Row]) -> None:
        lines: list[show.Row | show.Note] = []
        for row in sorted(rows, key=self.order) if self.order else rows:
            lines.append([_shown(column.cell(row)) for column in self.columns])
            lines += map(show.Note, self.notes(row))
        show.print_table([(column.heading, column.side) for column in self.columns], lines)

    def _more(self, last: Row) -> None:
        """On standard error, so that nobody takes the beginning of a list for the whole."""
        way = f"--after {shlex.quote(str(self.cursor(last)))}" if self.cursor else "a larger --limit"
        runtime.say(f"more: {way}")


def _shown(cell: str | Text | None) -> str | Text:
    return cell if isinstance(cell, Text) else show.safe(cell)
