"""Statistics of judging: returned, printed and kept with each session. What each counts is said here once.

Results and domains are counted apart. Every result that was judged is exactly one of three:

    processed = created + skipped_low_confidence + known_domain

The database refuses a session whose statistics do not add up like this.
"""

from __future__ import annotations

from dataclasses import dataclass, fields
from decimal import ROUND_HALF_UP, Decimal
from typing import Any

_HUNDREDTH = Decimal("0.01")
_SUMMED = (
    "processed",
    "created",
    "skipped_low_confidence",
    "known_domain",
    "blacklisted",
    "failures",
    "domains",
    "domains_failed",
    "created_confidence",
    "milliseconds",
)


@dataclass(slots=True)
class JudgingStatistics:
    """Counts of search results, except where a name says domains."""

    processed: int = 0  # judged
    created: int = 0  # opened a candidate; one per domain at most, so this counts candidates too
    skipped_low_confidence: int = 0  # below the threshold
    known_domain: int = 0  # at or above it, and their domain has a candidate or was decided on
    blacklisted: int = 0  # wait and are not judged, because their domain is blacklisted
    failures: int = 0  # could not be judged now; tried again later
    domains: int = 0  # domains with at least one result judged
    domains_failed: int = 0  # domains at which a judge failed
    created_confidence: Decimal = Decimal("0.00")  # the sum over the candidates created
    highest_confidence: Decimal | None = None  # of all results judged
    lowest_confidence: Decimal | None = None
    milliseconds: int = 0

    @property
    def average_confidence(self) -> Decimal | None:
        """Of the candidates created; None where there is none."""
        if not self.created:
            return None
        return (self.created_confidence / self.created).quantize(_HUNDREDTH, ROUND_HALF_UP)

    def judged(self, confidence: Decimal, *, low: bool, created: bool) -> None:
        """Count one result."""
        self.processed += 1
        self.skipped_low_confidence += low
        self.created += created
        self.known_domain += not low and not created
        if created:
            self.created_confidence += confidence
        self.highest_confidence = max(confidence, self.highest_confidence or confidence)
        lowest = self.lowest_confidence
        self.lowest_confidence = confidence if lowest is None else min(confidence, lowest)

    def add(self, other: JudgingStatistics) -> None:
        for name in _SUMMED:
            setattr(self, name, getattr(self, name) + getattr(other, name))
        highest = [each for each in (self.highest_confidence, other.highest_confidence) if each is not None]
        lowest = [each for each in (self.lowest_confidence, other.lowest_confidence) if each is not None]
        self.highest_confidence = max(highest, default=None)
        self.lowest_confidence = min(lowest, default=None)

    def to_json(self) -> dict[str, Any]:
        """For JSON: confidences as text, so that they stay exact."""
        values = {field.name: getattr(self, field.name) for field in fields(self)}
        values["average_confidence"] = self.average_confidence
        return {name: str(value) if isinstance(value, Decimal) else value for name, value in values.items()}

    @classmethod
    def from_json(cls, values: dict[str, Any]) -> JudgingStatistics:
        known = {field.name for field in fields(cls)}
        exact: dict[str, Any] = {
            name: Decimal(value) if isinstance(value, str) else value
            for name, value in values.items()
            if name in known
        }
        return cls(**exact)
