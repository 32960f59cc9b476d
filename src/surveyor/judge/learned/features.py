"""What the learned judge looks at: stems of words, words of the path, signs, and the other judges' scores.

Words are hashed into a fixed number of buckets, so that weights hold no text of anybody, and two words share
one now and then. All words of a text together are as loud as one sign: a long snippet has no louder voice
than a short one.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from math import sqrt
from typing import Final, NamedTuple
from urllib.parse import unquote

from xxhash import xxh3_64_intdigest

from surveyor.judge.reading import Reading
from surveyor.judge.values import FULL
from surveyor.words.cutting import ENDS, LONGEST, words_of

BUCKETS: Final = 1 << 16
# Letters of a word that count: the rest is inflection in most languages.
_STEM: Final = 6
TEXT, PATH = "w", "p"


class Features(NamedTuple):
    """Hashed words with their strength, and signs with theirs."""

    hashed: dict[int, float]
    signs: dict[str, float]


def of_reading(reading: Reading, scores: Iterable[tuple[str, int]]) -> Features:
    """`scores` are what the other judges gave, in hundredths."""
    hashed: dict[int, float] = {}
    for group, words in ((TEXT, text_words(reading)), (PATH, path_words(reading))):
        loudness = loudness_of(words)
        for word in words:
            hashed[bucket(group, word)] = loudness
    return Features(hashed, with_scores(reading, scores))


def with_scores(reading: Reading, scores: Iterable[tuple[str, int]]) -> dict[str, float]:
    return reading.signs | {f"judge {name}": score / FULL for name, score in scores}


def text_words(reading: Reading) -> set[str]:
    return {*reading.words} - ENDS


def path_words(reading: Reading) -> set[str]:
    path = reading.hit.url[:LONGEST].partition("://")[2].partition("/")[2]
    return {*words_of(unquote(path))} if path else set()


def loudness_of(words: set[str]) -> float:
    """How loud each of so many words is."""
    return 1 / sqrt(len(words) or 1)


def bucket(group: str, word: str) -> int:
    return xxh3_64_intdigest(f"{group}:{word[:_STEM]}".encode("utf-8", "replace")) % BUCKETS


def named(features: Features) -> Mapping[str, float]:
    """All features under one kind of name, for training."""
    return {**{f"#{number}": strength for number, strength in features.hashed.items()}, **features.signs}
