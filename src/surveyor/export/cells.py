"""A value as the text of a spreadsheet's cell, which is never run: pure, and it can be undone.

A cell that a spreadsheet would take for a formula gets an apostrophe before it: one whose first sign is `=`,
`+`, `-` or `@`, wide forms included, behind any blanks, quotes and signs that nobody sees; or one that begins
with a tab or an end of line. So do the parts of a cell behind a semicolon, a tab or an end of line: where a
spreadsheet expects semicolons between cells, as in most of Europe, it begins a new cell there. A telephone
number keeps its plus that way, too. A text that is nothing but a negative number stays as it is.

`bare` takes the apostrophes away again: what is read back is the value.
"""

from __future__ import annotations

import json
import re
from datetime import datetime
from typing import Any, Final

_FORMULA: Final = "=+\\-@＝＋－＠﹦﹢﹣﹫"
_NEW_CELL: Final = ";\\t\\r\\n"
# Quotes, blanks and what cannot be seen: none of it keeps a formula from being one.
_SKIPPED: Final = (
    "'\"`\\x00-\\x08\\x0b\\x0c\\x0e-\\x20\\x7f-\\xa0\\xad\\u061c\\u1680\\u180e"
    "\\u2000-\\u200f\\u2028-\\u202f\\u205f-\\u206f\\u3000\\ufeff"
)
# Places where an apostrophe belongs; a quick look first, for nearly all texts are plain.
_PLACES: Final = re.compile(
    f"\\A(?=[{_SKIPPED}]*[{_FORMULA}\\t\\r\\n])|(?<=[{_NEW_CELL}])(?=[{_SKIPPED}]*[{_FORMULA}])"
)
_GUARDED: Final = re.compile(
    f"(?:\\A'(?=[{_SKIPPED}]*[{_FORMULA}\\t\\r\\n]))|(?<=[{_NEW_CELL}])'(?=[{_SKIPPED}]*[{_FORMULA}])"
)
_BEGINS_A_CELL: Final = re.compile(f"[{_NEW_CELL}]")
_NEGATIVE: Final = re.compile(r"-[0-9]+(?:[.,][0-9]+)?", re.ASCII)
_BETWEEN: Final = "; "


def cell(value: Any) -> str:
    """The text of a cell, safe to be opened in a spreadsheet."""
    if value is None:  # most cells of a wide table
        return ""
    if isinstance(value, str):
        return guarded(value)
    text = plain(value)
    return guarded(text) if isinstance(value, list | dict) else text


def guarded(text: str) -> str:
    """The text with an apostrophe wherever a spreadsheet could begin a formula."""
    if not text or (text[0].isalnum() and not _BEGINS_A_CELL.search(text)) or _NEGATIVE.fullmatch(text):
        return text
    return _PLACES.sub("'", text)


def bare(text: str) -> str:
    """The text of a cell as it was before `guarded`."""
    return _GUARDED.sub("", text)


def plain(value: Any) -> str:
    """A value as text, without apostrophes: for numbers, and for formats that no spreadsheet runs."""
    if value is None:
        return ""
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, int):
        return str(value)
    if isinstance(value, datetime):  # in UTC; a spreadsheet takes this form for a time
        return value.replace(tzinfo=None).isoformat(" ", "seconds")
    if isinstance(value, list) and all(isinstance(one, str) for one in value):
        return _BETWEEN.join(value)
    if isinstance(value, list | dict):
        return json.dumps(value, ensure_ascii=False, default=str)
    return str(value)


def valid(text: str) -> str:
    """Text that UTF-8 can hold: halves of a character, which JSON may carry, become U+FFFD."""
    return text.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace")
