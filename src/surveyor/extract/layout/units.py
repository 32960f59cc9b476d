"""The units of a page and what is known of each, as numbers: what learned trees judge by (`opinion`).

A unit are pieces in a row that stand in one box and are of one sort: a run of paragraphs, a heading, a list
of links. Nothing here decides anything; names of elements, density of sentences and links and position are
facts among others, and what they weigh together is learned (`tools.text_train`).
"""

from __future__ import annotations

from itertools import accumulate
from typing import Final, NamedTuple

from surveyor.extract.document import BlockKind
from surveyor.extract.layout.boxes import Box, Layout
from surveyor.extract.layout.density import worth_of
from surveyor.extract.layout.hints import Hint
from surveyor.extract.layout.measures import SENTENCE_ENDS

# A hint is a fact of all within the outermost box that has it; of the two for content the innermost counts.
_HINTS: Final[dict[Hint, int]] = {
    hint: number for number, hint in enumerate(h for h in Hint if h is not Hint.HIDDEN)
}
_INNERMOST: Final = (Hint.MAIN, Hint.CONTENT)
_GROUPS: Final = ("nav aside footer header dialog", "td table tr", "blockquote", "article main")
_TAGS: Final = {tag: number for number, tags in enumerate(_GROUPS) for tag in tags.split()}
_NONE: Final = -1.0
_NO_HEADLINE: Final = -99.0
_AROUND_UNIT: Final = 2  # boxes around a unit that are measured
_MOSTLY_LINKS: Final = 0.5


class Unit(NamedTuple):
    """Pieces in a row; `last` is one behind the last of them."""

    first: int
    last: int
    facts: list[float]


class _Place(NamedTuple):
    """What is known of a box, and with it of everything in it."""

    holder: int
    """The nearest box around that holds several pieces."""
    hints: tuple[float, ...]
    """By hint, the share of the page's sentences that a box around with that hint holds."""
    tags: tuple[float, ...]
    chain: tuple[tuple[float, ...], ...]
    """Figures of the boxes around that hold more and more pieces, the nearest first."""
    way: tuple[float, ...]
    """How far the best box and the headline are, how often the box repeats."""


class _Page:
    """What all units of a page are measured against."""

    def __init__(self, layout: Layout, head: int | None) -> None:
        self.boxes, self.pieces, self.head = layout.boxes, layout.pieces, head
        self.prose = [piece.is_prose for piece in self.pieces]
        self.before = [0, *accumulate(self.prose)]
        self.total = max(1, self.boxes[0].prose)
        self.worth = worth_of(layout, self.prose)
        best = max(self.worth, key=self.worth.__getitem__, default=0)
        self.most = self.worth.get(best) or 1.0
        self.best_path = self._path(best)
        self.head_path = self._path(self.pieces[head].box) if head is not None else frozenset()
        self.places: list[_Place] = []
        for box in self.boxes:  # parents come before children
            self.places.append(self._place(box))

    def _path(self, number: int) -> frozenset[int]:
        """A box and all around it."""
        path = set[int]()
        while number >= 0:
            path.add(number)
            number = self.boxes[number].parent
        return frozenset(path)

    def _place(self, box: Box) -> _Place:
        above = self.places[box.parent] if box.parent >= 0 else None
        share, pieces = box.prose / self.total, box.last - box.first
        hints = above.hints if above else (_NONE,) * len(_HINTS)
        at = _HINTS.get(box.hint) if box.hint is not None and above else None
        if at is not None and (hints[at] < 0 or box.hint in _INNERMOST):
            hints = (*hints[:at], share, *hints[at + 1 :])
        tags = above.tags if above else (0.0,) * len(_GROUPS)
        if (tag := _TAGS.get(box.tag)) is not None and not tags[tag]:
            tags = (*tags[:tag], 1.0, *tags[tag + 1 :])
        chain, holder = (above.chain, above.holder) if above else ((), box.number)
        if not chain or (pieces > 1 and chain[0][0] > pieces):
            figures = (
                float(pieces),
                box.link_density,
                box.prose / max(1, box.chars),
                share,
                float(self.before[box.last] - self.before[box.first]),
            )
            chain, holder = (figures, *chain[: _AROUND_UNIT - 1]), box.number
        way = above.way if above else (1.0, 0.0, 1.0, 0.0)
        is_best, is_head = box.number in self.best_path, box.number in self.head_path
        way = (
            share if is_best else way[0],
            0.0 if is_best else way[1] + 1,
            share if is_head else way[2],
            float(box.beside) if pieces > 1 and box.beside else way[3],
        )
        return _Place(holder, hints, tags, chain, way)

    def _worth_of(self, box: int) -> float:
        return self.worth.get(box, 0.0) / self.most if box >= 0 else 0.0

    def sort(self, number: int) -> tuple[int, int]:
        """Pieces in a row with the same are one unit; a heading or another short line is one alone."""
        piece = self.pieces[number]
        if piece.kind is BlockKind.HEADING or number == self.head:
            return -1 - number, 0
        if self.prose[number]:
            sort = 0
        elif piece.link_chars > len(piece.text) * _MOSTLY_LINKS:
            sort = 1
        elif piece.kind in (BlockKind.ROW, BlockKind.ITEM):
            sort = 2
        else:
            return -1 - number, 0
        return self.places[piece.box].holder, sort

    def of_box(self, number: int) -> list[float]:
        """The facts of the box of a unit."""
        box, place = self.boxes[number], self.places[number]
        parent = box.parent
        around = self.boxes[parent].parent if parent >= 0 else -1
        chain = [*place.chain, *[place.chain[-1]] * (_AROUND_UNIT - len(place.chain))]
        return [
            *place.hints,
            *place.tags,
            *place.way,
            self._worth_of(parent),
            self._worth_of(around),
            *[figure for figures in chain for figure in figures],
        ]


def units_of(layout: Layout, head: int | None) -> list[Unit]:
    """The units of a page in the order of reading, with their facts."""
    if not layout.pieces:
        return []
    page = _Page(layout, head)
    starts = [0]
    sort = page.sort(0)
    for number in range(1, len(layout.pieces)):
        if (following := page.sort(number)) != sort:
            starts.append(number)
            sort = following
    units, before = list[Unit](), 0
    for first, last in zip(starts, [*starts[1:], len(layout.pieces)], strict=True):
        chars, facts = _own(page, first, last)
        where = [
            first / len(page.pieces),
            before / page.total,
            float(first - head) if head is not None else _NO_HEADLINE,
            float(page.total),
        ]
        units.append(Unit(first, last, [*facts, *where, *page.of_box(page.pieces[first].box)]))
        if any(page.prose[first:last]):
            before += chars
    return units


def _own(page: _Page, first: int, last: int) -> tuple[int, list[float]]:
    """The characters of a unit, and the facts of what it says."""
    pieces = page.pieces[first:last]
    count, chars = last - first, sum([len(each.text) for each in pieces])
    return chars, [
        float(chars),
        sum([each.link_chars for each in pieces]) / chars,
        float(any(page.prose[first:last])),
        chars / count,
        sum([each.text.endswith(SENTENCE_ENDS) for each in pieces]) / count,
        float(len(pieces[0].lines)),
    ]
