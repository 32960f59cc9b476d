"""Addresses and opening hours of structured data in the words a reader would see."""

from __future__ import annotations

import re
from typing import Final

from surveyor.extract.structured.values import Item

_DAYS: Final = ("Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday")
_SHORT: Final = {name[:2].lower(): name for name in _DAYS}
_TIME = re.compile(r"[Tt]?([0-9]{1,2}:[0-9]{2})")
# Countries whose people write the postcode behind the city (and the state before it).
_POSTCODE_LAST: Final = frozenset(
    {"US", "USA", "CA", "CANADA", "GB", "UK", "AU", "AUSTRALIA", "NZ", "IE", "IRELAND"}
)


def address_text(value: Item | str) -> str | None:
    """`street, postcode city, country` of an address, or what is written in its place."""
    if isinstance(value, str):
        return ", ".join(line.strip(" ,") for line in value.splitlines() if line.strip(" ,")) or None
    country = value.text("addressCountry") or ""
    city, region = value.text("addressLocality") or "", value.text("addressRegion") or ""
    postcode = value.text("postalCode") or ""
    street = [value.text("streetAddress"), value.text("extendedAddress")]
    box = value.text("postOfficeBoxNumber")
    if _state_first(country, region, postcode):
        place = ", ".join(filter(None, (city, f"{region} {postcode}".strip())))
    else:
        place = f"{postcode} {city}".strip() or region
    shown_country = country if len(country) > 3 else ""
    return ", ".join(filter(None, (*street, box, place, shown_country))) or None


def _state_first(country: str, region: str, postcode: str) -> bool:
    if country:
        return country.upper() in _POSTCODE_LAST or "united" in country.lower()
    return re.fullmatch(r"[A-Z]{2}", region) is not None or not re.match(r"[0-9]", postcode)


def hours_text(item: Item) -> str | None:
    """The opening hours of an item, one rule after the other: `Monday-Friday 09:00-17:00; ...`."""
    rules = [_shorthand(text) for text in item.texts("openingHours")]
    rules += [
        rule for one in item.items("openingHoursSpecification", "hoursAvailable") for rule in _specified(one)
    ]
    return "; ".join(dict.fromkeys(filter(None, rules))) or None


def _shorthand(text: str) -> str:
    """`Mo-Fr 09:00-17:00` with the days written out; any other writing as it is."""

    def written_out(match: re.Match[str]) -> str:
        return _SHORT.get(match[0].lower(), match[0])

    return re.sub(r"\b(?:Mo|Tu|We|Th|Fr|Sa|Su)\b", written_out, text, flags=re.IGNORECASE)


def _specified(item: Item) -> list[str]:
    days = [day for text in item.texts("dayOfWeek") for day in _days(text)]
    opens, closes = (_TIME.search(item.text(name) or "") for name in ("opens", "closes"))
    if opens is None or closes is None or not days:
        return []
    hours = "closed" if opens[1] == closes[1] == "00:00" else f"{opens[1]}-{closes[1]}"
    return [f"{_run(days)} {hours}"]


def _days(text: str) -> list[str]:
    name = text.rpartition("/")[2].rpartition("#")[2].rpartition(":")[2].strip()
    return [_SHORT[name[:2].lower()]] if name[:2].lower() in _SHORT else []


def _run(days: list[str]) -> str:
    """`Monday-Friday` for days in a row, the days themselves otherwise."""
    places = sorted({_DAYS.index(day) for day in days})
    if len(places) > 2 and places[-1] - places[0] == len(places) - 1:
        return f"{_DAYS[places[0]]}-{_DAYS[places[-1]]}"
    return ", ".join(_DAYS[place] for place in places)
