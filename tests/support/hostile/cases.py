"""The cases: each a way in which an answer can be wrong, or odd and yet right."""

from __future__ import annotations

import asyncio
import gzip
import itertools
import json
import re
import zlib
from collections.abc import Callable, Iterable
from functools import cache

import brotli  # type: ignore[import-untyped]
from backports import zstd

from tests.support.hostile.server import CASES, MIB, PAGE, Talk, answers, case, head, repeats

# --- services ---


@case
async def json_echo(talk: Talk) -> None:
    """Tells what it was asked, key and all, as some services do."""
    told = {"request": talk.head.decode("latin-1"), "path": talk.path}
    await talk.answer(json.dumps(told).encode(), content_type="application/json")


@case
async def error_echo(talk: Talk) -> None:
    await talk.answer(b"cannot serve " + talk.head, "500 Oops", content_type="text/plain")


@case
async def escaped_echo(talk: Talk) -> None:
    """Tells the key with every character escaped, as JSON allows."""
    key = re.search(rb"(?i)x-api-key: (.*)\r", talk.head)
    hidden = "".join(f"\\u{char:04x}" for char in (key[1] if key else b""))
    await talk.answer(f'{{"error": "{hidden}"}}'.encode(), "401 No", content_type="application/json")


@case
async def deep_json(talk: Talk) -> None:
    await talk.answer(b"[" * 100_000, content_type="application/json")


@case
async def redirect_with_key(talk: Talk) -> None:
    """Leads to a host that is named like the key."""
    key = re.search(rb"(?i)x-api-key: (.*)\r", talk.head)
    await talk.answer(b"", "302 Found", location=f"http://{key[1].decode()}.example/" if key else "/")


# --- good ones, for comparison ---


@case
async def page(talk: Talk) -> None:
    await talk.answer()


@case
async def echo(talk: Talk) -> None:
    await talk.answer(talk.head, content_type="text/plain")


@case
async def stale(talk: Talk) -> None:
    """Says nothing about closing, and closes."""
    await talk.answer()
    talk.close()


@case
async def unasked(talk: Talk) -> None:
    """Answers, and then once more, to whatever may be asked next."""
    await talk.answer()
    await asyncio.sleep(0.02)
    await talk.answer(b"poison")


@case
async def not_modified(talk: Talk) -> None:
    """Announces, as it may, the length of a body that it does not send."""
    await talk.send(b'HTTP/1.1 304 Not Modified\r\nETag: "x"\r\nContent-Length: 5000\r\n\r\n')


answers("not-modified-with-body", b"HTTP/1.1 304 Not Modified\r\nContent-Length: 4\r\n\r\npage")


@case
async def chunked(talk: Talk) -> None:
    await talk.chunks([PAGE[:100], PAGE[100:]])
    await talk.send(b"0\r\n\r\n")


@case
async def large(talk: Talk) -> None:
    await talk.answer(PAGE * 100)


@case
async def large_chunked(talk: Talk) -> None:
    await talk.chunks([PAGE] * 100)
    await talk.send(b"0\r\n\r\n")


answers("until-close", b"HTTP/1.1 200 OK\r\nContent-Type: text/html\r\n\r\n" + PAGE)
answers(
    "chunked-twice",
    b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\ntransfer-encoding: Chunked\r\n\r\n"
    b"2\r\nok\r\n0\r\n\r\n",
)
answers("interim", b"HTTP/1.1 103 Early Hints\r\nLink: </x>\r\n\r\n" * 3 + head(content_length="2") + b"ok")
answers("bare-lf", b"HTTP/1.1 200 OK\nContent-Length: 2\n\nok")

# --- bombs ---


@cache
def bomb(encoding: str) -> tuple[bytes, bytes]:
    """How a bomb begins, and what may follow it as often as one likes: 64 MiB of zeros each."""
    zeros = bytes(MIB)
    if encoding == "zstd":
        return (zstd.compress(zeros * 64, 1),) * 2
    if encoding == "br":
        return (bytes(brotli.compress(zeros * 64, quality=1)),) * 2
    packer = zlib.compressobj(9, zlib.DEFLATED, {"gzip": 31, "deflate": 15, "raw-deflate": -15}[encoding])
    begin, more = (packer.compress(zeros) + packer.flush(zlib.Z_FULL_FLUSH) for _ in range(2))
    return begin, more * 64


