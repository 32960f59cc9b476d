"""Pages on their way to a child and readings on their way back, as JSON: a child may be anybody's by then."""

from __future__ import annotations

import hashlib
import struct
from collections.abc import Mapping
from dataclasses import asdict
from datetime import date
from decimal import Decimal
from typing import Any, Final

import orjson
from pydantic import TypeAdapter

from surveyor.extract.kinds import ALL_FIELDS
from surveyor.extract.model import Model
from surveyor.extract.profile_view import ProfileView
from surveyor.extract.values import (
    EXTRACTOR_VERSION,
    ContactKind,
    Field,
    FoundContact,
    FoundRecord,
    Page,
    PageText,
    Reading,
    Relevance,
    Source,
    Value,
)

_HEAD: Final = struct.Struct(">I")
_SIGNED: Final = struct.Struct(">q")
# Records and contacts of one page: a directory on one page, and more than any person reads.
MOST_FOUND: Final = 300
# Characters: of a name, of a sentence, of a page, of a language code.
_LINE_CHARS, _TEXT_CHARS, _PAGE_CHARS, _CODE_CHARS = 500, 2_000, 2_000_000, 12
_MOST_REASONS, _MOST_COUNTED = 50, 2**31 - 1


class ReadingFailed(Exception):
    """The rules themselves gave up on the page; the child lives."""


_GREETING: Final = TypeAdapter(tuple[ProfileView, str | None])


def pack_profile_view(view: ProfileView, model: Model | None = None) -> bytes:
    """All that a reader is made of."""
    return _GREETING.dump_json((view, model.to_bytes().decode() if model else None))


def unpack_profile_view(data: bytes) -> tuple[ProfileView, Model | None]:
    view, learned = _GREETING.validate_json(data)
    return view, Model.from_bytes(learned.encode()) if learned else None


def version_of(greeting: bytes, also: str = "") -> str:
    """Names the rules together with what they were given, and another reader beside them: a page is read
    again when any of these changes."""
    data = greeting + also.encode()
    return f"{EXTRACTOR_VERSION}-{hashlib.blake2b(data, digest_size=6).hexdigest()}"


def pack_page(page: Page) -> bytes:
    head = orjson.dumps({"url": page.url, "type": page.content_type, "seen_on": page.seen_on.isoformat()})
    return _HEAD.pack(len(head)) + head + page.body


def unpack_page(data: bytes) -> Page:
    (size,) = _HEAD.unpack_from(data)
    head = orjson.loads(data[_HEAD.size : _HEAD.size + size])
    body = data[_HEAD.size + size :]
    return Page(head["url"], body, head["type"], date.fromisoformat(head["seen_on"]))


def pack_failure(reason: str) -> bytes:
    return orjson.dumps({"failed": reason})


def pack_reading(reading: Reading) -> bytes:
    return orjson.dumps(reading, default=_to_json)


def _to_json(value: Any) -> Any:
    """Of a field its parts by name; a number with places as it is written."""
    return value._asdict() if isinstance(value, Field) else str(value)


def unpack_reading(data: bytes) -> Reading:
    """What a child read, or `ReadingFailed`; what no rule of ours can have said is not taken."""
    try:
        content = orjson.loads(data)
        if b"\\u0000" in data:  # no database keeps it
            content = _without_nul(content)
        if "failed" in content:
            raise ReadingFailed(str(content["failed"]))
        return Reading(
            _to_text(content["text"]),
            _to_relevance(content["relevance"]),
            [to_record(record) for record in content["records"][:MOST_FOUND]],
            [to_contact(contact) for contact in content["contacts"][:MOST_FOUND]],
        )
    except (KeyError, TypeError, ValueError, ArithmeticError, AttributeError, struct.error) as error:
        raise ReadingFailed(f"its reading makes no sense: {type(error).__name__}") from None


def _without_nul(value: Any) -> Any:
    if isinstance(value, str):
        return value.replace("\x00", "")
    if isinstance(value, list):
        return [_without_nul(one) for one in value]
    if isinstance(value, dict):
        return {_without_nul(name): _without_nul(one) for name, one in value.items()}
    return value


def _to_text(data: Mapping[str, Any]) -> PageText:
    text = PageText(**data)
    cut = {
        "title": text.title[:_LINE_CHARS],
        "description": text.description[:_TEXT_CHARS],
        "language": text.language and text.language[:_CODE_CHARS],
        "markdown": text.markdown[:_PAGE_CHARS],
        "text": text.text[:_PAGE_CHARS],
        "text_hash": _SIGNED.unpack(_SIGNED.pack(text.text_hash))[0],
        "simhash": _SIGNED.unpack(_SIGNED.pack(text.simhash))[0],
        "links": min(max(int(text.links), 0), _MOST_COUNTED),
        "images": min(max(int(text.images), 0), _MOST_COUNTED),
    }
    return PageText(**cut)


def _to_relevance(data: Mapping[str, Any]) -> Relevance:
    score = Decimal(data["score"])
    if not 0 <= score <= 1:
        raise ValueError("a score is between 0 and 1")
    reasons = [str(reason)[:_TEXT_CHARS] for reason in data["reasons"][:_MOST_REASONS]]
    return Relevance(score, bool(data["is_relevant"]), reasons)


def contact_json(contact: FoundContact) -> dict[str, Any]:
    return asdict(contact) | {"confidence": str(contact.confidence)}


def to_record(data: Mapping[str, Any]) -> FoundRecord:
    known = ALL_FIELDS[data["kind"]]
    fields = {
        name: Field(_value(one["value"]), Source(one["source"]), str(one["quote"])[:_TEXT_CHARS])
        for name, one in data["fields"].items()
        if name in known
    }
    if not isinstance(name := fields["name"].value, str) or not name.strip():
        raise ValueError("a record has a name")
    return FoundRecord(data["kind"], fields)


def _value(value: Any) -> Value:
    if isinstance(value, str):
        return value[:_TEXT_CHARS]
    if isinstance(value, list):
        return [str(one)[:_LINE_CHARS] for one in value[:_MOST_REASONS]]
    if isinstance(value, int | float) and not isinstance(value, bool):
        return value
    raise TypeError("no field has such a value")


def to_contact(data: Mapping[str, Any]) -> FoundContact:
    value = data["value"][:_LINE_CHARS]
    if not value.strip():
        raise ValueError("a contact says something")
    return FoundContact(
        ContactKind(data["kind"]),
        value,
        Source(data["source"]),
        data["name"] and data["name"][:_LINE_CHARS],
        data["role"] and data["role"][:_LINE_CHARS],
        data["quote"][:_TEXT_CHARS],
        Decimal(data["confidence"]),
    )
