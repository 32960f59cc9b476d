"""Dates in running text, in seven languages: where each stands, what day it is and whether its year was said.

A date without a year is the next one seen from the day the page was fetched; before years that are over it is
one of that time. A date that no calendar has is none. The first day of a span ("1-31 March", "du 4 janvier au
26 mars 2027") is marked, since nobody's deadline is the day on which something opens.
"""

from __future__ import annotations

import calendar
import re
from datetime import date, timedelta
from typing import Final, NamedTuple

from surveyor.extract.lexicon import any_of, listed, plain, table, words

# Longer texts are cut: no sentence about a deadline is as long.
_LONGEST: Final = 20_000
# A page tells of the present; other years are numbers of something else.
_YEARS: Final = range(1990, 2100)


# A sentence whose last written year is so long ago was written then. What is older is a birth or a founding.
_A_YEAR, _LONG_AGO = timedelta(days=366), timedelta(days=366 * 10)


class FoundDate(NamedTuple):
    day: date
    start: int
    """Where it stands in the text, up to but without `end`."""
    end: int
    has_year: bool
    opens: bool = False
    """The first day of a span, whose last day follows."""


class _Raw(NamedTuple):
    year: int | None
    month: int
    day: int
    start: int
    end: int


_MONTHS: Final = {
    name: int(number)
    for listed_in in ("months_further", "months")
    for name, number in table("calendar", listed_in).items()
}
_ROMAN: Final = {name: int(number) for name, number in table("calendar", "roman").items()}
_DAYS: Final = {name: int(number) for name, number in table("calendar", "days").items()}

_MONTH: Final = any_of(_MONTHS, start=False)
_ORDINAL: Final = r"(?:st|nd|rd|th|er|re|º|o|η|ησ|-?ви|-?ри|-?ти|-?ми|-?и)?"
_YEARS_AHEAD: Final = "(?:19|20)\\d\\d"
_ARTICLE: Final = rf"(?:{any_of(words('calendar', 'article'), start=False)} |и )?"
_AND: Final = any_of(words("calendar", "and"), start=False)
_SPAN: Final = rf" ?(?:{any_of(words('calendar', 'to'), start=False)}|{_AND}) ?{_ARTICLE}"
_OF: Final = r"(?:of |day of |de |del |του |-)?"


def _year(key: str, before: str) -> str:
    return rf"(?:{before}(?P<{key}>{_YEARS_AHEAD})(?!\d))?"


