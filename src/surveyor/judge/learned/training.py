"""From labelled results to a model: ridge regression with Platt scaling, the same from the same examples.

The labels (one for wanted, minus one for not) are fitted by least squares with an L2 penalty on the distance
to the starting weights: zero, or the model that is trained further. Slope and shift, which make a probability
of a sum, are fitted on examples that were not trained on, all results of one query on the same side: what a
model says of those it knows is too sure.

What speaks against a result adds up; what speaks for it soon adds little: of the surest some are still news.
So the logit is steeper below one half than above it. Fitted beside slope and shift the bend is the same for
both profiles: it is no third number to fit, but part of the link.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from hashlib import sha256
from math import sqrt
from operator import mul
from typing import Final, NamedTuple, Self

from surveyor.judge.learned.features import MEETS, Features, named
from surveyor.judge.learned.model import DIGITS, Model, probability
from surveyor.judge.signs import BELIEVED

# The L2 penalty. Greater for signs than for words, which are hardly ever there; all found by
# cross-validation over the results that are learned from.
_RIDGE: Final = 4.0
_RIDGE_SIGN: Final = 13.0
_RIDGE_BELIEVED: Final = 1.0
# Examples that must have a word, or two signs together, before it counts.
_SEEN: Final = 2
# Steps of conjugate gradients, and what is left to find when they end.
_STEPS: Final = 80
_LEFT: Final = 1e-8
# What a logit usually is in the measure of the labels, and how many examples it takes to say otherwise.
_MEASURE: Final = 0.25
_TRUST: Final = 10.0
# How much of a sum above nothing is logits; fitted, it is 0.43 (community) and 0.42 (funding).
BEND: Final = 0.5
# Parts into which the examples are cut to measure the model on what it has not seen.
PARTS: Final = 8
# Steps in which slope and shift are found; they are two, and close after a few.
_FITTING_STEPS: Final = 1_000
_FITTING_STEP: Final = 1.0


class Example(NamedTuple):
    features: Features
    wanted: bool
    group: str
    """Examples of one group (a query, a domain) are measured together."""
    weight: float = 1.0
    """How much of an example it is: one that was written counts less than one that was found."""


class Scored(NamedTuple):
    """What a model that has not seen an example made of it, in logits where it is calibrated."""

    total: float
    wanted: bool


class Trained(NamedTuple):
    model: Model
    unseen: Sequence[Scored]


def train(
    examples: Sequence[Example],
    begin: Model | None = None,
    contrast: Sequence[Example] = (),
    held: float = 1.0,
) -> Trained:
    """A model of all examples, and what models of the other parts made of each example, in order.

    `held` is how many times as strongly as usual weights are held where they begin: more for results that say
    much the same as those before them.

    `contrast` is learned from and neither measured nor calibrated with: results of other searches, without
    which nothing would tell that a result must be about the subject at all, and results that were written,
    which show what search engines seldom bring.
    """
    parts = [part_of(example.group) for example in examples]
    unseen: list[Scored | None] = [None] * len(examples)
    for part in range(PARTS):
        others = [example for example, where in zip(examples, parts, strict=True) if where != part]
        bias, weights = _learn(others, begin, contrast, held)
        for place, example in enumerate(examples):
            if parts[place] == part:
                unseen[place] = Scored(_total(bias, weights, named(example.features)), example.wanted)
    scored = [each for each in unseen if each is not None]
    slope, shift = fitted(scored)
    bias, weights = _learn(examples, begin, contrast, held)
    signs, hashed = {}, {}
    for name, weight in weights.items():
        rounded = round(weight * slope, DIGITS)
        if not rounded:
            continue
        if name.startswith("#"):
            hashed[int(name[1:])] = rounded
        else:
            signs[name] = rounded
    model = Model(round(bias * slope + shift, DIGITS), signs, hashed, bend=BEND)
    return Trained(model, [Scored(model.logit(each.total * slope + shift), each.wanted) for each in scored])


def left_out(
    examples: Sequence[Example], is_left: Sequence[bool], contrast: Sequence[Example] = ()
) -> list[Scored]:
    """What a model of the other examples makes of those that are left out; ranked, not calibrated."""
    others = [example for example, left in zip(examples, is_left, strict=True) if not left]
    bias, weights = _learn(others, None, contrast)
    return [
        Scored(_total(bias, weights, named(example.features)), example.wanted)
        for example, left in zip(examples, is_left, strict=True)
        if left
    ]


def part_of(group: str) -> int:
    """The part in which all examples of a group are measured."""
    return int.from_bytes(sha256(group.encode("utf-8", "replace")).digest()[:4], "big") % PARTS


def _learn(
    examples: Sequence[Example], begin: Model | None, contrast: Sequence[Example], held: float = 1.0
) -> tuple[float, dict[str, float]]:
    everything = [*examples, *contrast]
    rows = [named(example.features) for example in everything]
    seen = Counter(name for row in rows for name in row)
    often = {name for name, count in seen.items() if count >= _SEEN or _is_sign(name)}
    start = _started(examples, rows[: len(examples)], begin) if begin else {}
    names = sorted(often | start.keys() - {""})
    place = {name: number for number, name in enumerate(names, 1)}  # the first is the bias
    sparse = _Sparse([_numbered(row, place) for row in rows], len(names) + 1)
    origin = [start.get("", 0.0), *(start.get(name, 0.0) for name in names)]
    wanted = [1.0 if example.wanted else -1.0 for example in everything]
    missed = [want - said for want, said in zip(wanted, sparse.times(origin), strict=True)]
    scale = [sqrt(example.weight) for example in everything]
    penalties = [0.0, *(held * _penalty(name) for name in names)]
    moved = _least_squares(sparse.weighted(scale), [*map(mul, missed, scale)], penalties)
    bias, *weights = [begun + step for begun, step in zip(origin, moved, strict=True)]
    return bias, dict(zip(names, weights, strict=True))


def _numbered(row: Mapping[str, float], place: Mapping[str, int]) -> tuple[list[int], list[float]]:
    known = [(place[name], value) for name, value in row.items() if name in place]
    return [0, *(number for number, _ in known)], [1.0, *(value for _, value in known)]


def _is_sign(name: str) -> bool:
    return not name.startswith("#") and MEETS not in name


def _penalty(name: str) -> float:
    if name == BELIEVED:
        return _RIDGE_BELIEVED
    return _RIDGE_SIGN if _is_sign(name) else _RIDGE


def _started(
    examples: Sequence[Example], rows: Sequence[Mapping[str, float]], begin: Model
) -> dict[str, float]:
    """The weights to begin with, in the measure of the labels; none where these say the opposite."""
    weights = _weights(begin)
    totals = [_total(begin.bias, weights, row) for row in rows]
    mean = sum(totals) / len(totals)
    share = sum(1 if example.wanted else -1 for example in examples) / len(examples)
    spread = sum((total - mean) ** 2 for total in totals)
    along = sum(
        (total - mean) * ((1 if example.wanted else -1) - share)
        for total, example in zip(totals, examples, strict=True)
    )
    scale = max(0.0, (along + _MEASURE * _TRUST) / (spread + _TRUST))
    started = {name: weight * scale for name, weight in weights.items()}
    started[""] = share - scale * (mean - begin.bias)  # the bias
    return started


class _Sparse:
    """Examples as rows of a matrix that is nearly empty."""

    def __init__(self, rows: Sequence[tuple[list[int], list[float]]], width: int) -> None:
        self._rows, self._width = rows, width

    def weighted(self, factors: Sequence[float]) -> Self:
        """The same rows, each with the given weight."""
        rows = [
            (places, [value * factor for value in values])
            for (places, values), factor in zip(self._rows, factors, strict=True)
        ]
        return type(self)(rows, self._width)

    def times(self, vector: Sequence[float]) -> list[float]:
        at = vector.__getitem__
        return [sum(map(mul, map(at, places), values)) for places, values in self._rows]

    def transposed_times(self, vector: Sequence[float]) -> list[float]:
        total = [0.0] * self._width
        for (places, values), factor in zip(self._rows, vector, strict=True):
            if factor:
                for place, value in zip(places, values, strict=True):
                    total[place] += factor * value
        return total

    def squares(self) -> list[float]:
        total = [0.0] * self._width
        for places, values in self._rows:
            for place, value in zip(places, values, strict=True):
                total[place] += value * value
        return total


def _least_squares(sparse: _Sparse, wanted: Sequence[float], penalty: Sequence[float]) -> list[float]:
    """The weights of least squares with a penalty for each: conjugate gradients, preconditioned."""
    scale = [square + ridge for square, ridge in zip(sparse.squares(), penalty, strict=True)]
    found = [0.0] * len(penalty)
    left = sparse.transposed_times(wanted)
    eased = [value / by for value, by in zip(left, scale, strict=True)]
    towards = list(eased)
    size = first = sum(map(mul, left, eased))
    for _ in range(_STEPS):
        if size <= first * _LEFT or not size:
            break
        image = sparse.transposed_times(sparse.times(towards))
        image = [value + ridge * step for value, ridge, step in zip(image, penalty, towards, strict=True)]
        length = size / sum(map(mul, towards, image))
        found = [value + length * step for value, step in zip(found, towards, strict=True)]
        left = [value - length * step for value, step in zip(left, image, strict=True)]
        eased = [value / by for value, by in zip(left, scale, strict=True)]
        before, size = size, sum(map(mul, left, eased))
        towards = [value + size / before * step for value, step in zip(eased, towards, strict=True)]
    return found


def _weights(model: Model) -> dict[str, float]:
    return {**model.signs, **{f"#{number}": weight for number, weight in model.hashed.items()}}


def _total(bias: float, weights: Mapping[str, float], features: Mapping[str, float]) -> float:
    return bias + sum(weights[name] * value for name, value in features.items() if name in weights)


def fitted(scored: Sequence[Scored]) -> tuple[float, float]:
    """Slope and shift that make a probability of a sum (Platt scaling of a logit that bends)."""
    slope, shift = 1.0, 0.0
    for _ in range(_FITTING_STEPS):
        to_slope = to_shift = 0.0
        for total, wanted in scored:
            moved = slope * total + shift
            steep = BEND if moved > 0 else 1.0
            off = (probability(moved * steep) - wanted) * steep
            to_slope += off * total
            to_shift += off
        slope -= _FITTING_STEP * to_slope / len(scored)
        shift -= _FITTING_STEP * to_shift / len(scored)
    return max(slope, 0.01), shift
