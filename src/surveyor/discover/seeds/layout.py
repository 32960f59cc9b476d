"""Finds the column of addresses in a table: by what its cells hold, then by what its heading says; pure.

The heading may stand below title rows and above notes. Of several columns with addresses the one
with most different domains wins, so that links to one social network do not.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from surveyor.discover.seeds.addresses import addresses_in, says_nothing
from surveyor.errors import BadInput
from surveyor.names import NameRules, canonical_domain

Row = Sequence[str]

# What people write above a column of websites.
_HEADINGS = re.compile(
    r"web ?-?(?:site|seite|page|adress\w*|address)?s?|home ?page|domains?|ur[li]s?|internet\w*|site(?: web)?"
    r"|(?:page|sitio|p[áa]gina|sito|strona) (?:web|internet\w*)|hjemmeside|hemsida|www"
    r"|kotisivut?|(?:веб-?)?сайт",
    re.IGNORECASE,
)
# A heading that says so counts as much as a few more domains would.
_HEADING_WORTH = 1.5
# Below this share of its cells that say something, a column is no column of addresses.
_LEAST_SHARE = 0.3
# Two columns nearer to each other than this cannot be distinguished by what they hold.
_TOO_CLOSE = 0.9
_SHOWN_COLUMNS = 12


@dataclass(frozen=True, slots=True)
class Layout:
    """Where the addresses are, how the columns are called, and after which row the table begins."""

    column: int
    names: tuple[str, ...]
    header_row: int  # rows up to here, counted from 1, are titles and headings; 0: there are none

    @property
    def name(self) -> str:
        return self.names[self.column]


@dataclass(frozen=True, slots=True)
class _Column:
    place: int
    filled: int
    domains: int
    first_row: int  # 0: no address
    heading_row: int  # 0: no heading that says what is below it

    @property
    def worth(self) -> float:
        return self.domains * (_HEADING_WORTH if self.heading_row else 1.0)


def find_layout(rows: Sequence[Row], rules: NameRules, wanted: str | None = None) -> Layout:
    """The layout of a table by its first rows; `wanted` is a heading, a letter or a number from 1."""
    width = max(map(len, rows), default=0)
    if wanted is not None:
        return _wanted(rows, rules, wanted, width)
    columns = [_measure(rows, place, rules) for place in range(width)]
    good = [one for one in columns if one.domains and one.domains >= one.filled * _LEAST_SHARE]
    if not good:
        raise BadInput(f"no column holds addresses; {_columns(rows, width)}")
    best = max(good, key=lambda one: one.worth)
    rivals = [one for one in good if one is not best and one.worth >= best.worth * _TOO_CLOSE]
    if rivals:
        raise BadInput(f"more than one column holds addresses; {_columns(rows, width)}")
    return _layout(rows, best, width)


def _measure(rows: Sequence[Row], place: int, rules: NameRules) -> _Column:
    filled, first, found, heading = 0, 0, set[str](), 0
    for number, row in enumerate(rows, 1):
        cell = row[place] if place < len(row) else ""
        if says_nothing(cell):
            continue
        addresses = addresses_in(cell, rules)
        if not addresses and not found and _HEADINGS.fullmatch(cell.strip().rstrip(":")):
            heading = number
            continue
        filled += 1
        first = first or (number if addresses else 0)
        found.update(canonical_domain(one, rules) for one in addresses)
    return _Column(place, filled, len(found), first, heading)


def _layout(rows: Sequence[Row], column: _Column, width: int) -> Layout:
    header = column.heading_row
    if not header or sum(bool(cell.strip()) for cell in rows[header - 1]) < 2:  # perhaps a title
        header = _header_row(rows[: max(column.first_row - 1, 0)]) or header
    return Layout(column.place, _names(rows, header, width), header)


def _header_row(above: Sequence[Row]) -> int:
    """The fullest row above the first address, if it has two cells or more; rows below it may be bad ones."""
    filled = [sum(bool(cell.strip()) for cell in row) for row in above]
    most = max(filled, default=0)
    return filled.index(most) + 1 if most >= 2 else 0


def _names(rows: Sequence[Row], header: int, width: int) -> tuple[str, ...]:
    named = [cell.strip() for cell in rows[header - 1]] if header else []
    named += [""] * (width - len(named))
    return tuple(name or f"column {_letter(place)}" for place, name in enumerate(named))


def _wanted(rows: Sequence[Row], rules: NameRules, wanted: str, width: int) -> Layout:
    text = wanted.strip().lower()
    for number, row in enumerate(rows, 1):
        for place, cell in enumerate(row):
            if cell.strip().lower() == text and text:
                return Layout(place, _names(rows, number, width), number)
    named = _by_letter_or_number(text, width)
    if named is None:
        raise BadInput(f"there is no column “{wanted}”; {_columns(rows, width)}")
    return _layout(rows, _measure(rows, named, rules), width)


def _by_letter_or_number(text: str, width: int) -> int | None:
    letters = {_letter(place).lower(): place for place in range(width)}
    if text.isdecimal() and text.isascii():
        return int(text[:6]) - 1 if 1 <= int(text[:6]) <= width else None
    return letters.get(text)


def _columns(rows: Sequence[Row], width: int) -> str:
    """The columns there are, and what to type."""
    # Without an address to go by, the first row with the most cells is taken for the heading.
    fullest = max(range(len(rows)), key=lambda at: sum(bool(c.strip()) for c in rows[at]), default=-1)
    names = _names(rows, fullest + 1, width)
    shown = ", ".join(f"{_letter(place)} “{name[:30]}”" for place, name in enumerate(names[:_SHOWN_COLUMNS]))
    more = f" and {width - _SHOWN_COLUMNS} more" if width > _SHOWN_COLUMNS else ""
    return f"columns: {shown or 'none'}{more}; name the right one, such as --column A"


def _letter(place: int) -> str:
    """As spreadsheets call their columns: A to Z, AA and on."""
    letters = ""
    place += 1
    while place:
        place, rest = divmod(place - 1, 26)
        letters = chr(ord("A") + rest) + letters
    return letters
