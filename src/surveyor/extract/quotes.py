"""Where in a text the words stand that a field was read from: the text in pieces, nothing added or lost.

Quotes are plain words, the text is Markdown: they are compared word by word, so that emphasis, bars of
tables and addresses of links get in no quote's way. A quote that stands nowhere marks nothing.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import pairwise
from typing import Final, NamedTuple

_WORD: Final = re.compile(r"[^\W_]+")
# Where a link of the text leads, which nobody reads along.
_TARGET: Final = re.compile(r"(?<=\])\([^()\s]*\)")
# A word that was cut in two, with the space around it.
_PART_AT_END: Final = re.compile(r"\s+\S{0,40}\Z")
_PART_AT_START: Final = re.compile(r"\A\S{0,40}\s+")
# Characters of context around what is marked, and of a text in which nothing is.
AROUND: Final = 160
_BEGINNING: Final = 600


class Piece(NamedTuple):
    """A stretch of the text, with the fields that were read from it; a gap stands for what is not shown."""

    text: str
    names: tuple[str, ...] = ()
    is_gap: bool = False


class _Span(NamedTuple):
    start: int
    end: int
    name: str


def marked(text: str, quotes: Mapping[str, Sequence[str]]) -> list[Piece]:
    """The text in pieces. Of each field, the first of its quotes that stands in the text is marked."""
    words = _Words(text)
    spans = [found for name, said in quotes.items() if (found := words.first(name, said))]
    return list(_cut(text, spans))


def excerpt(pieces: Sequence[Piece]) -> list[Piece]:
    """Only what is marked and what stands around it; the beginning where nothing is."""
    if not any(piece.names for piece in pieces):
        text = "".join(piece.text for piece in pieces)
        return list(_shortened(text, _BEGINNING, is_first=False, is_last=True))
    shown: list[Piece] = []
    for place, piece in enumerate(pieces):
        if piece.names:
            shown.append(piece)
        else:
            shown += _shortened(piece.text, AROUND, is_first=place == 0, is_last=place == len(pieces) - 1)
    return shown


def _shortened(text: str, around: int, *, is_first: bool, is_last: bool) -> Iterator[Piece]:
    """The end of what is before a mark, the beginning of what is behind one, both where it is between two."""
    behind, before = 0 if is_first else around, 0 if is_last else around
    if len(text) <= behind + before:
        yield Piece(text)
        return
    if behind:
        yield Piece(_PART_AT_END.sub("", text[:behind]))
    yield Piece("", is_gap=True)
    if before:
        yield Piece(_PART_AT_START.sub("", text[-before:]))


class _Words:
    """The words of a text, to be searched for other words in a row."""

    def __init__(self, text: str) -> None:
        read = _TARGET.sub(lambda found: " " * len(found[0]), text)
        self._places = [found.span() for found in _WORD.finditer(read)]
        self._joined = _joined(read[start:end] for start, end in self._places)

    def first(self, name: str, said: Iterable[str]) -> _Span | None:
        return next((span for each in said if (span := self._find(name, each))), None)

    def _find(self, name: str, quote: str) -> _Span | None:
        words = _WORD.findall(quote)
        if quote.endswith("…"):  # it was cut, maybe within its last word
            words = words[:-1]
        at = self._joined.find(_joined(words)) if words else -1
        if at < 0:
            return None
        first = self._joined.count("\0", 0, at)
        return _Span(self._places[first][0], self._places[first + len(words) - 1][1], name)


def _joined(words: Iterable[str]) -> str:
    between = "\0"
    return (between + between.join(words) + between).casefold()


def _cut(text: str, spans: Sequence[_Span]) -> Iterator[Piece]:
    edges = sorted({0, len(text), *(span.start for span in spans), *(span.end for span in spans)})
    for start, end in pairwise(edges):
        names = tuple(span.name for span in spans if span.start <= start and end <= span.end)
        yield Piece(text[start:end], names)
