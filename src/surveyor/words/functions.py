"""The function words of each language, read once from their list."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

from surveyor import wordlists
from surveyor.words.text import tokens


def _read() -> dict[str, frozenset[str]]:
    lists = wordlists.read("words/function_words")["function"]
    return {language: frozenset(tokens(" ".join(words))) for language, words in lists.items()}


FUNCTION_WORDS: Mapping[str, frozenset[str]] = MappingProxyType(_read())
LANGUAGES: tuple[str, ...] = tuple(FUNCTION_WORDS)
