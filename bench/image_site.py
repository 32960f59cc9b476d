"""A site of pages with pictures: every host has pages of ten pictures each, all different, of 8 KB.

Pictures are one JPEG with a comment of its own each, so they decode alike and none is stored twice.
"""

from __future__ import annotations

import asyncio
import io
import json
import random
import sys
from functools import partial

import uvloop
from PIL import Image

from bench.site import Connection, listen

PICTURES = 10  # on each page
PICTURE_BYTES = 8_000
_SIDE = (320, 240)


def picture(size: int) -> bytes:
    """A JPEG of about so many bytes: noise over a gradient, the quality found by trial."""
    rng = random.Random(1)
    times = max(1, round((size / PICTURE_BYTES / 4) ** 0.5))  # larger ones have more of both
    image = Image.effect_noise((_SIDE[0] * times, _SIDE[1] * times), 40).convert("RGB")
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


class _Pictures:
    """What each host shows: pages with pictures, every one with a content of its own."""

    def __init__(self, jpeg: bytes, pages: int) -> None:
        self._jpeg, self._pages = jpeg, pages
        self.counts = {"pages": 0, "pictures": 0}

    def answer(self, host: int, asked: str) -> tuple[str, bytes] | None:
        if asked.startswith("/media/"):
            self.counts["pictures"] += 1
            return "image/jpeg", commented(self._jpeg, f"{host}{asked}")
        if asked == "/" or asked.startswith("/page-"):
            self.counts["pages"] += 1
            page = int(asked.removeprefix("/page-") or 0) if asked != "/" else 0
            return "text/html; charset=utf-8", self._page(page).encode()
        return None

    def _page(self, page: int) -> str:
        links = "".join(f'<li><a href="/page-{n}">page {n}</a></li>' for n in range(1, self._pages))
        images = "".join(
            f'<p><img src="/media/{page}-{n}.jpg" alt="picture {n}" width="320" height="240"></p>'
            for n in range(PICTURES)
        )
        return f"<!doctype html><html lang=en><title>Page {page}</title><ul>{links}</ul>{images}</html>"


async def _serve(hosts: int, pages: int, size: int) -> None:
    jpeg = picture(size)
    shown = _Pictures(jpeg, pages)
    port = await listen(hosts, lambda host: Connection(partial(shown.answer, host)))
    print(json.dumps({"port": port, "bytes": len(jpeg)}), flush=True)
    while await asyncio.to_thread(sys.stdin.readline):
        print(json.dumps(shown.counts), flush=True)
        shown.counts.update(pages=0, pictures=0)


if __name__ == "__main__":
    uvloop.run(_serve(*map(int, sys.argv[1:])))
