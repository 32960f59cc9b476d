"""Corrections laid over fields and taken off again, for any fields and any corrections."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Any
from uuid import UUID

from hypothesis import given
from hypothesis import strategies as st

from surveyor.extract.overlay import SOURCE, WHOLE, Correction, laid_over, taken_off

_NAMES = st.sampled_from(["name", "deadline", "funder", "amount_max"])
_FIELD = st.builds(lambda value: {"value": value, "source": "text", "quote": "q"}, st.integers(0, 9))


def correction(field: str, said: dict[str, Any] | None, value: int, hidden: bool) -> Correction:
    moment = datetime(2026, 1, 1, tzinfo=UTC)
    before = None if said is None else said["value"]
    return Correction(
        1,
        UUID(int=1),
        field,
        None if hidden else value,
        hidden,
        None,
        before,
        said,
        "rita",
        None,
        moment,
        None,
        None,
    )


@given(st.dictionaries(_NAMES, _FIELD), st.dictionaries(_NAMES, st.tuples(st.integers(0, 9), st.booleans())))
def test_taking_off_gives_back_what_the_pages_said(
    fields: dict[str, Any], wanted: dict[str, tuple[int, bool]]
) -> None:
    fields = {"name": {"value": "x", "source": "text", "quote": ""}} | fields
    laid = [
        correction(name, fields.get(name), value, hidden and name != "name")
        for name, (value, hidden) in wanted.items()
    ]
    laid.append(correction(WHOLE, None, 0, True))
    shown = laid_over(fields, laid)
    for one in laid:
        if one.field != WHOLE:
            assert (one.field not in shown) if one.hidden else (shown[one.field]["value"] == one.value)
            assert one.hidden or shown[one.field]["source"] == SOURCE
    assert taken_off(shown, laid) == fields


def test_a_site_that_comes_to_say_what_the_person_said_does_not_overtake_it() -> None:
    said = {"value": 5}
    one = correction("amount_max", said, 8, False)
    assert not one.was_overtaken
    for value, is_overtaken in ((8, False), (9, True), (5, False)):
        later = Correction(
            **{name: getattr(one, name) for name in one.__dataclass_fields__} | {"said": {"value": value}}
        )
        assert later.was_overtaken is is_overtaken
