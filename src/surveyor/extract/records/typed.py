"""Values of declared fields out of a piece of text, by the type of the field; None where there is none."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping
from typing import TYPE_CHECKING, Final

from surveyor.extract.fields import addresses, emails, hours, phones
from surveyor.extract.fields.amounts import find_amounts, number
from surveyor.extract.fields.dates import find_dates
from surveyor.extract.lexicon import any_of, plain
from surveyor.extract.values import Value
from surveyor.profiles.kinds import FieldType, KindField

if TYPE_CHECKING:
    from surveyor.extract.analysis import Analysis

# Characters of a value in words.
_LONGEST: Final = 300
# How far from its word a figure may stand in a sentence, in characters.
_REACH: Final = 40
_NUMBER: Final = re.compile(r"\d{1,3}(?:[ .,']\d{3})+(?!\d)|\d{1,9}(?:[.,]\d{1,3})?")
_URL: Final = re.compile(r"(?:https?://|www\.)[^\s<>\"']{3,200}", re.IGNORECASE)

Words = Mapping[str, tuple[str, ...]]


def pattern(words: Words) -> re.Pattern[str] | None:
    """Any of the words in any of their languages, for plain text."""
    listed = [word for some in words.values() for word in some]
    return re.compile(any_of(listed)) if listed else None


class Reader:
    """Reads one field."""

    def __init__(self, name: str, field: KindField) -> None:
        self.name, self.field = name, field
        self._word = pattern(field.words)
        self._label = (
            re.compile(f"(?:{self._word.pattern})" + r"(?:\W{1,3}[^\d]{0,30})?$") if self._word else None
        )
        self._choices = [(name, pattern(words)) for name, words in field.choices.items()]

    def is_label(self, label: str) -> bool:
        flat = plain(label).strip(" :?.!*")
        return bool(flat and self._label and self._label.match(flat))

    def value(self, text: str, page: Analysis, links: Iterable[str] = ()) -> Value | None:
        """The value in what stands under the label of the field."""
        kind = self.field.type
        if kind is FieldType.CHOICE:
            return self._choice(text)
        if kind is FieldType.URL:
            return next((link for link in links if link.startswith("http")), None) or _url(text)
        if kind in _READERS:
            return _READERS[kind](text, page)
        return " ".join(text.split()).strip(" .:;–—-")[:_LONGEST] or None

    def currency(self, text: str, page: Analysis) -> str | None:
        found = find_amounts(text, currencies=page.view.currencies)
        return found[0].currency if found else None

    def said(self, text: str, page: Analysis) -> Value | None:
        """The value in a sentence that names the field, or that shows itself in any."""
        if self.field.type.shows_itself:
            return self.value(text, page)
        if self.field.type is FieldType.CHOICE and not self.field.words:
            return self._choice(text)
        if self.field.type not in (FieldType.NUMBER, FieldType.MONEY, FieldType.DATE):
            return None
        near = self._near(text)
        return self.value(near, page) if near else None

    def _near(self, text: str) -> str:
        """The part of a sentence from the word of the field on, or up to it: `120 plazas`."""
        found = self._word.search(plain(text)) if self._word else None
        if found is None:
            return ""
        behind = text[found.end() : found.end() + _REACH]
        if _NUMBER.search(behind):
            return behind
        before = text[max(0, found.start() - _REACH) : found.start()]
        last = list(_NUMBER.finditer(before))
        if self.field.type is FieldType.NUMBER:
            return before[last[-1].start() :] if last else ""
        return before

    def _choice(self, text: str) -> str | None:
        flat = plain(text)
        starts = [(at.start(), name) for name, words in self._choices if words and (at := words.search(flat))]
        return min(starts)[1] if starts else None


def _number(text: str, page: Analysis) -> Value | None:
    found = _NUMBER.search(text)
    if found is None:
        return None
    digits = found[0]
    if re.search(r"[ .,']\d{3}(?!\d)", digits):
        return int(re.sub(r"\D", "", digits))
    value = float(digits.replace(",", "."))
    return int(value) if value.is_integer() else value


def _money(text: str, page: Analysis) -> Value | None:
    found = find_amounts(text, currencies=page.view.currencies)
    best = found[0].high or found[0].low if found else None
    return number(best) if best is not None else None


def _date(text: str, page: Analysis) -> Value | None:
    document = page.document
    found = find_dates(
        text, document.page.seen_on, language=document.language, month_first=page.is_month_first
    )
    return found[0].day.isoformat() if found else None


def _phone(text: str, page: Analysis) -> Value | None:
    found = phones.find(text, page.channels.regions)
    return found[0].value if found else None


def _email(text: str, page: Analysis) -> Value | None:
    found = emails.find(emails.unmasked(text))
    return found[0].value if found else None


def _address(text: str, page: Analysis) -> Value | None:
    found = addresses.find([text])
    return found[0].value if found else None


def _hours(text: str, page: Analysis) -> Value | None:
    found = hours.find([text])
    return "; ".join(one.value for one in found) or None


def _url(text: str) -> str | None:
    found = _URL.search(text)
    return found[0].rstrip(".,;)") if found else None


_READERS: Final[Mapping[FieldType, Callable[[str, Analysis], Value | None]]] = {
    FieldType.NUMBER: _number,
    FieldType.MONEY: _money,
    FieldType.DATE: _date,
    FieldType.PHONE: _phone,
    FieldType.EMAIL: _email,
    FieldType.ADDRESS: _address,
    FieldType.HOURS: _hours,
}
