"""Words of streets in many languages, and where in a text a street with its number stands."""

from __future__ import annotations

import re
from typing import Final, NamedTuple

from surveyor.extract.lexicon import alternatives, table, word_set, words
from surveyor.words import fold
from surveyor.words.patterns import Phrases, any_case

# Words that stand behind the name: "12 Mill Street".
_BEHIND: Final = frozenset(words("streets", "behind"))
# Words that stand before the name: "ул. Гурко 5", "rue de l'Église", "Calea Aradului 119".
_BEFORE: Final = frozenset(fold(word.casefold()) for word in words("streets", "before"))
# Endings of words that are streets by themselves: "Schillerstraße", "Herengracht".
_ENDINGS: Final = words("streets", "ending")
# Words that only end like a gate: "Terminator 2".
_NO_GATE: Final = re.compile(r"(?:[aeiou]|c)tor")
# A number behind a name that is a year and no house: "Spring 2019".
_YEAR: Final = re.compile(r"(?:19|20)[0-9]{2}\b")
_MONTHS: Final = frozenset(table("calendar", "months"))
# Small words before a name in German: "Am Markt 3", "An der Havel 1".
_LEADING: Final = frozenset(words("streets", "leading"))
_PARTICLES: Final = frozenset(words("streets", "particle"))
_BARE_NUMBER = re.compile(r"[0-9]{1,5}(?:-[A-Z]|[a-zA-Zа-яА-ЯΑ-Ω]?)(?:[-–/][0-9]{1,4}[a-zA-Zа-яА-Я]?){0,3}")
_MARK = frozenset({"nr", "no", "№", "n°", "#", "αρ", "num", "number", "номер"})
_DIGIT = re.compile(r"[0-9]")
# In place of the number of a house: "Calle Mayor, s/n".
_NO_NUMBER: Final = frozenset({"s/n", "s.n"})
_ELISION = re.compile(r"^[dlDL]['’]")
_ANNEXES: Final = frozenset({"bis", "ter", "quater"})
_ORDINAL = re.compile(r"[0-9]{1,3}(?:st|nd|rd|th)", re.IGNORECASE)
# Streets that need no other name, and those called by a number: "500 Broadway", "3050 Highway 20 East".
_ALONE: Final = word_set("broadway embankment esplanade")
_ROADS: Final = word_set("highway hwy route rte")
_DIRECTION: Final = word_set("n s e w ne nw se sw north south east west")
_UNIT = Phrases(
    rf"{alternatives('streets', 'unit')}\.?\s?[0-9a-zA-Zа-яА-Я-]{{0,5}}|"
    rf"[0-9]{{1,3}}(?:st|nd|rd|th|\.|er|e|ème|ος|º|-ти|-ри)?\s?{alternatives('streets', 'floor')}|"
    r"[0-9]{1,2}\.?[ºª](?:\s?[a-zA-Z]{1,4}\.?)?",
)
_BOX = any_case(
    rf"{alternatives('streets', 'box')}\s?[0-9]{{1,6}}(?:\s[0-9]{{1,4}})?",
)
_DISTRICT = Phrases(
    rf"{alternatives('streets', 'district')}\s\S",
)
# Words of buildings in which somebody may have their rooms.
_BUILDINGS = Phrases(
    rf"\b{alternatives('streets', 'building')}\b",
)
# 7, quai de la Fosse
_HOUSE_COMMA = any_case(
    r"\b([0-9]{1,4}(?:\s?(?:bis|ter|[a-d]))?),\s(?=(?:rue|quai|place|avenue|av\.|bd|boulevard|chemin|allée|"
    r"impasse|cours|route|passage|"
    r"square|faubourg|esplanade|via|calle)\b)",
)
# A postcode behind a state: without one, none of the next three is there.
_STATE_CODE = re.compile(r"[0-9]{5}")
# NY, 14489
_STATE_COMMA = re.compile(r"\b([A-Z]{2}), (?=[0-9]{5}\b)")
# N.C. 27401
_STATE_DOTS = re.compile(r"\b([A-Z])\.([A-Z])\. (?=[0-9]{5}\b)")
# 23 E. Timber Dr. Rhinelander, WI 54501: a town right behind the street.
_TOWN_BEHIND = re.compile(
    r"(\b[0-9]{1,5} (?:\S+ ){1,4}?(?:St|Street|Ave|Avenue|Rd|Road|Blvd|Boulevard|Ln|Lane|Dr|Drive|Way|Ct|"
    r"Court|Pkwy|Hwy)\.?)"
    r"\s+(?=[A-Z][a-z]+(?: [A-Z][a-z]+){0,2},? [A-Z]{2}\.? [0-9]{5}\b)"
)
# Calle Dolores, 23; Camino de la Fuente, s/n; Largo 1.º de Maio, n.º 1
_NUMBER_COMMA = any_case(
    rf"\b({alternatives('streets', 'before_number')}\.? [^,]{{2,40}}), "
    r"(?=(?:n\.?\s?[ºo°]\.?\s?|km\.?\s)?[0-9]{1,4}\b|s/n\b|s\.n\.)"
)
# nº14, n.º 7; №19
_NUMBER_SIGN = any_case(r"(?:\b(n)\.?\s?[º°]\.?|(№))\s?(?=[0-9])")
# Longest segment, in words, that is looked at from its end.
_MOST_WORDS = 40


