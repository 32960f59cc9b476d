"""The server and the few tools that cases are made of."""

from __future__ import annotations

import asyncio
import re
import socket
import ssl
import struct
from collections import Counter
from collections.abc import AsyncIterator, Awaitable, Callable, Iterable
from contextlib import asynccontextmanager, suppress
from typing import Literal

PAGE = b"<!doctype html><title>A page</title>" + b"<p>Some words, and <a href='/next'>a link</a>.</p>" * 600
MIB = 1_048_576

Handler = Callable[["Talk"], Awaitable[None]]
CASES: dict[str, Handler] = {}


class Talk:
    """One request and the means to answer it badly."""

    def __init__(
        self,
        server: Hostile,
        case: str,
        head: bytes,
        reader: asyncio.StreamReader,
        writer: asyncio.StreamWriter,
    ) -> None:
        self._server, self._reader, self._writer = server, reader, writer
        self.case, self.head = case, head
        self.path = head.split(b" ", 2)[1].decode("latin-1")

    async def send(self, data: bytes) -> None:
        self._writer.write(data)
        await self._writer.drain()
        self._server.sent[self.case] += len(data)

    async def answer(self, body: bytes = PAGE, status: str = "200 OK", **headers: str) -> None:
        """A well-formed answer; `content_encoding="gzip"` becomes a header."""
        await self.send(head(status, content_length=str(len(body)), **headers) + body)

    async def chunks(self, parts: Iterable[bytes], status: str = "200 OK", **headers: str) -> None:
        """A well-formed chunked answer, without its end."""
        await self.send(head(status, transfer_encoding="chunked", **headers))
        for part in parts:
            await self.send(b"%x\r\n%s\r\n" % (len(part), part))

    async def until_hung_up(self) -> None:
        while await self._reader.read(MIB):
            pass

    def reset(self) -> None:
        """Cut the connection with RST instead of FIN."""
        sock = self._writer.get_extra_info("socket")
        sock.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
        self._writer.transport.abort()

    def close(self) -> None:
        self._writer.close()


def head(status: str = "200 OK", **headers: str) -> bytes:
    lines = {"content_type": "text/html; charset=utf-8", **headers}
    text = "".join(f"{name.replace('_', '-')}: {value}\r\n" for name, value in lines.items())
    return f"HTTP/1.1 {status}\r\n{text}\r\n".encode("latin-1")


class Hostile:
    """A running server."""

    def __init__(self, hello: Literal["stall", "reset"]) -> None:
        self.port = 0
        self.requests: list[str] = []
        self.heads: list[bytes] = []
        self.sent: Counter[str] = Counter()
        self.connections = 0  # accepted so far
        self._hello = hello
        self._talks: set[asyncio.Task[None]] = set()

    @classmethod
    @asynccontextmanager
    async def serve(
        cls, *, port: int = 0, tls: ssl.SSLContext | None = None, hello: Literal["stall", "reset"] = "stall"
    ) -> AsyncIterator[Hostile]:
        """Listen on 127.0.0.1. `hello` says what a TLS handshake gets from a server without TLS."""
        self = cls(hello)
        server = await asyncio.start_server(self._accept, "127.0.0.1", port, ssl=tls, limit=MIB)
        self.port = server.sockets[0].getsockname()[1]
        try:
            yield self
        finally:
            server.close()
            for talk in self._talks:
                talk.cancel()
            await asyncio.gather(*self._talks, return_exceptions=True)

    @property
    def open_connections(self) -> int:
        return len(self._talks)

    async def all_hung_up(self) -> None:
        """Wait until no client holds a connection."""
        while self._talks:
            await asyncio.sleep(0.005)

    async def _accept(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        task = asyncio.current_task()
        assert task is not None
        self._talks.add(task)
        self.connections += 1
        try:
            await self._serve(reader, writer)
        except (OSError, asyncio.IncompleteReadError, asyncio.LimitOverrunError, asyncio.CancelledError):
            pass  # the client hung up, as most are meant to, or the test is over
        finally:
            self._talks.discard(task)
            with suppress(RuntimeError):  # the loop may be gone already
                writer.transport.abort()

    async def _serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        while True:
            begin = await reader.readexactly(1)
            if begin == b"\x16":
                return await self._answer_hello(Talk(self, "hello", b"HELLO /", reader, writer))
            request = begin + await reader.readuntil(b"\r\n\r\n")
            if length := re.search(rb"(?i)\r\ncontent-length: (\d+)", request):
                request += await reader.readexactly(int(length[1]))
            case = _case(request)
            self.requests.append(case)
            self.heads.append(request)
            await CASES[case](Talk(self, case, request, reader, writer))

    async def _answer_hello(self, talk: Talk) -> None:
        """A TLS handshake that meets no TLS."""
        if self._hello == "stall":
            await talk.until_hung_up()
        talk.reset()


def _case(request: bytes) -> str:
    host = re.search(rb"(?i)\r\nhost: ([^.:\r]*)", request)
    path = re.match(rb"\S+ /([\w.-]*)", request)
    names = [found[1].decode("latin-1") for found in (host, path) if found]
    return next((name for name in names if name in CASES), "page")


def case(handler: Handler) -> Handler:
    CASES[handler.__name__.strip("_").replace("_", "-")] = handler
    return handler


def answers(name: str, raw: bytes, *, then: Literal["close", "wait", "reset"] = "close") -> None:
    """A case that sends fixed bytes, whatever was asked."""

    async def handler(talk: Talk) -> None:
        await talk.send(raw)
        if then == "wait":
            await talk.until_hung_up()
        elif then == "reset":
            await asyncio.sleep(0.05)  # or the reset overtakes the bytes
            talk.reset()
        else:
            talk.close()

    CASES[name] = handler


def repeats(name: str, start: bytes, part: bytes, pause: float = 0.0) -> None:
    """A case that never ends."""

    async def handler(talk: Talk) -> None:
        await talk.send(start)
        while True:
            await talk.send(part)
            await asyncio.sleep(pause)

    CASES[name] = handler
