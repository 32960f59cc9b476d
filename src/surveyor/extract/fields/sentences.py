"""Text to sentences, as far as dates and sums need it: a stop behind an abbreviation or a day ends none."""

from __future__ import annotations

import re
from functools import lru_cache
from typing import Final

from surveyor.extract.fields.normalize import plain
from surveyor.extract.lexicon import table, words

_STOP: Final = re.compile(r"(?<=[.!?;…])[\"”“’»)]{0,2} {1,3}(?=[^\sa-zа-яα-ω])")
_LAST_WORD: Final = re.compile(r"([^\s(„“\"«]{1,12})\.$")
_FIRST_WORD: Final = re.compile(r"[^\W\d]+")
# Texts whose sentences are remembered: several readers ask for those of one page.
_REMEMBERED: Final = 500
# Characters before and behind a stop that tell whether it ends anything.
_AROUND: Final = 24
_SHORT: Final = frozenset(words("calendar", "abbreviations"))
_MONTHS: Final = frozenset(table("calendar", "months"))


@lru_cache(maxsize=_REMEMBERED)
def sentences(text: str) -> tuple[str, ...]:
    """The sentences of a text in order, none empty."""
    found, start = list[str](), 0
    for stop in _STOP.finditer(text):
        before = text[max(0, stop.start() - _AROUND) : stop.start()]
        if not _goes_on(before, text[stop.end() : stop.end() + _AROUND]):
            found.append(text[start : stop.end()].strip())
            start = stop.end()
    found.append(text[start:].strip())
    return tuple(one for one in found if one)


def _goes_on(before: str, after: str) -> bool:
    last = _LAST_WORD.search(before)
    if last is None:
        return False
    word = plain(last[1])
    if word.isdigit() and len(word) <= 2:  # 29. Januar, 1. Vorsitzender
        first = _FIRST_WORD.match(after)
        return first is None or plain(first[0]) in _MONTHS or len(word) == 1
    return word in _SHORT or (len(word) == 1 and word not in "гч")
