"""`python -m tests.web.screens FOLDER` takes a picture of every page, wide and narrow, light and dark."""

from __future__ import annotations

import asyncio
import re
import sys
import tempfile
from pathlib import Path

from PIL import Image
from playwright.sync_api import Browser

from tests.web import chromium, world
from tests.web.routes import looks
from tests.web.serving import Served, serve

SIZES = {"wide": (1440, 900), "phone": (390, 844)}


def pages(there: world.World) -> dict[str, str]:
    """Every page that looks another way than the others, by a name for its file."""
    paths = [*looks(there), "/domains?stage=blocked", "/records?view=all", "/nowhere"]
    return {
        f"{number:02}{re.sub('[^a-z]+', '-', path)}"[:40].rstrip("-"): path
        for number, path in enumerate(paths)
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
                _save(page.screenshot(full_page=True), folder / f"{name}-{size}-{theme}.png")
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
