"""Word lists and patterns of the readers, from TOML files beside the code, compiled once.

A list has a name and some words per language, so that somebody who knows a language can mend it without
reading code. Patterns match plain text (see `fields.plain`) in all languages at once: pages mix them.
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Iterable
from functools import cache
from importlib import resources
from typing import Any

from surveyor.extract.fields.normalize import any_of, plain


@cache
def words(file: str, name: str) -> tuple[str, ...]:
    """The words of a list in all languages; `file` without its ending."""
    lists: dict[str, list[str]] = _read(file)[name]
    return tuple(word for language in lists.values() for word in language)


@cache
def listed(file: str, name: str, key: str) -> tuple[str, ...]:
    """The words of a list in one language; none where it has none."""
    return tuple(_read(file)[name].get(key, ()))


@cache
def cues(file: str, *names: str) -> re.Pattern[str]:
    """A pattern for any word of these lists."""
    return re.compile(any_of(word for name in names for word in words(file, name)))


def patterns(file: str, name: str, **holes: str) -> tuple[re.Pattern[str], ...]:
    """The patterns of a list, in order; `{hole}` in one becomes the pattern given for it."""
    filled = list(words(file, name))
    for hole, pattern in holes.items():
        filled = [one.replace(f"{{{hole}}}", pattern) for one in filled]
    return tuple(map(re.compile, filled))


@cache
def alternatives(file: str, name: str) -> str:
    """One pattern for any of the patterns of a list."""
    return "(?:" + "|".join(words(file, name)) + ")"


@cache
def table(file: str, name: str) -> dict[str, str]:
    """Each word of a list in plain form with the key it stands under: a month's number, a currency's code."""
    lists: dict[str, list[str]] = _read(file)[name]
    return {plain(word): key for key, listed in lists.items() for word in listed}


@cache
def languages() -> frozenset[str]:
    """The languages that have words for labels, offers and refusals."""
    return frozenset(_read("records")["label_amount"])


def missing_words(wanted: Iterable[str]) -> str | None:
    """What will not work for languages without a word list, in a sentence; None where all have one."""
    without = sorted(set(wanted) - languages())
    if not without:
        return None
    return (
        f"no word list for {', '.join(without)}: text, contacts, structured data, sums and written dates"
        " are read; programmes, opportunities and who may apply are found only where pages mark them"
        f" or use another language (there are lists for {', '.join(sorted(languages()))});"
        " kinds that a profile declares are read by its own words"
    )


@cache
def _read(file: str) -> dict[str, Any]:
    return tomllib.loads(
        (resources.files("surveyor.extract") / "wordlists" / f"{file}.toml").read_text("utf-8")
    )
