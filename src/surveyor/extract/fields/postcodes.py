"""Where an address lies: a postcode and its city as countries write them, countries and cities by name."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Final

from surveyor.extract.lexicon import lists, word_set, words
from surveyor.words import fold

_UPPER = "A-ZÀ-ÖØ-ÞĀĂĄĆČĎĐĒĘĚĞĢĪİĶĻŁŃŅŇŌŐŒŔŘŚŞŠŢŤŪŮŰŹŻŽȘȚА-ЯЁІЇЈЉЊЋЂЏΆΈΉΊΌΎΏΑ-Ω"
_CITY = (
    rf"(?:гр\.?\s?|с\.\s?|mun\.\s?|or\.\s?|oraș(?:ul)?\s|loc\.\s?)?[{_UPPER}][\w’'.-]{{0,40}}"
    rf"(?:[ -](?:[{_UPPER}(][\w’').-]{{0,40}}|an|der|den|am|im|in|a\.d\.|d\.|sur|sous|la|le|les|lès|de|du|"
    rf"da|do|dos|das|los|las|del|des|en|bei|ob|"
    r"upon|on|the|by|von|aan|i\.|și|и)(?=[ ,.;)-]|$)){0,5}"
)
_CODE = r"(?:[0-9]{4,6}|[0-9]{3} [0-9]{2}|[0-9]{2}-[0-9]{3}|[0-9]{4}-[0-9]{3}|[0-9]{4} ?[A-Z]{2})"
# British, Irish, Canadian.
_UK = (
    r"(?:[A-Z]{1,2}[0-9][A-Z0-9]? ?[0-9][A-Z]{2}|[A-Z][0-9][0-9W] ?[A-Z0-9]{4}|"
    r"[A-Z][0-9][A-Z] ?[0-9][A-Z][0-9])"
)
_PREFIX = (
    r"(?:(?:[A-Z]{1,3}[-–])|"
    r"(?:Τ\.?\s?Κ\.?|T\.?\s?K\.?|п\.?\s?к\.?|CP|C\.P\.|PLZ|cod(?: poștal)?|code postal)\s?:?\s?)?"
)
_CODE_CITY = re.compile(
    rf"(?:в\s|in\s|à\s|în\s|στην\s|en\s)?(?P<all>{_PREFIX}{_CODE}\s{{1,2}}(?P<city>{_CITY}))(?P<rest>.*)",
    re.DOTALL,
)
_CITY_CODE = re.compile(
    rf"(?P<all>(?P<city>{_CITY}),?\s{{1,2}}{_PREFIX}(?:{_CODE}|{_UK}))(?![\w-])(?P<rest>.*)", re.DOTALL
)
_ONLY_CODE = re.compile(
    rf"(?P<all>{_PREFIX}(?:{_UK}|[0-9]{{5,6}}|[0-9]{{3}} [0-9]{{2}}))(?![\w-])(?P<rest>.*)", re.DOTALL
)
_CANADIAN = r"[A-Z][0-9][A-Z] ?[0-9][A-Z][0-9]"
_STATE_CODE = rf"(?P<state>[A-Z]{{2}})\.?\s{{1,2}}(?:[0-9]{{5}}(?:-[0-9]{{4}})?|{_CANADIAN})"
_STATE = re.compile(rf"(?P<all>{_STATE_CODE})(?![\w-])(?P<rest>.*)", re.DOTALL)
_STATE_NAME = re.compile(
    r"(?P<all>(?:[A-Z][a-z]{2,12}\.? ){0,1}[A-Z][a-z]{2,12}\.?\s[0-9]{5}(?:-[0-9]{4})?)(?![\w-])(?P<rest>.*)",
    re.DOTALL,
)
_CITY_STATE = re.compile(rf"(?P<all>(?P<city>{_CITY}) {_STATE_CODE})(?![\w-])(?P<rest>.*)", re.DOTALL)
_AUSTRALIAN = re.compile(r" (?:NSW|VIC|QLD|SA|WA|TAS|ACT|NT) [0-9]{4}$")
_PLAIN_CITY = re.compile(rf"{_CITY}(?: [0-9]{{1,2}})?")
_CEDEX = re.compile(r"\s(?:cedex(?:\s[0-9]{1,2})?)", re.IGNORECASE)
# Behind a word of some length; behind a short one it is an abbreviation: St. Gallen.
_FULL_STOP = re.compile(r"(?<=[^\W\d_]{4})\.\s")
_DIGIT = re.compile(r"[0-9]")
_NAMED = re.compile(rf"[{_UPPER}][^\W\d_]{{2}}")
# Characters of a text in which a place is looked for; no postcode and city are longer.
_LONGEST: Final = 400
_YEAR = re.compile(r"(?<![0-9])(?:19[5-9]|20[0-4])[0-9](?![0-9])")
# Behind a name the year may be older: "Est. 1845".
_ANY_YEAR = re.compile(r"(?<![0-9])(?:1[5-9]|20)[0-9]{2}(?![0-9])")
# Words behind a postcode that make it a sum, a year or a count.
_NO_CITY: Final = frozenset(words("postal", "no_city"))


def place_at(text: str) -> tuple[str, str] | None:
    """Postcode and city at the start of a text, and what follows; None if it is no place."""
    text = text[:_LONGEST]
    if _DIGIT.search(text, 0, 60) is None:
        return None
    for pattern, check in _PLACES:
        match = pattern.match(text)
        if match is None:
            continue
        rest = match["rest"]
        cedex = _CEDEX.match(rest)
        tail = rest[cedex.end() :] if cedex else rest
        text, *sentence = _FULL_STOP.split(match["all"], maxsplit=1)
        tail = tail if not sentence else f"{sentence[0]} {tail}"
        goes_on = "" if sentence else tail[:2].strip()[:1]
        if not check(match) or goes_on.isdigit() or (pattern is _ONLY_CODE and goes_on.isalpha()):
            continue
        return text.rstrip(" .-") + (cedex[0] if cedex else ""), tail.strip(" .)")
    return None


def _is_city(match: re.Match[str]) -> bool:
    first = match["city"].split()[0].strip(".,").casefold()
    return first not in _NO_CITY and len(match["city"]) > 2


def _is_city_before(match: re.Match[str]) -> bool:
    """A name before a number like a year is a city only if it says so or is well known."""
    if not _is_city(match):
        return False
    city = match["city"]
    if _AUSTRALIAN.search(match["all"]):  # Sydney NSW 2000
        return True
    marked = city.startswith(("гр", "с.")) or city_named(city) is not None
    return marked or _ANY_YEAR.search(match["all"]) is None


def _is_state(match: re.Match[str]) -> bool:
    return match["state"] in STATES or match["state"] in _PROVINCES


_PLACES: Final[tuple[tuple[re.Pattern[str], Callable[[re.Match[str]], bool]], ...]] = (
    (_STATE, _is_state),
    (_CITY_STATE, _is_state),
    (_CODE_CITY, _is_city),
    (_CITY_CODE, _is_city_before),
    (_STATE_NAME, lambda match: True),
    (_ONLY_CODE, lambda match: True),
)


def state_at(text: str) -> str | None:
    """The state before a ZIP code at the start of a text: `AL 35801` is none of the streets called `al`."""
    match = _STATE.match(text[:_LONGEST]) or _CITY_STATE.match(text[:_LONGEST])
    return match["state"] if match is not None and _is_state(match) else None


def is_state(text: str) -> bool:
    """Whether the whole text is a state of America, short or in full."""
    return text.strip(" .") in STATES or text.strip(" .") in _STATE_NAMES


def has_city(text: str) -> bool:
    """Whether a place names its city, and is not a code alone."""
    return _NAMED.search(text) is not None and not _STATE.fullmatch(text[:_LONGEST])


def is_code(text: str) -> bool:
    """Whether it is a postcode and nothing else."""
    return len(text) <= _LONGEST and _ONLY_CODE.fullmatch(text) is not None


def could_be_city(text: str) -> bool:
    """Whether it is written as the name of a city is, with the number of a district or without."""
    return len(text) <= _LONGEST and _PLAIN_CITY.fullmatch(text) is not None


def is_year(text: str) -> bool:
    """Whether a number in it may be a year."""
    return _YEAR.search(text) is not None


def is_no_city(word: str) -> bool:
    """Words that stand behind a number and make it a sum, a date or a telephone number."""
    return word.casefold() in _NO_CITY


def _by_name(table: str) -> dict[str, str]:
    return {name: region for region, names in lists("postal")[table].items() for name in names}


_COUNTRY_BY_NAME: Final = _by_name("countries")
_CITY_BY_NAME: Final = _by_name("cities")
# Abbreviations of the states, as they stand before a ZIP code.
STATES: Final = word_set(
    "AL AK AZ AR CA CO CT DE FL GA HI ID IL IN IA KS KY LA ME MD MA MI MN MS MO MT NE NV NH NJ NM NY NC ND "
    "OH OK OR PA "
    "RI SC SD TN TX UT VT VA WA WV WI WY DC PR"
)
_STATE_NAMES: Final = frozenset(words("places", "states"))
_PROVINCES: Final = word_set("AB BC MB NB NL NS NT NU ON PE QC SK YT")
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
_BRITISH = re.compile(r"\b[A-Z]{1,2}[0-9][A-Z0-9]? ?[0-9][A-Z]{2}\b")
_OF_CANADA = re.compile(rf"\b{_CANADIAN}\b")
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
    if _OF_CANADA.search(address):
        return "CA"
    state = _ZIP.search(address)
    if state is not None and state[1] in STATES:
        return "US"
    if _EIRCODE.search(address) and not _BRITISH.search(address):
        return "IE"
    return "GB" if _BRITISH.search(address) else "NL" if _DUTCH.search(address) else None
