"""Addresses as people type them into a cell; pure.

A cell may hold a bare name, a URL, several of either, or a sentence around one. E-mail addresses
are none, and neither are the words people write where there is no website.
"""

from __future__ import annotations

import re
from typing import Final

from surveyor.errors import NotADomain
from surveyor.names import NameRules, canonical_domain

_SPLIT = re.compile(r"[\s;|\"<>]+|,(?=\s|$)|(?<=[a-z]),(?=www\.|https?:)", re.IGNORECASE)
_AROUND = ".,;:!?()[]<>\"'“”„«»‘’‹›…–—•·*†®™©¹²³"
# What begins like this is meant as an address, in whichever case.
_MEANT = re.compile(r"(?:https?://|www\.)", re.IGNORECASE)
# A bare name among other words: written small, or "Mr.Smith" would be one.
_BARE = re.compile(r"(?=[^.]*[^\W\d_])[^\W_A-Z][^\sA-Z@/]*\.[^\W\d_A-Z]{2,24}(?:/[^\s@]*)?")
_SAID_FOR_NONE = """
    - -- – — . ? x n/a na n.a. none no nil null tbc tbd unknown keine kein k.a. entfällt aucun néant
    ninguno ninguna nessuno brak geen нет отсутствует
"""
_NOTHING: Final = frozenset(_SAID_FOR_NONE.split())


def says_nothing(cell: str) -> bool:
    """The cell is empty, or says that there is no address."""
    text = cell.strip().lower()
    return not text or text in _NOTHING


def addresses_in(cell: str, rules: NameRules) -> list[str]:
    """The addresses of a cell, as they are written; empty if it holds none."""
    text = cell.strip()
    if not text or "." not in text:
        return []
    if not any(char.isspace() for char in text) and _is_address(text, rules):
        return [text]
    parts = [part.strip(_AROUND) for part in _SPLIT.split(text)]
    alone = len([part for part in parts if part]) == 1
    return [part for part in parts if (alone or _stands_out(part)) and _is_address(part, rules)]


def listed_addresses(line: str, rules: NameRules) -> list[str]:
    """The addresses of a line that holds nothing else but signs and numbers of a list; empty if it does."""
    parts = [part.strip(_AROUND) for part in _SPLIT.split(line)]
    words = [part for part in parts if any(char.isalpha() for char in part)]
    return words if all(_is_address(word, rules) for word in words) else []


def _stands_out(part: str) -> bool:
    return _MEANT.match(part) is not None or _BARE.fullmatch(part) is not None


def _is_address(text: str, rules: NameRules) -> bool:
    if "." not in text or "@" in text:
        return False
    try:
        canonical_domain(text, rules)
    except NotADomain:
        return False
    return True