def _bomb_case(
    name: str, encoding: str, parts: Callable[[], Iterable[bytes]], status: str = "200 OK"
) -> None:
    async def handler(talk: Talk) -> None:
        await talk.chunks(parts(), status, content_encoding=encoding, location="/page")
        await talk.send(b"0\r\n\r\n")

    CASES[name] = handler


def _ten_gigabytes(encoding: str) -> Callable[[], Iterable[bytes]]:
    return lambda: itertools.chain(bomb(encoding)[:1], itertools.repeat(bomb(encoding)[1], 160))


def _gzip_in_gzip() -> Iterable[bytes]:
    return [gzip.compress(b"".join(bomb("gzip")))]


for _name in ("gzip", "deflate", "br", "zstd"):
    _bomb_case(f"{_name}-bomb", _name, _ten_gigabytes(_name))
_bomb_case("raw-deflate-bomb", "deflate", _ten_gigabytes("raw-deflate"))
_bomb_case("twice-packed-bomb", "gzip, gzip", _gzip_in_gzip)
_bomb_case("redirect-bomb", "gzip", _ten_gigabytes("gzip"), "302 Found")
_bomb_case("error-bomb", "gzip", _ten_gigabytes("gzip"), "404 Not Found")


def packed(name: str, encoding: str, body: bytes) -> None:
    answers(name, head(content_encoding=encoding, content_length=str(len(body))) + body)


packed("gzip-cut", "gzip", gzip.compress(PAGE)[:-20])
packed("gzip-garbage", "gzip", gzip.compress(PAGE) + b"garbage behind it")
packed("gzip-members", "gzip", gzip.compress(PAGE[:1000]) + gzip.compress(PAGE[1000:]))
packed("gzip-many-members", "gzip", gzip.compress(b"") * 10_000)
packed("gzip-lie", "gzip", PAGE)
packed("br-lie", "br", PAGE)
packed("br-cut", "br", brotli.compress(PAGE)[:-5])
packed("zstd-lie", "zstd", PAGE)
packed("zstd-cut", "zstd", zstd.compress(PAGE)[:-5])
packed("deflate-lie", "deflate", b"\xff" * 100)
packed("zstd-window", "zstd", b"\x28\xb5\x2f\xfd\x00\x88\x01\x00\x00")  # asks for a window of 128 MiB
packed("packed-thrice", "gzip, br, gzip", gzip.compress(brotli.compress(gzip.compress(PAGE))))
packed("packed-twice", "gzip, br", brotli.compress(gzip.compress(PAGE)))
packed("odd-encoding", "utf-8", PAGE)
packed("empty-gzip", "gzip", b"")

# --- framing ---

