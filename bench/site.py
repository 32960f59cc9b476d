"""The site that crawlers are measured on: many hosts on loopback, every page of 33 KB with 53 links.

It runs in a process of its own, so that its work is not counted, and makes pages when they are asked
for, so that its size is not bound by memory. Host number n is an address of its own (`127.0.1.1` and
so on, one port), because not every crawler can be told where a name leads.
"""

from __future__ import annotations

import asyncio
import json
import random
import resource
import socket
import subprocess
import sys
import time
from collections.abc import Callable, Iterable, Sequence
from functools import partial
from pathlib import Path
from types import TracebackType
from typing import Any, NamedTuple, Self, cast

import psutil  # type: ignore[import-untyped]
import uvloop

LINKS = 53
PAGE_BYTES = 33_000
_ROBOTS = b"User-agent: *\nDisallow: /private/\n"
_NAVIGATION, _TEASERS, _CHILDREN, _FOOTER, _SOCIAL = 18, 22, 11, 6, 4
_TEXT_CHARS = 1_000_000  # of one text, of which every page shows pieces of its own
_BACKLOG = 64
_FOOT = "\n</body></html>\n"


def address(number: int) -> str:
    """Where host `number` listens."""
    return f"127.0.{1 + number // 250}.{1 + number % 250}"


def name(number: int) -> str:
    """The name of host `number`, for crawlers that have a map of names."""
    return f"host-{number}.example"


def target(page: int) -> str:
    return f"/news/{2005 + page % 20}/a-longer-name-{page}.html" if page else "/"


