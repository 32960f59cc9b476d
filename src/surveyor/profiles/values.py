"""The small values a profile is written in: words, scores, languages, hosts.

Each is normal by construction: words are lower case, composed (NFC) and single-spaced,
scores are decimals with two places, hosts carry no leading dot. Two spellings of one
meaning therefore give one value, and one hash.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable, Mapping
from decimal import Decimal
from typing import Annotated

from pydantic import AfterValidator, BeforeValidator, Field

PLACES = Decimal("0.01")  # confidence and everything that makes it up has two places
STRENGTHS = {"strong": Decimal("1.00"), "medium": Decimal("0.60"), "weak": Decimal("0.30")}
MAX_WORDS = 8  # longest phrase, in words: a title rarely holds more, and matching costs per word

_ISO_639_1 = """
aa ab ae af ak am an ar as av ay az ba be bg bi bm bn bo br bs ca ce ch co cr cs cu cv cy da de dv dz ee
el en eo es et eu fa ff fi fj fo fr fy ga gd gl gn gu gv ha he hi ho hr ht hu hy hz ia id ie ig ii ik io
is it iu ja jv ka kg ki kj kk kl km kn ko kr ks ku kv kw ky la lb lg li ln lo lt lu lv mg mh mi mk ml mn
mr ms mt my na nb nd ne ng nl nn no nr nv ny oc oj om or os pa pi pl ps pt qu rm rn ro ru rw sa sc sd se
sg sh si sk sl sm sn so sq sr ss st su sv sw ta te tg th ti tk tl tn to tr ts tt tw ty ug uk ur uz ve vi
vo wa wo xh yi yo za zh zu
"""
LANGUAGES = frozenset(_ISO_639_1.split())

_LABEL = r"[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?"
_HOST = re.compile(rf"{_LABEL}(?:\.{_LABEL})*")
_NAME = re.compile(r"[a-z][a-z0-9_-]{0,39}")
MAX_SHOWN = 80  # characters of foreign text in a message
_MAX_HOST = 253  # bytes, from the domain name system
_MAX_LINE = 500  # characters: a title or a description is read at a glance


def shown(text: str) -> str:
    """Foreign text in a message: safe for a terminal and short enough for one line."""
    return repr(text if len(text) <= MAX_SHOWN else text[:MAX_SHOWN] + "…")


def normal_word(text: str) -> str:
    """One word or phrase as it is kept and compared; empty when there is nothing to compare."""
    return " ".join(unicodedata.normalize("NFC", text.lower()).split())


def _checked_word(text: str) -> str:
    word = normal_word(text)
    if not word[:1].isalnum() and not any(map(str.isalnum, word)):
        raise ValueError(f"{shown(text)} has no letter or digit; remove it")
    if word.count(" ") >= MAX_WORDS:
        raise ValueError(f"{shown(text)} is longer than {MAX_WORDS} words; shorten it")
    return word


def no_repeats(items: Iterable[str]) -> tuple[str, ...]:
    kept: dict[str, None] = {}
    for item in items:
        if item in kept:
            raise ValueError(f"{shown(item)} is written twice; remove one")
        kept[item] = None
    return tuple(kept)


def no_repeats_sorted(items: Iterable[str]) -> tuple[str, ...]:
    """Of what is a set: in whatever order it is written, it is one value."""
    return tuple(sorted(no_repeats(items)))


def _host(text: str) -> str:
    host = text.strip().lower().removeprefix(".")
    if not host.isascii():
        raise ValueError(f"{shown(text)} is not ASCII; write it in punycode (xn--…)")
    if len(host) > _MAX_HOST or not _HOST.fullmatch(host):
        raise ValueError(f"{shown(text)} is no host or suffix; write it like gov.bg or example.org")
    return host


def _line(text: str) -> str:
    line = " ".join(text.split())
    if not 0 < len(line) <= _MAX_LINE:
        raise ValueError(f"write one to {_MAX_LINE} characters")
    return line


def _language(code: str) -> str:
    if code not in LANGUAGES:
        raise ValueError(f"{shown(code)} is no language code; use two letters of ISO 639-1, such as en or el")
    return code


def _name(text: str) -> str:
    if not _NAME.fullmatch(text):
        raise ValueError(f"{shown(text)} is no name; use up to 40 small letters, digits, - and _")
    return text


def _code(kind: str, shortest: int, longest: int) -> AfterValidator:
    def code(text: str) -> str:
        if not (text.isascii() and text.isalpha() and text.isupper() and shortest <= len(text) <= longest):
            raise ValueError(f"{shown(text)} is no {kind}")
        return text

    return AfterValidator(code)


def _number(value: object) -> object:
    if isinstance(value, bool):
        raise ValueError("write a number")  # true would count as one
    return value


def _strength(value: object) -> object:
    """The three names stand for numbers; a number stands for itself."""
    if not isinstance(value, str):
        return value
    if value in STRENGTHS:
        return STRENGTHS[value]
    if value[:1].isalpha():
        raise ValueError(f"{shown(value)} is no strength; use strong, medium, weak or a number up to 1.00")
    return value


Language = Annotated[str, AfterValidator(_language)]
Languages = Annotated[tuple[Language, ...], Field(min_length=1), AfterValidator(no_repeats)]

# Words are a set: their order says nothing, so they are kept sorted.
Words = Annotated[tuple[str, ...], AfterValidator(lambda texts: no_repeats_sorted(map(_checked_word, texts)))]
# Terms keep their order: the first is the one that is shown or searched for.
Terms = Annotated[tuple[str, ...], AfterValidator(lambda texts: no_repeats(map(_checked_word, texts)))]
WordsByLanguage = Mapping[Language, Words]
TermsByLanguage = Mapping[Language, Terms]

Hosts = Annotated[tuple[str, ...], AfterValidator(lambda texts: no_repeats_sorted(map(_host, texts)))]

_TWO_PLACES = AfterValidator(lambda value: value.quantize(PLACES))
Score = Annotated[Decimal, Field(ge=0, le=1, decimal_places=2), _TWO_PLACES]
Strength = Annotated[Decimal, BeforeValidator(_strength), Field(gt=0, le=1, decimal_places=2), _TWO_PLACES]
# Ten is far above any useful weight and catches a slipped decimal point.
Weight = Annotated[Decimal, Field(gt=0, le=10, decimal_places=2), _TWO_PLACES]

Line = Annotated[str, AfterValidator(_line)]
Count = Annotated[int, Field(strict=True, ge=1, le=2**31 - 1)]
Switch = Annotated[bool, Field(strict=True)]
Seconds = Annotated[float, BeforeValidator(_number), Field(gt=0, le=3_600)]
# A key people choose: the name of a group, of an organisation type, of a profile.
Name = Annotated[str, AfterValidator(_name)]
# Two letters are a country (ISO 3166-1); a longer code is a region of the profile's own making.
PlaceCode = Annotated[str, _code("code of a place; use capital letters, such as BG or BALKANS", 2, 12)]
CountryCode = Annotated[str, _code("country code; use two capital letters, such as BG", 2, 2)]
CurrencyCode = Annotated[str, _code("currency code; use three capital letters, such as EUR", 3, 3)]
