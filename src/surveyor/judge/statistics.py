"""Statistics of judging: processed, created, skipped; returned, printed and kept with each session."""

from __future__ import annotations

from dataclasses import dataclass, fields
from decimal import ROUND_HALF_UP, Decimal
from typing import Any

_HUNDREDTH = Decimal("0.01")
_COUNTS = ("processed", "created", "skipped_low_confidence", "known_domain", "blacklisted", "failures")


@dataclass(slots=True)
class JudgingStatistics:
    """Counts of search results, except `created`, `known_domain` and `failures`, which count domains."""

    processed: int = 0
    created: int = 0  # candidates opened
    skipped_low_confidence: int = 0
    known_domain: int = 0  # high ones of domains that have a candidate already
    blacklisted: int = 0
    failures: int = 0
    confidence_sum: Decimal = Decimal("0.00")
    highest_confidence: Decimal | None = None
    lowest_confidence: Decimal | None = None
    milliseconds: int = 0

    @property
    def average_confidence(self) -> Decimal | None:
        if not self.processed:
            return None
        return (self.confidence_sum / self.processed).quantize(_HUNDREDTH, ROUND_HALF_UP)

    def judged(self, confidence: Decimal, *, low: bool) -> None:
        """Count one result."""
        self.processed += 1
        self.skipped_low_confidence += low
        self.confidence_sum += confidence
        self.highest_confidence = max(confidence, self.highest_confidence or confidence)
        lowest = self.lowest_confidence
        self.lowest_confidence = confidence if lowest is None else min(confidence, lowest)

    def add(self, other: JudgingStatistics) -> None:
        for name in (*_COUNTS, "confidence_sum", "milliseconds"):
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
