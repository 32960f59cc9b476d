"""What goes into the archive and the name it gets there: a capture and its location."""

from __future__ import annotations

import re
from dataclasses import dataclass
from datetime import datetime

from surveyor.errors import BadInput

# A location comes back from the database: the name must not lead out of the archive's folder.
_FILE_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,199}")


@dataclass(frozen=True, slots=True)
class Capture:
    """One response as it was received, its body decoded.

    Header values are text as the HTTP client gives it: UTF-8, with bytes that are
    not UTF-8 kept as surrogate escapes.
    """

    url: str
    fetched_at: datetime
    status: int
    headers: tuple[tuple[str, str], ...]
    body: bytes
    reason: str = ""
    http_version: str = "1.1"
    original: Capture | None = None
    """The response that this is a conversion of: the page as its scripts made it. Written, not read back."""


@dataclass(frozen=True, slots=True)
class Location:
    """Where a record lies: a file of the archive, and the bytes of one gzip member in it."""

    file: str
    offset: int
    length: int

    def __str__(self) -> str:
        return f"{self.file}:{self.offset}:{self.length}"

    @classmethod
    def parse(cls, text: str) -> Location:
        match text.split(":"):
            case [file, offset, length] if _FILE_NAME.fullmatch(file) and _number(offset) and _number(length):
                return cls(file, int(offset), int(length))
        raise BadInput(f"{text[:80]!r} names no place in the archive; it should read file:offset:length")

    @property
    def end(self) -> int:
        return self.offset + self.length


def _number(text: str) -> bool:
    return text.isascii() and text.isdigit() and len(text) <= 18  # what a 64 bit offset can hold
