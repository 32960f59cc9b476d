"""Word lists and patterns of the readers (`wordlists/extract/`), compiled once; and plain text.

A list has a name and some words per language, so that somebody who knows a language can mend it without
reading code. Patterns match plain text in all languages at once: pages mix them. Plain text has the same
length, so that positions stay true: small letters, no diacritics, every kind of space a space, every kind of
dash a hyphen. `29 Ιανουαρίου` and `29 ΙΑΝΟΥΑΡΙΟΥ` read the same.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable
from functools import cache, lru_cache
from typing import Final

from surveyor import wordlists
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
_LONG_TEXT: Final = 300  # characters of a text that repeats its letters


@lru_cache(maxsize=_REMEMBERED)
def plain(text: str) -> str:
    """The same text, letter for letter, in its plain form."""
    if text.isascii():  # ten times as fast
        return text.lower().replace("\n", " ").replace("\t", " ")
    if len(text) < _LONG_TEXT:
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
        after = r"\w{0,24}" if word.endswith("*") else r"(?!\w)" if word[-1:].isalnum() else ""
        parts.append(before + stem + after)
    return (r"(?<!\w)" if start else "") + "(?:" + factored("|".join(parts)) + ")"


def word_set(text: str) -> frozenset[str]:
    """The words of a list that is written one after the other."""
    return frozenset(text.split())


def lists(file: str) -> wordlists.Words:
    """All lists of one file of the readers; `file` without its ending."""
    return wordlists.read(f"extract/{file}")


@cache
def words(file: str, name: str) -> tuple[str, ...]:
    """The words of a list in all languages; `file` without its ending."""
    return wordlists.words(f"extract/{file}", name)


@cache
def listed(file: str, name: str, key: str) -> tuple[str, ...]:
    """The words of a list in one language; none where it has none."""
    return lists(file)[name].get(key, ())


@cache
def cues(file: str, *names: str) -> re.Pattern[str]:
    """A pattern for any word of these lists."""
    return re.compile(any_of(word for name in names for word in words(file, name)))


def patterns(file: str, name: str, **holes: str) -> tuple[re.Pattern[str], ...]:
    """The patterns of a list, in order; `{hole}` in one becomes the pattern given for it."""
    filled = list(words(file, name))
    for hole, pattern in holes.items():
        filled = [one.replace(f"{{{hole}}}", pattern) for one in filled]
    return tuple(map(re.compile, filled))


@cache
def alternatives(file: str, name: str) -> str:
    """One pattern for any of the patterns of a list."""
    return wordlists.alternatives(f"extract/{file}", name)


@cache
def table(file: str, name: str) -> dict[str, str]:
    """Each word of a list in plain form with the key it stands under: a month's number, a currency's code."""
    return {plain(word): key for key, listed in lists(file)[name].items() for word in listed}


@cache
def languages() -> frozenset[str]:
    """The languages that have words for labels, offers and refusals."""
    return frozenset(lists("records")["label_amount"])


def missing_words(wanted: Iterable[str]) -> str | None:
    """What will not work for languages without a word list, in a sentence; None where all have one."""
    without = sorted(set(wanted) - languages())
    if not without:
        return None
    return (
        f"no word list for {', '.join(without)}: text, contacts, structured data, sums and written dates"
        " are read; programmes, opportunities and who may apply are found only where pages mark them"
        f" or use another language (there are lists for {', '.join(sorted(languages()))});"
        " kinds that a profile declares are read by its own words"
    )


_STOP: Final = re.compile(r"(?<=[.!?;…])[\"”“’»)]{0,2} {1,3}(?=[^\sa-zа-яα-ω])")
_LAST_WORD: Final = re.compile(r"([^\s(„“\"«]{1,12})\.$")
_FIRST_WORD: Final = re.compile(r"[^\W\d]+")
# Texts whose sentences are remembered: several readers ask for those of one page.
_REMEMBERED_TEXTS: Final = 500
# Characters before and behind a stop that tell whether it ends anything.
_AROUND: Final = 24
_SHORT: Final = frozenset(words("calendar", "abbreviations"))
_MONTHS: Final = frozenset(table("calendar", "months"))


@lru_cache(maxsize=_REMEMBERED_TEXTS)
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
