"""Learned weights over a few signs of a candidate: how likely it is the answer.

The signs are said in words, the weights are a small JSON file beside this one; `tools.records_train` makes it
from labelled pages and measures it on sites that it was not trained on.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from functools import cache
from importlib import resources
from math import exp
from typing import Final

# Beyond it a chance is as good as certain, and `exp` would not hold it.
FAR: Final = 30.0


@cache
def weights(name: str) -> Mapping[str, float]:
    """What each sign of a kind of candidate counts; `bias` is what counts without any."""
    text = resources.files("surveyor.extract").joinpath("weights.json").read_text("utf-8")
    known: Mapping[str, float] = json.loads(text)[name]
    return known


def total(signs: Iterable[str], known: Mapping[str, float]) -> float:
    return known.get("bias", 0.0) + sum(known.get(sign, 0.0) for sign in signs)


def chance(value: float) -> float:
    """A sum of weights as a chance between 0 and 1."""
    return 1 / (1 + exp(-max(-FAR, min(FAR, value))))
