"""Judges that other packages bring: what they are given, and what happens when they fail."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

from surveyor import entry_points, logs
from surveyor.entry_points import Group, described
from surveyor.judge.reading import Reading
from surveyor.judge.values import SearchHit, Why
from surveyor.plugins import SearchResult

log = logs.get("judge")
# Characters of an explanation that is kept with a candidate.
_LONGEST_WHY = 500


Score = Callable[[SearchHit, Reading], tuple[int, Why] | None]


def judges(wanted: Iterable[str]) -> dict[str, Score]:
    """Those of the wanted judges that are plugged in and work."""
    known = set(wanted) - set(entry_points.BUILT_IN[Group.JUDGES])
    if not known:
        return {}
    found = entry_points.load(Group.JUDGES).objects
    return {name: _careful(name, judge) for name, judge in found.items() if name in known}


def _careful(name: str, judge: Any) -> Score:
    failures: set[str] = set()

    def score(hit: SearchHit, reading: Reading) -> tuple[int, Why] | None:
        """Hundredths and why; None where it abstains or failed."""
        result = SearchResult(
            hit.url, reading.domain, hit.title, hit.description, hit.position, reading.language
        )
        try:
            said = judge(result)
            if said is None:
                return None
            value, why = float(said[0]), str(said[1])[:_LONGEST_WHY]
            if not 0 <= value <= 1:
                raise ValueError(f"a score is between 0 and 1, not {value:g}")
            return round(value * 100), why
        except Exception as error:
            if (message := described(error)) not in failures and len(failures) < _SAID:
                failures.add(message)
                log.warning("a plugged judge failed and is left out", judge=name, error=message)
            return None

    return score


# Different failures of one judge that are said; a broken one fails on every result.
_SAID = 5
