"""Bodies: read as they come, unpacked in bounded steps, cut at the limit.

The limit holds for what comes over the wire and for what it unpacks to; a body that
unpacks to absurdly more than was sent is cut long before that. Nothing is unpacked in a
step that would hold up the event loop, and no decoder is given more memory than a few
megabytes.
"""

from __future__ import annotations

import asyncio
import struct
import sys
import zlib
from collections.abc import Callable, Iterator, Sequence
from typing import Final, NamedTuple, Protocol

import brotli  # type: ignore[import-untyped]

from surveyor.errors import NetError
from surveyor.net.reasons import Reason

if sys.version_info >= (3, 14):
    from compression import zstd
else:
    from backports import zstd

ACCEPT_ENCODING: Final = "gzip, deflate, br, zstd"

MAX_ENCODINGS: Final = 2  # real servers stack two by mistake; more is an attack
STEP_BYTES: Final = 262_144  # unpacked at a time: under a millisecond
STEPS_PER_TURN: Final = 2  # then other tasks get their turn
RATIO: Final = 250  # unpacked to packed; the most repetitive real pages reach about 100
RATIO_FLOOR_BYTES: Final = 1_048_576  # below this no ratio matters
MAX_MEMBERS: Final = 4_096  # gzip members or zstd frames in one body; block-wise gzip of 10 MB has 160
ZSTD_WINDOW_LOG: Final = 23  # 8 MiB, the most that content codings may ask for


_GZIP_MAGIC: Final = b"\x1f\x8b"
_GZIP_WBITS: Final = 16 + zlib.MAX_WBITS  # zlib's way to say: expect a gzip header


class Body(NamedTuple):
    data: bytes
    truncated: bool


class Source(Protocol):
    """Where a body comes from: a connection's stream."""

    async def readany(self) -> bytes:
        """What has come by now, waiting for at least something; empty at the end."""
        ...


class _Decoder(Protocol):
    """Unpacks a stream; `ended` once its proper end was seen."""

    ended: bool

    def pieces(self, data: bytes) -> Iterator[bytes]:
        """What `data` unpacks to, in pieces of about STEP_BYTES, made only when asked for.

        The end of a part of it is a piece too, an empty one: there may be thousands without content.
        """
        ...


class _Gzip:
    """gzip: several members allowed, garbage behind the last one ignored."""

    def __init__(self) -> None:
        self.ended = False
        self._z = zlib.decompressobj(_GZIP_WBITS)
        self._behind = b""  # what follows the end of a member: another one, or garbage
        self._members = 1

    def pieces(self, data: bytes) -> Iterator[bytes]:
        if self.ended:
            data = self._next_member(data)
        while not self.ended:
            piece = self._z.decompress(data, STEP_BYTES)
            data = self._z.unconsumed_tail
            if piece:
                yield piece
            if self._z.eof:
                self.ended, self._behind = True, b""
                data = self._next_member(self._z.unused_data)
                yield b""
            elif not data and len(piece) < STEP_BYTES:
                return

    def lacks_only_its_sum(self, content: bytes) -> bool:
        """Whether all content of a single member came, and only some of its check sum and length did not.

        Careless servers leave these out. Browsers do not miss them.
        """
        if self._members > 1:
            return False
        trailer = struct.pack("<II", zlib.crc32(content), len(content) & 0xFFFFFFFF)
        for missing in range(1, len(trailer) + 1):
            unpacker = self._z.copy()
            try:
                unpacker.decompress(trailer[-missing:], 1)
            except zlib.error:
                continue
            if unpacker.eof:
                return True
        return False

    def _next_member(self, data: bytes) -> bytes:
        # Two bytes decide, and they may come apart; of garbage no more than these are kept.
        behind = self._behind + data if len(self._behind) < len(_GZIP_MAGIC) else self._behind
        self._behind = behind[: len(_GZIP_MAGIC)]
        if self._behind == _GZIP_MAGIC:
            self._members = _counted(self._members)
            self._z, self.ended = zlib.decompressobj(_GZIP_WBITS), False
        return behind


class _Deflate:
    """deflate, with the zlib wrapper the standard asks for or, as many servers send it, without."""

    def __init__(self) -> None:
        self.ended = False
        self._z: zlib._Decompress | None = None
        self._early = b""

    def pieces(self, data: bytes) -> Iterator[bytes]:
        if self._z is None:
            data = self._early = self._early + data
            if len(data) < 2:
                return
            self._z = zlib.decompressobj(zlib.MAX_WBITS if _has_zlib_header(data) else -zlib.MAX_WBITS)
        while not self.ended:
            piece = self._z.decompress(data, STEP_BYTES)
            data = self._z.unconsumed_tail
            if piece:
                yield piece
            self.ended = self._z.eof
            if not data and len(piece) < STEP_BYTES:
                return


