"""Organisations read and unpacked in pieces, from a stream that comes as it likes."""

from __future__ import annotations

import asyncio
import gzip
import zlib
from collections.abc import Callable

import brotli  # type: ignore[import-untyped]
import pytest
from backports import zstd
from hypothesis import given
from hypothesis import strategies as st

from surveyor.errors import NetError
from surveyor.net.body import RATIO_FLOOR_BYTES, STEP_BYTES, Body, read_body

ROOM = 50_000_000


def raw_deflate(data: bytes) -> bytes:
    packer = zlib.compressobj(wbits=-15)
    return packer.compress(data) + packer.flush()


PACKERS: dict[str, tuple[str, Callable[[bytes], bytes]]] = {
    "none": ("", bytes),
    "gzip": ("gzip", gzip.compress),
    "x-gzip": ("X-GZip", gzip.compress),
    "deflate": ("deflate", zlib.compress),
    "raw deflate": ("deflate", raw_deflate),
    "brotli": ("br", lambda data: brotli.compress(data, quality=4)),
    "zstd": ("zstd", zstd.compress),
    "twice": ("gzip, br", lambda data: brotli.compress(gzip.compress(data))),
}


_HAS_NO_END, _SUM_ALONE = {"none"}, {("gzip", 1), ("x-gzip", 1)}


class Parts:
    """A stream that comes in these parts."""

    def __init__(self, parts: list[bytes]) -> None:
        self._parts = [part for part in parts if part]

    async def readany(self) -> bytes:
        return self._parts.pop(0) if self._parts else b""


async def read(parts: list[bytes], encoding: str, room: int = ROOM, *, truncate: bool = False) -> Body:
    return await read_body(Parts(parts), encoding, room, truncate=truncate)


def read_now(parts: list[bytes], encoding: str) -> Body:
    """The same without an event loop: nothing here waits for anything, and loops are slow to make."""
    reading = read(parts, encoding)
    while True:
        try:
            reading.send(None)
        except StopIteration as end:
            body: Body = end.value
            return body


@pytest.mark.parametrize(
    ("encoding", "part"), [("gzip", gzip.compress(b"", mtime=0)), ("zstd", zstd.compress(b""))]
)
def test_parts_without_content_give_others_their_turn_too(encoding: str, part: bytes) -> None:
    reading, turns = read([part * 4_000], encoding), 0
    while True:
        try:
            reading.send(None)
        except StopIteration as end:
            assert end.value == (b"", False)
            break
        turns += 1
    assert turns >= 1_000


def cut_up(data: bytes, sizes: list[int]) -> list[bytes]:
    parts, at = [], 0
    for size in sizes:
        parts.append(data[at : at + size])
        at += size
    return [*parts, data[at:]]


@pytest.mark.parametrize("name", PACKERS)
@given(st.binary(max_size=300), st.lists(st.integers(1, 20), max_size=8))
def test_a_packed_body_comes_out_whole_however_it_is_cut(name: str, data: bytes, sizes: list[int]) -> None:
    encoding, pack = PACKERS[name]
    body = read_now(cut_up(pack(data), sizes), encoding)
    assert body == (data, False)


@pytest.mark.parametrize("name", PACKERS)
async def test_a_body_larger_than_one_step_comes_out_whole(name: str) -> None:
    encoding, pack = PACKERS[name]
    data = b"".join(b"%d," % number for number in range(200_000))
    assert len(data) > 4 * STEP_BYTES
    assert (await read([pack(data)], encoding)).data == data


@pytest.mark.parametrize("encoding", ["gzip", "deflate", "br", "zstd", "gzip, br"])
@given(st.lists(st.binary(max_size=100), max_size=4))
def test_random_bytes_give_a_body_or_a_reason(encoding: str, parts: list[bytes]) -> None:
    try:
        read_now(parts, encoding)
    except NetError as error:
        assert error.code == "decompress_error"


