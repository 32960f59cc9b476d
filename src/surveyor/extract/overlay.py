"""What people corrected, laid over what pages say. Pure.

A record's stored fields are those of its pages with the corrections on top. Whoever reads a record sees them
so; who writes a record anew takes them off first and lays them on again.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Final
from uuid import UUID

Fields = dict[str, dict[str, Any]]
# Where a corrected field is said to come from.
SOURCE: Final = "correction"
# The field of a correction that is about the whole record.
WHOLE: Final = ""


@dataclass(frozen=True, slots=True)
class Correction:
    """What a person says of a field, or with no field of the record: another value, or nothing at all."""

    id: int
    record_id: UUID
    field: str
    value: Any
    hidden: bool
    merged_into: UUID | None
    before: Any  # the value that the pages gave when it was corrected
    said: dict[str, Any] | None  # the field as the pages give it now; None where they are silent
    made_by: str
    reason: str | None
    at: datetime
    ended_at: datetime | None
    ended_by: str | None

    @property
    def page_says(self) -> Any:
        return None if self.said is None else self.said.get("value")

    @property
    def was_overtaken(self) -> bool:
        """Whether the site says something else since it was corrected."""
        return self.field != WHOLE and self.page_says not in (self.before, self.value)


def laid_over(fields: Mapping[str, dict[str, Any]], corrections: Iterable[Correction]) -> Fields:
    """The fields of the pages with the corrections on top."""
    shown = dict(fields)
    for one in corrections:
        if one.field == WHOLE:
            continue
        if one.hidden:
            shown.pop(one.field, None)
        else:
            shown[one.field] = (fields.get(one.field) or {}) | {
                "value": one.value,
                "source": SOURCE,
                "quote": "",
            }
    return shown


def taken_off(fields: Mapping[str, dict[str, Any]], corrections: Iterable[Correction]) -> Fields:
    """The fields as the pages gave them. A record that no page gave keeps its name."""
    said = dict(fields)
    for one in corrections:
        if one.field == WHOLE:
            continue
        if one.said is not None:
            said[one.field] = one.said
        elif one.field != "name":
            said.pop(one.field, None)
    return said