class Street(NamedTuple):
    text: str
    rest: str
    """What follows it in the same breath: a city without a comma, a sentence that goes on."""
    strong: bool
    """Whether a word or a number of streets stands there; weak is any name with a number."""
    whole: bool
    """Whether nothing stands before it."""


def _word(token: str) -> str:
    return fold(token.strip("„“”\"'«».,:()").casefold())


def _is_street_word(token: str) -> bool:
    plain = _word(token)
    if plain in _BEHIND or plain in _BEFORE:
        return True
    lower = token.strip(".,").lower()
    is_ending = len(lower) > 5 and lower.endswith(_ENDINGS) and token[:1].isupper()
    return is_ending and _NO_GATE.fullmatch(lower[-4:]) is None


def _is_name(token: str) -> bool:
    bare = _ELISION.sub("", token.strip("„“”\"'«»(.’"))
    return bool(bare) and (bare[0].isupper() or _word(token) in _PARTICLES or bare[0].isdigit())


def _is_number(token: str) -> bool:
    bare = token.strip(",.;")
    if bare.lower() in _NO_NUMBER:
        return True
    return _BARE_NUMBER.fullmatch(bare) is not None and _ORDINAL.fullmatch(bare) is None


def street_in(segment: str) -> Street | None:
    """The street that ends or begins in a segment of a line, without the sentence around it."""
    tokens = segment.split()
    if not 2 <= len(tokens) <= _MOST_WORDS:
        return None
    if _DIGIT.search(segment) is None and _NO_NUMBER.isdisjoint(
        token.strip(",.;").lower() for token in tokens
    ):
        return _numberless(tokens)
    for place, token in enumerate(tokens):
        if not _is_street_word(token):
            continue
        span = _american(tokens, place) or _named_before(tokens, place) or _named_behind(tokens, place)
        if span is not None:
            first, last = span
            return Street(
                " ".join(tokens[first:last]), " ".join(tokens[last:]), strong=True, whole=first == 0
            )
    return _weak(tokens)


