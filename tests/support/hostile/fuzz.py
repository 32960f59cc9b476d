"""Answers made at random from a seed: some right, most wrong in a way or two; and a server that gives them.

What is answered depends on the seed and the number in the path alone, so that a failure can be had again.
"""

from __future__ import annotations

import asyncio
import gzip
import random
import re
import socket
import struct
import zlib
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager, suppress
from typing import Final, Literal, NamedTuple

import brotli  # type: ignore[import-untyped]
from backports import zstd

End = Literal["close", "keep", "reset", "wait"]
_PAGE: Final = (
    b"<!doctype html><title>A page</title>" + b"<p>Some words, and <a href='/x'>a link</a>.</p>" * 40
)
_STATUS: Final = (
    *[b"HTTP/1.1 200 OK"] * 30,
    b"HTTP/1.1 301 Moved",
    b"HTTP/1.1 304 Not Modified",
    b"HTTP/1.1 204 None",
    b"HTTP/1.1 404 Not Found",
    b"HTTP/1.1 503 Busy",
    b"HTTP/1.0 200 OK",
    b"HTTP/1.1 200",
    b"HTTP/1.1 999 \xff\xfe",
    b"HTTP/1.1 099 Low",
    b"HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 200 OK",
    b"HTTP/1.1 101 Switch",
    b"HTTP/2 200",
    b"HTTP/9.9 200 OK",
    b"ICY 200 OK",
    b"",
)
_VALUES: Final = (
    b"",
    b"text/html; charset=utf-8",
    b"text/html; charset=\xff",
    b'W/"caf\xe9"',
    b"\xed\xa0\x80",
    b"a\x00b",
    b"a\x1b[2Jb",
    b"0" * 5_000,
    b"9" * 5_000,
    b"1e309",
    b"-1",
    b"Wed, 01 Jan 0001 00:00:00 GMT",
    b"/caf\xe9\xc3\xa9",
    b"http://[::1",
    b"//\xff.example/",
    b"close",
    b"keep-alive, upgrade",
    b"x" * 40_000,
    b"\r\n folded",
)
_NAMES: Final = (
    b"ETag Last-Modified Content-Type Location Refresh X-Robots-Tag Retry-After Connection Upgrade "
    b"Set-Cookie Keep-Alive Date X Trailer Content-Encoding Transfer-Encoding Content-Length \xff"
).split(b" ")
_PACKERS: Final[dict[bytes, Callable[[bytes], bytes]]] = {
    b"gzip": lambda data: gzip.compress(data, mtime=0),  # a time in it would make it another one
    b"deflate": zlib.compress,
    b"br": brotli.compress,
    b"zstd": zstd.compress,
}
_CHUNK_ENDS: Final = (
    b"0\r\n\r\n",
    b"0\r\nX: y\r\n\r\n",
    b"0\r\n",
    b"",
    b"zz\r\n",
    b"0\r\n" + b"X: y\r\n" * 400,
)


class Script(NamedTuple):
    """What is sent, in which parts, and how it ends."""

    parts: list[bytes]
    end: End
    pause: float  # seconds between two parts


def script(rng: random.Random) -> Script:
    raw = _mutated(_answer(rng), rng) if rng.random() < 0.4 else _answer(rng)
    cuts = sorted(rng.randrange(len(raw) + 1) for _ in range(rng.choice((0, 0, 0, 1, 3, 20))))
    parts = [raw[a:b] for a, b in zip([0, *cuts], [*cuts, len(raw)], strict=True)]
    end: End = rng.choices(("close", "keep", "reset", "wait"), (60, 30, 8, 2))[0]
    return Script(parts, end, rng.choices((0.0, 0.001, 0.2), (90, 9, 1))[0])


def _answer(rng: random.Random) -> bytes:
    body = rng.choice((_PAGE, _PAGE * 20, b"", rng.randbytes(rng.randrange(3_000)), b'{"a": [1]}'))
    headers = [
        (rng.choice(_NAMES[:-4] if rng.random() < 0.9 else _NAMES), rng.choice(_VALUES))
        for _ in range(rng.choice((0, 1, 2, 5, 300) if rng.random() < 0.05 else (0, 1, 2, 3)))
    ]
    if rng.random() < 0.3:
        coding = rng.choice(list(_PACKERS))
        headers.append((b"Content-Encoding", coding))
        body = _packed(coding, body, rng)
    framing, body = _framed(body, rng)
    lines = b"".join(b"%b: %b\r\n" % header for header in headers) + framing
    return rng.choice(_STATUS) + b"\r\n" + lines + b"\r\n" + body


