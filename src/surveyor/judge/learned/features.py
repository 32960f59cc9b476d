"""What the learned judge looks at: stems of words and of the path, the host, signs, and pairs of signs.

Words are hashed into a fixed number of buckets, so that weights hold no text of anybody, and two words share
one now and then. Each group of words is scaled to a fixed norm: a long snippet weighs no more than a short
one. The host weighs more than the words, for it says who speaks.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from itertools import combinations
from math import sqrt
from typing import Final, NamedTuple
from urllib.parse import unquote

from xxhash import xxh3_64_intdigest

from surveyor.judge.reading import Reading
from surveyor.judge.signs import BELIEVED
from surveyor.words.cutting import ENDS, LONGEST, words_of

BUCKETS: Final = 1 << 16
# Letters of a word that count: the rest is inflection in most languages.
_STEM: Final = 6
# Letters of a piece of a host: hosts write their words together.
_PIECE: Final = 4
# Stands between two signs that meet in one result.
MEETS: Final = "*"


class Features(NamedTuple):
    """Hashed words with their strength, and signs with theirs."""

    hashed: dict[int, float]
    signs: dict[str, float]


def of_reading(reading: Reading) -> Features:
    hashed: dict[int, float] = {}
    for group, words_of_group in GROUPS.items():
        words = words_of_group(reading)
        scale = scale_of(group, len(words))
        for word in words:
            hashed[bucket(group, word)] = scale
    return Features(hashed, reading.signs)


def text_words(reading: Reading) -> set[str]:
    words = {*reading.words}
    words -= ENDS
    return words


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


def site(reading: Reading) -> set[str]:
    return site_of(reading.domain)


def site_of(domain: str) -> set[str]:
    """The last two names of a host: all hosts of one owner, as far as that shows."""
    name = domain.partition(":")[0]
    return {name[name.rfind(".", 0, name.rfind(".")) + 1 :]} if name else set()


# Groups of words by the letter that tells them apart in a bucket.
TEXT, PATH, HOST, SITE = "w", "p", "h", "s"
GROUPS: Final[Mapping[str, Callable[[Reading], set[str]]]] = {
    TEXT: text_words,
    PATH: path_words,
    HOST: host_pieces,
    SITE: site,
}
# The norm of a group; found by cross-validation over the results that are learned from.
_SCALE: Final = {TEXT: 1.0, PATH: 1.0, HOST: 2.0, SITE: 2.0}


def scale_of(group: str, words: int) -> float:
    """The value of each of so many words of a group."""
    return _SCALE[group] / sqrt(words or 1)


def bucket(group: str, word: str) -> int:
    """Where the weight of a word stands; words and hosts are without halves of a surrogate pair."""
    return xxh3_64_intdigest(f"{group}:{word if group == SITE else word[:_STEM]}".encode()) % BUCKETS


def stem_of(word: str) -> str:
    return word[:_STEM]


def meeting(signs: Iterable[str]) -> list[str]:
    """Signs that can meet, in the order in which pairs of them are named."""
    return sorted({*signs} - {BELIEVED})


def pair_scale(met: int) -> float:
    """The value of each pair of so many signs."""
    return 1 / sqrt(met * (met - 1) / 2 or 1)


def pair(one: str, other: str) -> str:
    return f"{one}{MEETS}{other}"


def named(features: Features) -> Mapping[str, float]:
    """All features under one kind of name, for training; sorted, since sums depend on the order."""
    met = meeting(features.signs)
    scale = pair_scale(len(met))
    found = {
        **{f"#{number}": strength for number, strength in features.hashed.items()},
        **features.signs,
        **{pair(one, other): scale for one, other in combinations(met, 2)},
    }
    return dict(sorted(found.items()))
