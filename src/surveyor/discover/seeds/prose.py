"""Texts that people wrote to people, and that commas would make a table of; pure."""

from __future__ import annotations

import csv
import re
from collections.abc import Sequence
from itertools import takewhile

from surveyor.discover.seeds.addresses import addresses_in, listed_addresses
from surveyor.discover.seeds.tables import decode, delimiter
from surveyor.names import NameRules

# A line of a mail's head in any language, or one that goes on.
_FIELD = re.compile(r"[^\W\d][\w-]*:\s|\s+\S|From \S+@")
# Cells of each row from which on a table is told from a text by having as many in all of them.
_COLUMNS = 3


def is_mail(lines: Sequence[bytes]) -> bool:
    """Whether they begin as a mail does: fields down to an empty line, somebody's address in one of them."""
    texts = [decode(line).rstrip() for line in lines]
    begun = next((place for place, text in enumerate(texts) if text), len(texts))
    head = list(takewhile(bool, texts[begun:]))
    return len(head) > 1 and all(map(_FIELD.match, head)) and any("@" in text for text in head)


def is_prose(lines: Sequence[bytes], rules: NameRules) -> bool:
    """Whether commas part words around addresses, and no columns."""
    texts = [text for line in lines if (text := decode(line).strip())]
    if delimiter(texts) != ",":
        return False
    try:
        rows = list(csv.reader(texts))
    except csv.Error:
        return False
    if len({len(row) for row in rows}) == 1 and len(rows[0]) >= _COLUMNS:
        return False
    cells = [cell for row in rows for cell in row if addresses_in(cell, rules)]
    return 2 * sum(bool(listed_addresses(cell, rules)) for cell in cells) < len(cells)
