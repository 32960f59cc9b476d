"""Which domain first: one number, pure, written when a domain is released.

All rows age alike (five points a day), so age is not in the stored key: it holds
the day of the last crawl instead, and needs no periodic pass.
"""

from __future__ import annotations

import math
from datetime import UTC, date, datetime

# Tranco rank 1 is worth this; every power of ten costs a step; unranked is worth nothing.
_RANK_TOP, _RANK_STEP = 600, 100
_YIELD_WEIGHT = 1000
_WAITING_WEIGHT, _WAITING_CAP = 2, 500
_ERROR_WEIGHT = 500
_POINTS_PER_DAY = 5
# A domain never crawled counts as if it had been crawled so many days before it was seen.
_NEW_BONUS_DAYS = 60

_EPOCH_ORDINAL = date(1970, 1, 1).toordinal()


def day_number(moment: datetime) -> int:
    return moment.astimezone(UTC).toordinal() - _EPOCH_ORDINAL


def rank_bonus(rank: int | None) -> int:
    if rank is None:
        return 0
    return max(0, round(_RANK_TOP - _RANK_STEP * math.log10(rank)))


def priority_key(
    *,
    rank: int | None,
    yield_rate: float,
    frontier_size: int,
    error_rate: float,
    first_seen: datetime,
    last_crawled: datetime | None,
) -> int:
    """What the claim sorts by. Higher is sooner."""
    day = day_number(last_crawled) if last_crawled else day_number(first_seen) - _NEW_BONUS_DAYS
    return (
        rank_bonus(rank)
        + round(yield_rate * _YIELD_WEIGHT)
        + min(frontier_size, _WAITING_CAP) * _WAITING_WEIGHT
        - round(error_rate * _ERROR_WEIGHT)
        - _POINTS_PER_DAY * day
    )


def priority_score(key: int, today: datetime) -> int:
    """What people see: the key with today's age in it."""
    return key + _POINTS_PER_DAY * day_number(today)
