"""Where something happens, as a sentence names it: a building, a street, a town with its state."""

from __future__ import annotations

import re
from functools import cache
from typing import Final

from surveyor.extract.fields.regions import cities
from surveyor.extract.lexicon import cues, patterns, plain, words

# Characters of a text that are looked at, and words of a place.
_LOOKED_AT, _LONGEST = 4_000, 9
_SAID: Final = tuple(
    re.compile(way.pattern + r" (?=\S)")
    for way in patterns("places", "venue", at=r"\b(?:at|in and around|in|near|around)")
)
_TOWN: Final = re.compile(
    r"\b(?:in|at|near|around) ((?:[A-Z][\w.'-]{1,30} ){0,3}[A-Z][\w.'-]{1,30}, "
    rf"(?:{'|'.join(words('places', 'states'))}|[A-Z]{{2}}))\b"
)


_AREA: Final = re.compile(
    r"\b((?:[A-Z][\w.'-]{1,30} ){1,3}(?:County|Borough|Township)(?:, [A-Z][a-z]{2,20})?)(?![\w'’-])"
)


def area_in(text: str) -> str | None:
    """The first county or the like that a text names."""
    found = _AREA.search(text[:_LOOKED_AT]) if "ount" in text or "oro" in text or "owns" in text else None
    return found[1].removeprefix("The ") if found else None


def venue_in(text: str) -> str | None:
    """A named place in a sentence that says where something happens."""
    text = text[:_LOOKED_AT]
    flat = plain(text)
    for way in _SAID:
        for match in way.finditer(flat):
            if place := _named(text[match.end() :]):
                return place
    town = _TOWN.search(text)
    return town[1] if town else None


def town_in(text: str) -> str | None:
    """The first well-known town behind a word of place: "Buscamos voluntarios en Salamanca"."""
    tokens = text[:_LOOKED_AT].split()
    for place, token in enumerate(tokens[:-1]):
        if plain(token) not in _town_words() or not tokens[place + 1][:1].isupper():
            continue
        for last in (place + 4, place + 3, place + 2):
            name = " ".join(tokens[place + 1 : last]).strip(".,;:!?()")
            if plain(name) in cities():
                return name
    return None


@cache
def _town_words() -> frozenset[str]:
    return frozenset(map(plain, words("places", "town_at")))


def _named(text: str) -> str | None:
    """The names at the beginning of a text; house numbers belong to them."""
    small, kept = words("places", "venue_small"), list[str]()
    for word in text.split(maxsplit=_LONGEST)[:_LONGEST]:
        if not (
            word[:1].isupper()
            or word[:1].isdigit()
            or word[:1] in '„«“"'
            or plain(word) in small
            or _is_street(word)
        ):
            break
        kept.append(word)
        if word.endswith((".", ";", ":", ")")) and not _is_street(word):
            break
    while kept and plain(kept[0]) in small:
        kept.pop(0)
    while kept and plain(kept[-1]) in small:
        kept.pop()
    place = " ".join(kept).rstrip(".,;:)")
    if len(place) < 3 or not place[0].isupper() or cues("places", "no_venue").match(plain(place)):
        return None
    return place


def _is_street(word: str) -> bool:
    """ул. „Явор“ 5, str. Lungă 4"""
    return plain(word) in words("places", "street")
