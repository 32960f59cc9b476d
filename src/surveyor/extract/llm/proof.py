"""Keeps of what a model tells only what stands on the page, in the page's own words. Pure.

A name or a text must be there word for word, a day, a sum, a number or an address in any way in which our
own readers find them. A field that is not there is dropped; without its name there is no record.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from datetime import date
from decimal import Decimal
from functools import cached_property
from typing import Any, Final

from surveyor.errors import UsageError
from surveyor.extract.fields import emails, phones
from surveyor.extract.fields.amounts import find_amounts, number
from surveyor.extract.fields.dates import find_dates
from surveyor.extract.llm.answer import ClaimedRecord
from surveyor.extract.llm.places import Places
from surveyor.extract.merging import words_of
from surveyor.extract.profile_view import ProfileView
from surveyor.extract.records.facts import quoted
from surveyor.extract.records.funding_fields import language_in
from surveyor.extract.values import FIELDS, Field, FoundRecord, Source, Value
from surveyor.llm.question import one_line
from surveyor.names import parse_url

# What is one thing stands on one line; the other texts may go on.
_NAMES: Final = frozenset({"name", "funder", "organisation", "region", "location", "categories"})
_TEXTS: Final = frozenset({"address", "hours", "eligibility"})
_MONEY: Final = ("amount_min", "amount_max", "currency")
_WEB: Final = re.compile(r"(?:https?://|www\.)[^\s<>\"'()\[\]]{3,300}", re.IGNORECASE)
# Lines of a page that are searched for days and sums.
_MOST_LINES: Final = 2_000


class Proof:
    """For one page: what was sent of it, on the day it was fetched."""

    def __init__(self, sent: str, seen_on: date, language: str | None, view: ProfileView) -> None:
        self._sent, self._seen_on, self._language, self._view = sent, seen_on, language, view
        self._rows = sent.split("\n")[:_MOST_LINES]

    def records(self, claimed: Iterable[ClaimedRecord]) -> list[FoundRecord]:
        return [record for one in claimed if (record := self.record(one)) is not None]

    def record(self, claimed: ClaimedRecord) -> FoundRecord | None:
        """What is left of a record; None when its name is not on the page."""
        found = self._money(claimed.fields)
        for name, value in claimed.fields.items():
            if name not in _MONEY and (field := self._field(name, value)) is not None:
                found[name] = field
        if "name" not in found or not any(sign.isalpha() for sign in str(found["name"].value)):
            return None
        return FoundRecord(
            claimed.kind, {name: found[name] for name in FIELDS[claimed.kind] if name in found}
        )

    def _field(self, name: str, value: Value) -> Field | None:
        if isinstance(value, list):
            return self._listed(value)
        if name in _NAMES:
            return self._words(self._names, str(value))
        if name in _TEXTS:
            return self._words(self._texts, str(value))
        return self._readers[name](str(value))

    # -- words

    @cached_property
    def _names(self) -> Places:
        return Places(self._sent, within_lines=True)

    @cached_property
    def _texts(self) -> Places:
        return Places(self._sent, within_lines=False)

    def _words(self, places: Places, claimed: str) -> Field | None:
        place = places.find(claimed)
        if place is None:
            return None
        return _field(one_line(self._sent[place.start : place.end]), places.line_at(place))

    def _listed(self, claimed: Sequence[str]) -> Field | None:
        found = [field for one in claimed if (field := self._words(self._names, one)) is not None]
        values = list(dict.fromkeys(str(field.value) for field in found))
        return Field(values, Source.MODEL, found[0].quote) if values else None

    # -- what has a normal form

    @cached_property
    def _readers(self) -> dict[str, Callable[[str], Field | None]]:
        return {
            "deadline": lambda claimed: self._same(claimed, self._days),
            "phone": lambda claimed: self._same(claimed, self._phones),
            "email": lambda claimed: self._same(claimed.lower(), self._emails),
            "language": lambda claimed: self._same(claimed, self._languages),
            "website": self._website,
        }

    @staticmethod
    def _same(claimed: str, known: dict[str, str]) -> Field | None:
        return _field(claimed, known[claimed]) if claimed in known else None

    @cached_property
    def _days(self) -> dict[str, str]:
        american = self._language in {"en", None} and self._view.phone_regions[:1] == ("US",)
        return self._by_line(
            lambda line: (
                found.day.isoformat()
                for found in find_dates(line, self._seen_on, language=self._language, month_first=american)
                if not found.opens
            )
        )

    @cached_property
    def _phones(self) -> dict[str, str]:
        return self._by_line(lambda line: (one.value for one in phones.find(line, self._view.phone_regions)))

    @cached_property
    def _emails(self) -> dict[str, str]:
        return self._by_line(lambda line: (one.value for one in emails.find(emails.unmasked(line))))

    @cached_property
    def _languages(self) -> dict[str, str]:
        return self._by_line(lambda line: filter(None, [language_in(line)]))

    def _by_line(self, read: Callable[[str], Iterable[str]]) -> dict[str, str]:
        """Each value with the first line that says it."""
        found: dict[str, str] = {}
        for line in self._rows:
            for value in read(line):
                found.setdefault(value, line)
        return found

    def _website(self, claimed: str) -> Field | None:
        wanted = _site(claimed)
        return self._sites.get(wanted) if wanted is not None else None

    @cached_property
    def _sites(self) -> dict[tuple[str, str], Field]:
        found: dict[tuple[str, str], Field] = {}
        for line in self._rows:
            for match in _WEB.finditer(line):
                written = match[0].rstrip(".,;:!?")
                if (site := _site(written)) is not None:
                    found.setdefault(site, _field(_absolute(written), line))
        return found

    # -- money

    @cached_property
    def _sums(self) -> list[tuple[Decimal | None, Decimal | None, str, str]]:
        return [
            (amount.low, amount.high, amount.currency, line)
            for line in self._rows
            for amount in find_amounts(line, currencies=self._view.currencies)
        ]

    def _money(self, claimed: dict[str, Any]) -> dict[str, Field]:
        """The sums with their currency, which the page names; two that contradict each other are none."""
        low = self._sum(claimed, "amount_min", 0)
        high = self._sum(claimed, "amount_max", 1)
        codes = {code for _, code in filter(None, (low, high))}
        if len(codes) != 1 or (low and high and float(low[0].value) > float(high[0].value)):  # type: ignore[arg-type]
            return {}
        fields = {name: one[0] for name, one in (("amount_min", low), ("amount_max", high)) if one}
        return fields | {"currency": next(iter(fields.values()))._replace(value=codes.pop())}

    def _sum(self, claimed: dict[str, Any], name: str, bound: int) -> tuple[Field, str] | None:
        if not claimed.get(name):
            return None
        wanted, code = Decimal(str(claimed[name])), claimed.get("currency")
        for one in self._sums:
            if one[bound] == wanted and code in (None, one[2]):
                return _field(number(wanted), one[3]), one[2]
        return None


def _field(value: Value, line: str) -> Field:
    return Field(value, Source.MODEL, quoted(one_line(line)))


def _absolute(written: str) -> str:
    return written if written.lower().startswith("http") else f"https://{written}"


def _site(written: str) -> tuple[str, str] | None:
    """What an address leads to, however it is written; None when it is none of the web."""
    try:
        parsed = parse_url(_absolute(written))
    except UsageError:
        return None
    return parsed.domain, parsed.target


def pruned(found: Iterable[FoundRecord], by_rules: Sequence[FoundRecord]) -> Iterator[FoundRecord]:
    """Without sums of things whose sums the rules have read: halves of two readings make no whole."""
    priced = {
        (record.kind, words_of(record.name))
        for record in by_rules
        if any(name in record.fields for name in _MONEY)
    }
    for record in found:
        if (record.kind, words_of(record.name)) in priced:
            fields = {name: one for name, one in record.fields.items() if name not in _MONEY}
            yield FoundRecord(record.kind, fields)
        else:
            yield record
