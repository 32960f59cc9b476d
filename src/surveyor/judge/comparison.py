"""A draft of a profile beside the present one, on the domains that people decided on here."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from decimal import Decimal
from typing import NamedTuple

from surveyor.db import Database
from surveyor.judge import quality_check
from surveyor.judge.panel import Panel
from surveyor.judge.quality_check import Measured
from surveyor.judge.store import models
from surveyor.judge.store.models import DecidedResult
from surveyor.judge.values import Judgment

# The newest decided results that are judged twice while somebody waits for the answer: about a second.
_MOST = 2_000


class Flip(NamedTuple):
    """A decided domain that the draft sees on the other side of its threshold; its best result counts."""

    domain: str
    wanted: bool
    before: Decimal
    after: Decimal
    is_high: bool  # with the draft
    why: str

    @property
    def is_right(self) -> bool:
        """Whether the draft says what the person said."""
        return self.wanted is self.is_high


class Compared(NamedTuple):
    before: Measured
    after: Measured
    flips: list[Flip]  # those that turn wrong first


async def compare(db: Database, present: Panel, draft: Panel) -> Compared | None:
    """None where no domain with search results was decided yet."""
    async with db.read() as tx:
        decided = await models.decided_results(tx, _MOST)
    return await asyncio.to_thread(_compared, decided, present, draft) if decided else None


def _compared(decided: Sequence[DecidedResult], present: Panel, draft: Panel) -> Compared:
    old, new = ([panel.judge(each.hit) for each in decided] for panel in (present, draft))
    before, after = _best(decided, old), _best(decided, new)
    wanted = {each.domain_no: each.wanted for each in decided}
    flips = [
        Flip(was.domain, wanted[no], was.confidence, now.confidence, now.should_crawl, now.reasoning)
        for no, was in before.items()
        if was.should_crawl is not (now := after[no]).should_crawl
    ]
    return Compared(
        quality_check.figures(decided, old, present.threshold),
        quality_check.figures(decided, new, draft.threshold),
        sorted(flips, key=lambda flip: (flip.is_right, flip.domain)),
    )


def _best(decided: Sequence[DecidedResult], judged: Sequence[Judgment]) -> dict[int, Judgment]:
    """The best word on each domain: one good result makes it a candidate."""
    best: dict[int, Judgment] = {}
    for result, judgment in zip(decided, judged, strict=True):
        known = best.get(result.domain_no)
        if known is None or judgment.confidence > known.confidence:
            best[result.domain_no] = judgment
    return best
