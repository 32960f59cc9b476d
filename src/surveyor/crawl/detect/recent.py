"""Sets and maps of bounded size: what was seen lately, by a short hash of it.

A domain may have millions of pages, and a worker holds hundreds of domains, so nothing here grows
with the site. A new hash replaces an old one in the same slot. A forgotten entry only lets a trap
cost some pages more; two texts are confused once in tens of thousands of look-ups.
"""

from __future__ import annotations

import re
from array import array
from collections.abc import Sequence
from itertools import pairwise
from typing import NamedTuple

from xxhash import xxh32_intdigest

# Places at the start, and at most: 4 KB and 128 KB.
_FIRST = 1 << 10
_MOST = 1 << 15


class Recent:
    """A set of texts."""

    __slots__ = ("_prints", "_used")

    def __init__(self) -> None:
        self._prints = array("I", bytes(4 * _FIRST))
        self._used = 0

    def add(self, texts: Sequence[str]) -> list[str]:
        """Those that were not known, in their order: all lines of a page at once, for each costs."""
        prints = self._prints
        mask, fresh = len(prints) - 1, []
        for text, print_ in zip(texts, map(xxh32_intdigest, map(str.encode, texts)), strict=True):
            if prints[print_ & mask] != print_:
                prints[print_ & mask] = print_
                fresh.append(text)
        self._used += len(fresh)
        if self._used > len(prints) // 2 and len(prints) < _MOST:
            # Each stands at its new place in one half; in the other it is nobody's and is pushed out.
            self._prints = prints * 2
        return fresh


class PageDigest(NamedTuple):
    """What a page looked like, in 64 bits."""

    content: int
    title: int
    chars: int

    def is_like(self, other: PageDigest) -> bool:
        """Whether both have the same content, or the same title and nearly the same length.

        Clocks, counters and names of the day differ on pages that are the same otherwise.
        """
        if self.content == other.content:
            return True
        return self.title == other.title and abs(self.chars - other.chars) * 100 <= self.chars


class PageDigests:
    """Texts with the digest of the page each one stands for."""

    __slots__ = ("_digests", "_prints", "_used")

    def __init__(self) -> None:
        self._prints = array("I", bytes(4 * _FIRST))
        self._digests = array("Q", bytes(8 * _FIRST))
        self._used = 0

    def get(self, text: str) -> PageDigest | None:
        print_ = xxh32_intdigest(text.encode())
        place = print_ & (len(self._prints) - 1)
        if self._prints[place] != print_:
            return None
        packed = self._digests[place]
        return PageDigest(packed >> 32, packed >> 16 & 0xFFFF, packed & 0xFFFF)

    def set(self, text: str, digest: PageDigest) -> None:
        print_ = xxh32_intdigest(text.encode())
        place = print_ & (len(self._prints) - 1)
        self._prints[place] = print_
        self._digests[place] = digest.content << 32 | digest.title << 16 | digest.chars
        self._used += 1
        if self._used > len(self._prints) // 2 and len(self._prints) < _MOST:
            self._prints, self._digests = self._prints * 2, self._digests * 2  # as above


# New pairs of words that make a page new: a name and a price; or where numbers do not count, because
# dates or filters choose the page, a short sentence, as headings are put together from their names.
_ENOUGH = 2
_ENOUGH_WORDS = 5
# Of one page; what is further down would not change the verdict.
_MOST_LINES = 400
_MOST_WORDS = 60
_DIGITS = re.compile(r"[0-9]+")


class Novelty:
    """Whether a page tells anything that the pages before it did not.

    Lines that were met before are passed over. Of a new line the pairs of neighbouring words are looked
    at, because a heading put together from known words (`red, size 9`) is new as a line and yet says
    nothing. A page counts as new with a handful of new pairs.
    """

    __slots__ = ("_lines", "_pairs")

    def __init__(self) -> None:
        self._lines = Recent()
        self._pairs = Recent()

    def is_new(self, text: str, numbers_count: bool) -> bool:
        """Takes note of the text too."""
        enough = _ENOUGH
        if not numbers_count:
            text, enough = _DIGITS.sub("", text), _ENOUGH_WORDS
        lines = map(str.strip, text.lower().split("\n", _MOST_LINES)[:_MOST_LINES])
        fresh = 0
        for line in self._lines.add([line for line in lines if len(line) > 1]):
            fresh += self._fresh_pairs(line)
            if fresh >= enough:
                return True
        return False

    def _fresh_pairs(self, line: str) -> int:
        words = line.split(None, _MOST_WORDS)[:_MOST_WORDS]
        if len(words) == 1:
            return len(self._pairs.add(words))
        return len(self._pairs.add([f"{first} {second}" for first, second in pairwise(words)]))
