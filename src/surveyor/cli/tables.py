"""Tables that fit their terminal: the widest column shrinks, words stay whole, ids are short.

Pure: rows in, lines out. What is too wide goes on in the next line of its own column; where whole words do
not fit side by side, the last columns go below their row. Only a single word that is longer than the terminal
leaves room for is cut, and ends with an ellipsis.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Final

from rich.cells import cell_len, set_cell_size
from rich.text import Text

Column = tuple[str, str]
"""Heading, and `left` or `right`."""
Row = Sequence[str | Text]

_GAP: Final = "  "
# Columns that a word keeps before it is cut: most names of hosts fit.
_LEAST: Final = 24
_UUID: Final = re.compile(r"[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}")
# Characters of a short id: the end of it, which is random.
SHORT_ID: Final = 8


class Note(str):
    """A line under a row: it may be as long as it likes and widens no column."""


def chosen(columns: Sequence[Column], rows: Sequence[Row | Note], wanted: Sequence[str]) -> tuple[
    list[Column], list[Row | Note]
]:  # fmt: skip
    """Only the wanted columns, in the wanted order; names that there are not are left out."""
    places = {key(heading): place for place, (heading, _) in enumerate(columns)}
    kept = [places[key(name)] for name in wanted if key(name) in places]
    some: list[Row | Note] = [
        row if isinstance(row, Note) else [row[place] for place in kept] for row in rows
    ]
    return [columns[place] for place in kept], some


def key(heading: str) -> str:
    """`LAST CRAWLED` is asked for as `last_crawled`."""
    return re.sub(r"[^a-z0-9]+", "_", heading.lower()).strip("_")


def with_short_ids(rows: Sequence[Row | Note]) -> list[Row | Note]:
    """Ids by their ends, as long as they must be to be distinguished; they are accepted back so."""
    found = {cell for row in rows if not isinstance(row, Note) for cell in row if _is_id(cell)}
    length = SHORT_ID
    while len({str(one)[-length:] for one in found}) < len(found):
        length += 1
    return [
        row if isinstance(row, Note) else [str(cell)[-length:] if _is_id(cell) else cell for cell in row]
        for row in rows
    ]


def _is_id(cell: str | Text) -> bool:
    return isinstance(cell, str) and _UUID.fullmatch(cell) is not None


def fitted(columns: Sequence[Column], rows: Sequence[Row | Note], width: int) -> list[Text]:
    """The lines of the table, the heading first; none is wider than `width` where that can be had."""
    columns, rows = _folded(columns, rows, width)
    headings = [heading for heading, _ in columns]
    widths = _widths([headings, *_cells(rows)], _room(len(columns), width))
    lines = [Text(line.plain, style="bold") for line in _lines(headings, widths, columns)]
    for row in rows:
        lines += _note(row, width) if isinstance(row, Note) else _lines(row, widths, columns)
    return lines


def _cells(rows: Sequence[Row | Note]) -> list[Row]:
    return [row for row in rows if not isinstance(row, Note)]


def _room(columns: int, width: int) -> int:
    return width - len(_GAP) * (columns - 1)


def _folded(
    columns: Sequence[Column], rows: Sequence[Row | Note], width: int
) -> tuple[Sequence[Column], Sequence[Row | Note]]:
    """Where even whole words are too wide side by side, the last columns go below each row."""
    headings = [heading for heading, _ in columns]
    kept = len(columns)
    while kept > 2 and sum(_least([headings, *_cells(rows)])[:kept]) > _room(kept, width):
        kept -= 1
    if kept == len(columns):
        return columns, rows
    found: list[Row | Note] = []
    for row in rows:
        if isinstance(row, Note):
            found.append(row)
            continue
        found.append(row[:kept])
        below = [(name, str(cell)) for name, cell in zip(headings[kept:], row[kept:], strict=True)]
        if message := ", ".join(f"{name.lower()} {cell}" for name, cell in below if cell not in ("-", "")):
            found.append(Note(message))
    return columns[:kept], found


def _least(rows: Sequence[Row]) -> list[int]:
    """Of each column, its longest word."""
    return [
        max((cell_len(word) for cell in column for word in str(cell).split()), default=1)
        for column in zip(*rows, strict=True)
    ]


def _widths(rows: Sequence[Row], room: int) -> list[int]:
    """Of each column: as wide as its widest cell; where that is too much, the widest ones shrink."""
    widths = [max(cell_len(str(cell)) for cell in column) for column in zip(*rows, strict=True)]
    least = [min(wide, word) for wide, word in zip(widths, _least(rows), strict=True)]
    short = [min(one, max(_LEAST, len(str(head)))) for one, head in zip(least, rows[0], strict=True)]
    for limits in (least, short):
        while sum(widths) > room and (wide := [one for one, at in enumerate(limits) if widths[one] > at]):
            widths[max(wide, key=lambda one: widths[one])] -= 1
    return widths


def _lines(row: Row, widths: Sequence[int], columns: Sequence[Column]) -> list[Text]:
    parts = [_wrapped(cell, width) for cell, width in zip(row, widths, strict=True)]
    found = []
    for height in range(max(len(part) for part in parts)):
        line = Text()
        for part, width, (_, side) in zip(parts, widths, columns, strict=True):
            text = part[height] if height < len(part) else Text()
            gap = " " * (width - cell_len(text.plain))
            line += Text.assemble(gap, text, _GAP) if side == "right" else Text.assemble(text, gap, _GAP)
        line.rstrip()
        found.append(line)
    return found


def _wrapped(cell: str | Text, width: int) -> list[Text]:
    """The cell in lines of whole words; the style of a styled cell is that of its first part."""
    if cell_len(str(cell)) <= width:
        return [cell.copy() if isinstance(cell, Text) else Text(cell)]
    style = cell.style if isinstance(cell, Text) else ""
    lines = [""]
    for word in str(cell).split():
        shown = word if cell_len(word) <= width else set_cell_size(word, width - 1).rstrip() + "…"
        joined = f"{lines[-1]} {shown}" if lines[-1] else shown
        if cell_len(joined) <= width:
            lines[-1] = joined
        else:
            lines.append(shown)
    return [Text(line, style=style) for line in lines]


def breaks(line: str, width: int, indent: int) -> list[int]:
    """Where a long line goes on in the next one: before words that do not fit; those are indented."""
    found, begin, room = list[int](), 0, width
    for word in re.finditer(r"\S+", line):
        if word.start() > begin and cell_len(line[begin : word.end()]) > room:
            found.append(begin := word.start())
            room = width - indent
    return found


def _note(note: Note, width: int) -> list[Text]:
    first, rest = "  └─ ", "     "
    lines = _wrapped(str(note), max(width - len(first), _LEAST))
    return [Text(f"{rest if place else first}{line.plain}", "dim") for place, line in enumerate(lines)]
