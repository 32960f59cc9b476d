"""A memory of what was worked out for texts that come again: words, pieces of a text, hosts.

A look-up that succeeds is one of a plain dict, half the time of `functools.lru_cache`, and most words of a
text are known. When there are too many all are forgotten; the usual ones are back soon.
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from typing import TypeVar

V = TypeVar("V")


class Remembered(dict[str, V]):
    """What `make` gives for a text, as long as it is remembered."""

    __slots__ = ("_longest", "_make", "_most")

    def __init__(self, make: Callable[[str], V], most: int, longest: int = sys.maxsize) -> None:
        """At most `most` texts are kept, none of more than `longest` characters: it will not come again."""
        super().__init__()
        self._make, self._most, self._longest = make, most, longest

    def __missing__(self, text: str) -> V:
        made = self._make(text)
        if len(text) <= self._longest:
            if len(self) >= self._most:
                self.clear()
            self[text] = made
        return made
