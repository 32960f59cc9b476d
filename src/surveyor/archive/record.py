"""One WARC/1.1 record as bytes: written so that nothing a server sends can break its frame,
and read back only if every length and digest agrees.

The body is kept decoded, since the decoded bytes are a page's identity: their SHA-256
is the payload digest, any WARC tool can check it, and reading back needs no second
decompression of hostile data. The headers that describe the transfer (`Content-Encoding`,
`Transfer-Encoding`, `Content-Length`) would then be untrue for such tools; they are kept
under the prefix `X-Archive-Orig-` and get their names back in `decode`.

Every record names the warcinfo record of its file, a random id no site can know. So a
page that is itself a WARC file can never be taken for records of ours, wherever a
reader begins to read.
"""

from __future__ import annotations

import re
import struct
import uuid
import zlib
from base64 import b32encode
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from hashlib import sha256
from itertools import product
from typing import NamedTuple

from surveyor import __version__
from surveyor.archive.errors import ArchiveError
from surveyor.errors import BadInput, NotAUrl

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
    screenshot: bytes | None = None
    """A PNG of the conversion as it was shown. Written, and read back by `WarcReader.screenshot`."""


@dataclass(frozen=True, slots=True)
class Location:
    """Where a record is stored: a file of the archive, and the bytes of one gzip member in it."""

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


# Against level 1 an eighth to a fifth more CPU and a twentieth less to store; level 6 takes nearly
# twice the CPU for another tenth (HTML pages of 33 KB; `bench archive`).
GZIP_LEVEL = 3
# Bytes. No page is that large; a damaged record must not make a reader inflate more.
MAX_BLOCK = 256 * 1024 * 1024
# Room for the WARC headers, whose longest value is the URL; same reason.
MAX_HEAD = 1024 * 1024

_ORIGINAL = b"X-Archive-Orig-"
_OF_THE_WIRE = frozenset({b"content-encoding", b"transfer-encoding", b"content-length"})
_NOT_TOKEN = re.compile(rb"[^!#$%&'*+\-.^_`|~0-9A-Za-z]")
_NOT_URL = re.compile(rb"[^\x21-\x7e]")
_HTTP_VERSION = re.compile(r"[0-9](\.[0-9])?")
# Control characters become spaces; a tab is one already.
_PLAIN = bytes(0x20 if byte < 0x20 or byte == 0x7F else byte for byte in range(256))
# What scripts make of a page is always taken out as this.
_CONVERTED = b"text/html; charset=utf-8"
# Before the address of a page in the record of its screenshot, as Browsertrix and pywb name it.
VIEW = "urn:view:"
_GZIP = 16 + zlib.MAX_WBITS
# Bytes; the most that deflate stores in one block as they are.
_STORED = 0xFFFF


class BrokenRecord(Exception):
    """These bytes are no whole record of this file; the message says why."""


class Decoded(NamedTuple):
    """A capture that agreed with its digests, and the SHA-256 of its body."""

    capture: Capture
    sha256: bytes


def encode(
    capture: Capture, file_id: uuid.UUID, level: int = GZIP_LEVEL, record_id: uuid.UUID | None = None
) -> bytes:
    """The gzip member that holds this response."""
    if not capture.url.startswith(("http://", "https://")):
        raise NotAUrl(capture.url, "only http and https responses are archived")
    if capture.fetched_at.tzinfo is None:
        raise ValueError("fetched_at needs a time zone")
    head = _http_head(capture)
    fields = b"Content-Type: application/http; msgtype=response\r\n"
    return _member(b"response", capture, head, fields, file_id, record_id or uuid.uuid4(), level)


def encode_conversion(capture: Capture, of: uuid.UUID, file_id: uuid.UUID, level: int = GZIP_LEVEL) -> bytes:
    """The gzip member that holds what was made of a response: the document alone, and the record it is of."""
    fields = b"WARC-Refers-To: <urn:uuid:%b>\r\nContent-Type: %b\r\n" % (str(of).encode(), _CONVERTED)
    return _member(b"conversion", capture, b"", fields, file_id, uuid.uuid4(), level)


def encode_screenshot(capture: Capture, file_id: uuid.UUID, level: int = GZIP_LEVEL) -> bytes:
    """The gzip member that holds the screenshot of a page; it stands directly behind the page's own."""
    view = replace(capture, url=VIEW + capture.url, body=capture.screenshot or b"")
    return _member(b"resource", view, b"", b"Content-Type: image/png\r\n", file_id, uuid.uuid4(), level)


