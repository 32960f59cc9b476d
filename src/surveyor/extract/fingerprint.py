"""Fingerprints of a text: one that stays when nothing of substance changed, one that is near for near texts.

Pages change without anybody having changed them: a date line, a clock, a counter, the year beside a
copyright. `text_hash` leaves these out. It errs towards change: a line is left out only when nothing but
the moving part is in it, and what moves within a sentence must say what it is ("3 hours ago").
"""

from __future__ import annotations

import re
from typing import Final

from xxhash import xxh3_64_digest

from surveyor.extract.lexicon import alternatives
from surveyor.words import tokens
from surveyor.words.patterns import any_case

# Words that are one shingle: fewer say too little, more make one changed word change everything.
_SHINGLE: Final = 3
# Words of a text that make its simhash; a book is known by its beginning.
_MOST_WORDS: Final = 20_000
_BITS: Final = 64
_BYTES: Final = _BITS // 8

_MONTH: Final = r"[^\W\d_]{3,12}\.?"
_WEEKDAY: Final = r"(?:[^\W\d_]{2,12}\.?,?\s{1,2})?"
_CLOCK: Final = (
    r"(?:[,·|–-]?\s{0,2}(?:at\s|um\s|à\s|ora\s|в\s|στις\s|a las\s)?"
    r"\d{1,2}[:.h]\s?\d{2}(?::\d{2})?\s{0,2}(?:[ap]\.?m\.?|uhr|ч\.?|h)?)?"
)
_DATE: Final = (
    rf"{_WEEKDAY}(?:\d{{1,4}}[./-]\s?\d{{1,2}}[./-]\s?\d{{1,4}}"
    rf"|\d{{1,2}}\.?\s{{1,2}}(?:de\s)?{_MONTH}\s{{1,2}}(?:de\s)?\d{{4}}"
    rf"|{_MONTH}\s{{1,2}}\d{{1,2}}(?:st|nd|rd|th)?,?\s{{1,2}}\d{{4}})(?:\s?(?:г|год)\.?)?{_CLOCK}"
)
_NUMBER: Final = r"\d[\d .,'\u00a0\u202f]{0,14}"
# Whole lines that move by themselves.
_MOVING_LINES: Final = tuple(
    any_case(pattern)
    for pattern in (
        rf"{alternatives('moving', 'stamp')}\s{{0,2}}[:\-–]?\s{{0,2}}{_DATE}\.?",
        r"\d{1,2}:\d{2}(?::\d{2})?(?:\s?[ap]\.?m\.?|\s?uhr|\s?ч\.?)?",
        rf"(?:you are |sie sind |вие сте )?{alternatives('moving', 'counter')}"
        rf"\s{{0,2}}(?:no|nr|n°|номер|number)?\.?\s{{0,2}}[:#]?\s{{0,2}}{_NUMBER}",
        rf"{_NUMBER}\s{{0,2}}{alternatives('moving', 'counted')}",
    )
)
_AGO: Final = any_case(rf"\b{alternatives('moving', 'ago')}")
_COPYRIGHT: Final = re.compile(
    r"(?:©|\(c\)|copyright)\s{0,2}(?:©\s{0,2})?(?:\d{4}\s{0,2}[–-]\s{0,2})?\d{4}", re.IGNORECASE
)
# A line that can move has a digit or an hour in it; most have none.
_MAY_MOVE: Final = re.compile(r"\d|\b(?:ago|vor|hace|acum|il y a)\b")
_LONGEST_MOVING: Final = 120  # characters of a line that may be nothing but a stamp


def text_hash(text: str) -> int:
    """64 bits, signed: equal for texts that differ in date lines, clocks, counters, copyright years only."""
    steady = []
    for line in text.splitlines():
        line = " ".join(line.split()).casefold()
        if line and _MAY_MOVE.search(line):
            is_stamp = len(line) <= _LONGEST_MOVING and any(one.fullmatch(line) for one in _MOVING_LINES)
            line = "" if is_stamp else _COPYRIGHT.sub("©", _AGO.sub("", line)).strip()
        if line:
            steady.append(line)
    digest = xxh3_64_digest("\n".join(steady).encode("utf-8", "replace"))
    return int.from_bytes(digest, "big", signed=True)  # as the databases keep it


def simhash(text: str) -> int:
    """64 bits, signed, of the text's shingles of words; texts that share most have few bits apart."""
    words = tokens(text)[:_MOST_WORDS]
    if not words:
        return 0
    runs = zip(*(words[start:] for start in range(_SHINGLE)), strict=False)
    shingles = set(map(" ".join, runs)) or {" ".join(words)}
    digests = [xxh3_64_digest(shingle.encode("utf-8", "replace")) for shingle in shingles]
    joined, ones, half = b"".join(digests), int.from_bytes(b"\1" * len(digests), "big"), len(digests)
    bits = 0
    for byte in range(_BYTES):
        # One byte of all digests as one large number: shifted and masked, it has a bit for each that has the
        # bit in question.
        votes = int.from_bytes(joined[byte::_BYTES], "big")
        for bit in range(7, -1, -1):
            bits = bits << 1 | ((votes >> bit & ones).bit_count() * 2 > half)
    return bits - (bits >> (_BITS - 1) << _BITS)  # signed, as the databases keep it


def distance(left: int, right: int) -> int:
    """How many bits two simhashes differ in."""
    return ((left ^ right) & (1 << _BITS) - 1).bit_count()
