"""Where a programme holds: countries and wider regions named in a text, and the land of an authority.

A list of places is given in the words of the page ("Serbia, Bulgaria and North Macedonia"). A name is taken
for a place if the text says that somebody lives there or what it is (county, област), or if it is known as
one: countries, regions and states anywhere, cities behind a word of place.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import cache
from typing import Final

from surveyor.extract.fields.applicants import names_applicants
from surveyor.extract.lexicon import alternatives, any_of, cues, patterns, plain, sentences, words

# Characters and sentences of a text that are looked at.
_LOOKED_AT, _MOST_SENTENCES = 2_000, 12
# Words of one run of names.
_LONGEST_RUN: Final = 14
_ONE: Final = r"[^\s,.;()]{1,60}"
_KINDS: Final = tuple(
    re.compile(r"(?<!\w)" + kind.pattern)
    for kind in patterns("places", "kind", one=_ONE, two=rf"{_ONE}(?: {_ONE})?")
)
_SEAT: Final = re.compile(alternatives("places", "seat") + r"(?: |(?<='))(?=\S)")
# Before it: must not have lived in; non-EU countries.
_DENIED: Final = re.compile(
    r"\bnon-$|\b(?:not(?!-| for\b)|nicht|kein\w*|не|ne|nu|δεν|no|outside)\b[^,.;]{0,20}$"
)
# Characters before a name in which it may be denied.
_REACH: Final = 40
_KNOWN: Final = any_of((*words("places", "known"), *words("places", "states")))
_JOINT: Final = any_of(words("places", "joints"), start=False)
_LISTS: Final = re.compile(rf"{_KNOWN}(?:(?: ?{_JOINT} ?){{1,4}}{_KNOWN}){{0,12}}")
_IN: Final = re.compile(any_of(words("places", "in")) + r" (?=\S)")
_ORIGIN: Final = re.compile(any_of(words("places", "origin")))
# Words before a word of place that may name those who come from there.
_LAST_WORDS: Final = 2
_AUTHORITY: Final = re.compile(alternatives("places", "authority"))
_CALLED_ALIKE: Final = re.compile(alternatives("places", "called_alike"))
_COUNTY_COUNCIL: Final = re.compile(r"consiliul judetean (?P<name>\S.*)$")
_COUNCIL: Final = re.compile(
    r"(?P<name>.{3,40}?) (?:(?:county|city|borough|district|regional) council|county|municipality)$"
)
_COMMUNITY: Final = re.compile(
    r"(?:the )?(?:(?P<before>.{3,40}?) community foundation"
    r"|community foundation (?P<joint>of|for|serving) (?:the )?(?P<behind>.{3,60}))$"
)
# Names that are given to people as well: with another name behind them they are no place.
_GIVEN: Final = frozenset({"georgia", "jordan", "india", "virginia", "carolina", "austria", "chile"})
_NO_PLACE_WITHIN: Final = cues("places", "no_place_within")
# Behind a name that is one of people or schools.
_GROUP: Final = re.compile(" " + any_of(words("places", "groups")))
_NEXT_NAME: Final = re.compile(r" [^\W\d_][^\W\d_]+")
_SPLIT: Final = re.compile(rf",? {{0,1}}(?:{_JOINT}) |, ")


def place_of(text: str, language: str | None) -> str | None:
    """Where those live who may apply, by the sentence that says who they are."""
    text = text[:_LOOKED_AT]
    around = max(_named_places(text, language), key=len, default=None)
    known = [*_seats(text, language), places_in(text)]
    best = max(filter(None, known), key=len, default=None)
    return around if best is None or (around and best in around) else best


def places_in(text: str) -> str | None:
    """The longest list of known places, in the words of the text; else a place that says what it is."""
    text = text[:_LOOKED_AT]
    flat = plain(text)
    lists = [match for match in _LISTS.finditer(flat) if _is_place(text, match)]
    if lists:
        best = max(lists, key=lambda match: (match.end() - match.start(), -match.start()))
        return text[best.start() : best.end()].strip()
    return _small_place(text, flat)


def _is_place(text: str, match: re.Match[str]) -> bool:
    if not text[match.start()].isupper() or _is_denied(match.string, match.start()):
        return False
    last = match[0].split()[-1]
    following = _NEXT_NAME.match(text, match.end())
    return last not in _GIVEN or following is None or not following[0][1].isupper()


def _small_place(text: str, flat: str) -> str | None:
    for kind in _KINDS:
        for match in kind.finditer(flat):
            is_first = match.lastgroup == "first"
            place = text[slice(*match.span(match.lastgroup or 0))].split()
            while len(place) > 1 and not place[-1][:1].isupper() and not (is_first and len(place) == 2):
                place.pop()
            if any(word[:1].isupper() for word in place[: 1 if is_first else None]) and not _is_no_place(
                place[0]
            ):
                return " ".join(place).strip(" ,")
    return None


def _named_places(text: str, language: str | None) -> Iterator[str]:
    """Names behind a word of place that are known, or that somebody comes from."""
    flat = plain(text)
    for match in _IN.finditer(flat):
        before, behind = flat[: match.start()], text[match.end() :]
        run = None if _is_denied(flat, match.start()) else _run(behind, language)
        if run and (_is_known(run) or (_ORIGIN.match(match[0]) and _come_from(before, run, behind))):
            yield run


def _come_from(before: str, run: str, behind: str) -> bool:
    """Whether people come from there: `young artists from Tolmanby`, not `pupils from Title I schools`."""
    is_group = _GROUP.match(plain(behind.partition(run)[2])) is not None
    return not is_group and names_applicants(" ".join(before.split()[-_LAST_WORDS:]))


def _is_denied(flat: str, start: int) -> bool:
    return _DENIED.search(flat[max(0, start - _REACH) : start]) is not None


def _is_known(run: str) -> bool:
    """Whether each name of a run is known, or the run says what its names are."""
    flat = plain(run)
    if flat.split()[-1] in words("places", "behind"):
        return True
    parts = [part.removeprefix("the ") for part in _SPLIT.split(flat)]
    return all(part in cities() or re.fullmatch(_KNOWN, part) for part in parts if part)


@cache
def cities() -> frozenset[str]:
    return frozenset(plain(name) for name in words("gazetteer", "cities"))


def _seats(text: str, language: str | None) -> Iterator[str]:
    """Where applicants must live or be registered, if the text says so."""
    flat = plain(text)
    for match in _SEAT.finditer(flat):
        place = None if _is_denied(flat, match.start()) else _run(text[match.end() :], language)
        if place:
            yield place


def required_seat(text: str, language: str | None) -> str | None:
    """Where a sentence says that applicants must be, though it does not say who they are."""
    for sentence in sentences(text[:_LOOKED_AT])[:_MOST_SENTENCES]:
        if cues("places", "must").search(plain(sentence)) and (seats := [*_seats(sentence, language)]):
            return max(seats, key=len)
    return None


def _run(text: str, language: str | None) -> str | None:
    """The names at the beginning of a text, with the small words that join them and what they are."""
    kept: list[str] = []
    following = ""
    for word in text.split(maxsplit=_LONGEST_RUN)[:_LONGEST_RUN]:
        bare = word.strip(',.;:()„“"«»')
        following = plain(bare)
        is_kind = bool(kept) and following in words("places", "behind")
        if not (bare[:1].isupper() or is_kind or following in words("places", "small")) or any(
            map(str.isdigit, bare)
        ):
            break
        kept.append(word)
        following = ""
        if word.endswith((";", ":", ")")) or (word.endswith(".") and len(bare) > _LONGEST_SHORT):
            break
    is_cut = language in {"bg", "el"} and following and following not in words("places", "after")
    if is_cut and not (
        kept and kept[-1].endswith(",")
    ):  # an adjective of a longer name: в Националния регистър
        return None
    while kept and plain(kept[-1].strip(",")) in words("places", "small"):
        kept.pop()
    while kept and plain(kept[0]) in words("places", "article"):
        kept.pop(0)
    place = " ".join(kept).rstrip(",.;:)")
    if len(place) < 4 or place.isupper() or _is_no_place(place) or _NO_PLACE_WITHIN.search(plain(place)):
        return None
    return place if any(word[:1].isupper() for word in kept) else None


# Letters of a word that ends in a full stop in the middle of a name: St. Louis.
_LONGEST_SHORT: Final = 2


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
    if match := _COMMUNITY.match(flat):
        place = authority[slice(*match.span("before" if match["before"] else "behind"))]
        return place if match["joint"] in ("of", "serving") or _is_known(place) else None
    if match := _COUNCIL.match(flat):
        return authority[: match.end("name")]
    return None
