"""The verdict: what the detectors say, weighed together, with the reasons a person needs."""

from __future__ import annotations

from collections.abc import Sequence
from decimal import Decimal
from typing import NamedTuple

from surveyor.discover.spam import categories, mismatch, structure, stuffing, wordlist
from surveyor.discover.spam.features import Finding, sight

# Points that make spam of a result.
ENOUGH = 65
_DETECTORS = (categories.detect, stuffing.detect, wordlist.detect, mismatch.detect, structure.detect)


class Verdict(NamedTuple):
    """Whether a result is spam, and why."""

    is_spam: bool
    score: Decimal  # 0.00 to 1.00, two places; spam from 0.50 on
    reasons: list[str]  # for a person, the heaviest first
    detectors: list[str]  # who accused, in the order of the reasons


# Every score there is, made once.
_SCORES = tuple(Decimal(hundredths).scaleb(-2) for hundredths in range(101))


def verdict(url: str, title: str, description: str, languages: Sequence[str] = ()) -> Verdict:
    """Weighs what the detectors see in a result; never raises.

    `url` is the result's address, or its domain alone: with the path more can be seen. `languages` are
    those of the profile; they help where the text itself does not tell its language.
    """
    features = sight(url, title, description, languages)
    accusations = [found for detect in _DETECTORS if (found := detect(features))]
    if not accusations:
        return Verdict(False, _SCORES[0], [], [])
    accusations.sort(key=lambda accusation: -accusation.weight)
    points = weigh(accusations)
    return Verdict(
        points >= ENOUGH,
        _SCORES[min(points * 50 // ENOUGH, 100)],
        [accusation.saw for accusation in accusations],
        [accusation.detector for accusation in accusations],
    )


def weigh(accusations: Sequence[Finding]) -> int:
    """The heaviest accusation, which comes first, in full, and the others by a half."""
    return accusations[0].weight + sum(accusation.weight for accusation in accusations[1:]) // 2
