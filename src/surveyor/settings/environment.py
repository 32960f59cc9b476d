"""Settings in the environment: `SURVEYOR_CRAWL__DELAY_SECONDS=0.5` sets `delay_seconds` in `[crawl]`.

Lists, maps and whole sections are written as JSON. A name with our prefix that sets nothing is an error.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping
from difflib import get_close_matches
from typing import Any, TypeGuard, get_origin

from pydantic import BaseModel

from surveyor import entry_points
from surveyor.entry_points import Group
from surveyor.errors import BadSettings
from surveyor.settings.sections import ProviderSettings, Section

PREFIX = "SURVEYOR_"
# Names that begin with the prefix and are not settings.
_NOT_SETTINGS = {
    "SURVEYOR_WORKSPACE",
    "SURVEYOR_FAILPOINT",
    "SURVEYOR_DEBUG",
    "SURVEYOR_TEST_PROCESSES",
    "SURVEYOR_TEST_BROWSER",
}

Path = tuple[str, ...]


def values(model: type[BaseModel], environment: Mapping[str, str]) -> dict[str, Any]:
    """What the environment sets, in the shape of the file; one setting is stronger than a whole section."""
    names = [name for name in environment if name.startswith(PREFIX) and name not in _NOT_SETTINGS]
    if not names:
        return {}
    known = {_variable(path): (path, kind) for path, kind in _settings(model)}
    found: dict[str, Any] = {}
    for name in sorted(names, key=lambda name: name.count("__")):
        path, kind = known.get(name) or _of_plugged_provider(name, known)
        value = _value(path, kind, environment[name])
        for part in reversed(path):
            value = {part: value}
        found = merged(found, value)
    return found


def merged(weaker: Mapping[str, Any], stronger: Mapping[str, Any]) -> dict[str, Any]:
    """Both, section by section; where both say something the second counts."""
    both = dict(weaker)
    for name, value in stronger.items():
        below = both.get(name)
        if isinstance(below, dict) and isinstance(value, dict):
            value = merged(below, value)
        both[name] = value
    return both


def _settings(model: type[BaseModel], above: Path = ()) -> Iterator[tuple[Path, Any]]:
    """Every setting and section of a model with its type."""
    for name, field in model.model_fields.items():
        yield (*above, name), field.annotation
        if is_section(field.annotation):
            yield from _settings(field.annotation, (*above, name))


def is_section(kind: Any) -> TypeGuard[type[Section]]:
    return isinstance(kind, type) and issubclass(kind, Section)


def _variable(path: Path) -> str:
    return PREFIX + "__".join(path).upper()


def nearest(name: str, known: Iterable[str]) -> str:
    """What a setting that there is not was perhaps meant to be, as the end of a message; else nothing."""
    known = list(known)
    within, _, last = name.rpartition(".")
    # Of a section its settings, by their last part: what they share would make them all alike.
    alike = {one.rpartition(".")[2]: one for one in known if one.rpartition(".")[0] == within}
    meant = [one for one in known if one.startswith(name)]
    meant += [alike[one] for one in get_close_matches(last, alike, 1, 0.7)]
    meant += get_close_matches(name, known, 1, 0.9)
    return f"; perhaps {meant[0]}" if meant else ""


def names(model: type[BaseModel]) -> list[str]:
    """Every setting and section as the docs write it, such as `net.contact`."""
    return [".".join(path) for path, _ in _settings(model)]


def _of_plugged_provider(name: str, known: Iterable[str]) -> tuple[Path, Any]:
    """Looked up only for a name that is not known otherwise: finding packages takes a while."""
    for plugged in entry_points.names(Group.PROVIDERS):
        for path, kind in _settings(ProviderSettings, ("providers", plugged)):
            if _variable(path) == name:
                return path, kind
    raise BadSettings(f"{name} is not a setting{nearest(name, known)}; docs/reference lists the names")


def _value(path: Path, kind: Any, text: str) -> Any:
    shape = dict if is_section(kind) else get_origin(kind)
    if shape not in (list, dict):
        return text
    try:
        value = json.loads(text)
        if isinstance(value, shape):
            return value
    except (ValueError, RecursionError):
        pass
    raise BadSettings(  # without what was given: it may hold a key
        f"{'.'.join(path)}: {_variable(path)} is no JSON {'object' if shape is dict else 'list'}; in the"
        " environment lists, maps and whole sections are written as JSON"
    )
