"""What is well formed of a model's answer: known kinds and fields of the right shape and size. Pure.

An answer with another frame is none; a record that breaks a rule is left out whole. Nothing here is
believed yet: `proof` looks for every value on the page.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Mapping, Sequence
from datetime import date
from functools import cache
from typing import Annotated, Any, Final, NamedTuple

from pydantic import (
    AfterValidator,
    BaseModel,
    ConfigDict,
    Field,
    StringConstraints,
    ValidationError,
    create_model,
)

from surveyor.extract.values import FIELDS, Value
from surveyor.llm.question import Nonsense, closed_object, one_line, parsed

# Records of one page that a model may claim; a list of more is not what was asked for.
MOST_RECORDS: Final = 50
# Characters of a name and of a text; what is longer on a page is nothing that a record holds.
_LINE_CHARS, _TEXT_CHARS, _MOST_LISTED = 300, 1_000, 20
# More than anybody is given, in any currency.
_MOST_MONEY: Final = 10**12


class ClaimedRecord(NamedTuple):
    """A record as a model tells it, with a name and without empty fields."""

    kind: str
    fields: dict[str, Value]


def _day(text: str) -> str:
    if re.fullmatch(r"[0-9]{4}-[0-9]{2}-[0-9]{2}", text) is None:
        raise ValueError("a day is written as YYYY-MM-DD")
    return date.fromisoformat(text).isoformat()


_Line = Annotated[str, StringConstraints(max_length=_LINE_CHARS), AfterValidator(one_line)]
_Text = Annotated[str, StringConstraints(max_length=_TEXT_CHARS), AfterValidator(one_line)]
_Money = Annotated[int | float, Field(ge=0, le=_MOST_MONEY, allow_inf_nan=False)]
_Code = Annotated[str, StringConstraints(pattern=r"^[A-Z]{3}$")]
_Language = Annotated[str, StringConstraints(pattern=r"^[a-z]{2}$")]
_Phone = Annotated[str, StringConstraints(pattern=r"^\+[1-9][0-9]{6,14}$")]
_Lines = Annotated[list[_Line], Field(max_length=_MOST_LISTED)]

_TYPES: Final[dict[str, Any]] = {
    "name": _Line,
    "funder": _Line,
    "organisation": _Line,
    "region": _Line,
    "location": _Line,
    "address": _Text,
    "hours": _Text,
    "eligibility": _Text,
    "email": _Line,
    "website": _Line,
    "amount_min": _Money,
    "amount_max": _Money,
    "currency": _Code,
    "deadline": Annotated[str, AfterValidator(_day)],
    "phone": _Phone,
    "language": _Language,
    "categories": _Lines,
}
_SCHEMAS: Final[dict[str, dict[str, Any]]] = {
    "amount_min": {"type": ["number", "null"]},
    "amount_max": {"type": ["number", "null"]},
    "categories": {"type": ["array", "null"], "items": {"type": "string"}},
}


@cache
def _shape(kind: str) -> type[BaseModel]:
    fields = {field: (_TYPES[field] | None, None) for field in FIELDS[kind] if field != "name"}
    strict = ConfigDict(extra="forbid", strict=True)
    return create_model(f"Claimed_{kind}", __config__=strict, name=(_TYPES["name"], ...), **fields)  # type: ignore[call-overload,no-any-return]


def json_schema(kinds: Sequence[str], also: Mapping[str, Any] | None = None) -> dict[str, Any]:
    """The same for a service that makes its model keep to it: all fields named, null for what is not said.
    `also` are keys of the answer beside its records."""
    records = [_record_schema(kind) for kind in kinds]
    return closed_object({**(also or {}), "records": {"type": "array", "items": {"anyOf": records}}})


def _record_schema(kind: str) -> dict[str, Any]:
    fields = {field: _SCHEMAS.get(field, {"type": ["string", "null"]}) for field in FIELDS[kind]}
    return closed_object({"kind": {"type": "string", "enum": [kind]}} | fields | {"name": {"type": "string"}})


def framed(content: str, also: Collection[str] = ()) -> dict[str, Any]:
    """An answer with records and these keys beside them, and no others; or `Nonsense`."""
    data = parsed(content)
    if (
        not isinstance(data, dict)
        or data.keys() != {"records", *also}
        or not isinstance(data["records"], list)
    ):
        raise Nonsense(f"it is not an object with records {'and a verdict' if also else 'alone'}")
    if len(data["records"]) > MOST_RECORDS:
        raise Nonsense(f"it has more than {MOST_RECORDS} records")
    return data


def read_records(claimed: Iterable[Any], kinds: Sequence[str]) -> list[ClaimedRecord]:
    """Those that keep to the rules."""
    return [one for record in claimed if (one := _record(record, kinds)) is not None]


def _record(claimed: Any, kinds: Sequence[str]) -> ClaimedRecord | None:
    if not isinstance(claimed, Mapping) or claimed.get("kind") not in kinds:
        return None
    fields = {name: value for name, value in claimed.items() if name != "kind"}
    try:
        checked = _shape(claimed["kind"]).model_validate(fields)
    except ValidationError:
        return None
    kept = {name: value for name, value in checked.model_dump().items() if value not in (None, "", [])}
    return ClaimedRecord(claimed["kind"], kept) if "name" in kept else None


def to_json(claimed: Iterable[ClaimedRecord]) -> list[dict[str, Any]]:
    """As it is remembered; `read_records` reads it."""
    return [{"kind": one.kind, **one.fields} for one in claimed]
