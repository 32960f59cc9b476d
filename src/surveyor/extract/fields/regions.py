"""Where a programme holds: countries and wider regions named in a text, and the land of an authority.

A list of places is given in the words of the page ("Serbia, Bulgaria and North Macedonia"). Names of smaller
places are taken only with a word that says what they are (county, област) or that somebody lives there.
"""

from __future__ import annotations

import re
from typing import Final

from surveyor.extract.lexicon import alternatives, any_of, cues, patterns, plain, sentences, words

# Characters and sentences of a text that are looked at.
_LOOKED_AT, _MOST_SENTENCES = 2_000, 12
# Words of one run of names.
_LONGEST_RUN: Final = 12
_ONE: Final = r"[^\s,.;()]+"
_KINDS: Final = tuple(
    re.compile(r"(?<!\w)" + kind.pattern)
    for kind in patterns("places", "kind", one=_ONE, two=rf"{_ONE}(?: {_ONE})?")
)
_SEAT: Final = re.compile(alternatives("places", "seat") + r" (?=\S)")
_KNOWN: Final = any_of(words("places", "known"))
_JOINT: Final = any_of(words("places", "joints"), start=False)
_LISTS: Final = re.compile(rf"{_KNOWN}(?:(?: ?{_JOINT} ?){{1,4}}{_KNOWN}){{0,12}}")
_IN: Final = re.compile(any_of(words("places", "in")) + r" (?=\S)")
_AUTHORITY: Final = re.compile(alternatives("places", "authority"))
_CALLED_ALIKE: Final = re.compile(alternatives("places", "called_alike"))
_COUNTY_COUNCIL: Final = re.compile(r"consiliul judetean (?P<name>\S.*)$")
_COUNCIL: Final = re.compile(
    r"(?P<name>.{3,40}?) (?:(?:county|city|borough|district|regional) council|county|municipality)$"
)


def place_of(text: str, language: str | None) -> str | None:
    """Where those live who may apply, by the sentence that says who they are."""
    known = [place for place in (seat_in(text, language), places_in(text)) if place]
    named = named_place_in(text, language)
    if not known:
        return named
    best = max(known, key=len)
    return named if named and best in named else best


def places_in(text: str) -> str | None:
    """The longest list of known places, in the words of the text; else a place that says what it is."""
    flat = plain(text)
    lists = [match for match in _LISTS.finditer(flat) if text[match.start()].isupper()]
    if lists:
        best = max(lists, key=lambda match: (match.end() - match.start(), -match.start()))
        return text[best.start() : best.end()].strip()
    return _small_place(text, flat)


def _small_place(text: str, flat: str) -> str | None:
    for kind in _KINDS:
        for match in kind.finditer(flat):
            is_first = match.lastgroup == "first"
            place = text[slice(*match.span(match.lastgroup or 0))].split()
            if len(place) > 2 and not place[-1][:1].isupper():
                place.pop()
            if any(word[:1].isupper() for word in place[: 1 if is_first else None]) and not _is_no_place(
                place[0]
            ):
                return " ".join(place).strip(" ,")
    return None


def named_place_in(text: str, language: str | None) -> str | None:
    """A name behind a word of place; not in German, where every noun is written like a name."""
    if language == "de":
        return None
    runs = (_run(text[match.end() :], language) for match in _IN.finditer(plain(text)))
    return max((run for run in runs if run), key=len, default=None)


def seat_in(text: str, language: str | None) -> str | None:
    """Where applicants must live or be registered, if the text says so."""
    match = _SEAT.search(plain(text))
    return _run(text[match.end() :], language) if match else None


def required_seat(text: str, language: str | None) -> str | None:
    """Where a sentence says that applicants must be, though it does not say who they are."""
    for sentence in sentences(text[:_LOOKED_AT])[:_MOST_SENTENCES]:
        if cues("places", "must").search(plain(sentence)) and (place := seat_in(sentence, language)):
            return place
    return None


def _run(text: str, language: str | None) -> str | None:
    """The names at the beginning of a text, with the small words that join them."""
    kept: list[str] = []
    following = ""
    for word in text.split(maxsplit=_LONGEST_RUN)[:_LONGEST_RUN]:
        bare = word.strip(',.;:()„“"«»')
        following = plain(bare)
        if not (bare[:1].isupper() or following in words("places", "small")) or any(map(str.isdigit, bare)):
            break
        kept.append(word)
        following = ""
        if word.endswith((".", ";", ":", ")")):
            break
    is_cut = language in {"bg", "el"} and following and following not in words("places", "after")
    if is_cut and not (
        kept and kept[-1].endswith(",")
    ):  # an adjective of a longer name: в Националния регистър
        return None
    while kept and plain(kept[-1].strip(",")) in words("places", "small"):
        kept.pop()
    place = " ".join(kept).rstrip(",.;:)")
    if len(place) < 4 or place.isupper() or _is_no_place(place):
        return None
    return place if any(word[:1].isupper() for word in kept) else None


def _is_no_place(text: str) -> bool:
    return plain(text) in words("places", "no_place")


def land_of(authority: str) -> str | None:
    """Where an authority of some region rules: `Haute-Marche` of `Département de la Haute-Marche`."""
    flat = plain(authority)
    if match := _AUTHORITY.match(flat):
        return authority[match.end() :].strip() or None
    if match := _COUNTY_COUNCIL.match(flat):
        return "județul " + authority[match.start("name") :].strip()
    if _CALLED_ALIKE.match(flat):
        return authority
    if match := _COUNCIL.match(flat):
        return authority[: match.end("name")]
    return None
