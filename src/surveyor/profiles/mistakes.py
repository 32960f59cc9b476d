"""A failed validation as one line for the person who wrote the profile: field, mistake, remedy."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from difflib import get_close_matches
from typing import Any

from pydantic import ValidationError

from surveyor.profiles.model import Part
from surveyor.profiles.values import MAX_SHOWN, shown

# What the validator's kinds of mistake mean to somebody who writes TOML.
_REMEDIES = {
    "string_type": "write text in quotes",
    "tuple_type": 'write a list, such as ["one", "two"]',
    "mapping_type": "write a table",
    "dict_type": "write a table",
    "model_type": "write a table",
    "bool_type": "write true or false",
    "int_type": "write a whole number",
    "float_type": "write a number",
    "float_parsing": "write a number",
    "decimal_type": "write a number such as 0.60",
    "decimal_parsing": "write a number such as 0.60",
    "decimal_max_places": "write two decimal places at most",
    "finite_number": "write a number such as 0.60",
    "literal_error": "use {expected}",
    "greater_than": "write a number over {gt}",
    "greater_than_equal": "write {ge} or more",
    "less_than_equal": "write {le} or less",
    "too_short": "write at least one",
}


def explained(error: ValidationError) -> str:
    first, *others = every(error)
    return f"{first} (and {len(others)} more)" if others else first


def every(error: ValidationError) -> list[str]:
    """All mistakes, one line each."""
    # A misspelt field is also a missing one; the misspelling is what to show first.
    found = sorted(error.errors(include_url=False), key=lambda one: one["type"] != "extra_forbidden")
    return [one_line(_one(mistake)) for mistake in found]


def one_line(text: str) -> str:
    """Foreign text made safe for a terminal."""
    return "".join(ch if ch.isprintable() else "�" for ch in text)


def _one(mistake: Mapping[str, Any]) -> str:
    place, kind = _place(mistake["loc"]), mistake["type"]
    if kind == "extra_forbidden":
        return f"{place} is not a field; {_nearest(str(mistake['loc'][-1]))}"
    if kind == "missing":
        return f"{place} is missing; add it"
    if kind == "value_error":
        message = str(mistake["ctx"]["error"])
        return f"{place}: {message}" if place else message
    known = _REMEDIES.get(kind)
    remedy = known.format(**mistake.get("ctx", {})) if known else mistake["msg"]
    return f"{place}: {remedy}{_instead_of(mistake['input'])}"


def _place(loc: Sequence[int | str]) -> str:
    """`("limits", "x")` is `limits.x`; entries are counted from one, as people do."""
    names = ".".join(part for part in loc if isinstance(part, str) and part != "[key]")
    entry = next((f" (entry {part + 1})" for part in loc if isinstance(part, int)), "")
    return names[:MAX_SHOWN] + entry


def _instead_of(value: object) -> str:
    return "" if isinstance(value, dict | list | tuple) else f", not {shown(str(value))}"


def _nearest(name: str) -> str:
    fields = {field.alias or key for part in _below(Part) for key, field in part.model_fields.items()}
    near = get_close_matches(name, fields - {name}, n=1)
    return f"did you mean {near[0]}?" if near else "remove it"


def _below(part: type[Part]) -> Iterator[type[Part]]:
    yield part
    for child in part.__subclasses__():
        yield from _below(child)
