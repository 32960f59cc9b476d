"""Whether a page tells anything that the pages before it did not.

Lines that were met before are passed over. Of a new line the pairs of neighbouring words are looked
at, because a heading put together from known words (`red, size 9`) is new as a line and yet says
nothing. A page counts as new with a handful of new pairs.
"""

from __future__ import annotations

import re
from itertools import pairwise

from surveyor.crawl.detect.recent import Recent

# New pairs of words that make a page new: a name and a price; or where numbers do not count, because
# dates or filters choose the page, a short sentence, as headings are put together from their names.
_ENOUGH = 2
_ENOUGH_WORDS = 5
# Of one page; what is further down would not change the verdict.
_MOST_LINES = 400
_MOST_WORDS = 60
_DIGITS = re.compile(r"[0-9]+")


class Novelty:
    __slots__ = ("_lines", "_pairs")

    def __init__(self) -> None:
        self._lines = Recent()
        self._pairs = Recent()

    def is_new(self, text: str, numbers_count: bool) -> bool:
        """Takes note of the text too."""
        enough = _ENOUGH
        if not numbers_count:
            text, enough = _DIGITS.sub("", text), _ENOUGH_WORDS
        lines = [line.strip() for line in text.lower().split("\n", _MOST_LINES)[:_MOST_LINES]]
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
