"""Postal addresses in lines of text, in the shapes of the countries whose languages we read.

Lines are cut into segments; a segment with a postcode and a city is an anchor, and the streets, boxes, floors
and countries around it are joined to it. A street with a well-known city, or in a line of its own before a
name, is an address without postcode. A name with a postcode alone is none.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Sequence
from typing import Final, NamedTuple

from surveyor.extract.fields.lists import words
from surveyor.extract.fields.places import STATES, city_named, country_named
from surveyor.extract.fields.streets import box_in, is_building, is_district, is_landmark, is_unit, street_in

# Lines and segments of one group that are looked at.
_MOST_LINES = 400
_MOST_SEGMENTS = 1_500
_LONGEST_LINE = 3_000
# Segments that may stand before the place: building, floor, street, box.
_REACH = 4

_STRONG = re.compile(r"\s*[|·•●∙⋅▪;\t]\s*|\s+[–—-]\s+|\s::\s|\s//\s|\s\*\s")
# 7, quai de la Fosse
_HOUSE_COMMA = re.compile(
    r"\b([0-9]{1,4}(?:\s?(?:bis|ter|[a-d]))?),\s(?=(?:rue|quai|place|avenue|av\.|bd|boulevard|chemin|allée|"
    r"impasse|cours|route|passage|"
    r"square|faubourg|esplanade|via|calle)\b)",
    re.IGNORECASE,
)
_UPPER = "A-ZÀ-ÖØ-ÞĀĂĄĆČĎĐĒĘĚĞĢĪİĶĻŁŃŅŇŌŐŒŔŘŚŞŠŢŤŪŮŰŹŻŽȘȚА-ЯЁІЇЈЉЊЋЂЏΆΈΉΊΌΎΏΑ-Ω"
_CITY = (
    rf"(?:гр\.?\s?|с\.\s?|mun\.\s?|or\.\s?|oraș(?:ul)?\s|loc\.\s?)?[{_UPPER}][\w’'.-]*"
    rf"(?:[ -](?:[{_UPPER}(][\w’').-]*|an|der|den|am|im|in|a\.d\.|d\.|sur|sous|la|le|les|lès|de|du|del|des|"
    rf"en|bei|ob|"
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
_STATE = re.compile(
    r"(?P<all>(?P<state>[A-Z]{2})\.?\s{1,2}[0-9]{5}(?:-[0-9]{4})?)(?![\w-])(?P<rest>.*)", re.DOTALL
)
_STATE_NAME = re.compile(
    r"(?P<all>(?:[A-Z][a-z]{2,12}\.? ){0,1}[A-Z][a-z]{2,12}\.?\s[0-9]{5}(?:-[0-9]{4})?)(?![\w-])(?P<rest>.*)",
    re.DOTALL,
)
_CITY_STATE = re.compile(
    rf"(?P<all>(?P<city>{_CITY}) (?P<state>[A-Z]{{2}})\.? [0-9]{{5}}(?:-[0-9]{{4}})?)(?![\w-])(?P<rest>.*)",
    re.DOTALL,
)
_PLAIN_CITY = re.compile(rf"{_CITY}(?: [0-9]{{1,2}})?")
_CEDEX = re.compile(r"\s(?:cedex(?:\s[0-9]{1,2})?)", re.IGNORECASE)
# Behind a word of some length; behind a short one it is an abbreviation: St. Gallen.
_FULL_STOP = re.compile(r"(?<=[^\W\d_]{4})\.\s")
_LABEL = re.compile(r"^[^:]{2,40}:\s+(?=\S)")
_DIGIT = re.compile(r"[0-9]")
_YEAR = re.compile(r"(?<![0-9])(?:19[5-9]|20[0-4])[0-9](?![0-9])")
_PAREN = re.compile(r"[()\[\]]")
# Words behind a postcode that make it a sum, a year or a count.
_NO_CITY: Final = words(
    "eur euro euros usd chf bgn ron lei лв лева евро ευρώ dollars uhr januar februar märz april mai juni "
    "juli august "
    "tel telefon telephone phone fax mobile mobil тел телефон факс τηλ "
    "september oktober november dezember january february march may june july october december copyright all"
)


class Kind:
    """What a segment can be to an address."""

    STREET, WEAK, PLACE, UNIT, BOX, BUILDING, COUNTRY, OTHER = range(8)


class _Segment(NamedTuple):
    line: int
    kind: int
    text: str
    """The part of it that belongs to an address."""
    raw: str
    cut: bool
    """Whether it begins after something that ends an address: a stroke, a dot in the middle."""
    opens: bool
    """Whether words stand before its address: then nothing before it belongs to it."""
    ends: bool
    """Whether words follow its address: then nothing after it belongs to it."""


class Found(NamedTuple):
    value: str
    first_line: int
    last_line: int


def find(lines: Sequence[str], names: Collection[str] = ()) -> list[Found]:
    """The addresses in lines that stand together; `names` are of their owners, and no part of them."""
    own = {name.casefold() for name in names}
    segments = _segments(lines)
    taken: set[int] = set()
    found: list[Found] = []
    for place, segment in enumerate(segments):
        if segment.kind == Kind.PLACE and place not in taken:
            span = _around(segments, place, taken, own)
            if span is not None:
                _take(segments, span, taken, found)
    for place, segment in enumerate(segments):
        if segment.kind == Kind.STREET and place not in taken and not segment.ends:
            span = _without_code(segments, place, taken)
            if span is not None:
                _take(segments, span, taken, found)
    return sorted(found, key=lambda one: one.first_line)


def _take(segments: list[_Segment], span: tuple[int, int], taken: set[int], found: list[Found]) -> None:
    first, last = span
    taken.update(range(first, last + 1))
    parts = [segments[place].text.strip(" ,.;") for place in range(first, last + 1)]
    value = _PAREN.sub("", ", ".join(part for part in parts if part))
    found.append(Found(value, segments[first].line, segments[last].line))


def _segments(lines: Sequence[str]) -> list[_Segment]:
    segments: list[_Segment] = []
    for number, line in enumerate(lines[:_MOST_LINES]):
        if len(segments) > _MOST_SEGMENTS:
            break
        for piece in _STRONG.split(_HOUSE_COMMA.sub(r"\1 ", line[:_LONGEST_LINE])):
            for count, part in enumerate(re.split(r",\s+|,$", piece)):
                if part.strip():
                    segments.extend(_classified(part.strip(), number, cut=count == 0))
    return segments


def _classified(part: str, line: int, *, cut: bool) -> list[_Segment]:
    """The segment, as two when a place follows the street without a comma."""
    bare = _LABEL.sub("", part)
    labelled = bare != part

    def segment(kind: int, text: str, *, opens: bool = False, ends: bool = False) -> _Segment:
        return _Segment(line, kind, text, part, cut, opens or labelled, ends)

    box = box_in(bare)
    if box is not None:
        return [segment(Kind.BOX, box)]
    street = street_in(bare)
    if is_district(bare) and (street is None or not street.strong):
        return [segment(Kind.UNIT, bare)]
    if street is None or not street.strong:
        for text in (part, bare):
            place = _place(text)
            if place is not None:
                return [segment(Kind.PLACE, place[0], ends=bool(place[1]))._replace(opens=text is not part)]
    if is_unit(bare):
        return [segment(Kind.UNIT, bare)]
    if street is not None:
        kind = Kind.STREET if street.strong else Kind.WEAK
        rest = street.rest.strip(" .")
        first = segment(kind, street.text, opens=not street.whole, ends=bool(rest))
        after = _place(street.rest.strip()) if rest else None
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


def _place(text: str) -> tuple[str, str] | None:
    """Postcode and city at the start of a text, and what follows; None if it is no place."""
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
    marked = city.startswith(("гр", "с.")) or city_named(city) is not None
    return marked or _YEAR.search(match["all"]) is None


def _is_state(match: re.Match[str]) -> bool:
    return match["state"] in STATES


_PLACES: Final[tuple[tuple[re.Pattern[str], Callable[[re.Match[str]], bool]], ...]] = (
    (_STATE, _is_state),
    (_CITY_STATE, _is_state),
    (_CODE_CITY, _is_city),
    (_CITY_CODE, _is_city_before),
    (_STATE_NAME, lambda match: True),
    (_ONLY_CODE, lambda match: True),
)


def _near(segments: list[_Segment], left: int, right: int) -> bool:
    return segments[right].line - segments[left].line <= 1


def _around(
    segments: list[_Segment], place: int, taken: set[int], own: Collection[str]
) -> tuple[int, int] | None:
    """From the first to the last segment of the address at a place; None when it is a place only."""
    first = last = place
    anchor = segments[place]
    streets, housed = 0, False
    if not _has_city(anchor.text):  # MA 01609: the city stands before it, or else behind it
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
        if before.kind == Kind.BUILDING and not _is_within(segments, first - 1):
            break
        first -= 1
        streets += before.kind in (Kind.STREET, Kind.WEAK, Kind.BOX)
        housed = housed or before.kind == Kind.BUILDING
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
    if not _has_city(segments[place].text):
        return None
    return _landmark(segments, first, last, place, taken, own)


def _city_beside(segments: list[_Segment], place: int) -> int | None:
    """The segment with the city of a postcode that stands alone; districts may lie between."""
    before = place - 1
    while before > 0 and segments[before].kind == Kind.UNIT and _near(segments, before, before + 1):
        before -= 1
    if before >= 0 and _near(segments, before, place) and _is_plain_city(segments[before]):
        return before
    after = place + 1
    if after < len(segments) and _near(segments, place, after) and _is_plain_city(segments[after]):
        return after
    return None


def _is_plain_city(segment: _Segment) -> bool:
    fits = _PLAIN_CITY.fullmatch(segment.text) is not None and (
        segment.kind == Kind.OTHER or city_named(segment.text.rstrip("0123456789 ")) is not None  # Dublin 2
    )
    return fits and len(segment.text.split()) <= 4 and not _ORGANISED.search(segment.text)


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
        and before.kind in (Kind.STREET, Kind.WEAK, Kind.BUILDING)
        and not before.ends
    )


def _has_city(text: str) -> bool:
    return re.search(rf"[{_UPPER}][^\W\d_]{{2,}}", text) is not None and not _STATE.fullmatch(text)


def _is_code_of(segment: _Segment, anchor: _Segment) -> bool:
    """Whether it is a postcode behind a district: `Dublin 2, D02 X5Y8`."""
    return (
        segment.kind == Kind.PLACE
        and _ONLY_CODE.fullmatch(segment.text) is not None
        and anchor.kind == Kind.PLACE
    )


def _is_within(segments: list[_Segment], place: int) -> bool:
    """Whether a building is where somebody has rooms, and not itself who has the address."""
    if segments[place + 1].kind == Kind.UNIT:
        return True
    return place > 0 and _near(segments, place - 1, place) and segments[place - 1].kind == Kind.OTHER


def _belongs(segment: _Segment, streets: int, own: Collection[str]) -> bool:
    if segment.kind in (Kind.UNIT, Kind.BOX):
        return True
    if segment.kind in (Kind.STREET, Kind.WEAK):
        return streets == 0
    return segment.kind == Kind.BUILDING and segment.text.casefold() not in own


# Words that make a name an organisation and no part of a town.
_ORGANISED = re.compile(
    r"\b(?:foundation|fund|trust|association|society|council|services?|ministry|department|agency|institute|"
    r"network|alliance|"
    r"committee|inc|ltd|llc|gmbh|ggmbh|e\.\s?v|stiftung|verein|verband|amt|behörde|fondation|fonds|conseil|"
    r"ministère|"
    r"фонд\w{0,4}|фондация\w{0,3}|сдружение|съюз|агенция|министерство|община|еоод|оод|ад|fundația|asociația|"
    r"consiliul|"
    r"ministerul|srl|s\.r\.l|ίδρυμα|ταμείο|σύλλογος|δήμος|υπουργείο|fundación|asociación|ministerio|"
    r"redaktion|"
    r"impressum|copyright|tel|telefon|telephone|phone|fax|e-mail|email|телефон|факс|τηλέφωνο)\b|©|@|:",
    re.IGNORECASE,
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
    if segment.kind == Kind.BUILDING:
        return before, last
    fits = (
        segment.kind == Kind.OTHER
        and 2 <= len(words) <= 5
        and not segment.ends
        and all(word.strip("„“\"'(")[:1].isupper() or len(word) < 4 for word in words)
        and not any(sign.isdigit() for sign in segment.text)
        and segment.text.casefold() not in own
        and not _ORGANISED.search(segment.text)
        and re.search(r"[0-9]{3}", segments[place].text) is not None
        and _YEAR.search(segments[place].text) is None
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
    while ahead < len(segments) and segments[ahead].kind == Kind.UNIT and _near(segments, ahead - 1, ahead):
        last, ahead = ahead, ahead + 1
    if ahead < len(segments) and ahead not in taken and _near(segments, last, ahead):
        after = segments[ahead]
        city = re.split(r"[.(]\s?", re.sub(r"^(?:гр|mun|or|loc)\.\s?", "", after.raw))[0].strip()
        inline = after.line == segments[last].line and not after.cut
        known = city_named(re.sub(r"\s[0-9]{1,2}$", "", city)) is not None
        named = (
            _PLAIN_CITY.fullmatch(city) is not None
            and len(city.split()) <= 3
            and city.casefold() not in _NO_CITY
        )
        followed = ahead + 1 < len(segments) and segments[ahead + 1].kind == Kind.COUNTRY
        if known or followed or (named and inline and not _ORGANISED.search(city)):
            end = ahead + 1 if followed else ahead
            segments[ahead] = after._replace(text=city)
            return first, end
    if (
        street > 0
        and not segments[street].opens
        and city_named(re.sub(r"^гр\.\s?", "", segments[street - 1].text))
    ):
        return street - 1, last
    return None
