"""A site of pages with pictures: every host has pages of ten pictures each, all different, of 8 KB.

Pictures are one JPEG with a comment of its own each, so they decode alike and none is stored twice.
"""

from __future__ import annotations

import asyncio
import io
import json
import random
import socket
import sys
from typing import cast

import uvloop
from PIL import Image

from bench.site import address

PICTURES = 10  # on each page
PICTURE_BYTES = 8_000
_SIDE = (320, 240)


def picture(size: int) -> bytes:
    """A JPEG of about so many bytes: noise over a gradient, the quality found by trial."""
    rng = random.Random(1)
    image = Image.effect_noise(_SIDE, 40).convert("RGB")
    image.putpixel((rng.randrange(9), 0), (255, 0, 0))
    best = b""
    for quality in range(5, 96, 5):
        out = io.BytesIO()
        image.save(out, "JPEG", quality=quality)
        if best and len(out.getvalue()) > size:
            break
        best = out.getvalue()
    return best


def commented(jpeg: bytes, text: str) -> bytes:
    """The same picture with a comment, and so another content."""
    said = text.encode()
    return jpeg[:2] + b"\xff\xfe" + (len(said) + 2).to_bytes(2, "big") + said + jpeg[2:]


class _Connection(asyncio.Protocol):
    def __init__(self, jpeg: bytes, pages: int, host: int, counts: dict[str, int]) -> None:
        self._jpeg, self._pages, self._host, self._counts = jpeg, pages, host, counts
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
            self._answer(head.split(b" ", 2)[1].decode("latin-1"))

    def _answer(self, asked: str) -> None:
        if asked.startswith("/media/"):
            self._send("image/jpeg", commented(self._jpeg, f"{self._host}{asked}"), "pictures")
        elif asked == "/" or asked.startswith("/page-"):
            page = int(asked.removeprefix("/page-") or 0) if asked != "/" else 0
            self._send("text/html; charset=utf-8", self._page(page).encode(), "pages")
        else:
            self._transport.write(b"HTTP/1.1 404 Not Found\r\nContent-Length: 0\r\n\r\n")

    def _page(self, page: int) -> str:
        links = "".join(f'<li><a href="/page-{n}">page {n}</a></li>' for n in range(1, self._pages))
        images = "".join(
            f'<p><img src="/media/{page}-{n}.jpg" alt="picture {n}" width="320" height="240"></p>'
            for n in range(PICTURES)
        )
        return f"<!doctype html><html lang=en><title>Page {page}</title><ul>{links}</ul>{images}</html>"

    def _send(self, kind: str, body: bytes, counted: str) -> None:
        self._counts[counted] += 1
        head = f"HTTP/1.1 200 OK\r\nContent-Type: {kind}\r\nContent-Length: {len(body)}\r\n\r\n"
        self._transport.write(head.encode() + body)


async def _serve(hosts: int, pages: int, size: int) -> None:
    jpeg, counts = picture(size), {"pages": 0, "pictures": 0}
    loop, port = asyncio.get_running_loop(), 0
    for number in range(hosts):
        listener = socket.socket()
        listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        listener.bind((address(number), port))
        port = listener.getsockname()[1]
        await loop.create_server(
            lambda host=number: _Connection(jpeg, pages, host, counts),  # type: ignore[misc]
            sock=listener,
        )
    print(json.dumps({"port": port, "bytes": len(jpeg)}), flush=True)
    while await asyncio.to_thread(sys.stdin.readline):
        print(json.dumps(counts), flush=True)
        counts.update(pages=0, pictures=0)


if __name__ == "__main__":
    uvloop.run(_serve(*map(int, sys.argv[1:])))
