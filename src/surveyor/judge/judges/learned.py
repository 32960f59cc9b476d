"""LearnedJudge: what real search results taught about words, address, site and the other judges' scores.

Its score is a calibrated chance. What the other judges said is part of it, so it speaks for the whole panel.
"""

from __future__ import annotations

from collections.abc import Iterable
from functools import partial
from typing import Final

from surveyor.judge.learned.features import (
    PATH,
    TEXT,
    bucket,
    loudness_of,
    of_reading,
    path_words,
    text_words,
    with_scores,
)
from surveyor.judge.learned.model import Model, in_hundredths
from surveyor.judge.reading import Reading
from surveyor.judge.sign_words import WORDS
from surveyor.judge.values import Why

_REASONS: Final = 4
_REMEMBERED: Final = 1 << 15  # words; about 4 MB
_WEAK: Final = 0.1  # logits below which a reason is not worth telling


class _Weights(dict[str, float]):
    """The weight of each word of a group; looked up once and remembered."""

    def __init__(self, model: Model, group: str) -> None:
        super().__init__()
        self._model, self._group = model, group

    def __missing__(self, word: str) -> float:
        if len(self) >= _REMEMBERED:
            self.clear()
        weight = self[word] = self._model.hashed.get(bucket(self._group, word), 0.0)
        return weight


class LearnedJudge:
    name = "LearnedJudge"

    def __init__(self, model: Model) -> None:
        self._model = model
        self._text, self._path = _Weights(model, TEXT), _Weights(model, PATH)

    def __call__(self, reading: Reading, scores: Iterable[tuple[str, int]]) -> tuple[int, Why]:
        scores = [*scores]
        total = self._model.bias + self._model.of_signs(with_scores(reading, scores))
        # The same sum as over the features of the reading, without making them: most are never looked at.
        for weights, words in ((self._text, text_words(reading)), (self._path, path_words(reading))):
            total += sum(map(weights.__getitem__, words)) * loudness_of(words)
        score = in_hundredths(total)
        return score, partial(self._why, reading, scores, score)

    def _why(self, reading: Reading, scores: Iterable[tuple[str, int]], score: int) -> str:
        features = of_reading(reading, scores)
        reasons = [
            each
            for each in self._model.reasons(features, _REASONS)
            if abs(each.weight) >= _WEAK and each.name in WORDS
        ]
        parts = [f"{score} of 100 such results are wanted"]
        for title, side in (("for it", 1), ("against it", -1)):
            named = [WORDS[each.name] for each in reasons if each.weight * side > 0]
            if named:
                parts.append(f"{title}: {', '.join(named)}")
        return "; ".join(parts)
