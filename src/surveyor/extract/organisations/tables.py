"""Places of which a table tells one in each cell: a name, below it an address, a telephone, hours."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Final

from surveyor.extract.document import Block, BlockKind
from surveyor.extract.fields import addresses, hours, phones
from surveyor.extract.organisations import facts, naming
from surveyor.extract.organisations.kinds import OrganisationKind
from surveyor.extract.values import Field, FoundRecord, Source

if TYPE_CHECKING:
    from surveyor.extract.analysis import Analysis

# Words of a name, and places of a row from which on it lists them.
_MOST_WORDS: Final = 8
_LISTED: Final = 2


def places_in_cells(page: Analysis) -> list[FoundRecord]:
    """One record per cell of rows that have such places side by side; hours may stand in the row below."""
    rows = [block for block in page.main if block.kind is BlockKind.ROW]
    found: list[FoundRecord] = []
    for number, row in enumerate(rows):
        below = rows[number + 1] if number + 1 < len(rows) else None
        places = list(_places(page, row, below))
        found += places if len(places) >= _LISTED else []
    return found


def _places(page: Analysis, row: Block, below: Block | None) -> Iterator[FoundRecord]:
    for column, lines in enumerate(row.cell_lines):
        if len(lines) < _LISTED or not _can_name(lines[0]):
            continue
        where = addresses.find(lines[1:])
        if not where:
            continue
        quote = facts.cut(" ".join(lines))
        values = {"name": lines[0], "address": where[0].value}
        numbers = (one.value for line in lines for one in phones.find(line, page.channels.regions))
        if phone := next(numbers, None):
            values["phone"] = phone
        under = below.cell_lines[column] if below is not None and column < len(below.cell_lines) else ()
        if opened := hours.find(lines[1:]) or hours.find(under):
            values["hours"] = opened[0].value
        fields = {name: Field(value, Source.STRUCTURE, quote) for name, value in values.items()}
        yield FoundRecord(OrganisationKind.SERVICE.value, fields)


def _can_name(line: str) -> bool:
    is_short = 0 < len(line.split()) <= _MOST_WORDS and not any(map(str.isdigit, line))
    return is_short and not naming.is_vague(line)
