"""The box in which the sentences of a page stand together, where no element is named for it.

The way of Readability: each paragraph counts for the boxes around it, the nearer the more; links count
against a box. The box with most, and those beside it that read alike, hold the content.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import accumulate
from typing import Final

from surveyor.extract.document import BlockKind, Region
from surveyor.extract.layout.boxes import Box, Layout, Piece
from surveyor.extract.layout.hints import Hint

# Boxes around a paragraph that it counts for; the second gets half, the third a quarter, and so on.
_AROUND: Final = (1.0, 0.5, 0.25, 1 / 6)
# Share of the best box's worth from which another is as good.
_AS_GOOD: Final = 0.75
_ALIKE: Final = 3  # boxes as good as the best that make the box around them all the content
_BESIDE: Final = 0.2  # share of it that makes a box beside the best a part of the content
# Share of the sentences up to which more is looked for around the content, and which it holds at least.
_HELD, _LEAST_HELD = 0.8, 0.5
_MOSTLY, _SHARE = 0.5, 0.1  # of a box that is more of it: sentences in it, and its share of all
_CONTENT: Final = (None, Hint.CONTENT, Hint.MAIN)
_LEAST_PROSE: Final = 200  # characters of sentences that make a box a part of the content
_LEADS: Final = 0.1  # share of links in what leads to other pages
_STATING: Final = (BlockKind.ROW, BlockKind.TERM, BlockKind.VALUE)
_COMMAS: Final = ("،", "、", "，")


def spans(layout: Layout) -> list[tuple[int, int]]:
    """The stretches of pieces that the content stands in; none where there are no sentences."""
    worth = worth_of(layout, [p.region is Region.MAIN and p.is_prose for p in layout.pieces])
    if not worth:
        return []
    best = _common(layout, worth)
    found = _with_beside(layout, worth, best)
    before = _prose_before(layout)
    held = sum(before[last] - before[first] for first, last in found)
    if held < before[-1] * _LEAST_HELD:
        return []
    return found if held >= before[-1] * _HELD else _further(layout, before, found)


def _further(layout: Layout, before: list[int], found: list[tuple[int, int]]) -> list[tuple[int, int]]:
    """Boxes elsewhere that are written in sentences: a text laid out in several rows or parts."""
    least = max(_LEAST_PROSE, before[-1] * _SHARE)
    taken = list(found)
    for box in layout.boxes:  # parents come before children
        prose = before[box.last] - before[box.first]
        if prose < least or prose < box.chars * _MOSTLY or box.link_density >= _LEADS:
            continue
        if any(box.first < last and first < box.last for first, last in taken):
            continue
        if _is_own(layout.boxes, box) and len({*before[box.first : box.last + 1]}) > 2:  # two sentences
            taken.append((box.first, box.last))
    return taken


def _is_own(boxes: list[Box], box: Box) -> bool:
    """Whether neither a box nor one around it is named for something else."""
    while box.hint in _CONTENT and box.parent > 0:
        box = boxes[box.parent]
    return box.hint in _CONTENT


def _prose_before(layout: Layout) -> list[int]:
    """How many characters of sentences stand before each piece, in what may be content."""
    return [
        0,
        *accumulate(
            len(piece.text) if piece.region is Region.MAIN and piece.is_prose else 0
            for piece in layout.pieces
        ),
    ]


def worth_of(layout: Layout, prose: Sequence[bool]) -> dict[int, float]:
    """What boxes are worth by the pieces in them that are written in sentences; links count against them."""
    boxes, worth = layout.boxes, dict[int, float]()
    for piece, is_prose in zip(layout.pieces, prose, strict=True):
        if not is_prose:
            continue
        value = _value(piece)
        at = boxes[piece.box].parent if boxes[piece.box].parent >= 0 else piece.box
        for share in _AROUND:
            worth[at] = worth.get(at, 0.0) + value * share
            at = boxes[at].parent
            if at < 0:
                break
    return {number: value * (1 - boxes[number].link_density) for number, value in worth.items()}


def prose_of_best(layout: Layout) -> int:
    """Characters of sentences in the box that is worth most, whatever elements are named for."""
    worth = worth_of(layout, [piece.is_prose for piece in layout.pieces])
    return layout.boxes[max(worth, key=worth.__getitem__)].prose if worth else 0


def _value(piece: Piece) -> float:
    commas = piece.text.count(",")
    if not commas and not piece.text.isascii():
        commas = sum(piece.text.count(sign) for sign in _COMMAS)
    return 1.0 + min(commas, 20) + min(len(piece.text) / 100, 3.0)


def _common(layout: Layout, worth: dict[int, float]) -> Box:
    """The best box; the box around it where others in that are as good, or where it is worth more."""
    boxes = layout.boxes
    top = max(worth, key=lambda number: worth[number])
    good = [number for number, value in worth.items() if value >= worth[top] * _AS_GOOD and number != top]
    at = boxes[top].parent
    while len(good) >= _ALIKE and at > 0:
        if sum(_contains(boxes, at, number) for number in good) >= _ALIKE:
            top = at
            break
        at = boxes[at].parent
    last, least = worth.get(top, 0.0), worth.get(top, 0.0) / 3
    at = boxes[top].parent
    while at > 0:
        value = worth.get(at, 0.0)
        if value < least:
            break
        if value > last:
            top = at
            break
        last, at = value, boxes[at].parent
    return _outermost(boxes, boxes[top])


def _outermost(boxes: list[Box], box: Box) -> Box:
    """The largest box with the same pieces in it: what stands beside that is what stands beside the text."""
    while box.parent > 0 and (boxes[box.parent].first, boxes[box.parent].last) == (box.first, box.last):
        box = boxes[box.parent]
    return box


def _contains(boxes: list[Box], outer: int, inner: int) -> bool:
    return boxes[outer].first <= boxes[inner].first and boxes[inner].last <= boxes[outer].last


def _with_beside(layout: Layout, worth: dict[int, float], best: Box) -> list[tuple[int, int]]:
    found = [(best.first, best.last)]
    if best.parent < 0:
        return found
    needed = max(10.0, worth.get(best.number, 0.0) * _BESIDE)
    for box in layout.boxes:
        if box.parent != best.parent or box is best or not box.chars:
            continue
        bonus = worth.get(best.number, 0.0) * 0.2 if box.names and box.names == best.names else 0.0
        if (
            worth.get(box.number, 0.0) + bonus >= needed
            or (box.hint in _CONTENT and box.prose > max(_LEAST_PROSE, box.chars * _MOSTLY))
            or _is_paragraph(layout, box)
            or _is_stated(layout, box)
        ):
            found.append((box.first, box.last))
    return found


def _is_stated(layout: Layout, box: Box) -> bool:
    """Whether a box beside the text states things and leads nowhere: labels and values, a table."""
    if box.hint not in _CONTENT or box.link_density >= _LEADS:
        return False
    return any(piece.kind in _STATING or ": " in piece.text for piece in layout.pieces[box.first : box.last])


def _is_paragraph(layout: Layout, box: Box) -> bool:
    if box.last - box.first != 1:
        return False
    piece = layout.pieces[box.first]
    return piece.kind is BlockKind.TEXT and piece.is_prose and box.link_density < 0.25