repeats("endless-chunked", head(transfer_encoding="chunked"), b"10000\r\n" + b"x" * 65_536 + b"\r\n")
repeats("endless-body", head(), b"x" * 65_536)
repeats("endless-trailers", head(transfer_encoding="chunked") + b"0\r\n", b"X-More: and more\r\n" * 100)
repeats("endless-tiny-chunks", head(transfer_encoding="chunked"), b"1\r\nx\r\n" * 10_000)
repeats("endless-extension", head(transfer_encoding="chunked") + b"1;", b"a=b;" * 16_384)
repeats("endless-zeros", head(transfer_encoding="chunked"), b"0" * 65_536)
repeats("extensions", head(transfer_encoding="chunked"), b"1;" + b"x" * 4_000 + b"\r\nx\r\n")
answers("length-zeros", b"HTTP/1.1 200 OK\r\nContent-Length: " + b"0" * 6_000 + b"2\r\n\r\nok")
answers("length-digits", b"HTTP/1.1 200 OK\r\nContent-Length: " + b"9" * 6_000 + b"\r\n\r\nok")
answers("length-blank", b"HTTP/1.1 200 OK\r\nContent-Length:  \r\n\r\nok")
answers("length-too-big", head(content_length="50000") + PAGE[:100])
answers("length-huge", head(content_length="10737418240") + PAGE, then="wait")
answers("length-too-small", head(content_length="2") + b"ok</body>\n")
answers("length-too-small-last", head(content_length="2", connection="close") + b"ok</body>\n")
answers("chunks-and-more", head(transfer_encoding="chunked") + b"2\r\nok\r\n0\r\n\r\n<!-- cached -->")
answers("length-negative", head(content_length="-5") + PAGE)
answers("length-twice", b"HTTP/1.1 200 OK\r\nContent-Length: 2\r\nContent-Length: 9\r\n\r\nok")
answers("length-again", b"HTTP/1.1 200 OK\r\nContent-Length: 2\r\nContent-Length: 2\r\n\r\nok")
answers(
    "length-and-chunked",
    head(content_length="9", transfer_encoding="chunked") + b"2\r\nok\r\n0\r\n\r\n",
    then="wait",
)
answers("length-and-identity", head(content_length="2", transfer_encoding="identity") + b"ok", then="wait")
answers("transfer-identity", head(transfer_encoding="identity") + b"ok")
answers("transfer-gzip", head(transfer_encoding="gzip, chunked") + b"0\r\n\r\n")
answers("chunk-size-bad", head(transfer_encoding="chunked") + b"zz\r\nhello\r\n")
answers("chunk-size-huge", head(transfer_encoding="chunked") + b"f" * 40 + b"\r\n")
answers("chunked-cut", head(transfer_encoding="chunked") + b"ff\r\nonly this")
answers("reset-in-body", head(content_length="50000") + PAGE[:100], then="reset")
answers("reset-until-close", head() + PAGE, then="reset")
answers("reset-in-head", b"HTTP/1.1 200 OK\r\nConte", then="reset")
answers("close-in-head", b"HTTP/1.1 200 OK\r\nConte")
answers("close-at-once", b"")
answers("reset-at-once", b"", then="reset")
answers("two-answers", (head(content_length="2") + b"ok") * 2, then="wait")

# --- slow ---

answers("silent", b"", then="wait")
answers("stall-in-body", head(content_length="50000") + PAGE[:100], then="wait")
repeats("slow-head", b"HTTP/1.1 200 OK\r\n", b"a", 0.05)
repeats("slow-body", head(content_length="50000"), b"a", 0.02)
repeats("slow-error", head("404 Not Found", content_length="50000"), b"a", 0.02)


@case
async def tiny_chunks(talk: Talk) -> None:
    await talk.send(head(transfer_encoding="chunked"))
    for _ in range(100):
        await talk.send(b"1\r\nx\r\n" * 1000)
    await talk.send(b"0\r\n\r\n")


# --- heads ---

