"""How good scores are: separation (AUC), precision where enough is found, calibration. Pure."""

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


def auc(scored: Sequence[tuple[float, bool]]) -> float:
    """The chance that a wanted one is before an unwanted one; ties count half. 0.5 with only one kind."""
    ranked = sorted(scored)
    wanted = sum(each[1] for each in ranked)
    others = len(ranked) - wanted
    if not wanted or not others:
        return 0.5
    total, at = 0.0, 0
    while at < len(ranked):
        end = at
        while end < len(ranked) and ranked[end][0] == ranked[at][0]:
            end += 1
        rank = (at + 1 + end) / 2
        total += rank * sum(each[1] for each in ranked[at:end])
        at = end
    return (total - wanted * (wanted + 1) / 2) / (wanted * others)


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


def at_threshold(scored: Sequence[tuple[float, bool]], threshold: float) -> tuple[float, float]:
    """Precision and recall of what is at or above the threshold."""
    passed = [wanted for score, wanted in scored if score >= threshold]
    wanted = sum(each[1] for each in scored)
    return (sum(passed) / len(passed) if passed else 1.0), (sum(passed) / wanted if wanted else 1.0)


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
