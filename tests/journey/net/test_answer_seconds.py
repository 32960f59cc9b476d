"""An answer says how long the site needed, without the time it took to reach it."""

from __future__ import annotations

import asyncio
import time

from surveyor.net.fetcher import Fetcher
from surveyor.net.resolver import Resolver
from surveyor.settings import NetSettings


async def test_the_time_of_the_answer_does_not_count_the_way_there() -> None:
    async def answer(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        for _ in range(2):
            await reader.readuntil(b"\r\n\r\n")
            writer.write(b"HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok")

    def slow_lookup(name: str) -> list[str]:
        time.sleep(0.2)
        return ["127.0.0.1"]

    server = await asyncio.start_server(answer, "127.0.0.1", 0)
    port = server.sockets[0].getsockname()[1]
    domain = f"site.example:{port}"
    async with Fetcher(NetSettings(allow=["127.0.0.0/8"]), resolver=Resolver(lookup=slow_lookup)) as fetcher:
        first = await fetcher.get(f"http://{domain}/", domain=domain)
        again = await fetcher.get(f"http://{domain}/", domain=domain)
    server.close()
    assert first.seconds >= 0.2
    assert first.answer_seconds < first.seconds - 0.15
    assert again.answer_seconds <= again.seconds
