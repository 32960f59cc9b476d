"""A host that attacks whoever crawls it, in one way: `python -m lab.hostile_web KIND` prints its port.

Its home page is plain and leads to pages each of which is the attack. Raw sockets, for no server would
send this.
"""

from __future__ import annotations

import asyncio
import gzip
import itertools
import sys
from collections.abc import Callable, Iterator

PAGES = 30
_MB = 1_000_000
_MOST_SENT = 40 * _MB  # of one answer without an end
_OK = b"HTTP/1.1 200 OK\r\n"
_HTML = b"Content-Type: text/html; charset=utf-8\r\n"
_TEXT = b"<p>We give grants to those who apply before the deadline.</p>"

Attack = Callable[[int], Iterator[bytes]]


def _whole(body: bytes, headers: bytes = _HTML) -> Iterator[bytes]:
    yield _OK + headers + b"Content-Length: %d\r\n\r\n" % len(body) + body


def _packed(body: bytes, headers: bytes = _HTML) -> Iterator[bytes]:
    return _whole(gzip.compress(body, 6), headers + b"Content-Encoding: gzip\r\n")


def _page(number: int, more: bytes = b"") -> bytes:
    return b"<!doctype html><html lang=en><title>Page %d</title>%s%s" % (number, _TEXT, more)


def header_bytes(number: int) -> Iterator[bytes]:
    """Bytes that are no UTF-8 in every header that is kept."""
    odd = b"\xff\xfe\xc3 %d" % number
    headers = b'ETag: "%s"\r\nLast-Modified: %s\r\nContent-Type: text/html; x=%s\r\n' % (odd, odd, odd)
    return _whole(_page(number), headers)


def _nested(tag: bytes) -> Attack:
    return lambda number: _packed(_page(number, (b"<%s>" % tag) * (240_000 // (len(tag) + 2))))


def _decoded(charset: bytes, letters: bytes) -> Attack:
    body = letters * (9_900_000 // len(letters))
    packed = [*_packed(body, b"Content-Type: text/html; charset=%s\r\n" % charset)]
    return lambda _: iter(packed)


def one_byte_chunks(number: int) -> Iterator[bytes]:
    """As many chunks as bytes."""
    yield _OK + _HTML + b"Transfer-Encoding: chunked\r\n\r\n"
    for _ in range(100):
        yield b"1\r\nx\r\n" * 3_000
    yield b"0\r\n\r\n"


def _padded(chunk: bytes) -> Attack:
    """A body of a few bytes in frames without an end."""

    def attack(_: int) -> Iterator[bytes]:
        yield _OK + _HTML + b"Transfer-Encoding: chunked\r\n\r\n"
        yield from itertools.repeat(chunk * 8, _MOST_SENT // (8 * len(chunk)))

    return attack


def length_of_zeros(number: int) -> Iterator[bytes]:
    yield _OK + _HTML + b"Content-Length: " + b"0" * 6_000 + b"5\r\n\r\nhello"


def half_characters(number: int) -> Iterator[bytes]:
    """Lone surrogates out of JSON-LD and out of a script."""
    data = rb'{"@type": "Grant", "name": "A \ud800 grant", "email": "a\udfff@b.example"}'
    scripts = b'<script type="application/ld+json">%s</script><script>var x = "\\ud83d";</script>' % data
    return _whole(_page(number, scripts))


def slow_patterns(number: int) -> Iterator[bytes]:
    """What patterns for postcodes, offices and titles take long for."""
    texts = (b"1234 AB " * 30_000, b"Office " * 30_000 + b"of ", b"Prof. Dr. " * 30_000, b"1" * 200_000)
    return _packed(_page(number, b"<p>%s</p>" % texts[number % len(texts)]))


ATTACKS: dict[str, Attack] = {
    "header-bytes": header_bytes,
    "nested-rt": _nested(b"rt"),
    "nested-rp": _nested(b"rp"),
    "nested-optgroup": _nested(b"optgroup"),
    "decode-euc-jp": _decoded(b"euc-jp", b"\xa4\xa2"),
    "decode-gb18030": _decoded(b"gb18030", b"\x81\x30\x81\x30"),
    "one-byte-chunks": one_byte_chunks,
    "chunk-extensions": _padded(b"1;" + b"x" * 4_000 + b"\r\na\r\n"),
    "chunk-zeros": _padded(b"0" * 4_000 + b"1\r\na\r\n"),
    "length-of-zeros": length_of_zeros,
    "half-characters": half_characters,
    "slow-patterns": slow_patterns,
}
EXTRACTED = frozenset({"half-characters", "slow-patterns"})  # attacks on those who read, not on who fetches


def _answer(kind: str, target: str) -> Iterator[bytes]:
    if target == "/":
        links = b"".join(b'<a href="/x/%d">%d</a> ' % (number, number) for number in range(PAGES))
        return _whole(_page(0, links))
    number = target.removeprefix("/x/")
    if not number.isdigit():
        return iter([b"HTTP/1.1 404 Not Found\r\nContent-Length: 0\r\n\r\n"])
    return ATTACKS[kind](int(number))


async def _talk(kind: str, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    try:
        while True:
            head = await reader.readuntil(b"\r\n\r\n")
            target = head.split(b" ", 2)[1].decode("latin-1")
            for part in _answer(kind, target):
                writer.write(part)
                await writer.drain()
    except (OSError, asyncio.IncompleteReadError, asyncio.LimitOverrunError):
        writer.close()


async def serve(kind: str) -> None:
    server = await asyncio.start_server(lambda r, w: _talk(kind, r, w), "127.0.0.1", 0)
    print(server.sockets[0].getsockname()[1], flush=True)
    async with server:
        await server.serve_forever()


if __name__ == "__main__":
    asyncio.run(serve(sys.argv[1]))
