"""What a form posted or a query asked, as texts and as values; anything odd is refused in one line."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import TypeVar
from urllib.parse import parse_qsl
from uuid import UUID

from fastapi import Request

from surveyor.errors import BadInput, NotFound

E = TypeVar("E", bound=str)
K = TypeVar("K", bound=StrEnum)
# Fields of one form: a page of domains ticked for a bulk act, twice.
_MOST_FIELDS = 1_000


@dataclass(frozen=True, slots=True)
class Form:
    fields: Mapping[str, Sequence[str]]

    @classmethod
    def parse(cls, body: bytes) -> Form:
        try:
            pairs = parse_qsl(
                body.decode("utf-8"), keep_blank_values=True, max_num_fields=_MOST_FIELDS, errors="strict"
            )
        except ValueError:  # UnicodeDecodeError is one
            raise BadInput("the form cannot be read; load the page again, then retry") from None
        fields: dict[str, list[str]] = {}
        for name, value in pairs:
            fields.setdefault(name, []).append(value.replace("\0", ""))
        return cls(fields)

    def one(self, name: str) -> str:
        """The last value of that name, else nothing."""
        values = self.fields.get(name)
        return values[-1].strip() if values else ""

    def some(self, name: str) -> str | None:
        """As `one`; an empty one is None."""
        return self.one(name) or None

    def all(self, name: str) -> list[str]:
        return [value.strip() for value in self.fields.get(name, ()) if value.strip()]

    def number(self, name: str, label: str) -> int | None:
        text = self.one(name)
        if not text:
            return None
        if not text.isascii() or not text.isdigit() or len(text) > 9:
            raise BadInput(f"{label} is a whole number, not {text[:20]!r}")
        return int(text)

    def decimal(self, name: str, label: str) -> float | None:
        text = self.one(name).replace(",", ".")
        if not text:
            return None
        whole, _, rest = text.partition(".")
        if not (whole + rest).isascii() or not (whole + rest).isdigit() or len(text) > 12:
            raise BadInput(f"{label} is a number, not {text[:20]!r}")
        return float(text)


def chosen(request: Request, name: str, kind: type[K]) -> K | None:
    """A choice in the address; an unknown one is refused, or a list of everything would be taken for it."""
    return one_of(request, name, kind)


def one_of(request: Request, name: str, known: Iterable[E]) -> E | None:
    """As `chosen`, among some."""
    text, found = request.query_params.get(name, ""), list(known)
    if not text:
        return None
    for each in found:
        if each == text:
            return each
    raise BadInput(f"there is no {name} {text[:40]!r}; choose {', '.join(found)}")


def asked(request: Request, name: str, longest: int = 300) -> str:
    """A text in the address."""
    return request.query_params.get(name, "")[:longest].replace("\0", "").strip()


def identifier(text: str, what: str) -> UUID:
    try:
        return UUID(text)
    except ValueError:
        raise NotFound(f"there is no {what} {text[:40]!r}") from None


def long_number(text: str, label: str) -> int:
    """A whole number of 64 bits, as the databases count; anything else leads nowhere."""
    digits = text.removeprefix("-")
    if not digits.isascii() or not digits.isdigit() or len(digits) > 19 or not -(2**63) <= int(text) < 2**63:
        raise NotFound(label)
    return int(text)


def local(path: str, otherwise: str) -> str:
    """A path of this site to go back to; anything that could lead elsewhere is not taken."""
    plain = path.isprintable() and path.isascii() and "\\" not in path and len(path) <= 1_000
    if plain and path.startswith("/") and not path.startswith("//"):
        return path
    return otherwise