def _packed(coding: bytes, body: bytes, rng: random.Random) -> bytes:
    match rng.randrange(6):
        case 0:
            return body  # a lie
        case 1:
            return _PACKERS[coding](body)[: -rng.randrange(1, 8)]
        case 2:
            return _PACKERS[coding](bytes(4_000_000))
        case _:
            return _PACKERS[coding](body)


def _framed(body: bytes, rng: random.Random) -> tuple[bytes, bytes]:
    match rng.randrange(8):
        case 0:
            return b"", body
        case 1:
            wrong = rng.choice((len(body) + 5, max(0, len(body) - 5), 10**30, -1))
            return b"Content-Length: %d\r\n" % wrong, body
        case 2:
            return b"Content-Length: %b%d\r\n" % (b"0" * rng.randrange(6_000), len(body)), body
        case 3 | 4:
            return b"Transfer-Encoding: chunked\r\n", _chunked(body, rng)
        case 5:
            both = b"Transfer-Encoding: chunked\r\nContent-Length: %d\r\n" % len(body)
            return both, _chunked(body, rng)
        case _:
            return b"Content-Length: %d\r\n" % len(body), body


def _chunked(body: bytes, rng: random.Random) -> bytes:
    size = rng.choice((1, 7, 500, 5_000))
    more = rng.choice((b"", b"", b";a=b", b";" + b"x" * 3_000, b" "))
    zeros = rng.choice((b"", b"", b"0" * 30))
    body = body[: 2_000 * size]
    chunks = (body[at : at + size] for at in range(0, len(body), size))
    made = b"".join(b"%b%x%b\r\n%b\r\n" % (zeros, len(chunk), more, chunk) for chunk in chunks)
    return made + rng.choice(_CHUNK_ENDS)


def _mutated(raw: bytes, rng: random.Random) -> bytes:
    data = bytearray(raw)
    for _ in range(rng.choice((1, 1, 2, 8))):
        at, size = rng.randrange(len(data) + 1), rng.choice((1, 1, 2, 30, 900))
        match rng.randrange(5):
            case 0:
                data[at : at + size] = rng.randbytes(size)
            case 1:
                del data[at : at + size]
            case 2:
                data[at:at] = data[at : at + size] * rng.choice((1, 3))
            case 3:
                data[at:at] = rng.choice((b"\r\n", b"\n", b"\r", b"\0", b"\r\n\r\n", b":", b" ", b"\xff"))
            case _:
                del data[at:]
    return bytes(data)


class FuzzServer:
    """Answers `/NUMBER` with the script of that number, on 127.0.0.1."""

    def __init__(self, seed: int) -> None:
        self._seed = seed
        self._talks: set[asyncio.Task[None]] = set()
        self.port = 0

    @classmethod
    @asynccontextmanager
    async def serve(cls, seed: int, port: int = 0) -> AsyncIterator[FuzzServer]:
        self = cls(seed)
        server = await asyncio.start_server(self._accept, "127.0.0.1", port)
        self.port = server.sockets[0].getsockname()[1]
        try:
            yield self
        finally:
            server.close()
            for talk in self._talks:
                talk.cancel()
            await asyncio.gather(*self._talks, return_exceptions=True)

    async def _accept(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        task = asyncio.current_task()
        assert task is not None
        self._talks.add(task)
        try:
            while await self._one(reader, writer):
                pass
        except (OSError, RuntimeError, AttributeError, EOFError, asyncio.LimitOverrunError):
            pass  # the client hung up, as it mostly should
        except asyncio.CancelledError:
            pass  # the test is over
        finally:
            self._talks.discard(task)
            with suppress(RuntimeError):
                writer.transport.abort() if writer.transport.get_write_buffer_size() == 0 else writer.close()

    async def _one(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> bool:
        head = await reader.readuntil(b"\r\n\r\n")
        if length := re.search(rb"(?i)\r\ncontent-length: (\d+)", head):
            await reader.readexactly(int(length[1]))
        number = re.search(rb"/(\d+)", head)
        planned = script(random.Random(f"{self._seed} {number[1].decode() if number else 0}"))
        for part in planned.parts:
            writer.write(part)
            await writer.drain()
            if planned.pause:
                await asyncio.sleep(planned.pause)
        if planned.end == "wait":
            await reader.read()
        elif planned.end == "reset":
            sock: socket.socket = writer.get_extra_info("socket")
            sock.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
            writer.transport.abort()
        elif planned.end == "close":
            writer.close()
            await writer.wait_closed()
        return planned.end == "keep"
