"""The answer to one request, out of the bytes of a connection: its head, and its body as it comes.

The parser is llhttp by way of `httptools`; this is what it calls, and what it lets through and we do not.
Nothing here knows a socket.
"""

from __future__ import annotations

import asyncio
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Final, NamedTuple

import httptools

from surveyor.errors import NetError
from surveyor.net import head_repair

VALIDATOR_BYTES: Final = 512  # of an ETag or Last-Modified; real ones have under 100
TYPE_CHARS: Final = 200  # of a Content-Type; no real one is longer

_CONTROL: Final = re.compile(r"[\x00-\x08\x0a-\x1f\x7f-\x9f]")
_UNSENDABLE: Final = re.compile(rb"[\x00-\x08\x0a-\x1f\x7f]")
_NOT_ASCII: Final = re.compile(rb"[\x80-\xff]")

RawHeaders = Sequence[tuple[bytes, bytes]]


class Headers(Mapping[str, str]):
    """Read by name in any case; of a repeated header the first, all of them by `getall`.

    Cleaned where they enter: no text out of here can harm a row or a log line. What a server writes is
    bytes. `get` gives them as text without surrogates, NUL or other control characters. Two kinds of header
    are given back to servers, and must say there what they said here: validators, one character per byte,
    and addresses, with every byte that is not ASCII percent-encoded as browsers do. One that is too long to
    be real is none: half a validator or address is another one.
    """

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


FIELD_BYTES: Final = 32_768  # one header line; real policies and Link headers reach 16 KiB
HEADERS: Final = 256  # header lines; real heads have under 60

_NO_BODY = frozenset({204, 304})


@dataclass(slots=True, eq=False)
class BodyStream:
    """A body as it comes: the connection feeds it, whoever asked takes what is there."""

    _resume: Callable[[], None]  # lets more come
    _error: NetError | None = None
    _waiting: asyncio.Future[None] | None = None
    _parts: list[bytes] = field(default_factory=list)
    buffered: int = 0  # bytes that nobody has taken yet
    total: int = 0  # bytes that came
    ended: bool = False

    async def readany(self) -> bytes:
        """What has come by now, waiting for at least something; empty at the end."""
        while not self._parts:
            if self._error is not None:
                raise self._error
            if self.ended:
                return b""
            self._waiting = asyncio.get_running_loop().create_future()
            try:
                await self._waiting
            finally:
                self._waiting = None
        data = self._parts[0] if len(self._parts) == 1 else b"".join(self._parts)
        self._parts.clear()
        self.buffered = 0
        self._resume()
        return data

    def feed(self, data: bytes) -> None:
        self._parts.append(data)
        self.buffered += len(data)
        self.total += len(data)

    def fail(self, error: NetError) -> None:
        """What came before the failure is worth nothing."""
        self._error = error
        self._parts.clear()
        self.wake()

    def wake(self) -> None:
        if self._waiting is not None and not self._waiting.done():
            self._waiting.set_result(None)


class Head(NamedTuple):
    """The head of an answer; the body is still to be read from `stream`."""

    status: int
    phrase: str
    version: str
    headers: Headers
    raw_headers: tuple[tuple[bytes, bytes], ...]
    stream: BodyStream


