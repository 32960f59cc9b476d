"""How well judging agrees with people: by confidence, by month, and judge by judge."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from decimal import Decimal

from surveyor.db import Database
from surveyor.registry.candidates import CandidateStatus
from surveyor.review.store import queries as store
from surveyor.review.store.queries import DecidedCandidate

# Decisions of each kind that are looked at; older ones were on other profiles and judges.
_LATEST = 2_000


@dataclass(frozen=True, slots=True)
class Share:
    """Of so many decisions, how many were a yes."""

    name: str
    decided: int
    approved: int

    @property
    def rate(self) -> float:
        return self.approved / self.decided


@dataclass(frozen=True, slots=True)
class JudgeFigures:
    """A judge is good when it scores what people approve higher than what they reject."""

    name: str
    approved: float | None  # mean score
    rejected: float | None

    @property
    def apart(self) -> float | None:
        if self.approved is None or self.rejected is None:
            return None
        return self.approved - self.rejected


@dataclass(frozen=True, slots=True)
class Agreement:
    bands: list[Share]
    months: list[Share]
    judges: list[JudgeFigures]


async def agreement(db: Database) -> Agreement:
    async with db.read() as tx:
        found = await store.decided(tx, _LATEST)
    return Agreement(
        _shares((_band(each.confidence), each) for each in found),
        _shares((f"{each.decided_at:%Y-%m}", each) for each in found),
        _judges(found),
    )


def _band(confidence: Decimal) -> str:
    low = min(int(confidence * 10), 9)
    return f"{low / 10:.1f} to {(low + 1) / 10:.1f}"


def _shares(named: Iterable[tuple[str, DecidedCandidate]]) -> list[Share]:
    counts: dict[str, list[int]] = defaultdict(lambda: [0, 0])
    for name, each in named:
        counts[name][0] += 1
        counts[name][1] += each.status is CandidateStatus.APPROVED
    return [Share(name, *counts[name]) for name in sorted(counts)]


def _judges(found: Sequence[DecidedCandidate]) -> list[JudgeFigures]:
    scores: dict[str, dict[CandidateStatus, list[float]]] = defaultdict(lambda: defaultdict(list))
    for each in found:
        for score in each.scores:
            scores[score["judge"]][each.status].append(float(score["score"]))
    return [
        JudgeFigures(name, _mean(by[CandidateStatus.APPROVED]), _mean(by[CandidateStatus.REJECTED]))
        for name, by in sorted(scores.items())
    ]


def _mean(values: Sequence[float]) -> float | None:
    return sum(values) / len(values) if values else None
