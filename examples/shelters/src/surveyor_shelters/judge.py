"""A judge: does the name of the result say that somebody gives shelter?"""

from __future__ import annotations

from surveyor.plugins import SearchResult

_WORDS = ("shelter", "refuge", "night stop", "pantry", "food bank")


def shelter_name(result: SearchResult) -> tuple[float, str] | None:
    if not result.title:
        return None  # nothing to go by
    found = [word for word in _WORDS if word in result.title.lower()]
    if found:
        return 1.0, f"the title says {' and '.join(found)}"
    return 0.2, "the title names no shelter"
