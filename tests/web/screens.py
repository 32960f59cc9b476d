"""`python -m tests.web.screens FOLDER` takes a picture of every page, wide and narrow, light and dark.

With `--docs` it makes those that the docs show anew, in `docs/img`.
"""

from __future__ import annotations

import asyncio
import re
import sys
import tempfile
from pathlib import Path

from PIL import Image
from playwright.sync_api import Browser, Page

from tests.web import chromium, world
from tests.web.routes import looks
from tests.web.serving import Served, serve
from tools.reference.sources import ROOT

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
            _log_in(page)
            for name, path in pages(there).items():
                page.goto(path)
                _save(page.screenshot(full_page=True), folder / f"{name}-{size}-{theme}.png")
            context.close()


def of_the_docs(there: world.World) -> dict[str, str]:
    """By the name of the picture; a phone's end with `-phone`."""
    domain = f"/domains/{there.domain}"
    return {
        "overview": "/",
        "review": "/review",
        "candidates": "/candidates",
        "candidate": f"/candidates/{there.candidate}",
        "domains": "/domains",
        "domain": domain,
        "pages": f"{domain}/pages",
        "page": f"{domain}/pages/{there.key}",
        "contacts": f"{domain}/contacts",
        "version": f"/snapshots/{there.newer}",
        "changes": f"/snapshots/{there.older}/{there.newer}",
        "blacklist": "/blacklist",
        "quality": "/quality",
        "records": "/records?view=all",
        "record": f"/records/{there.found.record}",
        "record-changes": "/records?view=changed",
        "quarantine": "/quarantine",
        "sessions": "/sessions",
        "runs": "/runs",
        "events": "/events",
        "users": "/users",
        "submit": "/submit",
        "review-phone": "/review",
        "runs-phone": "/runs",
        "record-phone": f"/records/{there.found.record}",
    }


def take_for_docs(place: Served, opened: Browser, folder: Path, there: world.World) -> None:
    for is_phone in (False, True):
        width, height = SIZES["phone"] if is_phone else (1400, 875)
        viewport = {"width": width, "height": height}
        page = opened.new_context(viewport=viewport, base_url=place.url).new_page()
        page.goto("/login")
        if not is_phone:
            _save(page.screenshot(), folder / "admin-login.png")
        _log_in(page)
        for name, path in of_the_docs(there).items():
            if name.endswith("-phone") is is_phone:
                page.emulate_media(color_scheme="dark" if name == "runs-phone" else "light")
                page.goto(path)
                page.wait_for_load_state("networkidle")
                _save(page.screenshot(), folder / f"admin-{name}.png")


def _log_in(page: Page) -> None:
    page.fill("[name=name]", "ada")
    page.fill("[name=password]", world.PASSWORD)
    page.press("[name=password]", "Enter")
    page.wait_for_url("**/")


def _save(picture: bytes, file: Path) -> None:
    """With a palette: a page has few colours, and a file of a tenth of the size shows them all."""
    file.write_bytes(picture)
    with Image.open(file) as image:
        image.convert("RGB").quantize(128).save(file, optimize=True)


def main(named: str) -> None:
    folder = ROOT / "docs" / "img" if named == "--docs" else Path(named)
    folder.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory() as made:
        there = asyncio.run(world.make(Path(made)))
        with serve(Path(made)) as place, chromium.browser() as opened:
            (take_for_docs if named == "--docs" else take)(place, opened, folder, there)


if __name__ == "__main__":
    main(sys.argv[1])
