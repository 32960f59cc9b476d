"""Which of the dates of a page is the one until which people may apply.

A date is a deadline because of the words around it. Words that announce one are strong (deadline, closing
date), those that only bound a time are weak (until, by) and count together with a word of applying. Words of
other dates (published, jury, start) take a date away, and the nearest words before it decide.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from datetime import date
from typing import Final, NamedTuple

from surveyor.extract.fields.dates import FoundDate, find_dates
from surveyor.extract.lexicon import cues, plain, sentences

# Says that an earlier deadline no longer holds.
_EXTENDED: Final = cues("deadlines", "extended")
_STRONG: Final = cues("deadlines", "strong")
_WEAK: Final = cues("deadlines", "weak")
# Words of applying; with a bound they make a deadline.
_APPLY: Final = cues("deadlines", "apply")
_OTHER: Final = cues("deadlines", "other")
# After the date itself: "15 March 2027 is the deadline".
_BEHIND: Final = re.compile(r"^[\s(,:–-]{0,4}(?:[^\s.;]{1,14} ){0,3}?" + _STRONG.pattern)
# 2027. március 31-ig
_ENDS_BOUND: Final = re.compile(r"-ig\b")
_ROLLING: Final = cues("deadlines", "rolling")
_CLOSING: Final = cues("deadlines", "closing")

_DEADLINE_LABEL, _APPLY_LABEL = 3, 2
# How many characters behind a date may tell what it is.
_AFTER: Final = 60
_CLAUSE: Final = re.compile(r"[;:!?]|\.(?= )|,(?= (?:" + cues("deadlines", "joints").pattern + "))")


_TIME: Final = re.compile(r"[ ,(-]{0,4}(?:" + cues("deadlines", "hours").pattern + r"|\b\d{1,2}[:.h]\d\d\b)")


class Piece(NamedTuple):
    """Some text of a page with what it is labelled as: a heading, a term, the head of a column."""

    label: str
    text: str


class Deadline(NamedTuple):
    day: date
    level: int
    piece: int
    """Index of the piece it was read from."""
    has_year: bool


def is_rolling(text: str) -> bool:
    """Whether it says that there is no deadline."""
    return bool(_ROLLING.search(plain(text)))


_PAST: Final = cues("deadlines", "past")


def is_deadline_label(label: str) -> bool:
    flat = plain(label)
    return _closes(flat) or (bool(_STRONG.search(flat)) and _last(_OTHER, flat) <= _last(_STRONG, flat))


def _closes(flat: str) -> bool:
    """A label that is about the last day word for word, or ends in a bound: "Applications until"."""
    flat = flat.strip(" :?.")
    if _CLOSING.fullmatch(flat):
        return True
    return bool(_APPLY.search(flat)) and any(match.end() == len(flat) for match in _WEAK.finditer(flat))


def find_deadline(
    pieces: Iterable[Piece], seen_on: date, *, language: str | None = None, month_first: bool = False
) -> Deadline | None:
    """The next deadline that the pieces tell of; the last one when all are over; None without any."""
    found: list[Deadline] = []
    rolling = False
    for index, piece in enumerate(pieces):
        if (
            is_deadline_label(piece.label)
            and is_rolling(piece.text)
            and not _has_date(piece.text, seen_on, language)
        ):
            return None
        rolling = rolling or (
            is_rolling(piece.text)
            and bool(_APPLY.search(plain(piece.text)) or _STRONG.search(plain(piece.text)))
        )
        found += [
            Deadline(day, level, index, has_year)
            for day, level, has_year in _of(piece, seen_on, language, month_first)
        ]
    found = _of_their_year(found)
    least = 3 if rolling else 2
    best = max((one.level for one in found), default=0)
    pool = [one for one in found if one.level == best >= least]
    ahead = [one for one in pool if one.day >= seen_on]
    if ahead:
        return min(ahead, key=lambda one: (one.day, one.piece))
    return max(pool, key=lambda one: (one.day, -one.piece), default=None)


def _of_their_year(found: list[Deadline]) -> list[Deadline]:
    """Without days of which another place says the year: "31 March" in a title, "31 March 2023" below."""
    dated = {(one.day.month, one.day.day): one for one in found if one.has_year}
    return [
        one
        if one.has_year or (known := dated.get((one.day.month, one.day.day))) is None
        else known._replace(level=max(one.level, known.level))
        for one in found
    ]


def _has_date(text: str, seen_on: date, language: str | None) -> bool:
    return bool(find_dates(text, seen_on, language=language))


def _of(
    piece: Piece, seen_on: date, language: str | None, month_first: bool
) -> Iterable[tuple[date, int, bool]]:
    label = _label_level(plain(piece.label))
    for sentence in sentences(piece.text):
        dates = find_dates(sentence, seen_on, language=language, month_first=month_first)
        flat, start = plain(sentence), 0
        level = 0
        for index, one in enumerate(dates):
            before = flat[start : one.start]
            joined = start > 0 and len(before.strip(" ,.-/&")) <= 8 and not _WEAK.search(before)
            closes = bool(index and dates[index - 1].opens)
            level = level if joined and level else _level(flat, before, one, label, closes=closes)
            if level and not one.opens:
                yield _not_again(one, flat, seen_on), level, one.has_year
            if not one.opens:  # what was said before a span is said of its end
                start = one.end
        if dates:  # what a label says holds for the sentence that answers it
            label = 0


def _not_again(one: FoundDate, flat: str, seen_on: date) -> date:
    """A day without a year of which it is said that it is over is the last one of its name."""
    said = flat[: one.start].rpartition(";")[2] + flat[one.start :].partition(";")[0]
    if one.has_year or one.day < seen_on or not _PAST.search(said):
        return one.day
    try:
        return one.day.replace(year=one.day.year - 1)
    except ValueError:  # 29 February
        return one.day.replace(year=one.day.year - 1, day=28)


def _label_level(flat: str) -> int:
    if not flat:
        return 0
    if _closes(flat):
        return _DEADLINE_LABEL
    strong, other = _last(_STRONG, flat), _last(_OTHER, flat)
    if other > strong:
        return -1
    if strong >= 0:
        return _DEADLINE_LABEL
    return _APPLY_LABEL if _APPLY.search(flat) else 0


def _level(flat: str, before: str, one: FoundDate, label: int, *, closes: bool) -> int:
    """How surely this date is a deadline: 4 extended, 3 said so, 2 a bound of applying, 0 not."""
    clause = _CLAUSE.split(before)[-1] if _CLAUSE.search(before[:-1]) and not one.opens else before
    extended, strong, other = _last(_EXTENDED, before), _last(_STRONG, before), _last(_OTHER, clause)
    offset = len(before) - len(clause)
    other = other + offset if other >= 0 else -1
    if extended > other:
        return 4
    if strong > other:
        return 3
    if other >= 0 or label < 0:
        return 0
    if _BEHIND.match(flat[one.end : one.end + _AFTER]) or label == _DEADLINE_LABEL:
        return 3
    if label == _APPLY_LABEL and closes:  # applications: 15 January to 1 March
        return 3
    rest = flat[one.end :]
    bounded = (
        closes
        or _WEAK.search(before[-60:]) is not None
        or _ENDS_BOUND.match(rest) is not None
        or (not one.opens and bool(before) and before[-1:] in " -" and label == _APPLY_LABEL)
    )
    if bounded and not _OTHER.search(rest[:30]):
        is_timed = _TIME.search(before) or _TIME.match(rest)  # nobody bounds a stay by the hour
        return 2 if label == _APPLY_LABEL or is_timed or _APPLY.search(flat) else 0
    return 0


def _last(pattern: re.Pattern[str], flat: str) -> int:
    """Where the last match ends, -1 if there is none."""
    return max((match.end() for match in pattern.finditer(flat)), default=-1)
