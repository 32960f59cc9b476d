"""Countries and well-known cities by name: where an address lies, and so how its numbers are dialled."""

from __future__ import annotations

import re
import tomllib
from importlib.resources import files
from typing import Final

from surveyor.extract.fields.lists import words
from surveyor.words import fold

_TABLE: Final = tomllib.loads(files(__package__).joinpath("places.toml").read_text(encoding="utf-8"))


def _by_name(table: dict[str, list[str]]) -> dict[str, str]:
    return {name: region for region, names in table.items() for name in names}


_COUNTRY_BY_NAME: Final = _by_name(_TABLE["countries"])
_CITY_BY_NAME: Final = _by_name(_TABLE["cities"])
# Abbreviations of the states, as they stand before a ZIP code.
STATES: Final = words(
    "AL AK AZ AR CA CO CT DE FL GA HI ID IL IN IA KS KY LA ME MD MA MI MN MS MO MT NE NV NH NJ NM NY NC ND "
    "OH OK OR PA "
    "RI SC SD TN TX UT VT VA WA WV WI WY DC PR"
)
# The country that a language is written in when nothing else is known.
LANGUAGE_REGION: Final = {"bg": "BG", "de": "DE", "fr": "FR", "ro": "RO", "el": "GR", "es": "ES", "en": "US"}


def _key(text: str) -> str:
    return fold(text.casefold()).strip(" .")


def country_named(text: str) -> str | None:
    """The region code of a country that the whole text names."""
    return _COUNTRY_BY_NAME.get(_key(text)) if len(text) < 40 else None


def city_named(text: str) -> str | None:
    """The region code of a well-known city that the whole text names."""
    return _CITY_BY_NAME.get(_key(text)) if len(text) < 40 else None


_ZIP = re.compile(r"\b([A-Z]{2}) [0-9]{5}(?:-[0-9]{4})?\b")
_UK = re.compile(r"\b[A-Z]{1,2}[0-9][A-Z0-9]? ?[0-9][A-Z]{2}\b")
_EIRCODE = re.compile(r"\b[A-Z][0-9][0-9W] ?[A-Z0-9]{4}\b")
_DUTCH = re.compile(r"\b[0-9]{4} ?[A-Z]{2}\b")
_MARKED = re.compile(r"\b([A-Z]{1,2})-[0-9]{4,6}\b")
_PLATES: Final = {"D": "DE", "A": "AT", "F": "FR", "B": "BE", "I": "IT", "L": "LU", "E": "ES"}


def region_of(address: str) -> str | None:
    """The region code of the country in which an address lies, as far as the address tells."""
    parts = [part.strip() for part in re.split(r"[,\n]", address)[:12]]
    for part in reversed(parts):
        region = country_named(part)
        if region is not None:
            return region
    for part in reversed(parts):
        name = re.sub(r"[A-Z]{1,2}-(?=[0-9])|\b[A-Z]?[0-9][0-9A-Z]*\b|\b(?:гр|с|ΤΚ|TK|Τ\.Κ)\.\s?", " ", part)
        region = city_named(" ".join(name.split()))
        if region is not None:
            return region
    marked = _MARKED.search(address)
    if marked is not None:
        return _PLATES.get(marked[1], marked[1] if len(marked[1]) == 2 else None)
    state = _ZIP.search(address)
    if state is not None and state[1] in STATES:
        return "US"
    if _EIRCODE.search(address) and not _UK.search(address):
        return "IE"
    return "GB" if _UK.search(address) else "NL" if _DUTCH.search(address) else None
