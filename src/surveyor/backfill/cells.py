"""Cells as people and programs write them, to values; pure.

What cannot be read is left empty and noted, with the first text of its kind, so that a summary can name it.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import UTC, date, datetime
from decimal import Decimal, InvalidOperation
from enum import StrEnum
from typing import Any

_YES = frozenset(
    ("1", "true", "t", "yes", "y", "ja", "j", "oui", "o", "si", "sí", "s", "x", "on", "да", "tak")
)
_NO = frozenset(("0", "false", "f", "no", "n", "nein", "non", "off", "не", "нет", "nie", "-"))
_SLASHED = re.compile(r"(\d{1,2})[/-](\d{1,2})[/-](\d{4})(?:[ T](.+))?")
_DOTTED = re.compile(r"(\d{1,2})\.(\d{1,2})\.(\d{4})(?:[ T](.+))?")
_YEAR_FIRST = re.compile(r"(\d{4})[/.](\d{1,2})[/.](\d{1,2})(?:[ T](.+))?")
_LONGEST = 100_000  # characters of a text that is kept


class Dates(StrEnum):
    """How to read 05/02/2026."""

    UNCLEAR = "unclear"  # it is left away and named
    DAY_FIRST = "day-first"  # the fifth of February
    MONTH_FIRST = "month-first"  # the second of May


@dataclass
class Unread:
    """Cells that could not be read: how many of each column, and the first of them."""

    counts: dict[str, int] = field(default_factory=dict)
    samples: dict[str, str] = field(default_factory=dict)

    def add(self, name: str, text: str) -> None:
        self.counts[name] = self.counts.get(name, 0) + 1
        self.samples.setdefault(name, text[:60])


@dataclass(frozen=True, slots=True)
class Cells:
    """One row by our names."""

    row: Mapping[str, Any]
    unread: Unread
    dates: Dates = Dates.UNCLEAR

    def text(self, name: str, most: int = _LONGEST) -> str | None:
        value = self.row.get(name)
        if value is None:
            return None
        shown = json.dumps(value, ensure_ascii=False) if isinstance(value, dict | list) else str(value)
        clean = "".join(c if c.isprintable() or c in "\n\t" else " " for c in shown).strip()
        return clean[:most] or None

    def number(self, name: str) -> int | None:
        text = self.text(name)
        if text is None:
            return None
        try:
            exact = Decimal(text)
            if exact == exact.to_integral_value() and abs(exact) < 2**53:
                return int(exact)
        except (InvalidOperation, OverflowError):
            pass
        self.unread.add(name, text)
        return None

    def share(self, name: str) -> Decimal | None:
        """0.85, 0,85 and 85% are the same."""
        text = self.text(name)
        if text is None:
            return None
        try:
            found = Decimal(text.removesuffix("%").strip().replace(",", "."))
            found = found / 100 if text.endswith("%") else found
            if Decimal(0) <= found <= Decimal(1):
                return found.quantize(Decimal("0.01"))
        except InvalidOperation:
            pass
        self.unread.add(name, text)
        return None

    def flag(self, name: str) -> bool | None:
        text = self.text(name)
        if text is None:
            return None
        word = text.lower()
        if word in _YES or word in _NO:
            return word in _YES
        self.unread.add(name, text)
        return None

    def moment(self, name: str) -> datetime | None:
        value = self.row.get(name)
        if value is None:
            return None
        found = moment(value, self.dates)
        if found is None:
            self.unread.add(name, str(value))
        return found


def moment(value: Any, dates: Dates = Dates.UNCLEAR) -> datetime | None:
    """A time as databases, spreadsheets and indexes of archives write it; without a zone it is UTC."""
    if isinstance(value, datetime):
        found: datetime | None = value
    elif isinstance(value, date):
        found = datetime(value.year, value.month, value.day)  # noqa: DTZ001 - its zone comes below
    else:
        try:
            found = _written(str(value or "").strip(), dates)
        except (ValueError, OverflowError, OSError):
            return None
    if found is None or not 1990 <= found.year <= 2200:
        return None
    return found.replace(tzinfo=UTC) if found.tzinfo is None else found.astimezone(UTC)


def _written(text: str, dates: Dates) -> datetime | None:
    if text.isdecimal():
        return _digits(text)
    try:
        return datetime.fromisoformat(text.removesuffix(" UTC"))
    except ValueError:
        pass
    if (found := _YEAR_FIRST.fullmatch(text)) is not None:
        return _joined(found[1], found[2], found[3], found[4])
    if (found := _DOTTED.fullmatch(text)) is not None:
        return _joined(found[3], found[2], found[1], found[4])
    if (found := _SLASHED.fullmatch(text)) is not None:
        return _slashed(int(found[1]), int(found[2]), found[3], found[4], dates)
    return None


def _digits(text: str) -> datetime | None:
    """An archive's stamp, or seconds or milliseconds since 1970."""
    if len(text) == 14:
        return datetime.strptime(text, "%Y%m%d%H%M%S").replace(tzinfo=UTC)
    if len(text) in (10, 13):
        return datetime.fromtimestamp(int(text) / (1000 if len(text) == 13 else 1), UTC)
    return None


def _slashed(one: int, two: int, year: str, rest: str | None, dates: Dates) -> datetime | None:
    if one > 12 or one == two:
        dates = Dates.DAY_FIRST
    elif two > 12:
        dates = Dates.MONTH_FIRST
    if dates is Dates.UNCLEAR:
        return None
    day, month = (one, two) if dates is Dates.DAY_FIRST else (two, one)
    return _joined(year, str(month), str(day), rest)


def _joined(year: str, month: str, day: str, rest: str | None) -> datetime:
    whole = f"{year}-{month.zfill(2)}-{day.zfill(2)}"
    if rest:
        hour, sign, minutes = rest.strip().partition(":")
        whole += f" {hour.zfill(2)}{sign}{minutes}"
    return datetime.fromisoformat(whole)
