"""Finds words on a page whatever stands between them, and gives them back as the page writes them. Pure."""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterator
from typing import Final, NamedTuple

from surveyor.extract.lexicon import plain

_WORD: Final = re.compile(r"\w+")
# Where a text ends that is one thing: a line, a cell of a table.
_BREAK: Final = re.compile(r"[\n\t]")
# Occurrences of the same words that are looked at, and signs that may stand between the words of a value
# beyond those the model gave it with: a page may hide anything between two words.
_MOST_PLACES: Final = 20
_MORE_SIGNS: Final = 20


class Span(NamedTuple):
    start: int
    end: int


class Places:
    """The words of one text; with `within_lines` nothing is found across the end of a line or cell."""

    def __init__(self, text: str, *, within_lines: bool) -> None:
        self._text = text
        parts: list[str] = [""]
        self._at: list[int] = []
        self._starts: list[int] = []
        self._ends: list[int] = []
        length = 1
        for offset, line in _lines(text):
            for match in _WORD.finditer(plain(line)):
                self._at.append(length)
                self._starts.append(offset + match.start())
                self._ends.append(offset + match.end())
                parts.append(match[0])
                length += len(match[0]) + 1
            if within_lines:
                parts.append("\n")
                length += 2
        self._joined = " ".join([*parts, ""])

    def find(self, value: str) -> Span | None:
        """Where these words stand, one after the other, in any spelling of capitals and accents."""
        value = " ".join(value.split())
        words = _WORD.findall(plain(value))
        if not words:
            return None
        wanted, at = f" {' '.join(words)} ", -1
        for _ in range(_MOST_PLACES):
            at = self._joined.find(wanted, at + 1)
            if at < 0:
                return None
            first = bisect_right(self._at, at + 1) - 1
            place = Span(self._starts[first], self._ends[first + len(words) - 1])
            if place.end - place.start <= len(value) + _MORE_SIGNS:
                return self._widened(place, value)
        return None

    def _widened(self, place: Span, value: str) -> Span:
        """With the bracket or the full stop that the model gave the value with, if the page has it too."""
        first, *_, last = [match.span() for match in _WORD.finditer(plain(value))] * 2
        before, after = value[: first[0]], value[last[1] :]
        start = place.start - len(before) if self._text[: place.start].endswith(before) else place.start
        end = place.end + len(after) if self._text.startswith(after, place.end) else place.end
        return Span(start, end)

    def line_at(self, place: Span) -> str:
        """The line on which a place begins."""
        start = self._text.rfind("\n", 0, place.start) + 1
        end = self._text.find("\n", place.start)
        return self._text[start : end if end >= 0 else len(self._text)]


def _lines(text: str) -> Iterator[tuple[int, str]]:
    start = 0
    for match in _BREAK.finditer(text):
        yield start, text[start : match.start()]
        start = match.end()
    yield start, text[start:]
