"""Memories of fixed size: what was met lately, by a short print of it.

A domain may have millions of pages, and a worker holds hundreds of domains, so nothing here grows
with the site. New prints push out old ones that share their place. Forgetting only makes a trap
cost some pages more; mistaking one text for another happens once in tens of thousands of questions.
"""

from __future__ import annotations

from array import array
from collections.abc import Iterable
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

    def add(self, texts: Iterable[str]) -> list[str]:
        """Those that were not known, in their order: all lines of a page at once, for each costs."""
        prints = self._prints
        mask, fresh = len(prints) - 1, []
        for text in texts:
            print_ = xxh32_intdigest(text.encode())
            if prints[print_ & mask] == print_:
                continue
            prints[print_ & mask] = print_
            fresh.append(text)
            self._used += 1
            if self._used > len(prints) // 2 and len(prints) < _MOST:
                # Each stands at its new place in one half; in the other it is nobody's and is pushed out.
                self._prints = prints = prints * 2
                mask = len(prints) - 1
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
        self._put(xxh32_intdigest(text.encode()), digest.content << 32 | digest.title << 16 | digest.chars)
        self._used += 1
        if self._used > len(self._prints) // 2 and len(self._prints) < _MOST:
            self._prints, self._digests = self._prints * 2, self._digests * 2  # as above

    def _put(self, print_: int, packed: int) -> None:
        place = print_ & (len(self._prints) - 1)
        self._prints[place], self._digests[place] = print_, packed
