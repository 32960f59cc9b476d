"""Sites that are empty without scripts are crawled to their truth: by data they carry, or in a browser."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Iterator
from pathlib import Path

import pytest

from surveyor.bootstrap.workers import crawl_worker
from surveyor.bootstrap.workspace import open_workspace
from surveyor.crawl import service
from surveyor.crawl.plan import RunOptions
from surveyor.render import load_more
from tests.support.cli_help import start, surveyor
from tests.support.registry_help import ADMIN
from tests.support.scripted_web import FILLING, LATE_IMAGES, SHELL, TRUTH, ScriptedWeb, scripted_web
from tests.web import chromium

QUICK = {
    "SURVEYOR_CRAWL__RENDER": "auto",
    "SURVEYOR_RENDER__EXECUTABLE": chromium.executable() or "",
    "SURVEYOR_CRAWL__DELAY_SECONDS": "0.02",
    "SURVEYOR_CRAWL__COMMIT_SECONDS": "0.1",
    "SURVEYOR_NET__PER_ADDRESS": "100",
    "SURVEYOR_EXTRACT__ENABLED": "true",
}


@pytest.fixture
def web() -> Iterator[ScriptedWeb]:
    with scripted_web() as running:
        yield running


def crawled(workspace: Path, web: ScriptedWeb, *names: str, **settings: str) -> None:
    said = QUICK | web.environment | settings
    assert surveyor("init", workspace, **said).code == 0
    assert surveyor("ingest-seeds", "-", workspace=workspace, stdin="\n".join(names), **said).code == 0

    async def whole() -> None:
        async with open_workspace(workspace) as opened:
            run = await service.start_run(opened.db, ADMIN, RunOptions(), continuous=False)
            async with crawl_worker(opened, run, RunOptions()) as worker:
                await asyncio.wait_for(worker.run(), 120)

    with pytest.MonkeyPatch.context() as patch:
        for name, value in said.items():
            patch.setenv(name, value)
        asyncio.run(whole())


def read(workspace: Path, web: ScriptedWeb) -> None:
    assert surveyor("extract", workspace=workspace, **(QUICK | web.environment)).code == 0


def why(workspace: Path, web: ScriptedWeb, url: str) -> str:
    return surveyor("why", url, workspace=workspace, **(QUICK | web.environment)).out


@chromium.needed
def test_script_only_sites_are_crawled_to_their_truth(tmp_path: Path, web: ScriptedWeb) -> None:
    crawled(tmp_path / "w", web, *TRUTH, SURVEYOR_CRAWL__IMAGES="true")
    for host, pages in TRUTH.items():
        for path in pages:
            assert web.targets(host).count(path) == 1, f"{host}{path} is asked for once"
            said = why(tmp_path / "w", web, f"http://{host}{path}")
            assert ("embedded" if host == "embedded.example" else "rendered") in said, said
    assert web.targets("routed.example").count("/app.js") == 1, "a script is asked for once in a visit"
    assert web.targets("fetched.example").count("/api/more.json") == load_more.MOST, (
        "a button is pressed so often"
    )
    asked = [web.targets("fetched.example").count(image) for image in LATE_IMAGES]
    assert asked == [1] * len(LATE_IMAGES), "the browser shows where they are, the crawl asks for them"
    assert "/api/sitemap.xml.json" not in web.targets("fetched.example"), (
        "a page is no sitemap, nor shown as one"
    )
    assert "/style.css" not in web.targets("fetched.example")
    assert "/app.js" not in web.targets("embedded.example"), "the data was there; no browser was needed"
    found = {entry["url"]: entry["text"] for entry in _texts(tmp_path / "w", web)}
    for host, pages in TRUTH.items():
        for path, words in pages.items():
            assert words in found[f"http://{host}{path}"], (host, path, found)


@chromium.needed
def test_where_a_script_sends_people_is_crawled_and_what_asks_not_to_be_kept_is_not(tmp_path: Path) -> None:
    def page(script: str) -> tuple[str, str]:
        return "text/html", SHELL.format(title="Moved", head="", body=f"<script>{script}</script>")

    draw = f"document.getElementById('app').innerHTML = '<h1>Home of the fund</h1><p>{FILLING}</p>'"
    noindex = "document.head.innerHTML += '<meta name=robots content=noindex>';"
    site = {
        "/": page("location.href = '/home'"),
        "/home": page(draw + " + '<a href=\"/hidden\">hidden</a>'"),
        "/hidden": page(noindex + draw),
    }
    with scripted_web({"moved.example": site}) as web:
        crawled(tmp_path / "w", web, "moved.example")
        assert "rendered" in why(tmp_path / "w", web, "http://moved.example/home")
        assert "noindex" in why(tmp_path / "w", web, "http://moved.example/hidden")
        found = {entry["url"]: entry["text"] for entry in _texts(tmp_path / "w", web)}
        assert "Home of the fund" in found["http://moved.example/home"]
        assert "http://moved.example/hidden" not in found


def _texts(workspace: Path, web: ScriptedWeb) -> list[dict[str, str]]:
    read(workspace, web)
    ran = surveyor("export", "texts", "--format", "jsonl", workspace=workspace, **(QUICK | web.environment))
    assert ran.code == 0, ran.err
    return [json.loads(line) for line in ran.out.splitlines()]


def test_without_a_browser_such_pages_are_named_and_the_rest_is_crawled(
    tmp_path: Path, web: ScriptedWeb
) -> None:
    names = ("fetched.example", "embedded.example")
    crawled(tmp_path / "w", web, *names, SURVEYOR_RENDER__EXECUTABLE="no-such-browser")
    assert "it is empty without scripts" in why(tmp_path / "w", web, "http://fetched.example/")
    assert "/api/.json" not in web.targets("fetched.example")
    assert web.targets("embedded.example").count("/grants/small") == 1


def test_without_a_chromium_on_the_machine_one_line_says_what_to_install(
    tmp_path: Path, web: ScriptedWeb
) -> None:
    bare = QUICK | web.environment | {"SURVEYOR_RENDER__EXECUTABLE": "", "PATH": str(tmp_path)}
    workspace = tmp_path / "w"
    assert surveyor("init", workspace, **bare).code == 0
    assert surveyor("ingest-seeds", "-", workspace=workspace, stdin="\n".join(TRUTH), **bare).code == 0
    crawl = start("crawl", workspace=workspace, **bare)
    said = crawl.communicate(timeout=120)[1].decode()
    assert crawl.returncode == 0, said
    about = [line for line in said.splitlines() if "browser" in line.lower() or "chromium" in line]
    assert len(about) == 1 and "install chromium" in about[0], said
    assert web.targets("embedded.example").count("/grants/small") == 1
    drawn = surveyor("page", "http://embedded.example/", "--screenshot", "x.png", workspace=workspace, **bare)
    assert drawn.code != 0 and "install chromium" in drawn.err and "Traceback" not in drawn.err