def _american(tokens: list[str], place: int) -> tuple[int, int] | None:
    """Number, name, word: `1912 Lyndale Ave N`; or number, word, name: `18 rue de l’Église`."""
    first = place
    if _word(tokens[place]) not in _BEHIND and _word(tokens[place]) not in _BEFORE:
        return None  # 8W USB Soldering
    if place > 1 and tokens[place - 1].lower() in _ANNEXES:
        first -= 1  # 12 bis rue du Molinel
    for _ in range(6):
        first -= 1
        if first < 0 or not _is_name(tokens[first]):
            return None
        if _is_number(tokens[first]):
            break
    else:
        return None
    last = place + 1
    if _word(tokens[place]) in _BEFORE and (first == place - 1 or tokens[place - 1].lower() in _ANNEXES):
        while (
            last < len(tokens)
            and last < place + 7
            and _is_name(tokens[last])
            and not tokens[last][0].isdigit()
        ):
            last += 1
            if tokens[last - 1].endswith((".", ";")) and len(tokens[last - 1]) > 4:
                break
        return (first, last) if last > place + 1 else None
    if place == first + 1 and _word(tokens[place]) in _ALONE:  # 500 Broadway
        return first, last
    if (
        place == first + 1
        and _word(tokens[place]) in _ROADS
        and last < len(tokens)
        and _is_number(tokens[last])
    ):
        return first, last + (2 if last + 1 < len(tokens) and _word(tokens[last + 1]) in _DIRECTION else 1)
    if place == first + 1 or not tokens[place][:1].isupper():
        return None
    if first > 0 and _word(tokens[first - 1]) in _MARK:
        first -= 1
    while last < len(tokens) and _word(tokens[last]) in _BEHIND and tokens[last][:1].isupper():
        last += 1  # Chestnut Hill Rd
    if last < len(tokens) and _word(tokens[last]) in _DIRECTION:
        last += 1
    return first, last


def _named_before(tokens: list[str], place: int) -> tuple[int, int] | None:
    """Word, name, number: `ул. „Ангел Кънчев“ 22`, `Piața Unirii nr. 8`."""
    if _word(tokens[place]) not in _BEFORE:
        return None
    last = place + 1
    while last < len(tokens) and last < place + 8:
        if _is_number(tokens[last]) and last > place + 1:
            break
        if last == place + 1 and not _is_name(tokens[last]):
            return None
        last += 1
    else:
        return None
    if last + 2 < len(tokens) and _word(tokens[last + 1]) in _MARK and _is_number(tokens[last + 2]):
        last += 2  # Bulevardul 1 Decembrie 1918 nr. 12
    return place, _with_units(tokens, last + 1)


def _named_behind(tokens: list[str], place: int) -> tuple[int, int] | None:
    """Name and word in one, then the number: `Prielmayerstraße 5`, `Berliner Straße 7`, `Am Markt 3`."""
    number = place + 1
    if number < len(tokens) and _word(tokens[number]) in _MARK:
        number += 1
    if number >= len(tokens) or not _is_number(tokens[number]) or _YEAR.match(tokens[number]):
        return None
    first = place
    separate = _word(tokens[place]) in _BEHIND or tokens[place].strip(".").lower() in _ENDINGS
    while (
        separate
        and first > 0
        and place - first < 3
        and tokens[first - 1][:1].isupper()
        and not _ends(tokens[first - 1])
    ):
        first -= 1
    if first > 0 and _word(tokens[first - 1]) in _LEADING | _PARTICLES and tokens[first - 1][:1].isupper():
        first -= 1
    return first, _with_units(tokens, number + 1)


def _ends(token: str) -> bool:
    return token.endswith((":", ";", ",")) or (token.endswith(".") and len(token) > 5)


def _with_units(tokens: list[str], last: int) -> int:
    """Letters and fractions of a house number that stand apart."""
    if last < len(tokens) and re.fullmatch(r"[A-Za-zА-Яа-я],?", tokens[last]) and tokens[last - 1].isdigit():
        return last + 1
    return last


def _weak(tokens: list[str]) -> Street | None:
    """Names and a number at the end, nothing else: `Herengracht 502`, `Πανεπιστημίου 30`, `Am Anger 1`."""
    if len(tokens) > 6 or not _is_number(tokens[-1]) or len(tokens[-1]) > 5 or _YEAR.match(tokens[-1]):
        return None
    names = tokens[:-1]
    fits = all(_is_name(token) for token in names) and any(
        token[:1].isalpha() and len(token) > 2 for token in names
    )
    if not fits or any(token.endswith((":", "!", "?")) or _word(token) in _MONTHS for token in names):
        return None
    return Street(" ".join(tokens), "", strong=False, whole=True)


