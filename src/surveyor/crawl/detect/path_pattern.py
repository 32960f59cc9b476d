"""What a target shows by itself: the patterns it belongs to, and traps that are plain from it alone.

A pattern is all targets that differ only in numbers, ids, dates, slugs or values of parameters. A target
belongs to its own pattern and to wider ones: all of a folder, all combinations of
parameters of a path. A trap may hide in either, so both are watched.
"""

from __future__ import annotations

import re
from functools import lru_cache
from typing import NamedTuple

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
# Folders whose names are kept; what is deeper is taken for the name of a single page or a value.
_NAMED_FOLDERS = 2
_NUMBER = re.compile(r"[0-9]+")
_ID = re.compile(r"(?i:(?=.*[0-9])[0-9a-f]{8,}|(?=.*[0-9])[0-9a-z]{16,}|[0-9a-f-]{32,})")
# Parameters that choose a part of the site rather than a page, in systems where one script serves all.
_CHOOSES_PART = frozenset(
    {
        "format",
        "option",
        "view",
        "task",
        "action",
        "act",
        "do",
        "mode",
        "module",
        "mod",
        "controller",
        "route",
        "op",
    }
)
# A year and a month in a path, a date anywhere, or a parameter named for a part of a date.
_DATE = re.compile(
    r"/(?:1[5-9]|2[0-9])[0-9]{2}[/-](?:0?[1-9]|1[0-2])(?=[/?.-]|$)"
    r"|(?<![0-9])(?:1[5-9]|2[0-9])[0-9]{2}-?(?:0[1-9]|1[0-2])(?:-?(?:0[1-9]|[12][0-9]|3[01]))?(?![0-9])"
    r"|[?&](?:[a-z]{1,10}[-_])?(?:year|yr|month|mon|week|day|date|jahr|monat|woche|tag|datum|annee|mois|semaine"
    r"|jour|mes|anno|fecha|start_?date|from|until)=[0-9]",
    re.IGNORECASE,
)
_YEAR = re.compile(r"(?<=[?&])(?:[a-z]{1,10}[-_])?(?:year|yr|jahr|annee|anno)=[0-9]+", re.IGNORECASE)


class Patterns(NamedTuple):
    """Where a target belongs."""

    own: str
    """With `#` for numbers, `*` for ids, `~` for names of single pages, and the names of parameters."""
    wider: tuple[str, ...]
    """All below its folders; or all combinations of several parameters of its path."""
    part: str
    """The part of the site: the first folder, or the path before parameters."""
    is_combined: bool
    """Whether several parameters choose the page."""
    all: tuple[str, ...]
    """Its own and the wider ones."""


@lru_cache(maxsize=1024)
def patterns_of(target: str) -> Patterns:
    path, _, query = target.partition("?")
    segments = path.split("/")[1:]
    last = len(segments) - 1
    named = min(last, _NAMED_FOLDERS)
    shapes = [_shape(segment, number < named) if segment else "" for number, segment in enumerate(segments)]
    if query:
        if last == 0 or "." in segments[last]:  # a script, which is the same for all its pages
            shapes[last] = segments[last]
        shape = "/" + "/".join(shapes)
        names = sorted({_name(parameter) for parameter in query.split("&")})
        own, wider = f"{shape}?{'&'.join(names)}", (f"{shape}?…",) if len(names) > 1 else ()
        return Patterns(own, wider, shape, bool(wider), (own, *wider))
    folders = tuple([f"/{'/'.join(shapes[:depth])}/…" for depth in range(1, named + 1)])
    shape = "/" + "/".join(shapes)
    return Patterns(shape, folders, folders[0] if folders else shape, False, (shape, *folders))


def is_dated(target: str) -> bool:
    """Whether a date chooses the page."""
    return _DATE.search(target) is not None


def without_year(target: str) -> str:
    """Without the parameters that name a year."""
    return _YEAR.sub("", target)


def _shape(segment: str, is_folder: bool) -> str:
    if segment.replace("-", "").replace("_", "").isdigit():
        return "#"
    if _ID.fullmatch(segment):
        return "*"
    if is_folder:
        return _NUMBER.sub("#", segment)
    name, dot, ending = segment.rpartition(".")
    return f"~.{ending}" if dot and name and ending.isalpha() and len(ending) <= 5 else "~"


def _name(parameter: str) -> str:
    name, _, value = parameter.partition("=")
    return f"{name}={value}" if name.lower() in _CHOOSES_PART and not value.isdigit() else name


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
