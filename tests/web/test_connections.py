"""Visitors who hold connections: idle, with half a head, half a body, or an answer they do not take."""

from __future__ import annotations

import asyncio
import shutil
import socket
import threading
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager, suppress
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import pytest

from surveyor.web.connections import Bounds, Connections
from tests.web.serving import Served, serve
from tests.web.world import World

pytestmark = pytest.mark.xdist_group("web access")
MANY = 510
HALF_HEAD = b"GET /login HTTP/1.1\r\nHost: here\r\nX-Slow: "
HALF_BODY = (
    b"POST /login HTTP/1.1\r\nHost: here\r\nOrigin: http://here\r\n"
    b"Content-Type: application/x-www-form-urlencoded\r\nContent-Length: 1000\r\n\r\ncsrf="
)


def dial(served: Served, address: str = "127.0.0.1") -> socket.socket:
    at = urlsplit(served.url)
    assert at.hostname and at.port
    return socket.create_connection((at.hostname, at.port), timeout=20, source_address=(address, 0))


def answer(served: Served, path: str, address: str = "127.0.0.1") -> bytes:
    """The first line of what a new connection is answered."""
    with dial(served, address) as asked:
        asked.sendall(f"GET {path} HTTP/1.1\r\nHost: here\r\nConnection: close\r\n\r\n".encode())
        return asked.makefile("rb").readline().strip()


@contextmanager
def held(served: Served, sent: bytes, count: int) -> Iterator[list[socket.socket]]:
    with ExitStack() as stack:
        found = []
        for _ in range(count):
            connection = stack.enter_context(dial(served))
            with suppress(OSError):  # closed for a newer one already
                connection.sendall(sent)
            found.append(connection)
        yield found


@pytest.mark.parametrize("sent", [b"", HALF_HEAD, HALF_BODY], ids=["nothing", "half a head", "half a body"])
def test_hundreds_of_connections_of_one_address_shut_nobody_out(sent: bytes, place: Served) -> None:
    with held(place, sent, MANY):
        for path in ("/healthz", "/readyz", "/login"):
            assert answer(place, path) == b"HTTP/1.1 200 OK", path
            assert answer(place, path, "127.0.0.2") == b"HTTP/1.1 200 OK", path


Made = Callable[[Bounds], Served]


@pytest.fixture(scope="module")
def served_with(
    made_world: tuple[Path, World], tmp_path_factory: pytest.TempPathFactory
) -> Iterator[Callable[[Bounds], Served]]:
    with ExitStack() as stack:

        def made(bounds: Bounds) -> Served:
            folder = tmp_path_factory.mktemp("bounded") / "w"
            shutil.copytree(made_world[0], folder)
            return stack.enter_context(serve(folder, bounds))

        yield made


@pytest.fixture(scope="module")
def hasty(served_with: Made) -> Served:
    """A server with so little patience that nothing can be asked of it."""
    return served_with(Bounds(0.2, 0.2, 0.2))


@pytest.fixture(scope="module")
def small(served_with: Made) -> Served:
    return served_with(Bounds(answer_seconds=0.2, per_address=2, together=4))


@pytest.mark.parametrize("sent", [b"", HALF_HEAD, HALF_BODY], ids=["nothing", "half a head", "half a body"])
def test_a_visitor_who_stops_in_the_middle_is_hung_up_on(sent: bytes, hasty: Served) -> None:
    with dial(hasty) as asked:
        asked.sendall(sent)
        assert asked.recv(100) == b""  # after its time, not after the twenty seconds of the socket


def test_a_second_head_on_one_connection_has_its_time_too(hasty: Served) -> None:
    for _ in range(50):
        with dial(hasty) as asked:
            asked.sendall(b"GET /healthz HTTP/1.1\r\nHost: here\r\n\r\n")
            lines = asked.makefile("rb")
            if not any(line == b"ok\n" for line in iter(lines.readline, b"")):
                continue  # a busy machine was slower than this server's patience
            asked.sendall(HALF_HEAD)
            assert asked.recv(100) == b""
            return
    raise AssertionError("never quick enough")


def test_an_answer_that_nobody_takes_does_not_hold_its_connection(small: Served) -> None:
    ended = threading.Event()

    async def flood(scope: Any, receive: Any, send: Any) -> None:
        await send({"type": "http.response.start", "status": 200, "headers": []})
        for _ in range(1_000):
            await send({"type": "http.response.body", "body": b"x" * 1_000_000, "more_body": True})
        ended.set()

    with _instead(small, flood), dial(small) as asked:
        asked.sendall(b"GET / HTTP/1.1\r\nHost: here\r\n\r\n")
        assert ended.wait(20)  # though nothing was taken


@contextmanager
def _instead(served: Served, app: Any) -> Iterator[None]:
    """Another application behind the same connections; the probes stay."""
    stack = served.app.middleware_stack or served.app.build_middleware_stack()

    async def chosen(scope: Any, receive: Any, send: Any) -> None:
        if scope["path"] == "/":
            await app(scope, receive, send)
        else:
            await stack(scope, receive, send)

    served.app.middleware_stack = chosen
    try:
        yield
    finally:
        served.app.middleware_stack = stack


def test_where_all_have_work_under_way_others_come_back_later_and_probes_are_answered(small: Served) -> None:
    begun, go_on = threading.Semaphore(0), asyncio.Event()

    async def busy(scope: Any, receive: Any, send: Any) -> None:
        begun.release()
        await go_on.wait()
        await send({"type": "http.response.start", "status": 204, "headers": []})
        await send({"type": "http.response.body", "body": b""})

    with _instead(small, busy), ExitStack() as stack:
        working = [stack.enter_context(dial(small)) for _ in range(2)]
        for each in working:
            each.sendall(b"GET / HTTP/1.1\r\nHost: here\r\n\r\n")
            assert begun.acquire(timeout=20)
        assert answer(small, "/login").startswith(b"HTTP/1.1 503")
        assert answer(small, "/healthz") == b"HTTP/1.1 200 OK"
        assert answer(small, "/login", "127.0.0.2") == b"HTTP/1.1 200 OK"
        small.loop.call_soon_threadsafe(go_on.set)
        assert [b"204" in each.recv(4096) for each in working] == [True, True]


class _Fake:
    def __init__(self, known: Connections) -> None:
        self.waits_for_visitor, self.is_open, self._known = True, True, known

    def hang_up(self) -> None:
        self.is_open = False
        self._known.remove(self)  # type: ignore[arg-type]


def test_visitors_behind_a_proxy_are_not_one_address() -> None:
    known: Any = Connections(Bounds(per_address=2, together=5), ["10.0.0.0/8", "not an address"])
    behind = [_Fake(known) for _ in range(4)]
    for each in behind:
        known.add(each, "10.1.2.3")
    assert all(each.is_open for each in behind) and not known.is_full(behind[-1])
    others = [_Fake(known) for _ in range(3)]
    for each in others:
        known.add(each, "192.0.2.1")
    # The second of the others took the place of the oldest of all, the third that of its own first.
    assert [each.is_open for each in (*behind, *others)] == [False, True, True, True, False, True, True]
