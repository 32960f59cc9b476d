"""Words by which surroundings are recognised where no element is named for them, in seven languages.

The lists stand in `phrases.toml`; they are compared through `surveyor.words.tokens`, so capitals and Greek
accents do not matter.
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Iterable
from pathlib import Path
from typing import Final

from surveyor.words import tokens

COOKIES: Final = re.compile(
    r"cookie|бисквитк|consent|съгласие|einwilligung|consentement|consimțămân|συγκατάθεσ|consentimiento",
    re.IGNORECASE,
)
COOKIE: Final = re.compile(r"cookie|бисквитк", re.IGNORECASE)
# What only the foot of a page says.
FOOT: Final = re.compile(
    r"©|\(c\)\s*\d{4}|copyright|all rights reserved|alle rechte vorbehalten|tous droits réservés"
    r"|всички права запазени|toate drepturile rezervate|πνευματικά δικαιώματα|todos los derechos reservados"
    r"|powered by|webmaster|you are visitor|посетител номер|1024\s?x\s?768|800\s?x\s?600",
    re.IGNORECASE,
)
# How somebody can be reached: a telephone number, an address of mail, a town with its postal code.
REACHED: Final = re.compile(
    r"\b(?:tel|phone|fon|тел|τηλ|tél|t)\b\.?:?\s?[+(]?\d|\S@\S|\b\d{4,6}\s[^\W\d_]{3}", re.IGNORECASE
)
# A date, and who wrote it: "Tuesday 6 October 2026, by the office".
_DATED_AND_SIGNED: Final = re.compile(
    r"(?:[^\W\d_]{2,12}\.?,?\s)?\d{1,2}[. /-]{1,2}[^\W_]{1,12}[. /-]{1,2}\d{4}[^\w]{1,4}"
    r"(?:by|par|von|от|de|din partea|από|por|autor|author)\b",
    re.IGNORECASE,
)
_ONLY_DATE: Final = re.compile(
    r"\W{0,3}\d{1,2}[./-]\d{1,2}[./-]\d{2,4}(?:,? {1,3}\d{1,2}[:.]\d{2}(?: Uhr)?)?\W{0,3}"
)
_SIGNED: Final = 80  # characters
_DIGIT: Final = re.compile(r"\d")


def _beginnings(written: dict[str, str]) -> dict[str, list[tuple[str, ...]]]:
    """Phrases of all languages by their first word."""
    by_first: dict[str, list[tuple[str, ...]]] = {}
    for phrase in "|".join(written.values()).replace("\n", "|").split("|"):
        if words := tuple(tokens(phrase)):
            by_first.setdefault(words[0], []).append(words)
    return by_first


_LISTS: Final = tomllib.loads(Path(__file__).with_name("phrases.toml").read_text("utf-8"))
_LEADING_AWAY: Final = _beginnings(_LISTS["leads_away"])
_STAMPED: Final = _beginnings(_LISTS["stamps"])


def leads_away(heading: str) -> bool:
    """Whether a heading stands over other pages, other people's words, or what surrounds a page.

    A phrase of one word must be the whole heading: "News" is one, "News for applicants" is not.
    """
    words = tokens(heading[:120])
    return any(
        tuple(words[: len(phrase)]) == phrase and (len(phrase) > 1 or len(words) == 1)
        for phrase in _begun(words, _LEADING_AWAY)
    )


def is_stamp(line: str) -> bool:
    """Whether a short line tells who wrote the page, and when."""
    if len(line) > 140 or _DIGIT.search(line) is None:
        return False
    if _ONLY_DATE.fullmatch(line):
        return True
    words = tokens(line)
    if any(tuple(words[: len(phrase)]) == phrase for phrase in _begun(words, _STAMPED)):
        return True
    return len(line) <= _SIGNED and _DATED_AND_SIGNED.match(line) is not None


def _begun(words: list[str], phrases: dict[str, list[tuple[str, ...]]]) -> Iterable[tuple[str, ...]]:
    return phrases.get(words[0], ()) if words else ()
