"""Lists of words, written as people write them: one after the other."""

from __future__ import annotations


def words(text: str) -> frozenset[str]:
    """The words of a list."""
    return frozenset(text.split())
