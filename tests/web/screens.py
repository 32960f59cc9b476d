"""`python -m tests.web.screens FOLDER` takes a picture of every page, wide and narrow, light and dark."""

from __future__ import annotations

import asyncio
import sys
import tempfile
from pathlib import Path

from PIL import Image
from playwright.sync_api import Browser

from tests.web import chromium, world
from tests.web.serving import Served, serve

SIZES = {"wide": (1280, 800), "phone": (390, 844)}


def pages(there: world.World) -> dict[str, str]:
    return {
        "overview": "/",
        "review": "/review",
        "candidates": "/candidates?status=all",
        "candidate": f"/candidates/{there.candidate}",
        "domains": "/domains",
        "domain": f"/domains/{there.domain}",
        "pages": f"/domains/{there.domain}/pages",
        "page": f"/domains/{there.domain}/pages/{there.key}",
        "version": f"/snapshots/{there.newer}",
        "changes": f"/snapshots/{there.older}/{there.newer}",
        "blacklist": "/blacklist",
        "quality": "/quality",
        "records": "/records?view=all",
        "record": f"/records/{there.found.record}",
        "record-changes": "/records?view=changed",
        "contacts": f"/domains/{there.domain}/contacts?gone=1",
        "quarantine": "/quarantine",
        "sessions": "/sessions",
        "runs": "/runs",
        "events": "/events",
        "users": "/users",
        "submit": "/submit",
        "missing": "/nowhere",
    }


def take(place: Served, opened: Browser, folder: Path, there: world.World) -> None:
    for size, (width, height) in SIZES.items():
        for theme in ("light", "dark"):
            context = opened.new_context(
                viewport={"width": width, "height": height}, color_scheme=theme, base_url=place.url
            )
            page = context.new_page()
            page.goto("/login")
            if theme == "light":
                _save(page.screenshot(), folder / f"login-{size}-{theme}.png")
            page.fill("[name=name]", "ada")
            page.fill("[name=password]", world.PASSWORD)
            page.press("[name=password]", "Enter")
            page.wait_for_url("**/")
            for name, path in pages(there).items():
                page.goto(path)
                _save(page.screenshot(full_page=False), folder / f"{name}-{size}-{theme}.png")
            context.close()


def _save(picture: bytes, file: Path) -> None:
    """With a palette: a page has few colours, and a file of a tenth of the size shows them all."""
    file.write_bytes(picture)
    with Image.open(file) as image:
        image.convert("RGB").quantize(128).save(file, optimize=True)


def main(folder: Path) -> None:
    folder.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory() as made:
        there = asyncio.run(world.make(Path(made)))
        with serve(Path(made)) as place, chromium.browser() as opened:
            take(place, opened, folder, there)


if __name__ == "__main__":
    main(Path(sys.argv[1]))