class Pages:
    """Pages of all hosts, made from a seed: every page is reached from the home page in a few steps."""

    def __init__(self, seed: int) -> None:
        rng = random.Random(seed)
        self.size = 1  # pages per host
        self._seed = seed
        self._words = ["".join(rng.choices("etaoinshrdlucm", k=rng.randint(2, 11))) for _ in range(600)]
        self._text = " ".join(rng.choices(self._words, k=_TEXT_CHARS // 6))

    def answer(self, host: int, asked: str) -> bytes | None:
        """The body of a page; None if there is none of that name."""
        if asked == "/robots.txt":
            return _ROBOTS
        page = self._number(asked)
        return None if page is None else self._page(host, page).encode()

    def _number(self, asked: str) -> int | None:
        digits = asked.rpartition("-")[2].removesuffix(".html") if asked != "/" else "0"
        page = int(digits) if digits.isdecimal() else self.size
        return page if page < self.size and asked == target(page) else None

    def _page(self, host: int, page: int) -> str:
        place = (host * 7919 + page * 104_729 + self._seed) % (len(self._text) - 2 * PAGE_BYTES)
        text = self._text[place : place + PAGE_BYTES]
        html = (
            f'<!doctype html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n'
            f"<title>Page {page} of {name(host)}: {text[:40]}</title>\n"
            f'<meta name="viewport" content="width=device-width, initial-scale=1">\n'
            f'<meta name="description" content="{text[40:200]}">\n'
            f'<link rel="stylesheet" href="/static/site.css">\n<link rel="icon" href="/favicon.ico">\n'
            f'<script src="/static/site.js" defer></script>\n</head>\n<body class="page">\n'
            f"<header><nav><ul>{self._list(1, _NAVIGATION)}</ul></nav></header>\n<main>\n"
            + "".join(self._teaser(lead, text, 300 * n) for n, lead in enumerate(self._leads(host, page)))
            + f'<p><a href="{target((page + 1) % self.size)}">next</a> <a href="#top">top</a> '
            f'<a href="mailto:info@{name(host)}">write</a></p>\n</main>\n'
            f"<footer><ul>{self._list(1 + _NAVIGATION, _FOOTER)}</ul>{_social()}</footer>\n"
        )
        at = 300 * _TEASERS
        while len(html) + len(_FOOT) + 220 < PAGE_BYTES:
            html += f"<p>{text[at : at + 200]}</p>\n"
            at += 200
        return f"{html}<p>{text[at : at + PAGE_BYTES - len(html) - len(_FOOT) - 7]}</p>{_FOOT}"

    def _leads(self, host: int, page: int) -> list[int]:
        """Pages further on, which have this one for a parent, then pages anywhere."""
        first = 1 + _NAVIGATION + _FOOTER + _CHILDREN * page
        children = [number for number in range(first, first + _CHILDREN) if number < self.size]
        others = range(_TEASERS - len(children))
        return [*children, *((page * 7919 + host * 31 + n * 104_729) % self.size for n in others)]

    def _list(self, first: int, count: int) -> str:
        return "".join(
            f'\n<li class="nav"><a href="{target(n % self.size)}">{self._words[n]}</a></li>'
            for n in range(first, first + count)
        )

    def _teaser(self, lead: int, text: str, at: int) -> str:
        return (
            f'<article class="card card--teaser">\n<header><h2 class="card__title">{text[at : at + 30]}</h2>'
            f'<time datetime="2024-05-01">1 May</time></header>\n'
            f'<img class="card__image" src="/media/{lead}.jpg" alt="" width="640" height="360">\n'
            f'<p class="card__text">{text[at + 30 : at + 200]} <em>{text[at + 200 : at + 210]}</em></p>\n'
            f'<p class="card__text">{text[at + 210 : at + 290]}</p>\n'
            f'<p><a class="button" href="{target(lead)}">{text[at + 290 : at + 300]}</a></p>\n</article>\n'
        )


def _social() -> str:
    picture = '<svg viewBox="0 0 9 9"><path d="M0 0h9"/></svg>'
    return "".join(f'<a href="https://social{n}.example/x">{picture}</a>' for n in range(_SOCIAL))


class _Log:
    """When which host was asked, and whether for a page that it has."""

    def __init__(self) -> None:
        self.requests: list[tuple[float, int, bool]] = []


class Connection(asyncio.Protocol):
    """Reads requests and answers each at once with what `answer` gives for its target; none: 404."""

    def __init__(self, answer: Callable[[str], tuple[str, bytes] | None]) -> None:
        self._answer = answer
        self._buffer = b""

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        self._transport = cast(asyncio.Transport, transport)

    def data_received(self, data: bytes) -> None:
        self._buffer += data
        if self._buffer[0] == 0x16:  # TLS, which is not spoken here
            self._transport.abort()
            return
        while (end := self._buffer.find(b"\r\n\r\n")) >= 0:
            head, self._buffer = self._buffer[:end], self._buffer[end + 4 :]
            self._send(self._answer(head.split(b" ", 2)[1].decode("latin-1")))

    def _send(self, found: tuple[str, bytes] | None) -> None:
        if found is None:
            self._transport.write(b"HTTP/1.1 404 Not Found\r\nContent-Length: 0\r\n\r\n")
            return
        kind, body = found
        head = f"HTTP/1.1 200 OK\r\nContent-Type: {kind}\r\nContent-Length: {len(body)}\r\n\r\n"
        self._transport.write(head.encode() + body)


async def listen(hosts: int, connection: Callable[[int], Connection]) -> int:
    """One server for each host, each at an address of its own; returns the port of all."""
    loop, port = asyncio.get_running_loop(), 0
    for number in range(hosts):
        listener = socket.socket()
        listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        listener.bind((address(number), port))
        port = listener.getsockname()[1]
        await loop.create_server(partial(connection, number), sock=listener, backlog=_BACKLOG)
    return port


def _answer(pages: Pages, log: _Log, host: int, asked: str) -> tuple[str, bytes] | None:
    body = pages.answer(host, asked)
    is_page = body is not None and asked != "/robots.txt"
    log.requests.append((time.monotonic(), host, is_page))
    if body is None:
        return None
    return "text/html; charset=utf-8" if is_page else "text/plain", body


async def _serve(seed: int, hosts: int) -> None:
    """Tell the port, then obey: one line of JSON in, one out, until standard input ends."""
    hard = resource.getrlimit(resource.RLIMIT_NOFILE)[1]
    resource.setrlimit(resource.RLIMIT_NOFILE, (hard, hard))
    pages, log = Pages(seed), _Log()
    port = await listen(hosts, lambda host: Connection(partial(_answer, pages, log, host)))
    print(json.dumps(port), flush=True)
    while line := await asyncio.to_thread(sys.stdin.readline):
        message = json.loads(line)
        if "size" in message:
            pages.size, log.requests = message["size"], []
        print(json.dumps(log.requests), flush=True)


class Served(NamedTuple):
    """What the site saw of one crawl; rates in the middle three fifths, without the rush of the start and
    the last stragglers."""

    pages: int
    rate: float
    """Pages per second."""
    asked_rate: float
    """Requests per second: also for robots.txt, sitemaps and what is not there."""
    gaps: tuple[float, ...]
    """Seconds between two requests to the same host, smallest first."""

    @classmethod
    def of(cls, requests: Sequence[tuple[float, int, bool]]) -> Self:
        pages, count = sum(is_page for *_, is_page in requests), len(requests)
        if count < 10:
            return cls(pages, 0.0, 0.0, ())
        middle = requests[count // 5 : count * 4 // 5 + 1]
        seconds = middle[-1][0] - middle[0][0]
        served = sum(is_page for *_, is_page in middle)
        return cls(pages, served / seconds, len(middle) / seconds, _gaps(middle))


def _gaps(requests: Iterable[tuple[float, int, bool]]) -> tuple[float, ...]:
    last: dict[int, float] = {}
    gaps = []
    for moment, host, _ in requests:
        if host in last:
            gaps.append(moment - last[host])
        last[host] = moment
    return tuple(sorted(gaps))


class SiteProcess:
    """A running site; use it as a context manager."""

    def __init__(self, seed: int, hosts: int) -> None:
        self.seed, self.hosts, self.port = seed, hosts, 0

    def __enter__(self) -> Self:
        self._process = subprocess.Popen(
            [sys.executable, "-m", "bench.site", str(self.seed), str(self.hosts)],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            cwd=Path(__file__).parent.parent,
            text=True,
        )
        self.port = self._read()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        for pipe in (self._process.stdin, self._process.stdout):
            assert pipe is not None
            pipe.close()
        self._process.wait(10)

    def resize(self, pages_per_host: int) -> None:
        """From now on every host has so many pages, and nothing was served yet."""
        self._ask({"size": pages_per_host})

    def served(self) -> Served:
        return Served.of(self._ask({}))

    def cpu(self) -> float:
        """Seconds of CPU that it took so far."""
        return float(sum(psutil.Process(self._process.pid).cpu_times()[:2]))

    def _ask(self, question: dict[str, int]) -> Any:
        assert self._process.stdin is not None
        self._process.stdin.write(json.dumps(question) + "\n")
        self._process.stdin.flush()
        return self._read()

    def _read(self) -> Any:
        assert self._process.stdout is not None
        line = self._process.stdout.readline()
        if not line:
            raise RuntimeError("the site is gone; see what it printed on standard error")
        return json.loads(line)


if __name__ == "__main__":
    uvloop.run(_serve(int(sys.argv[1]), int(sys.argv[2])))
