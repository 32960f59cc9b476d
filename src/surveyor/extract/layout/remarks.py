"""What others said below a text, where no element is named for it: boxes side by side, each with its minute.

A machine notes the minute at which somebody wrote; people who announce something name the quarter of an hour.
"""

from __future__ import annotations

import re
from typing import Final

from surveyor.extract.document import BlockKind, Region
from surveyor.extract.layout.boxes import Box, Layout
from surveyor.extract.layout.measures import largest_text

_STAMP: Final = 100  # characters of a line that tells when something was said
_LEAST: Final = 3  # boxes side by side with such a line
_LEAST_PROSE: Final = 500  # characters of sentences that others can speak about
_OWN_MINUTES: Final = 1 / 3  # share of lines whose minute nobody would announce
_CHAPTER: Final = 3  # level of headings that no remark has
_DIGIT: Final = re.compile(r"\d")
_MINUTE: Final = re.compile(r"(?<![\d:.])(?:[01]?\d|2[0-3])[:.h]([0-5]\d)(?![\d.,%€$])")
_AGO: Final = re.compile(
    r"\b\d{1,3}\s?(?:min(?:ute)?s?|hours?|hrs?|days?|weeks?|months?|years?) ago\b"
    r"|\bvor \d{1,3} (?:minute|stunde|tag|woche|monat|jahr)|\bil y a \d|\bhace \d{1,3} |преди \d{1,3} "
    r"|\bacum \d{1,3} |\bπριν \d{1,3} ",
    re.IGNORECASE,
)


def mark_remarks(layout: Layout, head: int | None) -> None:
    """Give what others said below the text the region for it."""
    stamped = _stamped(layout)
    if len(stamped) < _LEAST or sum(stamped.values()) < len(stamped) * _OWN_MINUTES:
        return
    said = _side_by_side(layout, list(stamped))
    if not said:
        return
    first, last = min(box.first for box in said), max(box.last for box in said)
    if (head is None or head < first) and _is_below_text(layout, first, last):
        for piece in layout.pieces[first:last]:
            if piece.region is Region.MAIN:
                piece.region = Region.COMMENTS


def _stamped(layout: Layout) -> dict[int, bool]:
    """The lines that tell when, by number, and whether a machine noted it."""
    found: dict[int, bool] = {}
    for number, piece in enumerate(layout.pieces):
        if piece.region is not Region.MAIN or len(piece.text) > _STAMP or not _DIGIT.search(piece.text):
            continue
        if (minute := _MINUTE.search(piece.text)) is not None:
            found[number] = int(minute[1]) % 5 > 0
        elif _AGO.search(piece.text):
            found[number] = True
    return found


def _side_by_side(layout: Layout, numbers: list[int]) -> list[Box]:
    """Of the boxes around lines those that most stand beside each other, the innermost of them."""
    boxes, inside = layout.boxes, dict[int, set[int]]()
    for number in numbers:
        box = boxes[layout.pieces[number].box]
        while box.parent >= 0:
            inside.setdefault(box.parent, set()).add(box.number)
            box = boxes[box.parent]
    best = max(inside, key=lambda parent: (len(inside[parent]), parent), default=None)
    if best is None or len(inside[best]) < _LEAST:
        return []
    return [boxes[number] for number in inside[best]]


def _is_below_text(layout: Layout, first: int, last: int) -> bool:
    pieces = layout.pieces
    if any(p.kind is BlockKind.HEADING and p.level <= _CHAPTER for p in pieces[first:last]):
        return False
    return largest_text(layout, 0, first) >= _LEAST_PROSE
