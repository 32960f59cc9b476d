"""Precision where enough is found, and calibration in bands: what the tools print of scores. Pure."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple


class Band(NamedTuple):
    """Results with a score from `low` to below `high`, and how many of them were wanted."""

    low: float
    high: float
    results: int
    mean: float
    wanted: int


def precision_at_recall(scored: Sequence[tuple[float, bool]], recall: float) -> tuple[float, float]:
    """The best precision with at least this recall, and the score from which on it holds."""
    ranked = sorted(scored, key=lambda each: -each[0])
    wanted = sum(each[1] for each in ranked)
    best, cut, found = 0.0, 0.0, 0
    for place, (score, is_wanted) in enumerate(ranked, 1):
        found += is_wanted
        last_of_score = place == len(ranked) or ranked[place][0] != score
        if last_of_score and wanted and found >= recall * wanted and found / place > best:
            best, cut = found / place, score
    return best, cut


def bands(scored: Sequence[tuple[float, bool]], width: float = 0.2) -> list[Band]:
    """Scores between 0 and 1 in bands."""
    found = []
    for number in range(round(1 / width)):
        low, high = number * width, (number + 1) * width
        last = number == round(1 / width) - 1
        within = [each for each in scored if low <= each[0] < high or (last and each[0] >= high)]
        mean = sum(score for score, _ in within) / len(within) if within else 0.0
        found.append(Band(low, high, len(within), mean, sum(wanted for _, wanted in within)))
    return found