def _numberless(tokens: list[str]) -> Street | None:
    """A street by its word alone, nothing else beside it: `Quay Road`, `Piața Unirii`."""
    if len(tokens) > 4 or not all(
        _is_name(token) and token[:1].isupper() for token in (tokens[0], tokens[-1])
    ):
        return None
    if _word(tokens[-1]) in _BEHIND or _word(tokens[0]) in _BEFORE:
        return Street(" ".join(tokens), "", strong=False, whole=True)
    return None


def written_alike(line: str) -> str:
    """A line with its commas where most write them."""
    if "," in line:
        line = _NUMBER_COMMA.sub(r"\1 ", _HOUSE_COMMA.sub(r"\1 ", line))
    if "º" in line or "°" in line or "№" in line:
        line = _NUMBER_SIGN.sub(lambda sign: "nº " if sign[1] else "№ ", line)
    if _STATE_CODE.search(line):
        line = _STATE_COMMA.sub(r"\1 ", _STATE_DOTS.sub(r"\1\2 ", line))
        line = _TOWN_BEHIND.sub(r"\1, ", line)
    return line


def is_district(segment: str) -> bool:
    """Whether it names a part of a city or country that stands between street and place."""
    return len(segment) < 50 and _DISTRICT.begin(segment)


def is_landmark(segment: str) -> bool:
    """Whether it is a square, a shore, a hill by name, without a number."""
    tokens = segment.split()
    return 2 <= len(tokens) <= 5 and _word(tokens[0]) in _BEFORE and tokens[1][:1].isupper()


def is_unit(segment: str) -> bool:
    """Whether it says where in a building: `ет. 3`, `Suite 300`, `2nd floor`."""
    return len(segment) < 40 and _UNIT.are(segment.strip(" ."))


def box_in(segment: str) -> str | None:
    found = _BOX.search(segment) if len(segment) < 60 else None
    return found[0] if found is not None else None


def is_building(segment: str) -> bool:
    tokens = segment.split()
    return 1 <= len(tokens) <= 7 and segment[:1].isupper() and _BUILDINGS.are_in(segment)


# Characters of a line that are looked at, and pieces of it.
_LOOKED_AT, _MOST_PIECES = 600, 20
_PIECES: Final = re.compile(r",\s+|[;:|()]\s*|(?<=[^\W\d_]{4})[.!?]\s+|\s[–—]\s|\n")
# "in Kulmbach", "à Grenoble": the town behind a street.
_TOWN: Final = re.compile(
    r"(?:in|à|en|în|в|гр\.|στην?|στο)\s+([A-ZÀ-ÞА-ЯΑ-Ω][\w'’-]{2,}(?:[ -][A-ZÀ-ÞА-ЯΑ-Ω][\w'’-]+)?)"
)
_NAME: Final = re.compile(r"[A-ZÀ-ÞА-ЯΑ-Ω][\w'’-]{2,}(?: [A-ZÀ-ÞА-ЯΑ-Ω][\w'’-]+){0,2}\.?")


def short_address(line: str) -> str | None:
    """The first street with a number, with the town that follows it."""
    pieces = [piece.strip() for piece in _PIECES.split(line[:_LOOKED_AT])[:_MOST_PIECES]]
    for number, piece in enumerate(pieces):
        street = street_in(piece) if piece else None
        if street is None or not street.strong or not any(map(str.isdigit, street.text)):
            continue
        town = _TOWN.match(street.rest)
        following = pieces[number + 1] if number + 1 < len(pieces) else ""
        if town is not None:
            return f"{street.text}, {town[1]}"
        if not street.rest and _NAME.fullmatch(following):
            return f"{street.text}, {following.rstrip('.')}"
        return street.text.rstrip(".,")
    return None
