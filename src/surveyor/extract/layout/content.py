"""The content of a page while rules take away what is not: never the headline, never most of it at once."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Final

from surveyor.extract.document import Region
from surveyor.extract.layout.boxes import Box, Layout

# Share of the content that one rule may take from it in one go.
AT_MOST: Final = 0.4
# Share of its sentences that all rules together leave.
LEFT: Final = 0.5


class Content:
    """Keeps count of what is left, so that taking costs what is taken."""

    __slots__ = ("_floor", "_prose", "boxes", "head", "pieces", "size")

    def __init__(self, layout: Layout, head: int | None) -> None:
        self.boxes, self.pieces, self.head = layout.boxes, layout.pieces, head
        self.size = self.size_of(self.numbers())
        """Characters that are left."""
        self._prose = self.prose_of(self.numbers())
        self._floor = self._prose * LEFT

    def numbers(self, first: int = 0, last: int | None = None) -> list[int]:
        """The pieces of a stretch that are content, by number."""
        pieces = self.pieces
        end = len(pieces) if last is None else last
        return [number for number in range(first, end) if pieces[number].region is Region.MAIN]

    def within(self, box: Box) -> list[int]:
        return self.numbers(box.first, box.last)

    def size_of(self, numbers: Sequence[int]) -> int:
        return sum(len(self.pieces[number].text) for number in numbers)

    def prose_of(self, numbers: Sequence[int]) -> int:
        pieces = self.pieces
        return sum(len(pieces[number].text) for number in numbers if pieces[number].is_prose)

    def take(self, numbers: Sequence[int], region: Region, at_most: float = AT_MOST) -> bool:
        """Give pieces another region, unless they are too much of the content or hold the headline."""
        if not numbers or self.head in numbers:
            return False
        size = self.size_of(numbers)
        prose = self.prose_of(numbers)
        if size > at_most * self.size or (prose and self._prose - prose < self._floor):
            return False
        self.size -= size
        self._prose -= prose
        for number in numbers:
            self.pieces[number].region = region
        return True

    def take_one(self, number: int, region: Region) -> None:
        """Give one piece another region, however large it is."""
        if number != self.head:
            self.size -= len(self.pieces[number].text)
            self.pieces[number].region = region

    def has_headline(self, box: Box) -> bool:
        return self.head is not None and box.first <= self.head < box.last

    def outermost(self, number: int, fits: Callable[[Box], bool]) -> Box:
        """The largest box around a piece that fits."""
        box = self.boxes[self.pieces[number].box]
        while box.parent > 0 and fits(self.boxes[box.parent]):
            box = self.boxes[box.parent]
        return box
