"""Script-only sites crawled with a browser, while the worker or its browser is killed again and again.

The ground truth is known: every page is stored once, as it was shown; a kill costs at most the pages that
were in flight; and no browser is left behind, however its worker ended.
"""

from __future__ import annotations

import argparse
import json
import os
import random
import signal
import tempfile
import time
from contextlib import suppress
from pathlib import Path

from surveyor.render import memory
from tests.support.cli_help import start, surveyor
from tests.support.scripted_web import FILLING, SHELL, ScriptedWeb, scripted_web

_SETTINGS = {
    "SURVEYOR_CRAWL__RENDER": "auto",
    "SURVEYOR_CRAWL__DELAY_SECONDS": "0.05",
    "SURVEYOR_CRAWL__DEPTH": "50",
    "SURVEYOR_CRAWL__COMMIT_SECONDS": "0.2",
    "SURVEYOR_CRAWL__LEASE_SECONDS": "3",
    "SURVEYOR_CRAWL__RENEW_SECONDS": "1",
    "SURVEYOR_NET__PER_ADDRESS": "100",
    "SURVEYOR_EXTRACT__ENABLED": "true",
    "SURVEYOR_LOG__LEVEL": "error",
}
_MARK = "--surveyor-mark="
# Seconds within which the browser of a killed worker is gone.
_GONE = 20.0
_SCRIPT = """
const to = (n) => `<a href="/p/${n}">${n}</a> `;
fetch('/data' + location.pathname + '.json').then((a) => a.json()).then((d) => {
  const main = `<main><h1>${d.title}</h1><p>${d.text}</p>${d.links.map(to).join('')}</main>`;
  document.getElementById('app').innerHTML = main;
});
"""


def _site(pages: int) -> dict[str, tuple[str, str]]:
    page = SHELL.format(title="Killed", head="", body=f"<script>{_SCRIPT}</script>")
    answers = {}
    for number in range(pages):
        path = "/" if not number else f"/p/{number}"
        links = [each for each in (2 * number + 1, 2 * number + 2) if each < pages]
        data = {"title": f"Page number {number} of the truth", "text": FILLING, "links": links}
        answers[path] = ("text/html", page)
        answers[f"/data{path}.json"] = ("application/json", json.dumps(data))
    return answers


def _browsers() -> set[int]:
    found = set()
    for entry in Path("/proc").iterdir():
        if entry.name.isdigit():
            with suppress(OSError):
                if _MARK.encode() in (entry / "cmdline").read_bytes():
                    found.add(int(entry.name))
    return found


def _kill(worker: int, others: set[int], counted: dict[str, int]) -> str:
    ours = _browsers() - others
    if ours and counted["browser"] <= counted["worker"]:
        memory.end_group(os.getpgid(min(ours)))
        return "browser"
    os.kill(worker, signal.SIGKILL)
    return "worker"


def _texts(workspace: Path, settings: dict[str, str]) -> list[dict[str, str]]:
    ran = surveyor("export", "texts", "--format", "jsonl", workspace=workspace, **settings)
    assert ran.code == 0, ran.err
    return [json.loads(line) for line in ran.out.splitlines()]


def _crawl_through(workspace: Path, web: ScriptedWeb, kills: int, chance: random.Random) -> dict[str, int]:
    settings, before = _SETTINGS | web.environment, _browsers()
    counted = {"worker": 0, "browser": 0, "left behind": 0}
    for _ in range(20 * kills):
        process = start("crawl", workspace=workspace, **settings)
        while process.poll() is None and counted["worker"] + counted["browser"] < kills:
            time.sleep(chance.uniform(0.5, 10.0))
            if process.poll() is None:
                counted[_kill(process.pid, before, counted)] += 1
        process.wait()
        until = time.monotonic() + _GONE
        while (left := _browsers() - before) and time.monotonic() < until:
            time.sleep(0.2)
        counted["left behind"] += len(left)
        if process.returncode == 0 and counted["worker"] + counted["browser"] >= kills:
            break
    return counted


def main(arguments: list[str]) -> int:
    parser = argparse.ArgumentParser(prog="./dev lab render", description=__doc__)
    parser.add_argument("--pages", type=int, default=60)
    parser.add_argument("--kills", type=int, default=20)
    parser.add_argument("--seed", type=int, default=1)
    said = parser.parse_args(arguments)
    chance = random.Random(said.seed)
    host = "killed.example"
    with scripted_web({host: _site(said.pages)}) as web, tempfile.TemporaryDirectory() as folder:
        workspace, settings = Path(folder) / "w", _SETTINGS | web.environment
        assert surveyor("init", workspace, workspace=None, **settings).code == 0
        surveyor("ingest-seeds", "-", workspace=workspace, stdin=host, **settings)
        counted = _crawl_through(workspace, web, said.kills, chance)
        surveyor("extract", workspace=workspace, **settings)
        texts = _texts(workspace, settings)
        asked = [path for path in web.targets(host) if path == "/" or path.startswith("/p/")]
    whole = {entry["url"] for entry in texts if "of the truth" in entry["text"]}
    print(
        f"{len(whole)} of {said.pages} pages stored as they were shown, {len(texts)} rows; "
        f"{counted['worker']} workers and {counted['browser']} browsers killed, {len(asked) - said.pages} "
        f"pages asked for again, {counted['left behind']} browsers left behind"
    )
    sound = len(whole) == said.pages == len(texts) and not counted["left behind"]
    print("sound" if sound else "FAILED")
    return 0 if sound else 1
