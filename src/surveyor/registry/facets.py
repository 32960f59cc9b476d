"""How many domains of the whole register have each value: for the background, piece by piece.

A large register takes seconds to count. Whoever counts may rest after each piece, so that pages which people
ask for meanwhile have the processor and the database for themselves.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass

from surveyor.db import Database
from surveyor.registry.store import listing

Rest = Callable[[], Awaitable[None]]
_VALUES = 30
# Numbers of domains that are counted at once: some ten milliseconds.
_WINDOW = 20_000


@dataclass(frozen=True, slots=True)
class Facets:
    """The most frequent values of each, with how many domains have them."""

    stage: dict[str, int]
    review: dict[str, int]
    quality: dict[str, int]
    source: dict[str, int]
    reason: dict[str, int]
    decided_by: dict[str, int]
    language: dict[str, int]
    suffix: dict[str, int]  # endings of names, each with those of longer endings: `uk` has `gov.uk`


_COLUMNS = {
    "review": "review_status",
    "quality": "quality_status",
    "source": "source",
    "reason": "block_reason_code",
    "decided_by": "reviewed_by",
    "language": "language",
}


async def facets(db: Database, rest: Rest) -> Facets:
    values: dict[str, dict[str, int]] = {}
    for field, column in _COLUMNS.items():
        async with db.read() as tx:
            values[field] = await listing.value_totals(tx, column, _VALUES)
        await rest()
    stages, suffixes = await _by_windows(db, rest)
    return Facets(stages, **values, suffix=dict(endings(suffixes).most_common(_VALUES)))


async def _by_windows(db: Database, rest: Rest) -> tuple[Counter[str], Counter[str]]:
    """What no index counts: at each stage, and under each suffix."""
    stages: Counter[str] = Counter()
    suffixes: Counter[str] = Counter()
    start, last = 0, 1
    while start < last:
        window = start, start + _WINDOW
        async with db.read() as tx:
            last = await listing.last_number(tx)
            stages.update(await listing.totals(tx, window))
            suffixes.update(await listing.suffix_totals(tx, window))
        start += _WINDOW
        await rest()
    return stages, suffixes


def endings(suffixes: Mapping[str, int]) -> Counter[str]:
    """How many names end so, of how many have each suffix as their own."""
    found: Counter[str] = Counter()
    for suffix, count in suffixes.items():
        labels = suffix.split(".")
        for start in range(len(labels)):
            found[".".join(labels[start:])] += count
    return found