_DATE: Final = re.compile(
    # 2027-01-29, 2027/1/29
    rf"(?<![\d.,/-])(?P<y1>{_YEARS_AHEAD})(?P<s1>[-/.])(?P<m1>\d\d?)(?P=s1)(?P<d1>\d\d?)(?![\d/])"
    # 29.01.2027, 29/1/2027, 29-01-27, 29. 1. 2027, 15.II.2027
    r"|(?<![\d,/-])(?<!\d\.)(?P<d2>\d\d?) ?(?P<s2>[./-]) ?(?P<m2>\d\d?|[ivxх]{1,4}) ?(?P=s2) ?"
    rf"(?P<y2>{_YEARS_AHEAD}|\d\d)(?![\d/])(?!\.\d)"
    # 29 January 2027, 1-31 March, 1er mars 2027, 29 de enero de 2027, 29. Januar
    rf"|(?<![\d,/:-])(?<!\d\.)(?:(?P<d0>\d\d?)\.?{_ORDINAL}{_SPAN})?(?P<d3>\d\d?){_ORDINAL}\.?[ -]?"
    rf"{_OF}(?P<m3>{_MONTH})\.?" + _year("y3", r",? ?(?:de |del |του |year |an |- ?)?") +
    # January 29, 2027; Jan 15-31, 2027
    rf"|(?<!\w)(?P<m4>{_MONTH})\.? (?P<d4>\d\d?)(?:st|nd|rd|th)?(?: ?- ?(?P<e4>\d\d?)(?:st|nd|rd|th)?)?"
    r"(?![\d:.]\d)(?!\d)(?! ?(?:%|€|\$))" + _year("y4", r"(?:,| of)? {0,2}") +
    # the thirty-first of January 2027, am ersten März 2027
    rf"|(?P<d5>{any_of(_DAYS)}) {_OF}(?P<m5>{_MONTH})" + _year("y5", r",? ?(?:de |del |του )?") +
    # the end of January 2027, Ende März, до края на март, fin mars, la sfârșitul lunii martie
    rf"|{any_of(words('calendar', 'end_of'))} (?:of )?(?P<m6>{_MONTH})\.?"
    + _year("y6", r",? ?(?:de |del |του )?") +
    # 2027. március 15., 2027 m. kovo 15 d.
    rf"|(?<![\d.,/-])(?P<y7>{_YEARS_AHEAD})\.?(?: m\.)? (?P<m7>{_MONTH})\.? (?P<d7>\d\d?)(?![\d:.]\d)(?!\d)"
)  # fmt: skip
_DIGIT: Final = re.compile(r"\d")
# 29.01. without a year: a way to write in these languages only.
_DOTTED: Final = re.compile(r"(?<![\d.,/:-])(?P<d>\d\d?)\. ?(?P<m>\d\d?)\.(?! ?\d)(?! ?(?:uhr|ч))")
_DOTTED_LANGUAGES: Final = frozenset({"de", "bg", "ro"})
# What stands between the first and the last day of a span.
_BETWEEN: Final = re.compile(rf"^ ?(?:г\.|,)?{_SPAN}(?:\w{{2,12}},? )?$")
# Two days joined by "and" are a span only after a word for "between"; else they are two days.
_IS_AND: Final = re.compile(rf"(?<!\w){_AND}")
_BETWEEN_WORD: Final = re.compile(any_of(words("calendar", "between")) + r"[^.;]{0,25}$")
# What joins days of one list, whose year stands at its end.
_JOINED: Final = re.compile(rf"^ ?(?:,|/|&|or|oder|sowie|ou|sau|или|η|o|{_AND}) ?{_ARTICLE}$")


def find_dates(
    text: str, seen_on: date, *, language: str | None = None, month_first: bool = False
) -> list[FoundDate]:
    """The dates of a text in order. `month_first` reads 3/4/2027 as the fourth of March."""
    if not _DIGIT.search(text):
        return []
    text = text[:_LONGEST]
    flat = plain(text)
    raws: list[_Raw] = []
    for match in _DATE.finditer(flat):
        raws += _read(match, text, language, month_first)
    if language in _DOTTED_LANGUAGES:
        raws = _with_dotted(raws, flat)
    return _finished(raws, flat, seen_on)


def _read(match: re.Match[str], text: str, language: str | None, month_first: bool) -> list[_Raw]:
    part, start, end = match.groupdict(), match.start(), match.end()
    if part["m1"]:
        return [_Raw(int(part["y1"]), int(part["m1"]), int(part["d1"]), start, end)]
    if part["m2"]:
        return _numeric(part, start, end, month_first)
    form = next(n for n in "34567" if part["m" + n])
    name, year = part["m" + form], part["y" + form]
    if not year and _is_a_plain_word(name, text[match.start("m" + form)], language):
        return []
    month, given = _MONTHS[name], int(year) if year else None
    if form == "6":
        end_of_month = calendar.monthrange(given or 2027, month)[1]
        return [_Raw(given, month, end_of_month, start, end)]
    if form == "7":
        return [_Raw(given, month, int(part["d7"]), start, end)]
    if form == "5":
        return [_Raw(given, month, _DAYS[re.sub(" +", " ", part["d5"])], start, end)]
    first, last = (part["d0"], part["d3"]) if form == "3" else (part["d4"], part["e4"])
    if first and last:
        cut = match.end("d0") if form == "3" else match.end("d4")
        return [_Raw(given, month, int(first), start, cut), _Raw(given, month, int(last), cut, end)]
    return [_Raw(given, month, int(first or last), start, end)]


