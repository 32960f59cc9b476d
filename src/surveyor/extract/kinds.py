"""The kinds of records there are, and the fields of each: built in, declared in the profile, or plugged in.

A process works for one workspace, so what its profile declares is known here by name as soon as the profile
is taken to work; shells then show, correct and export such records like any other.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Final

from surveyor import entry_points
from surveyor.entry_points import Group
from surveyor.profiles.kinds import BUILT_IN, DeclaredKind, FieldType

_declared: dict[str, DeclaredKind] = {}


def declare(kinds: Mapping[str, DeclaredKind]) -> None:
    """Let this process know the kinds of its profile, and no other's."""
    _declared.clear()
    _declared.update(kinds)


def known_kind(name: str | None) -> str | None:
    """The name, if it is one of a kind."""
    if name is None or name in BUILT_IN or name in _declared or name in entry_points.names(Group.RECORDS):
        return name
    there = ", ".join((*entry_points.names(Group.RECORDS), *_declared))
    raise ValueError(f"there is no kind of records {name[:40]}; there are {there}")


def type_of(kind: str, field: str) -> FieldType:
    """What a field holds; a text, where nobody declared it."""
    declared = BUILT_IN.get(kind) or _declared.get(kind)
    return declared.columns.get(field, FieldType.TEXT) if declared else FieldType.TEXT


class KindFields(Mapping[str, tuple[str, ...]]):
    """The fields of every kind: those of plugins are loaded when somebody asks for them."""

    def __getitem__(self, kind: str) -> tuple[str, ...]:
        declared = BUILT_IN.get(kind) or _declared.get(kind)
        if declared is not None:
            return tuple(declared.columns)
        return tuple(map(str, entry_points.load(Group.RECORDS).objects[kind].fields))

    def __iter__(self) -> Iterator[str]:
        yield from BUILT_IN
        yield from _declared
        yield from entry_points.load(Group.RECORDS).objects

    def __len__(self) -> int:
        return sum(1 for _ in self)


ALL_FIELDS: Final = KindFields()
