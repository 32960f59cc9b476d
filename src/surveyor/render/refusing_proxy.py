"""The proxy that the browser is given: it refuses everything.

What a page may have is taken out of the browser and answered by us. Whatever is not taken out, because a
browser has a way that nobody thought of, ends here and not at an address.
"""

from __future__ import annotations

import asyncio
from contextlib import suppress

_REFUSED = b"HTTP/1.1 403 Forbidden\r\nContent-Length: 0\r\nConnection: close\r\n\r\n"
# Seconds and bytes for the line that says where it wanted to go.
_PATIENCE, _LONGEST = 5.0, 8_192


class RefusingProxy:
    """For one event loop; `attempts` are the first lines of what was refused, the latest last."""

    _MOST_KEPT = 100

    def __init__(self) -> None:
        self.attempts: list[str] = []
        self._server: asyncio.Server | None = None

    async def start(self) -> int:
        """Returns the port, on loopback; the same for every browser, until it is closed."""
        if self._server is None:
            self._server = await asyncio.start_server(self._refuse, "127.0.0.1", 0, limit=_LONGEST)
        port: int = self._server.sockets[0].getsockname()[1]
        return port

    async def close(self) -> None:
        if self._server is not None:
            self._server.close()
            self._server = None

    async def _refuse(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        try:
            async with asyncio.timeout(_PATIENCE):
                line = await reader.readline()
            self.attempts.append(line[:300].decode("latin-1").strip())
            del self.attempts[: -self._MOST_KEPT]
            writer.write(_REFUSED)
            await writer.drain()
        except (TimeoutError, ValueError, OSError):
            pass  # it gets nothing in any case
        finally:
            writer.close()
            with suppress(OSError, asyncio.CancelledError):
                await writer.wait_closed()
