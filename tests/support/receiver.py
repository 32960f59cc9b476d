"""A webhook's receiver on loopback: verifies with the specification's own library; restarts, and fails."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Callable
from typing import Any

from standardwebhooks import Webhook as Verifier
from standardwebhooks import WebhookVerificationError


class Receiver:
    """Remembers the events of every request it accepted, in the order in which they came."""

    def __init__(self, secret: str) -> None:
        self.secret = secret
        self.port = 0
        self.batches: list[list[dict[str, Any]]] = []
        self.forged = 0
        self.messages: list[str] = []  # ids, as they came
        self.unanswered = 0
        self.behave: Callable[[int], str] = lambda number: "accept"  # or "refuse", or "hang up"
        self._requests = 0
        self._server: asyncio.Server | None = None
        self._open: set[asyncio.StreamWriter] = set()

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.port}/hook"

    @property
    def heard(self) -> list[dict[str, Any]]:
        return [event for batch in self.batches for event in batch]

    async def start(self) -> None:
        self._server = await asyncio.start_server(self._serve, "127.0.0.1", self.port)
        self.port = self._server.sockets[0].getsockname()[1]

    async def stop(self) -> None:
        assert self._server is not None
        self._server.close()
        for writer in list(self._open):
            writer.transport.abort()
        await self._server.wait_closed()

    async def _serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self._open.add(writer)
        try:
            while head := await reader.readuntil(b"\r\n\r\n"):
                await self._one(head, reader, writer)
        except (asyncio.IncompleteReadError, ConnectionError):
            pass
        finally:
            self._open.discard(writer)
            writer.close()

    async def _one(self, head: bytes, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        lines = head.decode().split("\r\n")[1:]
        fields = {name.lower(): value for name, _, value in (line.partition(": ") for line in lines)}
        body = await reader.readexactly(int(fields["content-length"]))
        self._requests += 1
        how = self.behave(self._requests)
        try:
            Verifier(self.secret).verify(body, fields)
            self.messages.append(fields["webhook-id"])
        except WebhookVerificationError:
            self.forged += 1
            how = "refuse"
        if how != "refuse":
            self.batches.append(json.loads(body)["events"])
        if how == "hang up":
            self.unanswered += 1
            writer.transport.abort()
            raise ConnectionResetError
        status = b"204 No Content" if how == "accept" else b"503 Service Unavailable"
        writer.write(b"HTTP/1.1 %b\r\nContent-Length: 0\r\n\r\n" % status)
        await writer.drain()