def _member(
    kind: bytes,
    capture: Capture,
    head: bytes,
    more: bytes,
    file_id: uuid.UUID,
    record_id: uuid.UUID,
    level: int,
) -> bytes:
    size = len(head) + len(capture.body)
    if size > MAX_BLOCK:
        raise ArchiveError(f"{capture.url[:200]} has {size} bytes, more than a record holds ({MAX_BLOCK})")
    block_hash = sha256(head)
    block_hash.update(capture.body)
    fields = (
        b"WARC/1.1\r\nWARC-Type: %b\r\n"
        b"WARC-Record-ID: <urn:uuid:%b>\r\nWARC-Warcinfo-ID: <urn:uuid:%b>\r\n"
        b"WARC-Target-URI: %b\r\nWARC-Date: %b\r\n"
        b"WARC-Block-Digest: %b\r\nWARC-Payload-Digest: %b\r\n"
        b"%bContent-Length: %d\r\n\r\n"
    ) % (
        kind,
        str(record_id).encode(),
        str(file_id).encode(),
        _NOT_URL.sub(lambda bad: b"%%%02X" % bad[0][0], _octets(capture.url)),
        _date(capture.fetched_at),
        _digest(block_hash.digest()),
        _digest(sha256(capture.body).digest()),
        more,
        size,
    )
    return zlib.compress(b"".join((fields, head, capture.body, b"\r\n\r\n")), level, _GZIP)


def encode_warcinfo(file_name: str, file_id: uuid.UUID, now: datetime, level: int = GZIP_LEVEL) -> bytes:
    """The gzip member every file begins with: who wrote it, and the id its records name."""
    block = b"software: Surveyor/%b\r\nformat: WARC File Format 1.1\r\n" % __version__.encode()
    fields = (
        b"WARC/1.1\r\nWARC-Type: warcinfo\r\nWARC-Record-ID: <urn:uuid:%b>\r\n"
        b"WARC-Filename: %b\r\nWARC-Date: %b\r\nWARC-Block-Digest: %b\r\n"
        b"Content-Type: application/warc-fields\r\nContent-Length: %d\r\n\r\n"
    ) % (
        str(file_id).encode(),
        file_name.encode(),
        _date(now),
        _digest(sha256(block).digest()),
        len(block),
    )
    return zlib.compress(b"".join((fields, block, b"\r\n\r\n")), level, _GZIP)


def encode_erased(file_id: uuid.UUID, now: datetime, length: int) -> bytes:
    """A gzip member of exactly this length that says nothing: what is left where a response was erased.

    Blanks fill it up, not compressed. Where the length of the length, or one more block of what is stored,
    passes over a length, a blank more in the head or an empty block meets it.
    """
    ids = str(uuid.uuid4()).encode(), str(file_id).encode(), _date(now)
    for spare, empty in product((b"", b" "), (0, 1)):
        member = _blanks(ids, length, spare, empty)
        if member is not None:
            return member
    raise ArchiveError(f"no record of {length} bytes can be made; rewrite the file without it")


def _blanks(ids: tuple[bytes, bytes, bytes], length: int, spare: bytes, empty: int) -> bytes | None:
    fields = (
        b"WARC/1.1\r\nWARC-Type: metadata\r\n"
        b"WARC-Record-ID: <urn:uuid:%b>\r\nWARC-Warcinfo-ID: <urn:uuid:%b>\r\nWARC-Date: %b\r\n"
        b"WARC-Block-Digest: %b\r\nContent-Type: text/plain%b\r\nContent-Length: %d\r\n\r\n"
    )
    room = length
    for _ in range(8):  # what frames the block depends on its length: a few steps settle it
        block = b" " * max(0, room)
        head = fields % (*ids, _digest(sha256(block).digest()), spare, len(block))
        member = _stored(head + block + b"\r\n\r\n", empty)
        if len(member) == length:
            return member
        room -= len(member) - length
    return None


def _stored(data: bytes, empty: int = 0) -> bytes:
    """A gzip member with its content as it is: ten bytes, blocks of five and their content, eight bytes."""
    blocks = [data[start : start + _STORED] for start in range(0, len(data), _STORED)] or [b""]
    blocks += [b""] * empty
    parts = [b"\x1f\x8b\x08\x00\x00\x00\x00\x00\x00\x03"]
    for place, block in enumerate(blocks, 1):
        size = len(block)
        parts += [bytes([place == len(blocks)]), struct.pack("<HH", size, size ^ 0xFFFF), block]
    parts.append(struct.pack("<II", zlib.crc32(data), len(data) & 0xFFFFFFFF))
    return b"".join(parts)


