"""The function words of each language, read once from the list beside this module."""

from __future__ import annotations

import tomllib
from collections.abc import Mapping
from pathlib import Path
from types import MappingProxyType

from surveyor.words.text import tokens


def _read() -> dict[str, frozenset[str]]:
    lists = tomllib.loads(Path(__file__).with_name("function_words.toml").read_text("utf-8"))
    return {language: frozenset(tokens(words)) for language, words in lists.items()}


FUNCTION_WORDS: Mapping[str, frozenset[str]] = MappingProxyType(_read())
LANGUAGES: tuple[str, ...] = tuple(FUNCTION_WORDS)
