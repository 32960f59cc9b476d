"""What reviewers' decisions say about the threshold: the share of yes per band of confidence. Pure."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from decimal import Decimal
from fractions import Fraction
from typing import NamedTuple

from surveyor.judge.values import CONFIDENCES

_BAND = 10  # hundredths


class Decision(NamedTuple):
    confidence: Decimal
    yes: bool


@dataclass(frozen=True, slots=True)
class Band:
    """Decisions on results with a confidence from `low` to below `high` (the last includes 1.00)."""

    low: Decimal
    high: Decimal
    yes: int
    no: int

    @property
    def share(self) -> Fraction | None:
        decided = self.yes + self.no
        return Fraction(self.yes, decided) if decided else None


@dataclass(frozen=True, slots=True)
class Calibration:
    bands: tuple[Band, ...]
    decisions: int
    implied_threshold: Decimal | None  # none: one answer to all would be as right as any


def calibrate(decisions: Sequence[Decision]) -> Calibration:
    """Bands, and the threshold that would have been right most often."""
    bands = []
    for low in range(0, 100, _BAND):
        top = low + _BAND if low + _BAND < 100 else 101
        within = [each.yes for each in decisions if low <= int(each.confidence * 100) < top]
        bands.append(Band(CONFIDENCES[low], CONFIDENCES[low + _BAND], sum(within), len(within) - sum(within)))
    return Calibration(tuple(bands), len(decisions), _implied(decisions))


def _implied(decisions: Sequence[Decision]) -> Decimal | None:
    def right(threshold: Decimal) -> int:
        return sum(each.yes == (each.confidence >= threshold) for each in decisions)

    best = max(map(right, CONFIDENCES))
    yes = sum(each.yes for each in decisions)
    if best <= max(yes, len(decisions) - yes):
        return None
    return next(threshold for threshold in CONFIDENCES if right(threshold) == best)
