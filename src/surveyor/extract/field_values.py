"""Values that others give for fields of records, each made what the kind wants; pure.

Spiders and other registers give them: a text, a number, whatever JSON holds.
"""

from __future__ import annotations

import math
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import date, datetime
from decimal import Decimal
from typing import Any
from urllib.parse import urlsplit

from surveyor.extract.fields import emails, phones
from surveyor.extract.kinds import type_of
from surveyor.extract.values import Value
from surveyor.names import NameRules, resolve
from surveyor.profiles.kinds import DeclaredKind, FieldType

_LONGEST = 5_000  # characters of a value, as for what people type
_MOST_PARTS = 100  # of a list
_HUGE = 10**15
_ENDINGS = {"UK": "GB", "EU": "BE"}  # endings that are no country codes
_NUMBER = re.compile(r"-?\d{1,15}(\.\d{1,4})?")


class BadValue(ValueError):
    """What is no record of its kind: which field, what it holds, what it should."""


@dataclass(frozen=True, slots=True)
class Context:
    """What values are read against: the page, the countries of the profile, the kinds it declares."""

    url: str
    rules: NameRules
    phone_regions: Sequence[str] = ()
    declared: Mapping[str, DeclaredKind] = field(default_factory=dict)

    @property
    def regions(self) -> tuple[str, ...]:
        """Where a number without a country code may belong: the site's ending says it, then the profile."""
        ending = (urlsplit(self.url).hostname or "").rpartition(".")[2].upper()
        return (*([_ENDINGS.get(ending, ending)] if len(ending) == 2 else []), *self.phone_regions)


def value_of(kind: str, name: str, given: Any, context: Context) -> Value:
    held = type_of(kind, name)
    if isinstance(given, (list, tuple)) and len(given) == 1:
        given = given[0]  # what an ItemLoader without an output processor leaves
    value = _READERS[held](given, context) if held in _READERS else None
    if held is FieldType.CHOICE:
        value = _choice(context.declared[kind], name, given)
    elif held not in _READERS:
        value = _text(given)
    if not value and value != 0:
        wanted = _WANTED.get(held, "a text or a list of texts")
        raise BadValue(f"{name} of a {kind} is {wanted}, not {_shown(given)}")
    return value


def _text(given: Any) -> Value | None:
    if isinstance(given, (list, tuple, set, frozenset)):
        parts = [_line(part) for part in given if isinstance(part, (str, int, float))]
        return parts if len(parts) == len(given) <= _MOST_PARTS and all(parts) else None
    return _line(given) if isinstance(given, (str, int, float, Decimal)) else None


def _line(given: Any) -> str:
    text = " ".join(str(given).split())
    return text if len(text) <= _LONGEST and text.isprintable() else ""


def _number(given: Any, context: Context) -> Value | None:
    if isinstance(given, str) and _NUMBER.fullmatch(plain := given.replace(",", "").replace(" ", "")):
        given = Decimal(plain)
    if isinstance(given, bool) or not isinstance(given, (int, float, Decimal)):
        return None
    value = float(given)
    if not math.isfinite(value) or abs(value) >= _HUGE:
        return None
    return int(value) if value.is_integer() else value


def _date(given: Any, context: Context) -> Value | None:
    if isinstance(given, datetime):
        return given.date().isoformat()
    if isinstance(given, date):
        return given.isoformat()
    if not isinstance(given, str):
        return None
    try:
        return datetime.fromisoformat(given.strip()).date().isoformat()
    except ValueError:
        return None


def _phone(given: Any, context: Context) -> Value | None:
    return phones.parsed(str(given), context.regions) if isinstance(given, (str, int)) else None


def _email(given: Any, context: Context) -> Value | None:
    return emails.valid(given.removeprefix("mailto:").strip()) if isinstance(given, str) else None


def _url(given: Any, context: Context) -> Value | None:
    found = resolve(context.url, given.strip(), context.rules) if isinstance(given, str) else None
    return found.text if found is not None else None


def _choice(kind: DeclaredKind, name: str, given: Any) -> Value | None:
    return given if isinstance(given, str) and given in kind.fields[name].choices else None


_READERS = {
    FieldType.NUMBER: _number,
    FieldType.DATE: _date,
    FieldType.PHONE: _phone,
    FieldType.EMAIL: _email,
    FieldType.URL: _url,
}
_WANTED = {
    FieldType.NUMBER: "a number such as 5000",
    FieldType.DATE: "a date such as 2026-06-30",
    FieldType.PHONE: "a telephone number such as +44 20 7946 0000",
    FieldType.EMAIL: "an e-mail address",
    FieldType.URL: "a web address",
    FieldType.CHOICE: "one of its choices",
}


def _shown(given: Any) -> str:
    text = repr(given)
    return text if len(text) <= 60 else f"{text[:57]}..."
