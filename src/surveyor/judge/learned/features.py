"""What the learned judge looks at: stems of words, of the title once more, of the path; the host; signs.

Words are hashed into a fixed number of buckets, so that weights hold no text of anybody, and two words share
one now and then. All words of a text together are as loud as one sign: a long snippet has no louder voice
than a short one.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping
from math import sqrt
from typing import Final, NamedTuple
from urllib.parse import unquote

from xxhash import xxh3_64_intdigest

from surveyor.judge.reading import Reading
from surveyor.words.cutting import ENDS, LONGEST, TITLE_ENDS, words_of

BUCKETS: Final = 1 << 16
# Letters of a word that count: the rest is inflection in most languages.
_STEM: Final = 6
# Letters of a piece of a host: hosts write their words together.
_PIECE: Final = 4


class Features(NamedTuple):
    """Hashed words with their strength, and signs with theirs."""

    hashed: dict[int, float]
    signs: dict[str, float]


def of_reading(reading: Reading) -> Features:
    hashed: dict[int, float] = {}
    for group, words_of_group in GROUPS.items():
        words = words_of_group(reading)
        loudness = loudness_of(words)
        for word in words:
            hashed[bucket(group, word)] = loudness
    return Features(hashed, reading.signs)


def text_words(reading: Reading) -> set[str]:
    return {*reading.words} - ENDS


def title_words(reading: Reading) -> set[str]:
    words = reading.words
    return {*words[: words.index(TITLE_ENDS)]} - ENDS if TITLE_ENDS in words else set()


def path_words(reading: Reading) -> set[str]:
    path = reading.hit.url[:LONGEST].partition("://")[2].partition("/")[2]
    if not path:
        return set()
    return {*words_of(unquote(path) if "%" in path else path)}


def host_pieces(reading: Reading) -> set[str]:
    return pieces_of(reading.domain)


def pieces_of(domain: str) -> set[str]:
    name = domain.partition(":")[0]
    return {name[start : start + _PIECE] for start in range(len(name) - _PIECE + 1)}


# Groups of words by the letter that tells them apart in a bucket.
TEXT, TITLE, PATH, HOST = "w", "t", "p", "h"
GROUPS: Final[Mapping[str, Callable[[Reading], set[str]]]] = {
    TEXT: text_words,
    TITLE: title_words,
    PATH: path_words,
    HOST: host_pieces,
}


def loudness_of(words: Collection[str]) -> float:
    """How loud each of so many words is."""
    return 1 / sqrt(len(words) or 1)


def bucket(group: str, word: str) -> int:
    return xxh3_64_intdigest(f"{group}:{word[:_STEM]}".encode("utf-8", "replace")) % BUCKETS


def named(features: Features) -> Mapping[str, float]:
    """All features under one kind of name, for training."""
    return {**{f"#{number}": strength for number, strength in features.hashed.items()}, **features.signs}
