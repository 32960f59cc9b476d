"""A small linear model of what people wanted: logistic regression over hashed words of a page.

Pure, deterministic, without other libraries: the same examples give the same model, a model is a short JSON
text, and thousands of pages train in seconds. Weights begin at what the counts of words say and are corrected
by stochastic gradient descent, with steps that shrink per weight: that is good with few examples, too.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from decimal import ROUND_HALF_UP, Decimal
from itertools import pairwise
from math import exp, log, sqrt
from random import Random
from typing import Final, NamedTuple, Self
from urllib.parse import unquote, urlsplit

from xxhash import xxh3_64_intdigest

from surveyor.errors import BadInput, Refused
from surveyor.extract.document import BlockKind, Document
from surveyor.extract.values import PageText
from surveyor.words import tokens

VERSION: Final = 1
# Weights: two words share one now and then, which costs less than remembering all words.
_BUCKETS: Final = 1 << 15
# Words of the content that are read; the beginning of a page says what it is.
_WORDS: Final = 400
# Passes over the examples, size of a step, and how strongly weights are drawn back to where they began.
_PASSES: Final = 6
_STEP: Final = 0.1
_DRAWN_BACK: Final = 1e-3
_SMALL: Final = 1e-2  # what a step is divided by at first
# Standard deviations from which a feature tells something, and the most of them that are learned from.
_TELLING: Final = 2.0
_MOST: Final = 3_000
_SEEN: Final = 3  # pages that must have a feature
# Parts into which the examples are cut to measure the model on what it has not seen.
_PARTS: Final = 5
_LEAST_EXAMPLES, _LEAST_OF_EACH = 20, 5
# Steps in which slope and bias are found; they are two, and close after a few.
_FITTING_STEPS: Final = 100
_PLACES: Final = Decimal("0.01")
# Digits kept of a weight: more change no score.
_DIGITS: Final = 4


class Features(NamedTuple):
    """Numbers of the weights that speak about a page, each once."""

    numbers: tuple[int, ...]


class Example(NamedTuple):
    features: Features
    wanted: bool
    site: int = 0
    """Pages of one site are measured together: a model that has seen one knows the others."""


class Quality(NamedTuple):
    """How the model does on examples that it was not trained on."""

    examples: int
    wanted: int
    accuracy: Decimal
    precision: Decimal
    recall: Decimal


def features_of(document: Document, text: PageText) -> Features:
    """What the model looks at: words of title, path, headings and the beginning of the content."""
    headings = " ".join(block.text for block in document.main if block.kind is BlockKind.HEADING)
    return features(document.title, document.page.url, headings, text.text)


def features(title: str, url: str, headings: str, text: str) -> Features:
    words = tokens(text)[:_WORDS]
    named = {f"t:{word}" for word in tokens(title)}
    named |= {f"h:{word}" for word in tokens(headings)[:_WORDS]}
    named |= {f"p:{word}" for word in tokens(unquote(urlsplit(url).path))}
    named |= {f"w:{word}" for word in words}
    named |= {f"2:{left} {right}" for left, right in pairwise(words)}
    return Features(tuple(sorted({xxh3_64_intdigest(name.encode()) % _BUCKETS for name in named})))


@dataclass(frozen=True, slots=True)
class Model:
    """Weights by number, and what speaks for every page."""

    weights: dict[int, float]
    bias: float
    quality: Quality

    def score(self, of: Features) -> Decimal:
        """How like wanted pages this one is, 0.00 to 1.00."""
        return Decimal(str(_sigmoid(_sum(self.weights, of) + self.bias))).quantize(_PLACES, ROUND_HALF_UP)

    def to_bytes(self) -> bytes:
        encoded = {
            "version": VERSION,
            "buckets": _BUCKETS,
            "bias": round(self.bias, _DIGITS),
            "quality": [self.quality.examples, self.quality.wanted, *map(str, self.quality[2:])],
            "weights": {str(number): weight for number, weight in sorted(self.weights.items())},
        }
        return json.dumps(encoded, separators=(",", ":")).encode()

    @classmethod
    def from_bytes(cls, raw: bytes) -> Self:
        """The model that `to_bytes` wrote; BadInput for anything else."""
        try:
            encoded = json.loads(raw)
            if (encoded["version"], encoded["buckets"]) != (VERSION, _BUCKETS):
                raise BadInput("the model was made by another version; run `surveyor extract --train` again")
            examples, wanted, *shares = encoded["quality"]
            quality = Quality(int(examples), int(wanted), *map(Decimal, shares))
            weights = {int(number): float(weight) for number, weight in encoded["weights"].items()}
            return cls(weights, float(encoded["bias"]), quality)
        except (ValueError, KeyError, TypeError, AttributeError, ArithmeticError) as error:
            raise BadInput("this is no model; run `surveyor extract --train` again") from error


def train(examples: Sequence[Example]) -> Model:
    """A model of all examples, with its quality on what it has not seen; Refused when they are too few."""
    wanted = sum(example.wanted for example in examples)
    if min(wanted, len(examples) - wanted) < _LEAST_OF_EACH or len(examples) < _LEAST_EXAMPLES:
        raise Refused(
            f"{wanted} wanted and {len(examples) - wanted} unwanted pages are too few to learn from; "
            f"decide at least {_LEAST_EXAMPLES}, {_LEAST_OF_EACH} of each kind"
        )
    sums = _unseen_sums(examples)
    slope, bias = _fitted([each for part in sums for each in part])
    weights = _learned(examples)
    kept = {
        n: round(weight * slope, _DIGITS) for n, weight in weights.items() if round(weight * slope, _DIGITS)
    }
    return Model(kept, round(bias, _DIGITS), _quality(sums))


def _learned(examples: Sequence[Example]) -> dict[int, float]:
    """Weights by number."""
    ratios = _ratios(examples)
    weights = dict.fromkeys(ratios, 1.0)
    squares = dict.fromkeys(ratios, _SMALL)
    bias, bias_square = 0.0, _SMALL
    rows = [([n for n in example.features.numbers if n in ratios], example.wanted) for example in examples]
    shuffled = Random(_PASSES)  # fixed: training twice gives one model
    for _ in range(_PASSES):
        shuffled.shuffle(rows)
        for numbers, wanted in rows:
            scale = 1 / sqrt(len(numbers) or 1)
            slope = _sigmoid(bias + scale * sum([weights[n] * ratios[n] for n in numbers])) - wanted
            bias_square += slope * slope
            bias -= _STEP * slope / sqrt(bias_square)
            push = slope * scale
            for number in numbers:
                gradient = push * ratios[number] + _DRAWN_BACK * (weights[number] - 1.0)
                squares[number] += gradient * gradient
                weights[number] -= _STEP * gradient / sqrt(squares[number])
    return {number: weight * ratios[number] for number, weight in weights.items()}


def _ratios(examples: Sequence[Example]) -> dict[int, float]:
    """How much more often each telling feature stands in wanted pages than in others, as a logarithm.

    It is where the weights begin. What tells nothing, because it was seen everywhere or hardly ever, is left
    out: it would only be learned by heart, and it is most of what there is.
    """
    seen: dict[bool, Counter[int]] = {True: Counter(), False: Counter()}
    for example in examples:
        seen[example.wanted].update(example.features.numbers)
    wanted = sum(example.wanted for example in examples)
    others = len(examples) - wanted
    telling: list[tuple[float, int, float]] = []
    for number in seen[True].keys() | seen[False].keys():
        here, there = seen[True][number], seen[False][number]
        surely = _surely(here, wanted, there, others)
        if surely >= _TELLING and here + there >= _SEEN:
            ratio = log((here + 0.5) / (wanted + 1) / ((there + 0.5) / (others + 1)))
            telling.append((-surely, number, ratio))
    return {number: ratio for _, number, ratio in sorted(telling)[:_MOST]}


def _surely(here: int, wanted: int, there: int, others: int) -> float:
    """How many standard deviations apart the two shares are."""
    both = (here + there) / (wanted + others)
    spread = both * (1 - both) * (1 / wanted + 1 / others)
    return abs(here / wanted - there / others) / sqrt(spread) if spread > 0 else 0.0


def _unseen_sums(examples: Sequence[Example]) -> list[list[tuple[float, bool]]]:
    """What models trained on the other parts make of each part; wanted and unwanted are spread evenly."""
    part_of = _parts(examples)
    sums = []
    for part in range(_PARTS):
        weights = _learned([example for place, example in enumerate(examples) if part_of[place] != part])
        unseen = [example for place, example in enumerate(examples) if part_of[place] == part]
        sums.append([(_sum(weights, example.features), example.wanted) for example in unseen])
    return sums


def _parts(examples: Sequence[Example]) -> dict[int, int]:
    """Which part each example is measured in; an example without a site is one of its own."""
    groups: dict[tuple[bool, int], list[int]] = {}
    for place, example in enumerate(examples):
        groups.setdefault((example.wanted, example.site or -place - 1), []).append(place)
    ranked = sorted(groups.items(), key=lambda one: (one[0][0], one[1]))
    return {place: rank % _PARTS for rank, (_, places) in enumerate(ranked) for place in places}


def _fitted(sums: Sequence[tuple[float, bool]]) -> tuple[float, float]:
    """Slope and bias that make a chance of a sum.

    Fitted on pages that were not trained on: what a model says of those it knows is too sure.
    """
    slope, bias = 1.0, 0.0
    for _ in range(_FITTING_STEPS):
        to_slope = to_bias = 0.0
        for total, wanted in sums:
            off = _sigmoid(slope * total + bias) - wanted
            to_slope += off * total
            to_bias += off
        slope -= to_slope / len(sums)
        bias -= to_bias / len(sums)
    return max(slope, 0.0), bias


def _quality(sums: Sequence[Sequence[tuple[float, bool]]]) -> Quality:
    """How each part is judged by what was learned from the others."""
    right = found = true = 0
    for part, judged in enumerate(sums):
        others = [each for place, each_part in enumerate(sums) if place != part for each in each_part]
        slope, bias = _fitted(others)
        for total, wanted in judged:
            says = slope * total + bias >= 0
            right += says == wanted
            found += says
            true += says and wanted
    count, wanted_count = sum(map(len, sums)), sum(wanted for part in sums for _, wanted in part)
    return Quality(count, wanted_count, _ratio(right, count), _ratio(true, found), _ratio(true, wanted_count))


def _ratio(part: int, whole: int) -> Decimal:
    return (Decimal(part) / whole).quantize(_PLACES, ROUND_HALF_UP) if whole else Decimal("0.00")


def _sum(weights: dict[int, float], of: Features) -> float:
    weighed = [weights[number] for number in of.numbers if number in weights]
    return sum(weighed) / sqrt(len(weighed) or 1)


def _sigmoid(total: float) -> float:
    return 1 / (1 + exp(-max(-30.0, min(30.0, total))))
