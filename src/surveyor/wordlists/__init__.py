"""The words that stages look for, in one folder and one form, so that a language is added in one place.

`extract/money.toml` is read as `read("extract/money")`: lists by name, and in each the words of every
language by its code (where words are names of something, by what they name: a currency, a country). The head
of a file says what its words may contain (`*`, a regular expression); the stage that reads it matches texts.
"""

from __future__ import annotations

import tomllib
from collections.abc import Mapping
from functools import cache
from importlib import resources
from pathlib import Path

Words = Mapping[str, Mapping[str, tuple[str, ...]]]


@cache
def read(file: str) -> Words:
    """All lists of one file, `stage/subject`; words in the order in which they are written."""
    text = (resources.files(__package__) / f"{file}.toml").read_text("utf-8")
    return {
        name: {key: tuple(words) for key, words in keys.items()} for name, keys in tomllib.loads(text).items()
    }


def words(file: str, *names: str) -> tuple[str, ...]:
    """The words of lists of a file in all languages, in the order in which they are written."""
    return tuple(word for name in names for listed in read(file)[name].values() for word in listed)


def alternatives(file: str, *names: str) -> str:
    """One regular expression for any word of lists whose words are regular expressions."""
    return f"(?:{'|'.join(words(file, *names))})"


def files() -> list[str]:
    """Every file, as `read` takes it."""
    folder = Path(__file__).parent
    return sorted(str(path.relative_to(folder).with_suffix("")) for path in folder.glob("*/*.toml"))