def decode(data: bytes, file_id: uuid.UUID) -> Decoded | None:
    """The capture in an inflated member, or None for the warcinfo and for what was erased.

    `BrokenRecord` for anything else.
    """
    fields, block = _split(data)
    owner = b"<urn:uuid:%b>" % str(file_id).encode()
    if _digest(sha256(block).digest()) != _field(fields, b"warc-block-digest"):
        raise BrokenRecord("the block digest does not match")
    match _field(fields, b"warc-type"):
        case b"warcinfo" if fields.get(b"warc-record-id") == owner:
            return None
        case b"metadata" if fields.get(b"warc-warcinfo-id") == owner:
            return None
        case b"response" if fields.get(b"warc-warcinfo-id") == owner:
            return _response(fields, block)
        case b"conversion" | b"resource" if fields.get(b"warc-warcinfo-id") == owner:
            return _document(fields, block)
    raise BrokenRecord("it is no record of this file")


def _response(fields: dict[bytes, bytes], block: bytes) -> Decoded:
    head, gap, body = block.partition(b"\r\n\r\n")
    hashed = sha256(body).digest()
    if not gap or _digest(hashed) != _field(fields, b"warc-payload-digest"):
        raise BrokenRecord("the payload digest does not match")
    try:
        first, *lines = head.split(b"\r\n")
        version, status, reason = first.split(b" ", 2)
        return Decoded(
            Capture(
                url=_field(fields, b"warc-target-uri").decode("ascii"),
                fetched_at=datetime.fromisoformat(_field(fields, b"warc-date").decode("ascii")),
                status=int(status),
                headers=tuple(_originals(lines)),
                body=body,
                reason=_text(reason),
                http_version=_text(version.removeprefix(b"HTTP/")),
            ),
            hashed,
        )
    except ValueError as error:
        raise BrokenRecord(f"its headers cannot be read ({error})") from None


def _document(fields: dict[bytes, bytes], block: bytes) -> Decoded:
    try:
        capture = Capture(
            url=_field(fields, b"warc-target-uri").decode("ascii"),
            fetched_at=datetime.fromisoformat(_field(fields, b"warc-date").decode("ascii")),
            status=200,
            headers=(("Content-Type", _text(_field(fields, b"content-type"))),),
            body=block,
        )
    except ValueError as error:
        raise BrokenRecord(f"its headers cannot be read ({error})") from None
    return Decoded(capture, sha256(block).digest())


def _split(data: bytes) -> tuple[dict[bytes, bytes], bytes]:
    """WARC fields by lower-case name, and the block, whose length must be the one announced."""
    head, gap, rest = data.partition(b"\r\n\r\n")
    version, *lines = head.split(b"\r\n")
    if not gap or version != b"WARC/1.1":
        raise BrokenRecord("it does not begin with a WARC header")
    fields = {name.lower(): value for name, _, value in (line.partition(b": ") for line in lines)}
    block, end = rest[:-4], rest[-4:]
    if end != b"\r\n\r\n" or _field(fields, b"content-length") != b"%d" % len(block):
        raise BrokenRecord("its length is not the one announced")
    return fields, block


def _field(fields: dict[bytes, bytes], name: bytes) -> bytes:
    try:
        return fields[name]
    except KeyError:
        raise BrokenRecord(f"it has no {name.decode()}") from None


def _http_head(capture: Capture) -> bytes:
    version = capture.http_version if _HTTP_VERSION.fullmatch(capture.http_version) else "1.1"
    reason = _octets(capture.reason).translate(_PLAIN).strip(b" ")
    lines = [b"HTTP/%b %03d %b" % (version.encode(), capture.status, reason)]
    for name, value in capture.headers:
        kept = _NOT_TOKEN.sub(b"_", _octets(name)) or b"_"
        if (low := kept.lower()) in _OF_THE_WIRE or low.startswith(b"x-archive-orig-"):
            kept = _ORIGINAL + kept
        lines.append(kept + b": " + _octets(value).translate(_PLAIN).strip(b" "))
    lines.append(b"Content-Length: %d\r\n\r\n" % len(capture.body))
    return b"\r\n".join(lines)


def _originals(lines: list[bytes]) -> list[tuple[str, str]]:
    """Headers as the server sent them; the last line is the one we added."""
    pairs = (line.partition(b": ") for line in lines[:-1])
    return [(_text(name.removeprefix(_ORIGINAL)), _text(value)) for name, _, value in pairs]


def _octets(text: str) -> bytes:
    try:
        return text.encode("utf-8", "surrogateescape")
    except UnicodeEncodeError:  # lone surrogates that stand for no byte
        return text.encode("utf-8", "replace")


def _text(octets: bytes) -> str:
    return octets.decode("utf-8", "surrogateescape")


def _digest(raw: bytes) -> bytes:
    return b"sha256:" + b32encode(raw)  # the spelling every WARC tool verifies


def _date(moment: datetime) -> bytes:
    return moment.astimezone(UTC).strftime("%Y-%m-%dT%H:%M:%S.%fZ").encode()
