"""Items of a spider as records of a kind: which kind, which fields, each value as the kind wants it; pure.

`SURVEYOR_RECORDS` says what an item is, by the name of its class (`dict` for plain ones):

    SURVEYOR_RECORDS = {"Grant": "funding_program", "dict": {"kind": "service", "fields": {"name": "title"}}}
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from itemadapter import ItemAdapter

from surveyor.extract.field_values import BadValue, Context, value_of
from surveyor.extract.kinds import ALL_FIELDS
from surveyor.extract.values import Field, FoundRecord, Source


@dataclass(frozen=True, slots=True)
class Mapped:
    """What items of one class are: a kind, and which of their fields are its fields, where names differ."""

    kind: str
    fields: Mapping[str, str] = field(default_factory=dict)


def read_mapping(setting: object) -> dict[str, Mapped]:
    """`SURVEYOR_RECORDS` as values; raises ValueError with what to write."""
    if not isinstance(setting, Mapping) or not setting:
        raise ValueError('SURVEYOR_RECORDS says no item; write such as {"GrantItem": "funding_program"}')
    found = {}
    for name, said in setting.items():
        known: Any = {"kind": said} if isinstance(said, str) else said
        if not isinstance(known, Mapping) or not isinstance(known.get("kind"), str):
            raise ValueError(f"SURVEYOR_RECORDS: {name!r} names no kind; write a kind, or kind and fields")
        mapped = Mapped(known["kind"], dict(known.get("fields", {})))
        if mapped.kind not in ALL_FIELDS:
            there = ", ".join(ALL_FIELDS)
            raise ValueError(f"SURVEYOR_RECORDS: there is no kind {mapped.kind!r}; there are {there}")
        strange = sorted(mapped.fields.keys() - set(ALL_FIELDS[mapped.kind]))
        if strange:
            has = ", ".join(ALL_FIELDS[mapped.kind])
            raise ValueError(f"SURVEYOR_RECORDS: a {mapped.kind} has no field {strange[0]!r}; it has {has}")
        found[str(name)] = mapped
    return found


def mapped_of(item: object, mapping: Mapping[str, Mapped]) -> Mapped | None:
    """By the class of the item or one it stems from: its name, or its whole path."""
    for kind in type(item).__mro__:
        for name in (f"{kind.__module__}.{kind.__qualname__}", kind.__name__):
            if name in mapping:
                return mapping[name]
    return None


def record_of(item: object, mapped: Mapped, context: Context) -> FoundRecord:
    """Raises `BadValue`."""
    given = ItemAdapter(item)
    fields: dict[str, Field] = {}
    for name in ALL_FIELDS[mapped.kind]:
        value = given.get(mapped.fields.get(name, name))
        if value is None or value == "" or value == []:
            continue
        fields[name] = Field(value_of(mapped.kind, name, value, context), Source.ITEM, "")
    if not isinstance(fields.get("name", Field(0, Source.ITEM, "")).value, str):
        raise BadValue(f"a {mapped.kind} needs a name, and {mapped.fields.get('name', 'name')!r} has none")
    return FoundRecord(mapped.kind, fields)
