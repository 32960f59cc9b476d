"""Programmes and things to sign up for that a page describes in marks for programs (JSON-LD, microdata)."""

from __future__ import annotations

import re
from datetime import date
from decimal import Decimal, InvalidOperation
from typing import Final

from surveyor.extract.fields.amounts import find_amounts, number
from surveyor.extract.records.facts import quoted
from surveyor.extract.structured import Item, Structured
from surveyor.extract.values import Field
from surveyor.profiles.kinds import BUILT_IN

GRANTS: Final = frozenset(BUILT_IN["funding_program"].json_ld)
OPPORTUNITIES: Final = frozenset(BUILT_IN["opportunity"].json_ld)
_CLOSING: Final = (
    "applicationDeadline",
    "validThrough",
    "availabilityEnds",
    "registrationDeadline",
    "endDate",
)
_DAY: Final = re.compile(r"^(\d{4})-(\d\d)-(\d\d)")
_CODE: Final = re.compile(r"^[A-Z]{3}$")


def grants_of(structured: Structured) -> list[dict[str, Field]]:
    """The fields of each grant that is marked as one, by name; without those that have none."""
    return [fields for item in structured.of_types(GRANTS) if "name" in (fields := _grant(item))]


def _grant(item: Item) -> dict[str, Field]:
    fields: dict[str, Field] = {}
    _put(fields, "name", item, item.text("name", "headline"))
    _put(fields, "funder", item, item.text("funder", "provider", "sponsor", "organizer", "publisher"))
    _amount(fields, item)
    _put(fields, "deadline", item, closing_day(item))
    _put(fields, "eligibility", item, item.text("eligibility", "audience", "eligibleCustomerType"))
    _put(fields, "region", item, item.text("areaServed", "eligibleRegion", "spatialCoverage"))
    return fields


def opportunities_of(structured: Structured) -> list[dict[str, Field]]:
    """The fields of each thing to sign up for."""
    return [
        fields
        for item in structured.of_types(OPPORTUNITIES)
        if item.top and "name" in (fields := _opportunity(item))
    ]


def _opportunity(item: Item) -> dict[str, Field]:
    fields: dict[str, Field] = {}
    _put(fields, "name", item, item.text("name", "title"))
    _put(
        fields,
        "organisation",
        item,
        item.text("hiringOrganization", "provider", "organizer", "agent", "offeredBy"),
    )
    is_event = item.is_a({"EducationEvent", "CourseInstance"})
    _put(fields, "deadline", item, closing_day(item, *(_CLOSING[:-1] if is_event else _CLOSING)))
    _put(fields, "location", item, _place(item))
    return fields


def _put(fields: dict[str, Field], name: str, item: Item, value: str | None) -> None:
    if value and (text := " ".join(value.split())):
        fields[name] = Field(text[:300], item.source, quoted(text))


def closing_day(item: Item, *names: str) -> str | None:
    """The ISO date of a deadline in marks."""
    for text in item.texts(*(names or _CLOSING)):
        if match := _DAY.match(text):
            try:
                return date(*map(int, match.groups())).isoformat()
            except ValueError:
                continue
    return None


def _place(item: Item) -> str | None:
    for name in ("jobLocation", "location"):
        for place in item.items(name):
            address = next(iter(place.items("address")), place)
            parts = [address.text("addressLocality"), address.text("addressRegion")]
            if any(parts):
                return ", ".join(part for part in parts if part)
        if text := item.text(name):
            return text
    return None


def _amount(fields: dict[str, Field], item: Item) -> None:
    """`amount` as MonetaryAmount, as a number with a currency beside it, or in words."""
    for inner in item.items("amount", "value"):
        code = (inner.text("currency") or item.text("currency") or "").upper()
        low, high = _number(inner.text("minValue")), _number(inner.text("maxValue"))
        if low is None and high is None:
            low = high = _number(inner.text("value", "@value"))
        _put_amount(fields, item, low, high, code)
        return
    text = item.text("amount") or ""
    if (value := _number(text)) is not None:
        _put_amount(fields, item, value, value, (item.text("currency") or "").upper())
    elif amounts := find_amounts(text):
        _put_amount(fields, item, amounts[0].low, amounts[0].high, amounts[0].currency)


def _put_amount(
    fields: dict[str, Field], item: Item, low: Decimal | None, high: Decimal | None, code: str
) -> None:
    if (low is None and high is None) or not _CODE.match(code):
        return
    quote = f"{low if low is not None else ''} – {high if high is not None else ''} {code}".strip(" –")
    if low:
        fields["amount_min"] = Field(number(low), item.source, quote)
    if high:
        fields["amount_max"] = Field(number(high), item.source, quote)
    fields["currency"] = Field(code, item.source, quote)


def _number(text: str | None) -> Decimal | None:
    try:
        value = Decimal((text or "").replace(",", "").replace(" ", ""))
    except InvalidOperation:
        return None
    return value if value.is_finite() and 0 <= value < 10**12 else None