@pytest.mark.parametrize(
    ("name", "missing"),
    sorted({(name, missing) for name in PACKERS.keys() - _HAS_NO_END for missing in (1, 10)} - _SUM_ALONE),
)
async def test_a_packed_body_that_ends_early_is_never_taken_as_whole(name: str, missing: int) -> None:
    encoding, pack = PACKERS[name]
    with pytest.raises(NetError) as caught:
        await read([pack(b"some words " * 50)[:-missing]], encoding)
    assert caught.value.code == "decompress_error"


@pytest.mark.parametrize("missing", range(1, 9))
@pytest.mark.parametrize("content", [b"page", b"some words " * 50_000, bytes(range(256))])
async def test_gzip_without_its_check_sum_is_whole(content: bytes, missing: int) -> None:
    packed = gzip.compress(content)[:-missing]
    assert await read([packed[:15], packed[15:]], "gzip") == (content, False)


@given(st.binary(min_size=1, max_size=2000), st.integers(9, 60))
def test_gzip_that_lacks_content_is_never_taken_as_whole(content: bytes, missing: int) -> None:
    packed = gzip.compress(content)
    with pytest.raises(NetError) as caught:
        read_now([packed[:-missing] or packed[:1]], "gzip")
    assert caught.value.code == "decompress_error"


@pytest.mark.parametrize("cut", [0, 1, 2, 3])
async def test_a_second_gzip_member_is_read_wherever_the_first_ends(cut: int) -> None:
    one, two = gzip.compress(b"one "), gzip.compress(b"two")
    whole = one + two
    at = len(one) + cut
    assert (await read([whole[:at], whole[at:]], "gzip")).data == b"one two"


async def test_garbage_behind_gzip_is_ignored() -> None:
    assert (await read([gzip.compress(b"page"), b"\x1fgarbage", b"\x1f\x8b"], "gzip")).data == b"page"


async def test_a_second_zstd_frame_is_read_in_the_same_part_or_the_next() -> None:
    one, two = zstd.compress(b"one "), zstd.compress(b"two")
    assert (await read([one + two], "zstd")).data == b"one two"
    assert (await read([one, two], "zstd")).data == b"one two"


@pytest.mark.parametrize("encoding", ["", "identity", "utf-8", "none, binary", "gzip-ish"])
async def test_words_that_name_no_packing_are_passed_over(encoding: str) -> None:
    assert (await read([b"plain"], encoding)).data == b"plain"


@pytest.mark.parametrize("name", PACKERS)
async def test_the_limit_is_exact(name: str) -> None:
    encoding, pack = PACKERS[name]
    data = bytes(range(256)) * 400
    assert (await read([pack(data)], encoding, len(data))).data == data
    with pytest.raises(NetError) as caught:
        await read([pack(data)], encoding, len(data) - 1)
    assert caught.value.code == "too_large"
    assert await read([pack(data)], encoding, len(data) - 1, truncate=True) == (data[:-1], True)


async def test_the_limit_holds_for_the_packed_body_too() -> None:
    data = bytes(1000)
    with pytest.raises(NetError) as caught:
        await read([gzip.compress(data, 0)], "gzip", len(data))
    assert caught.value.code == "too_large"


async def test_a_ratio_no_page_has_is_cut_before_the_limit() -> None:
    with pytest.raises(NetError, match="unpack to more than") as caught:
        await read([gzip.compress(bytes(40 * RATIO_FLOOR_BYTES))], "gzip")
    assert caught.value.code == "too_large"


async def test_unpacking_much_lets_others_have_their_turn() -> None:
    turns = 0

    async def other() -> None:
        nonlocal turns
        while True:
            turns += 1
            await asyncio.sleep(0)

    data = b"".join(b"%d," % number for number in range(1_500_000))
    task = asyncio.create_task(other())
    await asyncio.sleep(0)
    before = turns
    await read([gzip.compress(data, 1)], "gzip")
    task.cancel()
    assert turns - before > len(data) // STEP_BYTES // 8
