"""The learned judge's model: weights, how probably a result is wanted, and the strongest reasons.

A model is a short JSON text that names what it was made from. Its probabilities are calibrated: of results
that get 0.60, about 60 in 100 are wanted.
"""

from __future__ import annotations

import gzip
import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from importlib import resources
from itertools import combinations
from math import exp
from typing import Any, Final, NamedTuple, Self

from xxhash import xxh3_64_hexdigest

from surveyor.errors import BadInput
from surveyor.judge.learned.features import BUCKETS, MEETS, Features, meeting, pair, pair_scale
from surveyor.judge.signs import BELIEVED

VERSION: Final = 3
# Digits kept of a weight: more change no score.
DIGITS: Final = 4
_ONE: Final = 10**DIGITS
# Bytes of a lane, and what keeps it above nothing: weights are small, and some are negative.
_LANE: Final = 4
_MIDDLE: Final = 1 << (8 * _LANE - 1)


class Reason(NamedTuple):
    """What a sign, the words or the host add to the sum (logits); negative: against."""

    name: str
    weight: float


def strongest_first(reasons: Iterable[Reason]) -> list[Reason]:
    return sorted(reasons, key=lambda reason: -abs(reason.weight))


class SignWeights:
    """What signs add, and pairs of them, without looking at each pair: twenty signs have two hundred.

    The weights of all pairs of a sign stand side by side in one whole number, each in a lane of its own.
    Adding the numbers of the signs that are there adds up every lane at once; the lanes of the same signs
    are the sum.
    """

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


@dataclass(frozen=True, slots=True)
class Model:
    bias: float
    signs: Mapping[str, float]
    hashed: Mapping[int, float]
    manifest: Mapping[str, Any] = field(default_factory=dict)
    """What it was made from, and how well it did on what it had not seen."""
    bend: float = 1.0
    """How much of a sum above nothing is logits: what speaks for a result adds less and less."""
    _of_signs: SignWeights = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "_of_signs", SignWeights(self.signs))  # looked up for every result

    @property
    def fingerprint(self) -> str:
        """Tells this model from every other, in eight letters."""
        return xxh3_64_hexdigest(self.to_bytes())[:8]

    def total(self, of: Features) -> float:
        """The logits of the sum; `in_hundredths` makes a probability of it."""
        return self.logit(self.sum_of(of))

    def sum_of(self, of: Features) -> float:
        known = self.hashed
        words = sum([known[number] * strength for number, strength in of.hashed.items() if number in known])
        return self.bias + self.of_signs(of.signs) + words

    def logit(self, total: float) -> float:
        return total * self.bend if total > 0 else total

    def of_signs(self, signs: Mapping[str, float]) -> float:
        """What the signs add, each by itself and where two meet."""
        alone, in_pairs = self._of_signs.of(signs)
        return alone + in_pairs * pair_scale(len(signs) - (BELIEVED in signs))

    def reasons(self, signs: Mapping[str, float]) -> list[Reason]:
        """What each sign adds, the strongest first; what two signs add together is shared by both."""
        adds = {name: self.signs.get(name, 0.0) * strength for name, strength in signs.items()}
        met = meeting(signs)
        half = pair_scale(len(met)) / 2
        for one, other in combinations(met, 2):
            weight = self.signs.get(pair(one, other), 0.0) * half
            adds[one] += weight
            adds[other] += weight
        return strongest_first(Reason(name, weight) for name, weight in adds.items() if weight)

    def to_bytes(self) -> bytes:
        kept = {
            "version": VERSION,
            "buckets": BUCKETS,
            "bias": self.bias,
            "bend": self.bend,
            "manifest": self.manifest,
            "signs": dict(sorted(self.signs.items())),
            "hashed": {str(number): weight for number, weight in sorted(self.hashed.items())},
        }
        return json.dumps(kept, separators=(",", ":"), ensure_ascii=False).encode()

    @classmethod
    def from_bytes(cls, raw: bytes) -> Self:
        """The model that `to_bytes` wrote; BadInput for anything else."""
        try:
            kept = json.loads(raw)
            if (kept["version"], kept["buckets"]) != (VERSION, BUCKETS):
                raise BadInput("the model was made by another version; run `surveyor judge --train` again")
            signs = {str(name): float(weight) for name, weight in kept["signs"].items()}
            hashed = {int(number): float(weight) for number, weight in kept["hashed"].items()}
            bend = float(kept.get("bend", 1.0))  # models made before it was known have none
            return cls(float(kept["bias"]), signs, hashed, kept["manifest"], bend)
        except (ValueError, KeyError, TypeError, AttributeError) as error:
            raise BadInput("this is no model; run `surveyor judge --train` again") from error


def probability(total: float) -> float:
    return 1 / (1 + exp(-max(-30.0, min(30.0, total))))


def in_hundredths(total: float) -> int:
    return round(100 * probability(total))


def shipped(profile: str) -> Model | None:
    """The model that comes with the program for a built-in profile; None where there is none."""
    file = resources.files("surveyor.judge.learned") / "weights" / f"{profile}.json.gz"
    return Model.from_bytes(gzip.decompress(file.read_bytes())) if file.is_file() else None