class _Brotli:
    def __init__(self) -> None:
        self.ended = False
        self._decoder = brotli.Decompressor()

    def pieces(self, data: bytes) -> Iterator[bytes]:
        while not self.ended:
            piece = self._decoder.process(data, output_buffer_limit=STEP_BYTES)
            data = b""
            if piece:
                yield piece
            self.ended = self._decoder.is_finished()
            if not self.ended and self._decoder.can_accept_more_data() and len(piece) < STEP_BYTES:
                return


class _Zstd:
    """zstd, several frames allowed."""

    def __init__(self) -> None:
        self.ended = False
        self._decoder = _zstd_decoder()
        self._members = 1

    def pieces(self, data: bytes) -> Iterator[bytes]:
        if self.ended and data:
            self._restart()
        while not self.ended:
            piece = self._decoder.decompress(data, STEP_BYTES)
            data = b""
            if piece:
                yield piece
            self.ended = self._decoder.eof
            if self.ended and self._decoder.unused_data:
                data = self._decoder.unused_data
                self._restart()
                yield b""
            elif self._decoder.needs_input:
                return

    def _restart(self) -> None:
        self._members = _counted(self._members)
        self._decoder, self.ended = _zstd_decoder(), False


def _zstd_decoder() -> zstd.ZstdDecompressor:
    return zstd.ZstdDecompressor(options={zstd.DecompressionParameter.window_log_max: ZSTD_WINDOW_LOG})


def _counted(members: int) -> int:
    if members >= MAX_MEMBERS:
        raise NetError(Reason.DECOMPRESS_ERROR, f"more than {MAX_MEMBERS} parts in one packed body")
    return members + 1


def _has_zlib_header(data: bytes) -> bool:
    return data[0] & 0x0F == 8 and int.from_bytes(data[:2], "big") % 31 == 0


_DECODERS: Final[dict[str, Callable[[], _Decoder]]] = {
    "gzip": _Gzip,
    "x-gzip": _Gzip,
    "deflate": _Deflate,
    "br": _Brotli,
    "zstd": _Zstd,
}
_UNPACK_ERRORS: Final = (zlib.error, brotli.error, zstd.ZstdError, EOFError)


def _decoders(content_encoding: str) -> list[_Decoder]:
    """Decoders in the order they are to be applied; words that name no packing are passed over,
    as browsers do (servers write `utf-8` or `none` there)."""
    names = [name.strip().lower() for name in content_encoding.split(",")]
    packed = [name for name in reversed(names) if name in _DECODERS]
    if len(packed) > MAX_ENCODINGS:
        raise NetError(Reason.DECOMPRESS_ERROR, f"packed {len(packed)} times over")
    return [_DECODERS[name]() for name in packed]


async def read_body(
    stream: Source, content_encoding: str | None, max_bytes: int, *, truncate: bool = False
) -> Body:
    """The whole body, unpacked. Over the limit: `too_large`, or its beginning when `truncate` is set."""
    if content_encoding:
        decoders = _decoders(content_encoding)
        if decoders:
            return await _read_packed(stream, decoders, max_bytes, truncate)
    parts, room = [], max_bytes
    while chunk := await stream.readany():
        parts.append(chunk)
        room -= len(chunk)
        if room < 0:
            return _over(parts, max_bytes, truncate)
    return Body(b"".join(parts), False)


async def _read_packed(stream: Source, decoders: Sequence[_Decoder], max_bytes: int, truncate: bool) -> Body:
    parts: list[bytes] = []
    packed = size = steps = 0
    while chunk := await stream.readany():
        packed += len(chunk)
        if packed > max_bytes:
            return _over(parts, max_bytes, truncate)
        for piece in _unpacked(decoders, chunk):
            if piece:
                parts.append(piece)
                size += len(piece)
            if size > max_bytes:
                return _over(parts, max_bytes, truncate)
            if size > RATIO_FLOOR_BYTES and size > packed * RATIO:
                raise NetError(Reason.TOO_LARGE, f"{packed} bytes unpack to more than {size}")
            steps += 1
            if steps % STEPS_PER_TURN == 0:
                await asyncio.sleep(0)
    content = b"".join(parts)
    if packed and not all(decoder.ended for decoder in decoders):
        first = decoders[0]
        if not (len(decoders) == 1 and isinstance(first, _Gzip) and first.lacks_only_its_sum(content)):
            raise NetError(Reason.DECOMPRESS_ERROR, "the packed body ends in the middle")
    return Body(content, False)


def _unpacked(decoders: Sequence[_Decoder], data: bytes) -> Iterator[bytes]:
    pieces = iter((data,))
    try:
        for decoder in decoders:
            pieces = _through(decoder, pieces)
        yield from pieces
    except _UNPACK_ERRORS as error:
        raise NetError(Reason.DECOMPRESS_ERROR, str(error) or "not what its Content-Encoding says") from None


def _through(decoder: _Decoder, pieces: Iterator[bytes]) -> Iterator[bytes]:
    for piece in pieces:
        yield from decoder.pieces(piece)


def _over(parts: list[bytes], max_bytes: int, truncate: bool) -> Body:
    if not truncate:
        raise NetError(Reason.TOO_LARGE, f"more than {max_bytes} bytes")
    return Body(b"".join(parts)[:max_bytes], True)
