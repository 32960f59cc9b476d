"""What goes to a child and comes back is the same; what no rule of ours says is not taken."""

from __future__ import annotations

from datetime import date
from decimal import Decimal
from typing import Any

import orjson
import pytest
from hypothesis import given
from hypothesis import strategies as st

from surveyor.extract import messages
from surveyor.extract.model import Model, Quality
from surveyor.extract.profile_view import ProfileView
from surveyor.extract.values import (
    ContactKind,
    Field,
    FoundContact,
    FoundRecord,
    Page,
    PageText,
    Reading,
    Relevance,
    Source,
)
from surveyor.profiles import files, loader

_TEXT = st.text(st.characters(codec="utf-8", exclude_characters="\x00"), max_size=40)
_HASH = st.integers(-(2**63), 2**63 - 1)
_FIELD = st.builds(
    Field, _TEXT | st.integers(0, 10**9) | st.lists(_TEXT, max_size=3), st.sampled_from(Source), _TEXT
)
_NAME = st.builds(Field, _TEXT.filter(str.strip), st.sampled_from(Source), _TEXT)
_RECORD = st.builds(
    lambda name, region: FoundRecord("funding_program", {"name": name, "region": region}), _NAME, _FIELD
)
_CONTACT = st.builds(
    FoundContact,
    st.sampled_from(ContactKind),
    _TEXT.filter(str.strip),
    st.sampled_from(Source),
    st.none() | _TEXT,
    st.none() | _TEXT,
    _TEXT,
    st.just(Decimal("0.80")),
)
_READING = st.builds(
    Reading,
    st.builds(
        PageText, _TEXT, _TEXT, st.none() | st.just("en"), _TEXT, _TEXT, _HASH, _HASH, st.integers(0, 99)
    ),
    st.builds(Relevance, st.just(Decimal("0.42")), st.booleans(), st.lists(_TEXT, max_size=3)),
    st.lists(_RECORD, max_size=3),
    st.lists(_CONTACT, max_size=3),
)


@given(_READING)
def test_a_reading_comes_back_as_it_was(reading: Reading) -> None:
    assert messages.unpack_reading(messages.pack_reading(reading)) == reading


@given(st.binary(max_size=200), st.none() | _TEXT)
def test_a_page_arrives_as_it_was(body: bytes, content_type: str | None) -> None:
    page = Page("https://site.example/ä", body, content_type, date(2026, 3, 1))
    assert messages.unpack_page(messages.pack_page(page)) == page


@pytest.mark.parametrize("name", files.BUILT_IN)
def test_the_ground_arrives_as_it_was(name: str) -> None:
    view = ProfileView.of(loader.load(name))
    assert messages.unpack_profile_view(messages.pack_profile_view(view)) == (view, None)
    model = Model({3: 0.5}, -0.25, Quality(10, 5, *[Decimal("0.90")] * 3))
    packed = messages.pack_profile_view(view, model)
    assert messages.unpack_profile_view(packed) == (view, model)
    assert messages.version_of(packed) != messages.version_of(messages.pack_profile_view(view))


def _told(**changed: Any) -> bytes:
    field = {"value": "Small Grants", "source": "text", "quote": ""}
    plain = {
        "text": {
            "title": "",
            "description": "",
            "language": None,
            "markdown": "",
            "text": "",
            "text_hash": 1,
            "simhash": 1,
        },
        "relevance": {"score": "0.5", "is_relevant": True, "reasons": []},
        "records": [{"kind": "service", "fields": {"name": field}}],
        "contacts": [],
    }
    for path, value in changed.items():
        at: Any = plain
        *steps, last = path.split("__")
        for step in steps:
            at = at[int(step) if step.isdigit() else step]
        at[last] = value
    return orjson.dumps(plain)


@pytest.mark.parametrize(
    "changed",
    [
        {"text__text_hash": 2**63},
        {"text__title": 7},
        {"text__more": "x"},
        {"relevance__score": "1.01"},
        {"relevance__score": "NaN"},
        {"records__0__kind": "person"},
        {"records__0__fields__name": {"value": " ", "source": "text", "quote": ""}},
        {"records__0__fields__name": {"value": {"a": 1}, "source": "text", "quote": ""}},
        {"records__0__fields__name": {"value": "x", "source": "hearsay", "quote": ""}},
        {"records__0__fields": {}},
        {"contacts": [{"kind": "email"}]},
        {"contacts": 3},
    ],
    ids=str,
)
def test_an_answer_that_makes_no_sense_is_a_failure(changed: dict[str, Any]) -> None:
    assert messages.unpack_reading(_told()).records
    with pytest.raises(messages.ReadingFailed, match="makes no sense"):
        messages.unpack_reading(_told(**changed))


def test_unknown_fields_and_zero_characters_are_left_out() -> None:
    odd = {"value": "a\x00b", "source": "text", "quote": "\x00"}
    reading = messages.unpack_reading(_told(records__0__fields__colour=odd, records__0__fields__phone=odd))
    assert reading.records[0].fields["phone"] == Field("ab", Source.TEXT, "")
    assert set(reading.records[0].fields) == {"name", "phone"}


@given(st.binary(max_size=300))
def test_whatever_a_child_says_is_a_reading_or_a_failure(data: bytes) -> None:
    with pytest.raises(messages.ReadingFailed):
        messages.unpack_reading(data)


def test_the_reason_of_a_failure_comes_back() -> None:
    with pytest.raises(messages.ReadingFailed, match="no sense in it"):
        messages.unpack_reading(messages.pack_failure("no sense in it"))


def test_pages_are_read_again_when_a_model_is_switched_on_or_changed() -> None:
    versions = [messages.version_of(b"rules", also) for also in ("", "small 1", "small 2")]
    assert len(set(versions)) == 3
    assert versions[0] == messages.version_of(b"rules")
