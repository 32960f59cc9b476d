"""Text in a plain form of the same length, so that word lists match it and positions stay true.

Small letters, no diacritics, every kind of space a space, every kind of dash a hyphen: `29 Ιανουαρίου` and
`29 ΙΑΝΟΥΑΡΙΟΥ` read the same. Patterns are made of words by `any_of`, written plain as well.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable
from functools import lru_cache
from typing import Final

from surveyor.words.patterns import factored

# Texts whose plain form is remembered: each reader asks for the sentences of the same page again.
_REMEMBERED: Final = 1_000
# Latin, Greek and Cyrillic letters, the punctuation of print, and the marks of pasted text.
_RANGES: Final = (range(0x00A0, 0x0250), range(0x0370, 0x0530), range(0x1E00, 0x2070))
_SPACES: Final = (
    "\u00a0\u1680\u2000\u2001\u2002\u2003\u2004\u2005\u2006\u2007\u2008\u2009\u200a\u202f\u205f\u3000"
)
_DASHES: Final = "\u2010\u2011\u2012\u2013\u2014\u2015\u2212"
_APOSTROPHES: Final = "\u2018\u2019\u201b\u00b4\u02bc"
_KEPT: Final = "йЙºª²³¹"
# Letters that take two to write plainly keep one, so that positions hold.
_ONE: Final = {"ß": "s", "æ": "a", "œ": "o", "ς": "σ", "ı": "i", "ł": "l", "đ": "d", "ø": "o", "і": "i"}


def _plain(char: str) -> str:
    small = char.lower()
    if char in _KEPT:
        return small
    if small in _ONE:
        return _ONE[small]
    divided = unicodedata.normalize("NFD", small)
    return divided[0] if len(divided) > 1 and all(map(unicodedata.combining, divided[1:])) else small


_TABLE: Final[dict[int, str]] = (
    {code: _plain(chr(code)) for span in _RANGES for code in span if len(_plain(chr(code))) == 1}
    | dict.fromkeys(map(ord, _SPACES), " ")
    | dict.fromkeys(map(ord, _DASHES), "-")
    | dict.fromkeys(map(ord, _APOSTROPHES), "'")
    | {ord(char): char.lower() for char in "ABCDEFGHIJKLMNOPQRSTUVWXYZ"}
    | {ord("\n"): " ", ord("\t"): " "}
)
# Those that change, and of these the few whose plain letter would change as well: they come last.
_LETTERS: Final = {chr(code): letter for code, letter in _TABLE.items() if chr(code) != letter}
_LAST: Final = frozenset(letter for letter, into in _LETTERS.items() if into in _LETTERS)
_LONG: Final = 300  # characters of a text that repeats its letters


@lru_cache(maxsize=_REMEMBERED)
def plain(text: str) -> str:
    """The same text, letter for letter, in its plain form."""
    if text.isascii():  # ten times as fast
        return text.lower().replace("\n", " ").replace("\t", " ")
    if len(text) < _LONG:
        return text.translate(_TABLE)
    changing = _LETTERS.keys() & set(text)  # a translation asks for every letter of the text
    for letter in sorted(changing, key=_LAST.__contains__):
        text = text.replace(letter, _LETTERS[letter])
    return text


def any_of(words: Iterable[str], *, start: bool = True) -> str:
    """A pattern for any of the words; one with `*` at its end may go on, at its start may begin otherwise.

    Spaces in a word match one or two spaces. The longest word wins.
    """
    parts = []
    for word in sorted({plain(word) for word in words}, key=lambda one: (-len(one), one)):
        stem = re.escape(word.strip("*")).replace(r"\ ", " {1,2}")
        before = r"\w{1,24}" if word.startswith("*") else ""
        after = r"\w{0,24}" if word.endswith("*") else _edge(word)
        parts.append(before + stem + after)
    return (r"(?<!\w)" if start else "") + "(?:" + factored("|".join(parts)) + ")"


def _edge(word: str) -> str:
    return r"(?!\w)" if word[-1:].isalnum() else ""


def words(text: str) -> frozenset[str]:
    """The words of a list that is written one after the other."""
    return frozenset(text.split())
