"""Screenshots of pages that a browser shows: kept once beside their page, or drawn of what is stored."""

from __future__ import annotations

import io
from collections.abc import Iterator
from pathlib import Path

import pytest
from PIL import Image

from surveyor.archive import WarcReader
from surveyor.settings import RenderSettings
from tests.journey.render.test_rendered_crawl import QUICK, crawled
from tests.support.cli_help import Ran, surveyor
from tests.support.scripted_web import FILLING, SHELL, ScriptedWeb, scripted_web
from tests.web import chromium

HOST, GREEN = "styled.example", (0, 128, 0)
SCRIPT = (
    "document.getElementById('app').innerHTML = '<h1>Grants</h1><p>" + FILLING + "</p>"
    '<a href="/more">more</a> <a href="/plain">plain</a><img src="/picture.png" width="50" height="50">\';'
)
STYLED = SHELL.format(
    title="Styled",
    head='<link rel="stylesheet" href="/style.css">',
    body='<script src="/app.js"></script>',
)
SITE = {
    "/": ("text/html", STYLED),
    "/more": ("text/html", STYLED),
    "/plain": ("text/html", f"<style>body {{ background: #008000 }}</style><p>{FILLING}</p>"),
    "/app.js": ("text/javascript", SCRIPT),
    "/style.css": ("text/css", "body { background: #008000 }"),
}
TAKEN = {"SURVEYOR_RENDER__SCREENSHOTS": "true"}


@pytest.fixture
def web() -> Iterator[ScriptedWeb]:
    with scripted_web({HOST: SITE}) as running:
        yield running


def run(workspace: Path, web: ScriptedWeb, *words: str) -> Ran:
    ran = surveyor(*words, workspace=workspace, **(QUICK | web.environment | TAKEN))
    assert ran.code == 0, ran.err
    return ran


def kept(workspace: Path) -> list[str]:
    reader = WarcReader(workspace / "archive")
    urls = [one.capture.url for file in reader.files() for one in reader.records(file)]
    return sorted(url for url in urls if url.startswith("urn:view:"))


def background(file: Path) -> tuple[int, ...]:
    with Image.open(io.BytesIO(file.read_bytes()), formats=["PNG"]) as picture:
        assert picture.width == 1280 and picture.height <= 2_000
        pixel = picture.convert("RGB").getpixel((1, 1))
    assert isinstance(pixel, tuple)
    return pixel


@chromium.needed
def test_a_page_is_photographed_with_its_styles_once_for_each_content(
    tmp_path: Path, web: ScriptedWeb
) -> None:
    workspace = tmp_path / "w"
    crawled(workspace, web, HOST, **TAKEN)
    pages = [f"urn:view:http://{HOST}{path}" for path in ("/", "/more")]
    assert kept(workspace) == pages, "a page that needs no browser is not photographed"
    assert web.targets(HOST).count("/style.css") == 1, "styles are asked for once in a visit"
    assert "/picture.png" not in web.targets(HOST), "images are not loaded"
    said = run(workspace, web, "page", f"http://{HOST}/", "--screenshot", str(tmp_path / "shown.png"))
    assert "as it was shown in the crawl" in said.err
    assert background(tmp_path / "shown.png") == GREEN
    assert '"has_screenshot": true' in run(workspace, web, "page", f"http://{HOST}/", "--json").out
    run(workspace, web, "recrawl", HOST)
    run(workspace, web, "crawl")
    assert web.targets(HOST).count("/more") == 2 and kept(workspace) == pages, "the content is the same"
    run(workspace, web, "forget", HOST, "--yes")
    assert kept(workspace) == []


@chromium.needed
def test_a_page_without_a_screenshot_is_drawn_from_what_is_stored_and_nothing_is_asked_for(
    tmp_path: Path, web: ScriptedWeb
) -> None:
    workspace = tmp_path / "w"
    crawled(workspace, web, HOST)
    assert not RenderSettings().screenshots and kept(workspace) == []
    assert "/style.css" not in web.targets(HOST)
    asked = len(web.asked)
    for path, colour in (("/", (255, 255, 255)), ("/plain", GREEN)):
        file = tmp_path / "drawn.png"
        said = run(workspace, web, "page", f"http://{HOST}{path}", "--screenshot", str(file))
        assert "drawn from the stored page" in said.err
        assert background(file) == colour
    assert '"has_screenshot": false' in run(workspace, web, "page", f"http://{HOST}/", "--json").out
    assert len(web.asked) == asked