answers("long-header", b"HTTP/1.1 200 OK\r\nX: " + b"x" * MIB + b"\r\n\r\nok")
answers("long-status", b"HTTP/1.1 200 " + b"x" * MIB + b"\r\n\r\nok")
answers("many-headers", b"HTTP/1.1 200 OK\r\n" + b"X: y\r\n" * 10_000 + b"\r\nok")
answers("many-cookies", b"HTTP/1.1 200 OK\r\n" + b"Set-Cookie: a=b\r\n" * 10_000 + b"\r\nok")
answers("nul-header", b"HTTP/1.1 200 OK\r\nX: a\x00b\r\nContent-Length: 2\r\n\r\nok")
answers(
    "nameless-header",
    b"HTTP/1.1 200 OK\r\nX-Served By: a plugin\r\n<br>Notice: 1\r\n: x\r\nContent-Length: 2\r\n\r\nok",
    then="wait",
)
answers("returns-in-head", b"HTTP/1.1 200 OK\r\r\nX: a\rb\r\r\nContent-Length: 2\r\r\n\r\r\nok", then="wait")
answers("odd-version", b"HTTP/2  200\r\nContent-Length: 2\r\n\r\nok", then="wait")
answers(
    "interim-and-nameless",
    b"HTTP/1.1 103 Early Hints\r\nLink: </x>\r\n\r\n"
    b"HTTP/1.1 200 OK\r\nnot a header\r\nContent-Length: 2\r\n\r\nok",
    then="wait",
)
answers("nul-in-nameless", b"HTTP/1.1 200 OK\r\nX Y: z\r\nX: a\x00b\r\nContent-Length: 2\r\n\r\nok")
answers("folded-header", b"HTTP/1.1 200 OK\r\nX: a\r\n b\r\nContent-Length: 2\r\n\r\nok")
answers("odd-bytes-header", b"HTTP/1.1 200 \xff\r\nX: \xff\xfe\x1b[2J\r\nContent-Length: 2\r\n\r\nok")
answers(
    "odd-bytes-kept",
    b'HTTP/1.1 200 OK\r\nETag: W/"caf\xe9"\r\nLast-Modified: \xff\xfe\r\n'
    b"Content-Type: text/html; charset=\xffutf-8\r\nContent-Length: 2\r\n\r\nok",
)
answers("garbage", b"\x00\x01\x02 this is not the web\r\n\r\n")
answers("smtp", b"220 mail.example ESMTP\r\n")
answers("no-status-number", b"HTTP/1.1 OK\r\n\r\n")
answers("ancient", b"<html>HTTP/0.9</html>")
answers("switch-protocols", b"HTTP/1.1 101 Switching Protocols\r\nUpgrade: x\r\nConnection: upgrade\r\n\r\n")
repeats("endless-interim", b"", b"HTTP/1.1 100 Continue\r\n\r\n" * 50)
repeats("endless-head", b"HTTP/1.1 200 OK\r\n", b"X: y\r\n" * 1000)

# --- redirects ---


def redirects(name: str, location: str | None, status: str = "302 Found") -> None:
    where = {} if location is None else {"location": location}
    answers(name, head(status, content_length="0", **where))


answers("redirect-lie", head("301 Moved", location="/new", content_encoding="gzip") + b"moved")
answers("redirect-cut", head("302 Found", location="/new", content_length="5000") + b"moved")
answers("error-lie", head("404 Not Found", content_encoding="gzip") + b"no such page")
answers("error-cut", head("503 Down", retry_after="90", content_length="5000") + b"come back later")
redirects("redirect-self", "/redirect-self")
redirects("redirect-relative", "../a/./b?c=1#d", "301 Moved Permanently")
redirects("redirect-scheme-relative", "//other.example/x", "307 Temporary Redirect")
redirects("redirect-nowhere", None)
redirects("redirect-empty", "")
redirects("redirect-long", "/" + "x" * 200_000)
redirects("redirect-rather-long", "/" + "x" * 20_000)
redirects("redirect-latin", "/caf\xe9?\xe9=1")
redirects("redirect-garbage", "http://[::bad/")
redirects("redirect-file", "file:///etc/passwd", "303 See Other")
redirects("redirect-script", "javascript:alert(1)")
redirects("redirect-inside", "http://169.254.169.254/latest/", "308 Permanent Redirect")
redirects("redirect-elsewhere", "http://elsewhere.example/take-it")
redirects("redirect-to-json", "/json-echo", "307 Temporary Redirect")


@case
async def redirect_on(talk: Talk) -> None:
    """A new address every time."""
    step = int(talk.path.rpartition("/")[2] or 0) if talk.path[-1:].isdigit() else 0
    await talk.answer(b"", "302 Found", location=f"/redirect-on/{step + 1}")


# --- content that is not what it is called ---


for _name, _body in (("pdf", b"%PDF-1.7\n<html>"), ("zip", b"PK\x03\x04"), ("png", b"\x89PNG\r\n\x1a\n")):
    answers(f"{_name}-as-html", head() + _body)


@case
async def redirect_slowly(talk: Talk) -> None:
    """Each hop takes its time."""
    await asyncio.sleep(0.3)
    await talk.answer(b"", "302 Found", location="/redirect-slowly")