def _is_a_plain_word(name: str, initial: str, language: str | None) -> bool:
    """`30 may apply`: a month only where it is written as one."""
    if name not in words("calendar", "capital_only") or initial.isupper():
        return False
    return name not in listed("calendar", "small_in", language or "")


def _numeric(part: dict[str, str | None], start: int, end: int, month_first: bool) -> list[_Raw]:
    first, second, years = str(part["d2"]), str(part["m2"]), str(part["y2"])
    if len(years) == 2 and part["s2"] == "-":
        return []  # 12-10-27 is a telephone number as often as a day
    year = int(years) if len(years) == 4 else 2000 + int(years)
    if not second.isdigit():
        return [_Raw(year, _ROMAN[second], int(first), start, end)] if second in _ROMAN else []
    day, month = int(first), int(second)
    if (month_first and part["s2"] != "." and day <= 12) or month > 12:
        day, month = month, day
    return [_Raw(year, month, day, start, end)]


def _with_dotted(raws: list[_Raw], flat: str) -> list[_Raw]:
    for match in _DOTTED.finditer(flat):
        if not any(raw.start < match.end() and match.start() < raw.end for raw in raws):
            raws.append(_Raw(None, int(match["m"]), int(match["d"]), match.start(), match.end()))
    return sorted(raws, key=lambda raw: raw.start)


def _finished(raws: list[_Raw], flat: str, seen_on: date) -> list[FoundDate]:
    """Years for those without one, from the right: a list or a span has its year at the end."""
    found: list[FoundDate] = []
    about = _time_told(raws, seen_on)
    last_told = max((raw.start for raw in raws if raw.year), default=0)
    for raw in reversed(raws):
        after = found[-1] if found else None
        gap = flat[raw.end : after.start] if after else ""
        is_span = after is not None and _is_span(flat, raw, after)
        is_list = after is not None and (raw.end == after.start or bool(_JOINED.match(gap)))
        if raw.year is None and after is not None and (is_span or is_list):
            day = _day(after.day.year, raw) or _day(after.day.year - 1, raw)
            if day is not None and day > after.day:
                day = _day(after.day.year - 1, raw)
        else:
            past = about if raw.start < last_told else None
            day = _day(raw.year, raw) if raw.year else _before(raw, past) if past else _next(raw, seen_on)
        if day is not None:
            opens = is_span and after is not None and not after.opens and day <= after.day
            has_year = raw.year is not None or bool(after and after.has_year and (is_span or is_list))
            found.append(FoundDate(day, raw.start, raw.end, has_year, opens))
    return found[::-1]


def _is_span(flat: str, raw: _Raw, after: FoundDate) -> bool:
    gap = flat[raw.end : after.start] or flat[after.start : after.end]
    if raw.end != after.start and not _BETWEEN.match(gap):
        return False
    return not _IS_AND.search(gap) or bool(_BETWEEN_WORD.search(flat[max(0, raw.start - 40) : raw.start]))


def _day(year: int, raw: _Raw) -> date | None:
    try:
        return date(year, raw.month, raw.day) if year in _YEARS else None
    except ValueError:
        return None


def _time_told(raws: list[_Raw], seen_on: date) -> date | None:
    """The day of which a sentence of the past speaks: all its years are some years ago."""
    days = [day for raw in raws if raw.year and (day := _day(raw.year, raw))]
    last = max(days, default=None)
    return last if last and _A_YEAR < seen_on - last < _LONG_AGO else None


def _before(raw: _Raw, about: date) -> date | None:
    days = [day for year in (about.year - 1, about.year) if (day := _day(year, raw))]
    return max((day for day in days if day <= about), default=None)


def _next(raw: _Raw, seen_on: date) -> date | None:
    """The next such day; a leap day may be years away."""
    for year in range(seen_on.year, seen_on.year + 5):
        day = _day(year, raw)
        if day is not None and day >= seen_on:
            return day
    return None
