"""A table with a column of addresses, as CSV of any kind, to seeds; pure.

Commas, semicolons, tabs and bars part cells; lines that are not UTF-8 are read as what Windows writes.
Only the first rows are held while the layout is found; the rest streams.
"""

from __future__ import annotations

import csv
import re
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import chain, islice

from surveyor.discover.seeds.addresses import addresses_in, says_nothing
from surveyor.discover.seeds.formats import BadLine, SeedLine
from surveyor.discover.seeds.layout import Layout, find_layout
from surveyor.errors import BadInput, NotADomain
from surveyor.names import NameRules, canonical_domain

# Rows by which the layout is found.
SAMPLE_ROWS = 500
_PARTERS = "|,;\t"
# Three Cyrillic letters in a row are a word; three accented Latin ones are not.
_CYRILLIC_RUN = re.compile(rb"[\xc0-\xff\xa8\xb8]{3}")
ALL_COLUMNS = "all"


@dataclass(frozen=True, slots=True)
class TableOptions:
    """What the operator says about the table."""

    column: str | None = None
    context: tuple[str, ...] = ()  # headings of columns to keep as context, or `all`


@dataclass
class Table:
    """A table whose layout is known; `lines` gives its seeds once."""

    layout: Layout
    lines: Iterator[SeedLine | BadLine]
    without_address: int = 0  # rows that say something, but name no website


def is_table(lines: Sequence[bytes], rules: NameRules) -> bool:
    """Whether most lines have several cells and are no addresses by themselves."""
    texts = [text for line in lines if (text := decode(line).strip()) and not text.startswith("#")]
    parter = delimiter(texts)
    rows = [[cell.strip() for cell in text.split(parter)] for text in texts]
    if sum(len(row) > 1 for row in rows) * 2 < max(len(rows), 1):
        return False
    alone = sum(_is_domain(text, rules) for text in texts)
    headed = any(not any(addresses_in(cell, rules) for cell in row) for row in rows[:20] if len(row) > 1)
    return headed or alone * 2 < len(texts)


def open_table(lines: Iterable[bytes], rules: NameRules, options: TableOptions) -> Table:
    """Find the layout by the first rows, then read on."""
    raw = iter(lines)
    first = [decode(line) for line in islice(raw, SAMPLE_ROWS)]
    reader = csv.reader(chain(first, map(decode, raw)), delimiter=delimiter(first))
    rows = _numbered(reader)
    sample = list(islice(rows, SAMPLE_ROWS))
    layout = find_layout([row if isinstance(row, list) else [] for _, row in sample], rules, options.column)
    context = _context_places(layout, options.context)
    table = Table(layout, iter(()))
    table.lines = _seeds(chain(sample, rows), table, context, rules)
    return table


def decode(line: bytes) -> str:
    """A line as text: UTF-8, or the Windows encoding its letters speak for."""
    try:
        text = line.decode("utf-8")
    except UnicodeDecodeError:
        text = line.decode("cp1251" if _CYRILLIC_RUN.search(line) else "cp1252", "replace")
    return text.replace("\x00", "\ufffd")


def _numbered(reader: Iterator[list[str]]) -> Iterator[tuple[int, list[str] | str]]:
    """Rows with their numbers; a text instead of a row says why it cannot be read."""
    number = 0
    while True:
        number += 1
        try:
            yield number, next(reader)
        except StopIteration:
            return
        except csv.Error as error:
            yield number, f"its quotes do not match ({error})"


def _seeds(
    rows: Iterable[tuple[int, list[str] | str]], table: Table, context: tuple[int, ...], rules: NameRules
) -> Iterator[SeedLine | BadLine]:
    layout = table.layout
    for number, row in rows:
        if isinstance(row, str):
            yield BadLine(number, "", row)
            continue
        if number <= layout.header_row:
            continue
        cell = row[layout.column] if layout.column < len(row) else ""
        if says_nothing(cell):
            table.without_address += any(other.strip() for other in row)
            continue
        found = addresses_in(cell, rules)
        if not found:
            yield BadLine(number, cell.strip()[:80], _why_not(cell.strip(), rules))
        note = _context(row, layout.names, context)
        for address in found:
            yield SeedLine(number, address, None, note)


def _context_places(layout: Layout, wanted: tuple[str, ...]) -> tuple[int, ...]:
    others = [place for place in range(len(layout.names)) if place != layout.column]
    if any(name.strip().lower() == ALL_COLUMNS for name in wanted):
        return tuple(others)
    known = {name.strip().lower(): place for place, name in enumerate(layout.names)}
    missing = [name for name in wanted if name.strip().lower() not in known]
    if missing:
        there = ", ".join(f"“{layout.names[place][:30]}”" for place in others)
        raise BadInput(f"there is no column “{missing[0]}” to keep as context; there are {there}")
    return tuple(known[name.strip().lower()] for name in wanted)


def _context(row: list[str], names: tuple[str, ...], places: tuple[int, ...]) -> str | None:
    cells = [(names[place], row[place].strip()) for place in places if place < len(row)]
    text = "; ".join(f"{name}: {value}" for name, value in cells if value)
    return "".join(char if char.isprintable() else " " for char in text) or None


def _why_not(cell: str, rules: NameRules) -> str:
    if "@" in cell:
        return "it is an e-mail address"
    try:
        canonical_domain(cell, rules)
    except NotADomain as error:
        return error.reason
    return "it is no address"


def _is_domain(text: str, rules: NameRules) -> bool:
    try:
        canonical_domain(text.split(" #", 1)[0].strip(), rules)
    except NotADomain:
        return False
    return True


def delimiter(texts: Iterable[str]) -> str:
    """The sign that parts cells in most lines."""
    lines = Counter[str]()
    for text in texts:
        lines.update(sign for sign in _PARTERS if sign in text)
    # A comma may stand in any text, a bar in any title: where others part as many lines, they do not.
    return max(_PARTERS[::-1], key=lambda sign: lines[sign])
