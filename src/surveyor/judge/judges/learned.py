"""LearnedJudge: a model trained on real search results weighs words, address and site.

Its score is a calibrated probability. It knows the profile's words and speaks for the whole panel; the rules,
which read more closely, are asked only when somebody wants to see what they say.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial
from typing import Final

from surveyor.judge.learned.features import (
    HOST,
    PATH,
    SITE,
    TEXT,
    bucket,
    path_words,
    pieces_of,
    scale_of,
    site_of,
    stem_of,
    text_words,
)
from surveyor.judge.learned.model import Model, Reason, in_hundredths, strongest_first
from surveyor.judge.reading import Reading
from surveyor.judge.sign_words import HOST_NAME, TEXT_WORDS, in_one, in_words, is_shown
from surveyor.judge.values import FULL, Why
from surveyor.judge.vocabulary import SMALL_WORDS
from surveyor.words.cutting import PLACEHOLDERS
from surveyor.words.remembered import Remembered

_REASONS: Final = 4
_QUOTED: Final = 3  # words that are quoted as a reason
_SAY_NOTHING: Final = SMALL_WORDS | PLACEHOLDERS
_LONG_ENOUGH: Final = 4  # letters of a word that says something by itself
_REMEMBERED: Final = 1 << 15  # words and hosts; about 4 MB
_WEAK: Final = 0.25  # logits below which a reason is not worth telling
_HALF: Final = 50  # hundredths from which on more such results are wanted than not
_HARDLY: Final = 2  # hundredths up to which nobody counts


class LearnedJudge:
    name = "LearnedJudge"

    def __init__(self, model: Model) -> None:
        self._model = model
        self._weights = {
            group: Remembered(partial(_weight, model.hashed, group), _REMEMBERED)
            for group in (TEXT, PATH, HOST)
        }
        self._host = Remembered(self._of_host, _REMEMBERED)

    def __call__(self, reading: Reading) -> tuple[int, Why]:
        # The same sum as over the features of the reading, without making them: most are never looked at.
        total = self._model.bias + self._model.of_signs(reading.signs) + self._host[reading.domain]
        total += self._sum(TEXT, text_words(reading)) + self._sum(PATH, path_words(reading))
        score = in_hundredths(self._model.logit(total))
        return score, partial(self._why, reading, score)

    def _sum(self, group: str, words: set[str]) -> float:
        return sum(map(self._weights[group].__getitem__, words)) * scale_of(group, len(words))

    def _of_host(self, domain: str) -> float:
        sites = site_of(domain)
        of_sites = sum([_weight(self._model.hashed, SITE, site) for site in sites])
        return self._sum(HOST, pieces_of(domain)) + of_sites * scale_of(SITE, len(sites))

    def _why(self, reading: Reading, score: int) -> str:
        reasons = self._reasons(reading)
        parts = [_of_hundred(score)]
        # What decided is said first.
        for side in (True, False) if score >= _HALF else (False, True):
            named = in_one(each.name for each in reasons if (each.weight > 0) == side)
            if named:
                said = [
                    in_words(name, speaks_for=side) + self._quoted(reading, side) * (name == TEXT_WORDS)
                    for name in named
                ]
                parts.append(f"{'for it' if side else 'against it'}: {', '.join(said)}")
        return "; ".join(parts)

    def _reasons(self, reading: Reading) -> list[Reason]:
        """The strongest reasons that a person would give, the strongest first."""
        of_text = self._sum(TEXT, text_words(reading)) + self._sum(PATH, path_words(reading))
        others = Reason(TEXT_WORDS, of_text), Reason(HOST_NAME, self._host[reading.domain])
        found = strongest_first([*self._model.reasons(reading.signs), *others])
        return [
            each
            for each in found
            if abs(each.weight) >= _WEAK and is_shown(each.name, speaks_for=each.weight > 0)
        ][:_REASONS]

    def _quoted(self, reading: Reading, side: bool) -> str:
        """The words that count most on one side, in brackets; one of each stem."""
        weighed = [
            (self._weights[group][word] * (1 if side else -1), word)
            for group, words in ((TEXT, text_words(reading)), (PATH, path_words(reading)))
            for word in words
            if len(word) >= _LONG_ENOUGH and word.isalpha() and word not in _SAY_NOTHING
        ]
        best = dict[str, str]()
        for weight, word in sorted(weighed, reverse=True):
            if weight > 0:
                best.setdefault(stem_of(word), word)
        quoted = ", ".join(f"“{word}”" for word in [*best.values()][:_QUOTED])
        return f" ({quoted})" if quoted else ""


def _weight(hashed: Mapping[int, float], group: str, word: str) -> float:
    return hashed.get(bucket(group, word), 0.0)


def _of_hundred(score: int) -> str:
    if score <= _HARDLY:
        return "hardly any such result is wanted"
    if score >= FULL - _HARDLY:
        return "nearly every such result is wanted"
    return f"about {score} of 100 such results are wanted"
