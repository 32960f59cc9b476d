"""From labelled results to a model: logistic regression, the same model from the same examples everywhere.

Weights are found by gradient descent with steps that shrink per weight, drawn back to where they began: to
nothing, or to the model that is taught further. Slope and bias, which make a chance of a sum, are fitted on
examples that were not trained on, all results of one query on the same side: what a model says of those it
knows is too sure.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from hashlib import sha256
from math import sqrt
from random import Random
from typing import Final, NamedTuple

from surveyor.judge.learned.features import Features, named
from surveyor.judge.learned.model import DIGITS, Model, chance

# Passes over the examples, size of a step, what it is divided by at first.
_PASSES: Final = 30
_STEP: Final = 0.15
_SMALL: Final = 1e-2
# How strongly weights are drawn back, per example: words more than signs, for they are many and rare.
_BACK_SIGN: Final = 2e-3
_BACK_WORD: Final = 5e-2
# Examples that must have a word before it counts.
_SEEN: Final = 2
# Parts into which the examples are cut to measure the model on what it has not seen.
PARTS: Final = 8
# Steps in which slope and bias are found; they are two, and close after a few.
_FITTING_STEPS: Final = 400
_FITTING_STEP: Final = 0.5


class Example(NamedTuple):
    features: Features
    wanted: bool
    group: str
    """Examples of one group (a query, a domain) are measured together."""


class Scored(NamedTuple):
    """What a model that has not seen an example made of it."""

    total: float
    wanted: bool


class Trained(NamedTuple):
    model: Model
    unseen: Sequence[Scored]


def train(
    examples: Sequence[Example], begin: Model | None = None, contrast: Sequence[Example] = ()
) -> Trained:
    """A model of all examples, and what models of the other parts made of each example, in order.

    `contrast` is learned from and neither measured nor calibrated with: results of other searches, without
    which nothing would tell that a result must be about the subject at all.
    """
    part_of = [_part(example.group) for example in examples]
    unseen: list[Scored | None] = [None] * len(examples)
    for part in range(PARTS):
        others = [example for example, where in zip(examples, part_of, strict=True) if where != part]
        bias, weights = _learn([*others, *contrast], begin)
        for place, example in enumerate(examples):
            if part_of[place] == part:
                unseen[place] = Scored(_total(bias, weights, named(example.features)), example.wanted)
    scored = [each for each in unseen if each is not None]
    slope, shift = fitted(scored)
    bias, weights = _learn([*examples, *contrast], begin)
    signs, hashed = {}, {}
    for name, weight in weights.items():
        rounded = round(weight * slope, DIGITS)
        if not rounded:
            continue
        if name.startswith("#"):
            hashed[int(name[1:])] = rounded
        else:
            signs[name] = rounded
    model = Model(round(bias * slope + shift, DIGITS), signs, hashed)
    return Trained(model, [Scored(each.total * slope + shift, each.wanted) for each in scored])


def left_out(
    examples: Sequence[Example], is_left: Sequence[bool], contrast: Sequence[Example] = ()
) -> list[Scored]:
    """What a model of the other examples makes of those that are left out; ranked, not calibrated."""
    others = [example for example, left in zip(examples, is_left, strict=True) if not left]
    bias, weights = _learn([*others, *contrast], None)
    return [
        Scored(_total(bias, weights, named(example.features)), example.wanted)
        for example, left in zip(examples, is_left, strict=True)
        if left
    ]


def _part(group: str) -> int:
    return int.from_bytes(sha256(group.encode("utf-8", "replace")).digest()[:4], "big") % PARTS


def _learn(examples: Sequence[Example], begin: Model | None) -> tuple[float, dict[str, float]]:
    seen = Counter(name for example in examples for name in named(example.features))
    start = _weights(begin) if begin else {}
    keep = {name for name, count in seen.items() if count >= _SEEN or not name.startswith("#")} | start.keys()
    rows = [
        ([(name, value) for name, value in named(example.features).items() if name in keep], example.wanted)
        for example in examples
    ]
    origin = {name: start.get(name, 0.0) for name in keep}
    weights = dict(origin)
    squares = dict.fromkeys(keep, _SMALL)
    bias, bias_square = begin.bias if begin else 0.0, _SMALL
    shuffled = Random(_PASSES)  # fixed: training twice gives one model
    for _ in range(_PASSES):
        shuffled.shuffle(rows)
        for row, wanted in rows:
            off = chance(bias + sum([weights[name] * value for name, value in row])) - wanted
            bias_square += off * off
            bias -= _STEP * off / sqrt(bias_square)
            for name, value in row:
                back = _BACK_WORD if name[0] == "#" else _BACK_SIGN
                gradient = off * value + back * (weights[name] - origin[name])
                squares[name] += gradient * gradient
                weights[name] -= _STEP * gradient / sqrt(squares[name])
    return bias, weights


def _weights(model: Model) -> dict[str, float]:
    return {**model.signs, **{f"#{number}": weight for number, weight in model.hashed.items()}}


def _total(bias: float, weights: Mapping[str, float], features: Mapping[str, float]) -> float:
    return bias + sum(weights[name] * value for name, value in features.items() if name in weights)


def fitted(scored: Sequence[Scored]) -> tuple[float, float]:
    """Slope and shift that make a chance of a sum."""
    slope, shift = 1.0, 0.0
    for _ in range(_FITTING_STEPS):
        to_slope = to_shift = 0.0
        for total, wanted in scored:
            off = chance(slope * total + shift) - wanted
            to_slope += off * total
            to_shift += off
        slope -= _FITTING_STEP * to_slope / len(scored)
        shift -= _FITTING_STEP * to_shift / len(scored)
    return max(slope, 0.01), shift
