"""The loop: a line in, a line out, until the other side closes its end."""

from __future__ import annotations

import asyncio
import os
import threading
from collections.abc import AsyncIterator, Callable
from contextlib import suppress
from typing import TYPE_CHECKING

from surveyor.mcp import deciding, messages, reading
from surveyor.mcp.messages import INVALID_REQUEST, Fault
from surveyor.mcp.protocol import Protocol
from surveyor.mcp.tools import Session, Toolbox
from surveyor.registry.actors import Actor, Role

if TYPE_CHECKING:
    from surveyor.bootstrap.workspace import Workspace

# Bytes of a line: no request comes near it, and a broken client does not fill the memory.
LONGEST_LINE = 1_000_000
_CHUNK = 65_536
_TOO_LONG = messages.write(
    messages.error(None, Fault(INVALID_REQUEST, f"a line has at most {LONGEST_LINE:,} bytes"))
)
# Lines read ahead of their answers.
_AHEAD = 16


async def serve(
    workspace: Workspace, name: str, send: Callable[[bytes], None], *, allow_decisions: bool, read_from: int
) -> None:
    """Answer what comes from the descriptor `read_from`; decisions are those of the reviewer `mcp:NAME`."""
    session = Session(workspace, Actor(f"mcp:{name}", Role.REVIEWER))
    tools = (*reading.TOOLS, *deciding.TOOLS) if allow_decisions else reading.TOOLS
    protocol = Protocol(Toolbox(session, tools))
    async for line in _lines(read_from):
        made = _TOO_LONG if line is None else await protocol.answer(line)
        if made is not None:
            send(made)


class Lines:
    """Splits what comes in pieces into lines; one that is too long is None, and not kept."""

    def __init__(self) -> None:
        self._begun = bytearray()
        self._overflows = False

    def feed(self, chunk: bytes) -> list[bytes | None]:
        *ended, rest = chunk.split(b"\n")
        found = [self._ended(part) for part in ended]
        self._keep(rest)
        return found

    def last(self) -> list[bytes | None]:
        """What came after the last line break."""
        return [self._ended(b"")] if self._begun or self._overflows else []

    def _keep(self, part: bytes) -> None:
        if self._overflows or len(self._begun) + len(part) > LONGEST_LINE:
            self._overflows = True
            self._begun.clear()
        else:
            self._begun += part

    def _ended(self, part: bytes) -> bytes | None:
        self._keep(part)
        line = None if self._overflows else bytes(self._begun)
        self._begun.clear()
        self._overflows = False
        return line


async def _lines(descriptor: int) -> AsyncIterator[bytes | None]:
    """Read in a thread: standard input may be a file, which an event loop does not watch."""
    loop, found = asyncio.get_running_loop(), asyncio.Queue[list[bytes | None] | None](_AHEAD)

    def put(lines: list[bytes | None] | None) -> None:
        asyncio.run_coroutine_threadsafe(found.put(lines), loop).result()

    def read() -> None:
        split = Lines()
        with suppress(RuntimeError):  # the loop ended first
            with suppress(OSError):  # the other side is gone
                os.set_blocking(descriptor, True)  # whoever started us may have left it otherwise
                while chunk := os.read(descriptor, _CHUNK):
                    put(split.feed(chunk))
            put(split.last())
            put(None)

    threading.Thread(target=read, name="mcp-input", daemon=True).start()
    while (lines := await found.get()) is not None:
        for line in lines:
            yield line
