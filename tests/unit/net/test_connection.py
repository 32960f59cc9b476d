"""A connection by hand, without a socket: what it reads of bodies that are mostly framing."""

from __future__ import annotations

import asyncio

import pytest

from surveyor.net.connection import BUFFER_BYTES, READ_BYTES, Connection, Patience
from surveyor.net.response_parser import BodyStream

HEAD = b"HTTP/1.1 200 OK\r\nContent-Type: text/html\r\nTransfer-Encoding: chunked\r\n\r\n"
ONE_BYTE = b"1\r\nx\r\n"
EXTENDED = b"1;" + b"e" * 4_000 + b"\r\nx\r\n"
ZEROS = b"0" * 4_000 + b"1\r\nx\r\n"
LARGE = b"4000\r\n" + b"x" * 0x4000 + b"\r\n"


class Transport(asyncio.Transport):
    """Says whether anything would be read, and hears when it would again."""

    def __init__(self) -> None:
        super().__init__()
        self.reading = asyncio.Event()
        self.reading.set()

    def write(self, data: bytes | bytearray | memoryview) -> None:
        """Nobody listens."""

    def pause_reading(self) -> None:
        self.reading.clear()

    def resume_reading(self) -> None:
        self.reading.set()

    def is_closing(self) -> bool:
        return False

    def abort(self) -> None:
        """There is nothing to end."""


class Peer:
    """Sends as fast as anything is read."""

    def __init__(self) -> None:
        self.transport = Transport()
        loop = asyncio.get_running_loop()
        self.connection = Connection(loop, "site.example", "192.0.2.1")
        self.connection.connection_made(self.transport)
        self.head = self.connection.begin(b"GET / HTTP/1.1\r\n\r\n", Patience(loop.time() + 60, 60, 0))

    def send(self, data: bytes) -> None:
        assert self.transport.reading.is_set(), "nobody reads"
        self.connection.get_buffer(-1)[: len(data)] = data
        self.connection.buffer_updated(len(data))

    def send_reads(self, chunk: bytes, reads: int) -> int:
        """Up to so many buffers full of a chunk; returns how many were read before a pause."""
        full = chunk * (READ_BYTES // len(chunk))
        for number in range(reads):
            if not self.transport.reading.is_set():
                return number
            self.send(full)
        return reads

    @property
    def stream(self) -> BodyStream:
        return self.head.result().stream


@pytest.mark.parametrize("chunk", [ONE_BYTE, EXTENDED, ZEROS])
async def test_after_a_read_of_mostly_framing_others_have_their_turn(chunk: bytes) -> None:
    peer = Peer()
    peer.send(HEAD)
    for _ in range(5):
        assert peer.send_reads(chunk, 32) <= 2, "uvloop reads up to 32 times in one go"
        await peer.stream.readany()
        assert not peer.transport.reading.is_set(), "that somebody takes the body does not end the rest"
        async with asyncio.timeout(60):
            await peer.transport.reading.wait()


async def test_large_chunks_are_read_without_a_rest() -> None:
    peer = Peer()
    peer.send(HEAD)
    assert peer.send_reads(LARGE, 4) == 4


async def test_a_rest_ends_with_the_answer() -> None:
    peer = Peer()
    peer.send(HEAD)
    peer.send_reads(ONE_BYTE, 32)
    peer.connection.finish()
    assert peer.connection._rest is None
    assert peer.transport.reading.is_set()


async def test_a_rest_that_is_over_reads_nothing_while_nobody_takes_what_came() -> None:
    peer = Peer()
    peer.send(HEAD)
    while peer.stream.buffered <= BUFFER_BYTES:
        peer.send(LARGE * 3 + ONE_BYTE * 400)
        peer.connection.resume()
        while peer.connection._rest is not None:
            await asyncio.sleep(0.001)
    assert not peer.transport.reading.is_set()
    await peer.stream.readany()
    assert peer.transport.reading.is_set()
