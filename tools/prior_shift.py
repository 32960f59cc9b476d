"""A model for results of another mix: prior shift, corrected by its bias alone.

A model says how many of such results are wanted among results like those it was trained on. Where fewer are
wanted it is too sure of all of them by the same number of logits, and its order stays right. So the bias is
moved until the sum of the probabilities is the number of wanted ones; weights and order are kept.

Where a model is too sure at one end only, the bias cannot help: slope and shift of its sums are fitted again,
with the link that bends. The order is kept by that too.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Final

from surveyor.judge.learned.model import DIGITS, Model, probability
from surveyor.judge.learned.training import BEND, PARTS, Example, Scored, Trained, fitted, part_of

# Beyond this nothing is moved; steps of halving: more change no digit that is kept.
_FARTHEST: Final = 10.0
_HALVINGS: Final = 40


def shifted(model: Model, examples: Sequence[Example]) -> Trained:
    """The model with the bias these examples want, and what biases of the other parts make of each."""
    scored = [Scored(model.sum_of(each.features), each.wanted) for each in examples]
    parts = [part_of(each.group) for each in examples]
    by_part = [
        shift_of([each for each, part in zip(scored, parts, strict=True) if part != left], model.logit)
        for left in range(PARTS)
    ]
    unseen = [
        Scored(model.logit(each.total + by_part[part]), each.wanted)
        for each, part in zip(scored, parts, strict=True)
    ]
    bias = round(model.bias + shift_of(scored, model.logit), DIGITS)
    return Trained(replace(model, bias=bias), unseen)


def refitted(model: Model, examples: Sequence[Example]) -> Trained:
    """The model with the slope and shift these want, and what those of the other parts make of each."""
    scored = [Scored(model.sum_of(each.features), each.wanted) for each in examples]
    parts = [part_of(each.group) for each in examples]
    by_part = [
        fitted([each for each, part in zip(scored, parts, strict=True) if part != left])
        for left in range(PARTS)
    ]
    slope, shift = fitted(scored)
    signs = {name: round(weight * slope, DIGITS) for name, weight in model.signs.items()}
    hashed = {number: round(weight * slope, DIGITS) for number, weight in model.hashed.items()}
    new = Model(round(model.bias * slope + shift, DIGITS), signs, hashed, bend=BEND)
    unseen = [
        Scored(new.logit(each.total * by_part[part][0] + by_part[part][1]), each.wanted)
        for each, part in zip(scored, parts, strict=True)
    ]
    return Trained(new, unseen)


def shift_of(scored: Sequence[Scored], logit: Callable[[float], float] = float) -> float:
    """What to add to the sums so that as many are expected as wanted; none without examples of both kinds."""
    wanted = sum(each.wanted for each in scored)
    if wanted in (0, len(scored)):
        return 0.0
    low, high = -_FARTHEST, _FARTHEST
    for _ in range(_HALVINGS):
        middle = (low + high) / 2
        if sum(probability(logit(each.total + middle)) for each in scored) > wanted:
            high = middle
        else:
            low = middle
    return low
