"""The server in a process of its own, and the line to it: what is open now, and new manners.

The process ends when its standard input does, so nothing is left over when a test is killed.
"""

from __future__ import annotations

import asyncio
import json
import socket
import subprocess
import sys
from dataclasses import asdict
from pathlib import Path
from types import TracebackType
from typing import Any, NamedTuple, Self

from tests.support.site.log import Entry, read_log
from tests.support.site.server import OpenConnection, SiteServer
from tests.support.site.spec import Manner, SiteSpec

_ROOT = Path(__file__).parents[3]
_ANSWER_SECONDS = 30.0  # for a question; rendering a large site takes some of them


class Now(NamedTuple):
    """What the server sees at one moment. Every request that was answered before is in the log."""

    requests: int
    connections: list[OpenConnection]


class SiteProcess:
    """A running site; use it as a context manager."""

    def __init__(self, spec: SiteSpec, log: Path) -> None:
        self.spec, self.log_file = spec, log
        self.port = 0

    def __enter__(self) -> Self:
        self._process = subprocess.Popen(
            [sys.executable, "-m", "tests.support.site", "--log", str(self.log_file), "--spec", "-"],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            cwd=_ROOT,
            start_new_session=True,
        )
        assert self._process.stdin is not None and self._process.stdout is not None
        self._process.stdin.write(self.spec.to_json().encode() + b"\n")
        self._process.stdin.flush()
        line = self._process.stdout.readline()
        if not line:
            raise RuntimeError("the site did not start; see what it printed on standard error")
        self.port, control = json.loads(line)
        self._control = socket.create_connection(("127.0.0.1", control), _ANSWER_SECONDS)
        self._lines = self._control.makefile("rwb")
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        self._lines.close()
        self._control.close()
        for pipe in (self._process.stdin, self._process.stdout):
            if pipe is not None:
                pipe.close()
        self._process.wait(_ANSWER_SECONDS)

    @property
    def environment(self) -> dict[str, str]:
        return self.spec.environment(self.port)

    @property
    def pid(self) -> int:
        return self._process.pid

    def now(self) -> Now:
        told = self._ask({"do": "now"})
        return Now(told["requests"], [OpenConnection(*row) for row in told["connections"]])

    def set_manner(self, host: str, manner: Manner) -> None:
        self._ask({"do": "manner", "host": host, "manner": asdict(manner)})

    def tell(self, host: str, **what: Any) -> None:
        """Something that a living host does from now on."""
        self._ask({"do": "tell", "host": host, "what": what})

    def log(self, *, hellos: bool = False) -> list[Entry]:
        """All requests that are over, up to this moment."""
        self.now()
        return read_log(self.log_file, hellos=hellos)

    def _ask(self, question: dict[str, Any]) -> Any:
        self._lines.write(json.dumps(question).encode() + b"\n")
        self._lines.flush()
        line = self._lines.readline()
        if not line:
            raise RuntimeError("the site process is gone")
        return json.loads(line)


async def run(spec: SiteSpec, log: Path, *, tell: bool = False) -> None:
    """Serve until standard input ends; the first line printed has the two ports.

    With `tell`, what a crawler needs in its environment is said on standard error.
    """
    async with SiteServer.serve(spec, log) as server:
        control = await asyncio.start_server(
            lambda reader, writer: _control(server, reader, writer), "127.0.0.1", 0
        )
        print(json.dumps([server.port, control.sockets[0].getsockname()[1]]), flush=True)
        if tell:
            for name, value in spec.environment(server.port).items():
                print(f"export {name}='{value}'", file=sys.stderr)
        await asyncio.to_thread(sys.stdin.read)
        control.close()


async def _control(server: SiteServer, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    try:
        while line := await reader.readline():
            writer.write(json.dumps(_told(server, json.loads(line))).encode() + b"\n")
            await writer.drain()
    finally:
        writer.close()


def _told(server: SiteServer, question: dict[str, Any]) -> dict[str, Any]:
    if question["do"] == "manner":
        server.manners[question["host"]] = Manner(**question["manner"])
        return {}
    if question["do"] == "tell":
        server.tell(question["host"], question["what"])
        return {}
    return {"requests": server.requests, "connections": server.open_connections()}
