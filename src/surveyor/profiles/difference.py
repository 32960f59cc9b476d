"""What one profile says that another does not, part by part, for people to read. Pure."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, NamedTuple

from surveyor.profiles.model import Profile


class Difference(NamedTuple):
    """One part of a profile, such as `keywords, loan, words, de`: what it has more, and what it lost."""

    part: str
    added: tuple[str, ...] = ()
    removed: tuple[str, ...] = ()


def differences(before: Profile, after: Profile) -> list[Difference]:
    """In the order of the profile's parts; of equal ones none."""
    old, new = (dict(_parts(each.model_dump(mode="json", by_alias=True))) for each in (before, after))
    found = []
    for part in dict.fromkeys((*old, *new)):
        had, has = old.get(part, ()), new.get(part, ())
        added = tuple(each for each in has if each not in set(had))
        removed = tuple(each for each in had if each not in set(has))
        if added or removed:
            found.append(Difference(part, added, removed))
    return found


def _parts(value: Any, path: tuple[str, ...] = ()) -> Iterator[tuple[str, tuple[str, ...]]]:
    """Every list and every single value, with where it stands."""
    if isinstance(value, Mapping):
        for name, below in value.items():
            yield from _parts(below, (*path, str(name)))
    elif isinstance(value, list | tuple):
        yield ", ".join(path), tuple(str(each) for each in value)
    elif value is not None:
        yield ", ".join(path), (str(value),)
