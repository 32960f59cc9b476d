"""Patterns whose pages ask neither to be kept nor to be followed, or for a log-in: histories, tools, forms.

Such a page gives nothing, neither content nor links, so after a few of a pattern the others are left out.
One page that is open opens its pattern for good; now and then one of those left out is asked all the same.
"""

from __future__ import annotations

from typing import Final

from surveyor.crawl.detect.path_pattern import patterns_of
from surveyor.crawl.detect.seen import Seen

CLOSED_PATTERN = "closed_pattern"

# Closed pages before the rest of their pattern is left out, and of how many left out one is asked.
_ENOUGH: Final = 5
_SAMPLE: Final = 32
# Patterns of a domain that are watched; a site with more has few closed pages of each.
_MOST: Final = 1_000
_OPEN: Final = -1


class ClosedPatterns:
    __slots__ = ("_any", "_closed", "_left_out")

    def __init__(self) -> None:
        self._closed: dict[str, int] = {}
        self._left_out = 0
        self._any = False

    def learn(self, target: str, seen: Seen) -> None:
        is_closed = seen.noindex and seen.nofollow
        if not is_closed and not self._closed:
            return  # most sites have no such page
        pattern = patterns_of(target).own
        if is_closed:
            self._note_closed(pattern)
        else:
            self._closed[pattern] = _OPEN

    def note_login(self, target: str) -> None:
        """The target led to a log-in, and no page of its pattern was had: as good as a closed page."""
        self._note_closed(patterns_of(target).own)

    def _note_closed(self, pattern: str) -> None:
        known = self._closed.get(pattern, 0)
        if known != _OPEN and _is_narrow(pattern) and len(self._closed) < _MOST:
            self._closed[pattern] = known + 1
            self._any = self._any or known + 1 >= _ENOUGH

    def judge(self, target: str) -> str | None:
        if not self._any or self._closed.get(patterns_of(target).own, 0) < _ENOUGH:
            return None
        self._left_out += 1
        return CLOSED_PATTERN if self._left_out % _SAMPLE else None


def _is_narrow(pattern: str) -> bool:
    """Whether the pattern is a part of a site; pages right below its root are of every kind."""
    return "?" in pattern or pattern.count("/") > 1
