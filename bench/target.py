"""A figure that is to be reached, and whether it was."""

from __future__ import annotations

from typing import NamedTuple


class Target(NamedTuple):
    """A ratio that is to be kept."""

    what: str
    value: float
    limit: float
    at_least: bool = False

    @property
    def is_met(self) -> bool:
        return self.value >= self.limit if self.at_least else self.value <= self.limit

    def __str__(self) -> str:
        bound = "at least" if self.at_least else "at most"
        return (
            f"{self.what:<44} {self.value:6.2f}  ({bound} {self.limit:g}){'' if self.is_met else '  MISSED'}"
        )
