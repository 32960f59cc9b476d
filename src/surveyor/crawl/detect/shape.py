"""Traps that a target shows by itself: too long, repeating itself, or encoded again and again.

Stateless and cheap: asked for every link that is new.
"""

from __future__ import annotations

import re

TRAP_LENGTH = "trap_length"
TRAP_REPEAT = "trap_repeat"
TRAP_ENTITIES = "trap_entities"

# Real targets are shorter: searches and filters with every field filled in reach some hundred characters.
_LONGEST = 1_000
_MOST_SEGMENTS = 25
_MOST_PARAMETERS = 30
# How often a group of segments may follow upon itself; dates such as /11/11/11 are exempt.
_LONGEST_PERIOD = 4
# `&amp;` escaped over and over, or the percent sign.
_GROWTH = re.compile(r"(?:amp;){3}|%25(?:25){2}|(?:amp;[^;]*){4}", re.IGNORECASE)


def shape_reason(target: str) -> str | None:
    """The reason code if the target alone gives the trap away."""
    if len(target) > _LONGEST:
        return TRAP_ENTITIES if _GROWTH.search(target) else TRAP_LENGTH
    if ("%25" in target or "amp;" in target) and _GROWTH.search(target):
        return TRAP_ENTITIES
    path, _, query = target.partition("?")
    if query.count("&") > _MOST_PARAMETERS:
        return TRAP_LENGTH
    segments = path.split("/")
    if len(segments) > _MOST_SEGMENTS:
        return TRAP_LENGTH
    words = [segment for segment in segments if segment and not segment.isdigit()]
    if len(words) - len(set(words)) >= 2 and _repeats(words):
        return TRAP_REPEAT
    return None


def _repeats(words: list[str]) -> bool:
    """Whether a group of segments stands three times in a row, or one segment four times anywhere."""
    if any(words.count(word) > 3 for word in set(words)):
        return True
    for period in range(1, min(_LONGEST_PERIOD, len(words) // 3) + 1):
        for start in range(len(words) - 3 * period + 1):
            group = words[start : start + period]
            if (
                group
                == words[start + period : start + 2 * period]
                == words[start + 2 * period : start + 3 * period]
            ):
                return True
    return False
