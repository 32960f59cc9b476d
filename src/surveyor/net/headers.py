"""The headers of an answer, cleaned where they enter: no text out of here can harm a row or a log line.

What a server writes is bytes. `get` gives them as text without surrogates, NUL or other control
characters. Two kinds of header are given back to servers, and must say there what they said here:
validators, one character per byte, and addresses, with every byte that is not ASCII percent-encoded
as browsers do. One that is too long to be real is none: half a validator or address is another one.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Final

VALIDATOR_BYTES: Final = 512  # of an ETag or Last-Modified; real ones have under 100
TYPE_CHARS: Final = 200  # of a Content-Type; no real one is longer

_CONTROL: Final = re.compile(r"[\x00-\x08\x0a-\x1f\x7f-\x9f]")
_UNSENDABLE: Final = re.compile(rb"[\x00-\x08\x0a-\x1f\x7f]")
_NOT_ASCII: Final = re.compile(rb"[\x80-\xff]")

RawHeaders = Sequence[tuple[bytes, bytes]]


class Headers(Mapping[str, str]):
    """Read by name in any case; of a repeated header the first, all of them by `getall`."""

    __slots__ = ("_values",)

    def __init__(self, raw: RawHeaders) -> None:
        self._values: dict[bytes, bytes | list[bytes]] = {}
        for name, value in raw:
            known = self._values.setdefault(name.lower(), value)
            if known is not value:
                self._add(name.lower(), value, known)

    def _add(self, name: bytes, value: bytes, known: bytes | list[bytes]) -> None:
        if isinstance(known, list):
            known.append(value)
        else:
            self._values[name] = [known, value]

    def raw(self, name: str) -> list[bytes]:
        """Every value of this name, as received."""
        found = self._values.get(name.lower().encode("latin-1"), [])
        return found if isinstance(found, list) else [found]

    def __getitem__(self, name: str) -> str:
        found = self._values[name.lower().encode("latin-1")]
        return text_of(found[0] if isinstance(found, list) else found)

    def getall(self, name: str) -> list[str]:
        return [text_of(value) for value in self.raw(name)]

    def __iter__(self) -> Iterator[str]:
        return map(text_of, self._values)

    def __len__(self) -> int:
        return len(self._values)

    def validator(self, name: str) -> str | None:
        """An ETag or Last-Modified to be stored and sent back, byte for byte; None where that cannot be."""
        values = self.raw(name)
        if not values or not values[0] or len(values[0]) > VALIDATOR_BYTES or _UNSENDABLE.search(values[0]):
            return None
        return values[0].decode("latin-1")

    def address(self, name: str) -> str | None:
        """A header that holds a URL, in ASCII."""
        values = self.raw(name)
        if not values:
            return None
        value = values[0]
        return (value if value.isascii() else _NOT_ASCII.sub(_encoded, value)).decode("ascii")


def text_of(value: bytes) -> str:
    """Text for people, rows and logs: UTF-8, or what the old standard says; control characters replaced."""
    try:
        text = value.decode("utf-8")
    except UnicodeDecodeError:
        text = value.decode("latin-1")
    return text if text.isprintable() else _CONTROL.sub("\N{REPLACEMENT CHARACTER}", text)


def _encoded(found: re.Match[bytes]) -> bytes:
    return b"%%%02X" % found[0][0]
