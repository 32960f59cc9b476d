"""How good scores are: separation (AUC), precision and recall at a threshold. Pure."""

from __future__ import annotations

from collections.abc import Sequence


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


def at_threshold(scored: Sequence[tuple[float, bool]], threshold: float) -> tuple[float, float]:
    """Precision and recall of what is at or above the threshold."""
    passed = [wanted for score, wanted in scored if score >= threshold]
    wanted = sum(each[1] for each in scored)
    return (sum(passed) / len(passed) if passed else 1.0), (sum(passed) / wanted if wanted else 1.0)
