"""A real server on loopback in a thread of its own, and a visitor that keeps cookies and follows nothing."""

from __future__ import annotations

import asyncio
import http.client
import re
import select
import threading
from collections.abc import Callable, Coroutine, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeVar
from urllib.parse import urlencode, urlsplit

import uvicorn

from surveyor.bootstrap.workspace import Workspace, open_workspace
from surveyor.web import server
from surveyor.web.connections import USUAL, Bounds

T = TypeVar("T")
_TOKEN = re.compile(r'name="csrf" value="([0-9a-f]{64})"')


@dataclass
class Served:
    """A workspace that is being served; `run` lets something happen beside the server."""

    url: str
    workspace: Workspace
    loop: asyncio.AbstractEventLoop
    app: Any

    def run(self, act: Callable[[Workspace], Coroutine[Any, Any, T]]) -> T:
        return asyncio.run_coroutine_threadsafe(act(self.workspace), self.loop).result(60)

    def visitor(self) -> Visitor:
        return Visitor(self.url)


@contextmanager
def serve(folder: Path, bounds: Bounds = USUAL) -> Iterator[Served]:
    ready = threading.Event()
    box: dict[str, Any] = {}

    async def main() -> None:
        async with open_workspace(folder) as workspace:
            listening = server.listen("127.0.0.1", 0)
            with listening:
                config = server.config(workspace, bounds)
                running = uvicorn.Server(config)
                box["server"] = running
                url = server.url_of(listening).rstrip("/")
                box["served"] = Served(url, workspace, asyncio.get_running_loop(), config.app)
                ready.set()
                await running.serve(sockets=[listening])

    def run() -> None:
        try:
            asyncio.run(main())
        except BaseException as error:
            box["error"] = error
            ready.set()
            raise

    thread = threading.Thread(target=run, daemon=True)
    thread.start()
    assert ready.wait(60) and "error" not in box, box.get("error")
    try:
        yield box["served"]
    finally:
        box["server"].should_exit = True
        thread.join(30)


@dataclass
class Reply:
    status: int
    headers: dict[str, str]
    body: bytes

    @property
    def text(self) -> str:
        return self.body.decode("utf-8")


# Seconds for an answer: on a machine that others use as well, five hundred decisions take longer than one.
_PATIENCE = 300.0
# Bytes of a body that a server may refuse by its length alone, and hang up on whoever still sends it.
_LARGE = 100_000


def _send_large(
    connection: http.client.HTTPConnection, method: str, path: str, body: bytes, headers: dict[str, str]
) -> None:
    """As a careful program does: the head first, and the body only if there is no answer yet."""
    connection.request(method, path, None, headers | {"content-length": str(len(body))})
    answered, _, _ = select.select([connection.sock], [], [], 2.0)
    if not answered:
        connection.send(body)


class Visitor:
    """A browser without scripts: cookies, forms with their proof, the Origin that browsers send."""

    def __init__(self, url: str) -> None:
        self.url = url
        self.cookies: dict[str, str] = {}

    def ask(
        self, method: str, path: str, body: bytes | None = None, headers: dict[str, str] | None = None
    ) -> Reply:
        connection = http.client.HTTPConnection(urlsplit(self.url).netloc, timeout=_PATIENCE)
        sent = dict(headers or {})
        if self.cookies:
            sent["cookie"] = "; ".join(f"{name}={value}" for name, value in self.cookies.items())
        try:
            if isinstance(body, bytes) and len(body) > _LARGE:
                _send_large(connection, method, path, body, sent)
            else:
                connection.request(method, path, body, sent)
            answer = connection.getresponse()
            content = answer.read()
        finally:
            connection.close()
        for line in answer.headers.get_all("set-cookie") or []:
            name, _, value = line.partition(";")[0].partition("=")
            if value in ("", '""'):
                self.cookies.pop(name, None)
            else:
                self.cookies[name] = value.strip('"')
        found = {name.lower(): value for name, value in answer.headers.items()}
        return Reply(answer.status, found, content)

    def get(self, path: str, **headers: str) -> Reply:
        return self.ask("GET", path, headers={name.replace("_", "-"): v for name, v in headers.items()})

    def proof(self) -> str:
        """What a form of this session carries."""
        found = _TOKEN.search(self.get("/submit").text)
        assert found
        return found[1]

    def post(self, path: str, _headers: dict[str, str] | None = None, **fields: Any) -> Reply:
        body = urlencode({"csrf": self.proof()} | fields, doseq=True).encode()
        kind = "application/x-www-form-urlencoded"
        return self.ask("POST", path, body, {"content-type": kind, "origin": self.url} | (_headers or {}))

    def log_in(self, name: str, password: str = "a long password") -> Reply:
        return self.post("/login", name=name, password=password)
