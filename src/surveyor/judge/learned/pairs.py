"""What signs add, and pairs of them, without looking at each pair: twenty signs have two hundred.

The weights of all pairs of a sign stand side by side in one whole number, each in a lane of its own. Adding
the numbers of the signs that are there adds up every lane at once; the lanes of the same signs are the sum.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from surveyor.judge.learned.features import MEETS

# Digits kept of a weight: more change no score.
DIGITS: Final = 4
_ONE: Final = 10**DIGITS
# Bytes of a lane, and what keeps it above nothing: weights are small, and some are negative.
_LANE: Final = 4
_MIDDLE: Final = 1 << (8 * _LANE - 1)


class SignWeights:
    """The weights of signs, and those of pairs by the sign that stands first in a pair's name."""

    def __init__(self, weights: Mapping[str, float]) -> None:
        alone = {name for name in weights if MEETS not in name}
        pairs = [
            (one, other, weight)
            for name, weight in weights.items()
            for one, meets, other in (name.partition(MEETS),)
            if meets and one != other  # a sign does not meet itself
        ]
        signs = sorted(alone.union(*((one, other) for one, other, _ in pairs)))
        lanes = {sign: lane for lane, sign in enumerate(signs)}
        rows = dict.fromkeys(signs, 0)
        for one, other, weight in pairs:
            rows[one] += round(weight * _ONE) << 8 * _LANE * lanes[other]
        self._known = {sign: (weights.get(sign, 0.0), rows[sign], lanes[sign]) for sign in signs}
        self._middles = sum(_MIDDLE << 8 * _LANE * lane for lane in lanes.values())
        self._size = _LANE * len(signs)

    def of(self, signs: Mapping[str, float]) -> tuple[float, float]:
        """The sum of the weights of these signs by their strength, and that of all pairs among them."""
        known = self._known
        total, rows, lanes = 0.0, self._middles, []
        for sign, strength in signs.items():
            if sign in known:
                weight, row, lane = known[sign]
                total += weight * strength
                rows += row
                lanes.append(lane)
        added = memoryview(rows.to_bytes(self._size, "little")).cast("I")
        return total, (sum([added[lane] for lane in lanes]) - len(lanes) * _MIDDLE) / _ONE
