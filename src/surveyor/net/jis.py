"""Japanese pages as browsers read them: EUC-JP and ISO-2022-JP with the characters that NEC and IBM added.

Python's codecs know the national standard alone. Its readers write numbers in circles, the short forms of
company kinds, units and several letters of surnames all the same, in five rows that Microsoft's Shift JIS
shares with the web.
"""

from __future__ import annotations

import codecs
from functools import cache
from itertools import product
from typing import Final

CODECS: Final = frozenset({"euc-jp", "iso2022-jp-ext"})
_ERRORS: Final = "surveyor-jis-extensions"
# Rows of the table of characters, as the first of two bytes without its high bit.
_ADDED_ROWS: Final = frozenset({0x2D, 0x79, 0x7A, 0x7B, 0x7C})


def decoded(body: bytes, codec: str) -> str:
    """The text; what means nothing in it is U+FFFD."""
    return body.decode(codec, _ERRORS)


def _shifted(row: int, cell: int) -> bytes:
    """Shift JIS folds two rows into one; it leaves out the byte 0x7F."""
    first = (row - 0x21) // 2 + (0x81 if row < 0x5F else 0xC1)
    if row % 2 == 0:
        return bytes((first, cell + 0x7E))
    return bytes((first, cell + 0x1F + (cell >= 0x60)))


@cache
def _added_characters() -> dict[bytes, str]:
    """By their two bytes: with the high bit in EUC-JP, without in ISO-2022-JP."""
    found = {}
    for row, cell in product(_ADDED_ROWS, range(0x21, 0x7F)):
        text = _shifted(row, cell).decode("cp932", "ignore")
        if len(text) == 1:
            found[bytes((row, cell))] = found[bytes((row | 0x80, cell | 0x80))] = text
    return found


def _read_added(error: UnicodeError) -> tuple[str, int]:
    """What Python cannot read: an added character, or none."""
    assert isinstance(error, UnicodeDecodeError)
    text = _added_characters().get(error.object[error.start : error.start + 2])
    return ("\N{REPLACEMENT CHARACTER}", error.end) if text is None else (text, error.start + 2)


codecs.register_error(_ERRORS, _read_added)
