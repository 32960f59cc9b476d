"""The proxy that refuses everything."""

from __future__ import annotations

import asyncio

from surveyor.render.refusing_proxy import RefusingProxy


async def test_every_browser_of_a_worker_is_given_the_same_port_and_is_refused() -> None:
    proxy = RefusingProxy()
    port = await proxy.start()
    assert await proxy.start() == port, "a port per browser would stay open for as long as the worker runs"
    reader, writer = await asyncio.open_connection("127.0.0.1", port)
    writer.write(b"CONNECT 10.0.0.1:22 HTTP/1.1\r\n\r\n")
    assert (await reader.read()).startswith(b"HTTP/1.1 403")
    writer.close()
    assert proxy.attempts == ["CONNECT 10.0.0.1:22 HTTP/1.1"]
    await proxy.close()
