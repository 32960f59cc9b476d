"""What goes into a judgment and what comes out: frozen values, confidence in exact hundredths.

Scores and weights are whole numbers of hundredths inside and `Decimal` with two places outside; no float
takes part, so that 0.595 is 0.60 on every machine.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from decimal import Decimal
from typing import Final, NamedTuple

# Raised whenever the same result may get another confidence; stored beside every judgment.
JUDGE_VERSION = "10"

FULL = 100  # hundredths in 1.00
# Every confidence there is, made once.
CONFIDENCES = tuple(Decimal(hundredths).scaleb(-2) for hundredths in range(FULL + 1))


class SearchHit(NamedTuple):
    """What a search engine says about a page. Nothing of the page itself is known."""

    url: str
    title: str
    description: str
    position: int = 1
    language: str | None = None


Why = str | Callable[[], str]
"""An explanation, or how to make it: most results are judged and never looked at."""


class JudgeScore(NamedTuple):
    """One judge's word: how much of 1.00, with what weight, and why, for a person."""

    judge: str
    score: Decimal
    weight: Decimal
    why: Why

    @property
    def explanation(self) -> str:
        return self.why if isinstance(self.why, str) else self.why()

    def row(self) -> dict[str, str]:
        """As it is kept with a candidate."""
        return {
            "judge": self.judge,
            "score": str(self.score),
            "weight": str(self.weight),
            "explanation": self.explanation,
        }


class Names(NamedTuple):
    """Who and what a title names, as far as it does."""

    organisation: str | None
    program: str | None


class Judgment:
    """The panel's word on one search result. What nobody asks for is not made: scores, language, names."""

    __slots__ = ("_language", "_scores", "confidence", "domain", "judge_version", "names", "should_crawl")

    def __init__(
        self,
        domain: str,
        confidence: Decimal,
        should_crawl: bool,
        scores: tuple[JudgeScore, ...] | Callable[[], tuple[JudgeScore, ...]],
        language: str | Callable[[], str | None] | None,
        names: Callable[[], Names],
        judge_version: str = JUDGE_VERSION,
    ) -> None:
        self.domain = domain
        self.confidence = confidence
        self.should_crawl = should_crawl
        self.names = names
        self.judge_version = judge_version
        self._scores = scores
        self._language = language

    @property
    def scores(self) -> tuple[JudgeScore, ...]:
        """What each judge said, the heaviest first."""
        if callable(self._scores):
            self._scores = self._scores()
        return self._scores

    @property
    def language(self) -> str | None:
        if callable(self._language):
            self._language = self._language()
        return self._language

    @property
    def reasoning(self) -> str:
        """All explanations in one line, the heaviest judge first."""
        return "; ".join(f"{score.judge} {score.score}: {score.explanation}" for score in self.scores)


def hundredths(value: Decimal) -> int:
    """A decimal with at most two places as a whole number of hundredths."""
    return int(value.scaleb(2))


def weighted_mean(scores: Sequence[tuple[int, int]]) -> Decimal:
    """The mean of (score, weight) pairs, both in hundredths, with two places, rounded half up."""
    total = weights = 0
    for score, weight in scores:
        total += score * weight
        weights += weight
    return CONFIDENCES[(2 * total + weights) // (2 * weights)]


_INNER_CAPITAL: Final = re.compile(r"(?<=[a-z])(?=[A-Z])")


def spoken(judge: str) -> str:
    """A judge as people read it: “keyword” and “site kind”, not the name that programs use."""
    short = judge.removesuffix("Judge").removeprefix("Funding")
    return _INNER_CAPITAL.sub(" ", short or judge).replace("_", " ").lower()
