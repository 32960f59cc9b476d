"""CPU per request for a page of 33 KB over kept connections: our fetcher and plain aiohttp, side by side."""

from __future__ import annotations

import argparse
import asyncio
import gzip
import json
import random
import subprocess
import sys
import time
from collections.abc import Awaitable, Callable, Iterator
from contextlib import contextmanager
from typing import Any

import aiohttp
import uvloop
from aiohttp import web
from aiohttp.abc import AbstractResolver

from surveyor.net.fetcher import ACCEPT_PAGES, Fetcher
from surveyor.settings import NetSettings

PAGE_BYTES = 33_000
HOSTS = tuple(f"host-{number}.example" for number in range(40))
ROUNDS = 5  # taken in turns, best of each: other programs on the machine must not show
LIMIT = 1.25  # times the CPU of plain aiohttp

Get = Callable[[str], Awaitable[bytes]]


def main(argv: list[str]) -> int:
    parser = argparse.ArgumentParser(prog="bench fetch", description=__doc__)
    parser.add_argument("--requests", type=int, default=4_000, help="requests per round")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--serve", action="store_true", help=argparse.SUPPRESS)
    args = parser.parse_args(argv)
    if args.serve:
        uvloop.run(_serve(args.seed))
        return 0
    with _server(args.seed) as port:
        return uvloop.run(_compare(port, args.requests))


async def _compare(port: int, requests: int) -> int:
    print(f"{requests} requests per round, {len(HOSTS)} hosts, pages of {PAGE_BYTES} bytes, best of {ROUNDS}")
    worst = 0.0
    for path in ("plain", "gzip"):
        best = await _best({"aiohttp": _Aiohttp, "fetcher": _Ours}, port, path, requests)
        ratio = best["fetcher"] / best["aiohttp"]
        worst = max(worst, ratio)
        costs = "   ".join(f"{name} {spent * 1e6:6.1f} µs" for name, spent in best.items())
        print(f"{path:6} {costs}   {ratio:.2f} x (at most {LIMIT:g} x)")
    return 1 if worst > LIMIT else 0


async def _best(
    clients: dict[str, Callable[[int], Any]], port: int, path: str, requests: int
) -> dict[str, float]:
    best = dict.fromkeys(clients, float("inf"))
    for _ in range(ROUNDS):
        for name, client in clients.items():
            async with client(port) as get:
                await _round(get, path, len(HOSTS))  # connects
                best[name] = min(best[name], await _round(get, path, requests))
    return best


async def _round(get: Get, path: str, requests: int) -> float:
    """CPU seconds per request, one in flight per host."""

    async def visit(host: str) -> None:
        for number in range(requests // len(HOSTS)):
            body = await get(f"http://{host}/{path}/{number}")
            assert len(body) == PAGE_BYTES

    begun = time.process_time()
    await asyncio.gather(*(visit(host) for host in HOSTS))
    return (time.process_time() - begun) / requests


class _Loopback(AbstractResolver):
    def __init__(self, port: int) -> None:
        self._port = port

    async def resolve(self, host: str, port: int = 0, family: Any = 0) -> list[Any]:
        return [
            {"hostname": host, "host": "127.0.0.1", "port": self._port, "family": 2, "proto": 0, "flags": 0}
        ]

    async def close(self) -> None:
        pass


class _Aiohttp:
    """aiohttp's own session with the options a crawler would choose."""

    def __init__(self, port: int) -> None:
        self._session = aiohttp.ClientSession(
            connector=aiohttp.TCPConnector(resolver=_Loopback(port), limit_per_host=1),
            cookie_jar=aiohttp.DummyCookieJar(),
            headers={"User-Agent": "bench", "Accept": ACCEPT_PAGES},
            timeout=aiohttp.ClientTimeout(total=30, sock_connect=10),
        )

    async def _get(self, url: str) -> bytes:
        async with self._session.get(url, allow_redirects=False) as answer:
            return await answer.read()

    async def __aenter__(self) -> Get:
        return self._get

    async def __aexit__(self, *error: object) -> None:
        await self._session.close()


class _Ours:
    def __init__(self, port: int) -> None:
        here = f"127.0.0.1:{port}"
        self._fetcher = Fetcher(NetSettings(allow=["127.0.0.0/8"], hosts=dict.fromkeys(HOSTS, here)))

    async def _get(self, url: str) -> bytes:
        return (await self._fetcher.get(url)).body

    async def __aenter__(self) -> Get:
        return self._get

    async def __aexit__(self, *error: object) -> None:
        await self._fetcher.close()


async def _serve(seed: int) -> None:
    """The site, in a process of its own: its work is not ours to count."""
    page = _page(seed)
    bodies = {"plain": (page, {}), "gzip": (gzip.compress(page, 6), {"Content-Encoding": "gzip"})}

    async def answer(request: web.BaseRequest) -> web.Response:
        body, headers = bodies[request.path.split("/")[1]]
        return web.Response(body=body, headers=headers, content_type="text/html", charset="utf-8")

    runner = web.ServerRunner(web.Server(answer, access_log=None))
    await runner.setup()
    site = web.TCPSite(runner, "127.0.0.1", 0)
    await site.start()
    print(json.dumps({"port": runner.addresses[0][1]}), flush=True)
    await asyncio.Event().wait()


def _page(seed: int) -> bytes:
    rng = random.Random(seed)
    words = ["".join(rng.choices("abcdefghijklmnopqrstuvwxyz", k=rng.randint(2, 10))) for _ in range(500)]
    text = "<!doctype html><title>Page</title>" + "".join(
        f"<p><a href='/{rng.choice(words)}'>{' '.join(rng.choices(words, k=40))}</a></p>" for _ in range(200)
    )
    return text.encode()[:PAGE_BYTES]


@contextmanager
def _server(seed: int) -> Iterator[int]:
    command = [sys.executable, "-m", "bench.fetch", "--serve", "--seed", str(seed)]
    process = subprocess.Popen(command, stdout=subprocess.PIPE, text=True)
    try:
        assert process.stdout is not None
        yield json.loads(process.stdout.readline())["port"]
    finally:
        process.terminate()
        process.wait()


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
