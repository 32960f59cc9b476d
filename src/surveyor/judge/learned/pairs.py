"""What pairs of signs add, summed without looking at each pair: a result with twenty signs has two hundred.

The weights of all pairs of a sign stand side by side in one whole number, each in a lane of its own. Adding
the numbers of the signs that are there adds up every lane at once; the lanes of the same signs are the sum.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Final

from surveyor.judge.learned.features import MEETS

# Digits kept of a weight: more change no score.
DIGITS: Final = 4
_ONE: Final = 10**DIGITS
# Bytes of a lane, and what keeps it above nothing: weights are small, and some are negative.
_LANE: Final = 4
_MIDDLE: Final = 1 << (8 * _LANE - 1)


class Pairs:
    """The weights of pairs of signs, by the sign that stands first in a pair's name."""

    def __init__(self, weights: Mapping[str, float]) -> None:
        named = [
            (one, other, weight)
            for name, weight in weights.items()
            for one, meets, other in (name.partition(MEETS),)
            if meets and one != other  # a sign does not meet itself
        ]
        signs = sorted({sign for one, other, _ in named for sign in (one, other)})
        self._lanes = {sign: lane for lane, sign in enumerate(signs)}
        self._rows = dict.fromkeys(signs, 0)
        for one, other, weight in named:
            self._rows[one] += round(weight * _ONE) << 8 * _LANE * self._lanes[other]
        self._middles = sum(_MIDDLE << 8 * _LANE * lane for lane in self._lanes.values())
        self._size = _LANE * len(signs)

    def of(self, signs: Iterable[str]) -> float:
        """The sum of the weights of all pairs among these signs."""
        known = [*filter(self._rows.__contains__, signs)]
        rows = sum(map(self._rows.__getitem__, known), self._middles)
        lanes = memoryview(rows.to_bytes(self._size, "little")).cast("I")
        total = sum(map(lanes.__getitem__, map(self._lanes.__getitem__, known)))
        return (total - len(known) * _MIDDLE) / _ONE
