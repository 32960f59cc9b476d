"""RegionJudge: what a result's own words limit it to, held against the places of the profile.

"Residents of Ohio" is no offer for Bulgaria. A place elsewhere and a word that limits must stand together,
and neither text nor host may name a place where the profile looks. It has no weight: the reviewer sees it,
and whether it decides is the profile's policy (`policies.out_of_region`).
"""

from __future__ import annotations

from decimal import Decimal
from functools import partial
from typing import Final

from surveyor.judge.reading import Reader, Reading
from surveyor.judge.values import Why
from surveyor.profiles.model import Profile

_ONE: Final = Decimal("0.01")
_NONE: Final = Decimal("0.00")


class RegionJudge:
    name = "RegionJudge"

    def __init__(self, profile: Profile, reader: Reader) -> None:
        self._rejects = profile.policies.out_of_region == "reject"
        self._reader = reader

    def __call__(self, reading: Reading) -> tuple[int, Why]:
        return 0, partial(self._why, reading)

    def limited(self, confidence: Decimal, threshold: Decimal) -> Decimal:
        """The confidence of a result for people elsewhere: below the threshold if the profile rejects it."""
        return min(confidence, max(threshold - _ONE, _NONE)) if self._rejects else confidence

    def _why(self, reading: Reading) -> str:
        reason = f"out of region: it is limited to people elsewhere (“{self._reader.limit_in(reading)}”)"
        return f"{reason}; the profile rejects such results" if self._rejects else reason