class ResponseParser:
    """What the parser calls while it reads one answer, and any that nobody asked for behind it."""

    __slots__ = (
        "_begun",
        "_body",
        "_is_odd",
        "_kept",
        "_parser",
        "is_last",
        "on_body",
        "phrase",
        "problem",
        "raw",
        "status",
        "stream",
    )

    def __init__(self, resume: Callable[[], None]) -> None:
        self.stream = BodyStream(resume)
        self.raw: list[tuple[bytes, bytes]] = []
        self.phrase = b""
        self.status = 0  # of the answer proper, once its head is complete
        self.is_last = False  # no other may follow on this connection
        self.problem: str | None = None
        self._body: list[bytes] = []
        self._kept = 0  # of these, once it ended; what is behind is no answer of ours
        self.on_body = self._body.append  # called for every chunk: nothing of ours in between
        self._begun = b""  # of a head that is still to come to its end
        self._is_odd = False  # the parser refused that head
        self._parser = self._new_parser()

    def _new_parser(self) -> httptools.HttpResponseParser:
        parser = httptools.HttpResponseParser(self)
        # Servers that end lines with a bare LF, or put blanks behind a chunk size, are old and mean no
        # harm; nothing here is sent on, so nobody can be made to see another answer than we do.
        parser.set_dangerous_leniencies(
            lenient_headers=True, lenient_optional_cr_before_lf=True, lenient_spaces_after_chunk_size=True
        )
        return parser

    def head(self) -> Head:
        """Of the answer proper, once `status` is known."""
        return Head(
            status=self.status,
            phrase=text_of(self.phrase),
            version=self._parser.get_http_version(),
            headers=Headers(self.raw),
            raw_headers=tuple(self.raw),
            stream=self.stream,
        )

    def feed(self, data: memoryview) -> int:
        """Parse; returns how many bytes of it are body."""
        try:
            self._parse(data)
        except httptools.HttpParserError:
            if not self.stream.ended:
                raise
            self.is_last = True  # it is about what stands behind the answer, which nobody asked for
        if self.stream.ended:
            del self._body[self._kept :]
        body = b"".join(self._body)
        self._body.clear()
        if body:
            self.stream.feed(body)
        return len(body)

    def _parse(self, data: memoryview) -> None:
        if self._is_odd and not self.status:
            return self._begin_again(data)
        try:
            self._parser.feed_data(data)
        except httptools.HttpParserError:
            if self.status or self.problem or not head_repair.may_be_head(self._begun + bytes(data[:5])):
                raise
            return self._begin_again(data)
        if not self.status:
            self._begun += bytes(data)
        return None

    def _begin_again(self, data: memoryview) -> None:
        """The parser refused the head: give it a plainer one, as soon as all of it is here."""
        self._is_odd = True
        self._begun += bytes(data)
        plain = head_repair.repaired(self._begun)
        if plain is not None:
            self.raw.clear()
            self._parser = self._new_parser()
            self._parser.feed_data(plain)

    def close(self) -> None:
        """Let go of the parser, which holds on to us: a circle would keep the body for long."""
        del self._parser

    def on_message_begin(self) -> None:
        self.is_last = self.is_last or self.stream.ended
        self.phrase = self.phrase if self.status else b""

    def on_status(self, part: bytes) -> None:
        if not self.status:
            self.phrase += part

    def on_header(self, name: bytes, value: bytes) -> None:
        if not self.status:  # else it is a trailer
            # The parser lets a blank before the colon through, and reads chunks by such a header too.
            self.raw.append((name.rstrip(b" \t"), value.strip(b" \t")))

    def on_headers_complete(self) -> None:
        if self.status:
            return
        status = self._parser.get_status_code()
        self.problem = self.problem or _problem(status, self.raw)
        if self.problem is not None:
            return
        if status < 200:
            self.raw.clear()
            return
        self.status = status
        self.is_last = self._is_odd or not self._parser.should_keep_alive()
        if status in _NO_BODY:
            self.is_last = self.is_last or any(name.lower() == b"transfer-encoding" for name, _ in self.raw)
            self.on_message_complete()

    def on_message_complete(self) -> None:
        if self.status and not self.stream.ended:
            self.stream.ended = True
            self._kept = len(self._body)


def _problem(status: int, raw: RawHeaders) -> str | None:
    """What the parser lets through and we do not."""
    if status == 101:
        return "it switches protocols unasked"
    if len(raw) > HEADERS:
        return f"more than {HEADERS} headers"
    for name, value in raw:
        if len(name) + len(value) > FIELD_BYTES:
            return f"a header of more than {FIELD_BYTES} bytes"
        if b"\0" in value:
            return "a header with a NUL in it"
    return None
