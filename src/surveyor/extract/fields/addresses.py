"""Postal addresses in lines of text, in the shapes of the countries whose languages we read.

Lines are cut into segments; a segment with a postcode and a city is an anchor, and the streets, boxes, floors
and countries around it are joined to it. A street with a well-known city, or in a line of its own before a
name, is an address without postcode. A name with a postcode alone is none.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Sequence
from enum import Enum
from typing import NamedTuple

from surveyor.extract.fields.found import InLines
from surveyor.extract.fields.postcodes import (
    city_named,
    could_be_city,
    country_named,
    has_city,
    is_code,
    is_no_city,
    is_state,
    is_year,
    place_at,
    state_at,
)
from surveyor.extract.fields.streets import (
    box_in,
    is_building,
    is_district,
    is_landmark,
    is_unit,
    street_in,
    written_alike,
)
from surveyor.extract.lexicon import alternatives
from surveyor.words.patterns import Phrases

# Lines and segments of one group that are looked at.
_MOST_LINES = 400
_MOST_SEGMENTS = 1_500
_LONGEST_LINE = 3_000
# Segments that may stand before the place: building, floor, street, box.
_REACH = 4

_STRONG = re.compile(r"\s?[|·•●∙⋅▪;\t]\s?|\s[–—-]\s|\s::\s|\s//\s|\s\*\s")
_LABEL = re.compile(r"^[^:]{2,40}:\s+(?=\S)")
# "Tel 02 54 58 41 41": no street of that name. "Office: 12 High Street" is one.
_DIALLED = re.compile(
    rf"(?:{alternatives('phones', 'telephone')}|{alternatives('phones', 'fax')})\b(?:\W{{0,4}}[0-9]){{6}}",
    re.IGNORECASE,
)
# What says that a city follows.
_TOWN_LABEL = re.compile(r"^(?:гр\.|с\.|село)\s?")
_COMMA = re.compile(r",\s+|,$")
_PAREN = re.compile(r"[()\[\]]")


class Kind(Enum):
    """What a segment can be to an address."""

    STREET = "street"
    WEAK = "weak"  # a street only beside a place
    PLACE = "place"
    UNIT = "unit"
    BOX = "box"
    BUILDING = "building"
    COUNTRY = "country"
    OTHER = "other"


_DIGIT = re.compile(r"[0-9]")
# Lines from a number to the farthest part of its address: a name, a building, a unit, a country.
_REACH = 6
# Characters of a part of an address without a number: a building, a country.
_LONGEST_WITHOUT = 80


class _Segment(NamedTuple):
    line: int
    kind: Kind
    text: str
    """The part of it that belongs to an address."""
    raw: str
    cut: bool
    """Whether it begins after something that ends an address: a stroke, a dot in the middle."""
    opens: bool
    """Whether words stand before its address: then nothing before it belongs to it."""
    ends: bool
    """Whether words follow its address: then nothing after it belongs to it."""


def find(lines: Sequence[str], names: Collection[str] = ()) -> list[InLines]:
    """The addresses in lines that stand together; `names` are of their owners, and no part of them."""
    own = {name.casefold() for name in names}
    segments = _segments(lines)
    taken: set[int] = set()
    found: list[InLines] = []
    for place, segment in enumerate(segments):
        if segment.kind is Kind.PLACE and place not in taken:
            span = _around(segments, place, taken, own)
            if span is not None:
                _take(segments, span, taken, found)
    for place, segment in enumerate(segments):
        if segment.kind is Kind.STREET and place not in taken and not segment.ends:
            span = _without_code(segments, place, taken)
            if span is not None:
                _take(segments, span, taken, found)
    return sorted(found, key=lambda one: one.first_line)


def _take(segments: list[_Segment], span: tuple[int, int], taken: set[int], found: list[InLines]) -> None:
    first, last = span
    taken.update(range(first, last + 1))
    parts = [segments[place].text.strip(" ,.;") for place in range(first, last + 1)]
    value = _PAREN.sub("", ", ".join(part for part in parts if part))
    found.append(InLines(value, segments[first].line, segments[last].line))


def _near_anchors(parts: Sequence[list[_Segment] | None]) -> list[bool]:
    """Which lines stand so near to a postcode or a numbered street that they can be of its address."""
    near = [False] * len(parts)
    for number, segments in enumerate(parts):
        if segments and any(one.kind in (Kind.PLACE, Kind.STREET) for one in segments):
            start = max(number - _REACH, 0)
            end = min(number + _REACH + 1, len(parts))
            near[start:end] = [True] * (end - start)
    return near


def _segments(lines: Sequence[str]) -> list[_Segment]:
    """The lines in segments. Only those around a postcode or a street with a number are distinguished."""
    looked_at = lines[:_MOST_LINES]
    anchors = [_parts(line, number) if _DIGIT.search(line) else None for number, line in enumerate(looked_at)]
    near = _near_anchors(anchors)
    segments: list[_Segment] = []
    for number, line in enumerate(looked_at):
        if len(segments) > _MOST_SEGMENTS:
            break
        if near[number]:
            segments += anchors[number] or _parts(line, number)
        else:
            segments.append(_Segment(number, Kind.OTHER, line, line, cut=True, opens=False, ends=False))
    return segments


def _parts(line: str, number: int) -> list[_Segment]:
    """The segments of one line."""
    parts: list[_Segment] = []
    line = written_alike(line[:_LONGEST_LINE])
    for piece in _STRONG.split(line):
        for count, part in enumerate(_COMMA.split(piece)):
            if part.strip():
                parts += _classified(part.strip(), number, cut=count == 0)
    return parts


def _classified(part: str, line: int, *, cut: bool) -> list[_Segment]:
    """The segment, as two when a place follows the street without a comma."""
    if len(part) > _LONGEST_WITHOUT and not _DIGIT.search(part):  # a sentence, and no street or town
        return [_Segment(line, Kind.OTHER, part, part, cut, opens=False, ends=False)]
    bare = _LABEL.sub("", part)
    labelled = bare != part

    def segment(kind: Kind, text: str, *, opens: bool = False, ends: bool = False) -> _Segment:
        return _Segment(line, kind, text, part, cut, opens or labelled, ends)

    if _DIALLED.match(part):
        return [segment(Kind.OTHER, bare)]
    box = box_in(bare)
    if box is not None:
        return [segment(Kind.BOX, box)]
    street = street_in(bare) if state_at(bare) is None else None
    if is_district(bare) and (street is None or not street.strong):
        return [segment(Kind.UNIT, bare)]
    is_room = is_unit(bare) and state_at(bare) is None  # Suite 4554
    if (street is None or not street.strong) and not is_room:
        for text in (part, bare):
            place = place_at(text)
            if place is not None:
                return [segment(Kind.PLACE, place[0], ends=bool(place[1]))._replace(opens=text is not part)]
    if is_unit(bare):
        return [segment(Kind.UNIT, bare)]
    if street is not None:
        kind = Kind.STREET if street.strong else Kind.WEAK
        rest = street.rest.strip(" .")
        first = segment(kind, street.text, opens=not street.whole, ends=bool(rest))
        after = place_at(street.rest.strip()) if rest else None
        if after is not None:
            return [first._replace(ends=False), segment(Kind.PLACE, after[0], ends=bool(after[1]))]
        if is_unit(rest):
            return [first._replace(text=f"{street.text} {rest}", ends=False)]
        return [first]
    if country_named(bare) is not None:
        return [segment(Kind.COUNTRY, bare)]
    sentence, dot, rest = bare.partition(". ")
    if dot and country_named(sentence) is not None:
        return [segment(Kind.COUNTRY, sentence, ends=True)]
    if is_building(bare):
        return [segment(Kind.BUILDING, bare)]
    return [segment(Kind.OTHER, bare)]


def _near(segments: list[_Segment], left: int, right: int) -> bool:
    return segments[right].line - segments[left].line <= 1


def _around(
    segments: list[_Segment], place: int, taken: set[int], own: Collection[str]
) -> tuple[int, int] | None:
    """From the first to the last segment of the address at a place; None when it is a place only."""
    first = last = place
    anchor = segments[place]
    streets, housed = 0, False
    if not has_city(anchor.text):  # MA 01609: the city stands before it, or else behind it
        city = _city_beside(segments, place)
        if city is None:
            return None
        first, last = min(city, place), max(city, place)
    blocked = segments[first].opens
    if not blocked and _is_city_of(segments, first - 1):  # Ely, Cambridgeshire CB7 4AB
        first -= 1
    while not blocked and first > 0 and place - first <= _REACH and first - 1 not in taken:
        before = segments[first - 1]
        if before.ends or not _near(segments, first - 1, first) or not _belongs(before, streets, own):
            break
        if before.kind is Kind.BUILDING and not _is_within(segments, first - 1):
            break
        first -= 1
        streets += before.kind in (Kind.STREET, Kind.WEAK, Kind.BOX)
        housed = housed or before.kind is Kind.BUILDING
        blocked = before.opens
    while not anchor.ends and last + 1 < len(segments) and last + 1 not in taken and last - place < _REACH:
        after = segments[last + 1]
        if after.opens or not _near(segments, last, last + 1):
            break
        if (
            after.kind in (Kind.STREET, Kind.WEAK)
            and not streets
            and not (after.cut and after.line == segments[last].line)
        ):
            streets += 1
        elif after.kind not in (Kind.COUNTRY, Kind.UNIT, Kind.BOX) and not _is_code_of(after, anchor):
            break
        last += 1
        anchor = after
    if streets or housed:
        return first, last
    if not has_city(segments[place].text):
        return None
    return _landmark(segments, first, last, place, taken, own)


def _city_beside(segments: list[_Segment], place: int) -> int | None:
    """The segment with the city of a postcode that stands alone; districts may lie between."""
    after = place + 1
    follows = after < len(segments) and _near(segments, place, after) and _is_plain_city(segments[after])
    before = place - 1
    if follows and before >= 0 and segments[before].kind is Kind.WEAK and segments[before].text[-1].isdigit():
        return after  # Ερμού 5, Τ.Κ. 54624, Θεσσαλονίκη
    while before > 0 and segments[before].kind is Kind.UNIT and _near(segments, before, before + 1):
        before -= 1
    if before >= 0 and _near(segments, before, place):
        city = segments[before]
        # Richmond Hill, ON L4C 0H5: right before its code a name like that of a street is a city.
        is_before = city.line == segments[place].line and city.kind in (Kind.WEAK, Kind.BUILDING)
        if _is_plain_city(city) or (is_before and _is_plain_city(city._replace(kind=Kind.OTHER))):
            return before
    return after if follows else None


def _is_plain_city(segment: _Segment) -> bool:
    fits = could_be_city(segment.text) and (
        segment.kind is Kind.OTHER or city_named(segment.text.rstrip("0123456789 ")) is not None  # Dublin 2
    )
    return fits and len(segment.text.split()) <= 4 and not _ORGANISED.are_in(segment.text)


def _is_city_of(segments: list[_Segment], place: int) -> bool:
    """Whether a name between the street and the county is the city."""
    if (
        place < 1
        or segments[place].opens
        or not (_near(segments, place, place + 1) and _near(segments, place - 1, place))
    ):
        return False
    before = segments[place - 1]
    if segments[place].cut and before.line == segments[place].line:
        return False
    return (
        _is_plain_city(segments[place])
        and before.kind in (Kind.STREET, Kind.WEAK, Kind.BUILDING, Kind.UNIT)
        and not before.ends
    )


def _is_code_of(segment: _Segment, anchor: _Segment) -> bool:
    """Whether it is a postcode behind a district: `Dublin 2, D02 X5Y8`."""
    return segment.kind is Kind.PLACE and is_code(segment.text) and anchor.kind is Kind.PLACE


def _is_within(segments: list[_Segment], place: int) -> bool:
    """Whether a building is where somebody has rooms, and not itself who has the address."""
    if segments[place + 1].kind is Kind.UNIT:
        return True
    return (
        place > 0
        and _near(segments, place - 1, place)
        and segments[place - 1].kind in (Kind.OTHER, Kind.UNIT)
    )


def _belongs(segment: _Segment, streets: int, own: Collection[str]) -> bool:
    if segment.kind in (Kind.UNIT, Kind.BOX):
        return True
    if segment.kind in (Kind.STREET, Kind.WEAK):
        return streets == 0
    return segment.kind is Kind.BUILDING and segment.text.casefold() not in own


# Words that make a name an organisation and no part of a town.
_ORGANISED = Phrases(
    rf"\b{alternatives('streets', 'organised')}\b|©|@|:",
)


def _landmark(
    segments: list[_Segment], first: int, last: int, place: int, taken: set[int], own: Collection[str]
) -> tuple[int, int] | None:
    """A hill, a shore, a quarter before a postcode: an address where streets have no names."""
    before = first - 1
    if segments[first].opens or before < 0 or before in taken or not _near(segments, before, first):
        return None
    segment = segments[before]
    words = segment.text.split()
    if segment.kind is Kind.BUILDING:
        return before, last
    fits = (
        segment.kind is Kind.OTHER
        and 2 <= len(words) <= 5
        and not segment.ends
        and all(word.strip("„“\"'(")[:1].isupper() or len(word) < 4 for word in words)
        and not any(sign.isdigit() for sign in segment.text)
        and segment.text.casefold() not in own
        and not _ORGANISED.are_in(segment.text)
        and re.search(r"[0-9]{3}", segments[place].text) is not None
        and not is_year(segments[place].text)
        and not segments[place].ends  # "1140 Quadratmeter große Anlage"
    )
    return (before, last) if fits and (before > 0 or is_landmark(segment.text)) else None


def _without_code(segments: list[_Segment], street: int, taken: set[int]) -> tuple[int, int] | None:
    """A street with a city behind or before it, no postcode."""
    first = last = street
    while (
        first > 0
        and first - 1 not in taken
        and segments[first - 1].kind in (Kind.UNIT, Kind.BUILDING)
        and not segments[first].opens
    ):
        if not _near(segments, first - 1, first) or (
            segments[first].cut and segments[first].line == segments[first - 1].line
        ):
            break
        first -= 1
    ahead = last + 1
    while ahead < len(segments) and segments[ahead].kind is Kind.UNIT and _near(segments, ahead - 1, ahead):
        last, ahead = ahead, ahead + 1
    if ahead < len(segments) and ahead not in taken and _near(segments, last, ahead):
        after = segments[ahead]
        city = re.split(r"[.(]\s?", re.sub(r"^(?:гр|mun|or|loc)\.\s?", "", after.raw))[0].strip()
        inline = after.line == segments[last].line and not after.cut
        known = city_named(re.sub(r"\s[0-9]{1,2}$", "", city)) is not None
        named = could_be_city(city) and len(city.split()) <= 3 and not is_no_city(city)
        followed = ahead + 1 < len(segments) and _is_country_or_state(segments, ahead + 1)
        if known or followed or (named and inline and not _ORGANISED.are_in(city)):
            end = ahead + 1 if followed else ahead
            segments[ahead] = after._replace(text=city)
            return first, end
    if first > 0 and not segments[first].opens and _is_known_city(segments[first - 1].text):
        return first - 1, last
    return None


def _is_country_or_state(segments: list[_Segment], place: int) -> bool:
    state = segments[place].raw.partition(". ")[0]
    if is_state(state):
        segments[place] = segments[place]._replace(text=state)
        return True
    return segments[place].kind is Kind.COUNTRY


def _is_known_city(text: str) -> bool:
    """Whether a text names a well-known city, or says that it names one: `гр. Пловдив`."""
    bare = _TOWN_LABEL.sub("", text)
    return city_named(bare) is not None or (bare != text and could_be_city(bare))
