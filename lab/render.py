"""Script-only sites crawled with a browser, while worker, browser and its network are killed again and again.

The ground truth is known: every page is stored once, as it was shown; a kill costs at most the pages that
were in flight; and neither a process nor a folder of a browser is left behind, however it ended. The proxy
of the browser lives in the worker and dies with it; what a browser has of a network is a process of its own.
"""

from __future__ import annotations

import argparse
import json
import os
import random
import signal
import subprocess
import tempfile
import time
from collections import Counter
from contextlib import suppress
from pathlib import Path

from lab.claims import commit
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
_MARK = b"/surveyor-browser-"
_WHOM = ("worker", "browser", "network")
# Seconds within which the browser of a killed worker is gone, and in which one must be seen alive.
_GONE, _SEEN = 20.0, 60.0
_SCRIPT = """
const to = (n) => `<a href="/p/${n}">${n}</a> `;
fetch('/data' + location.pathname + '.json').then((a) => a.json()).then((d) => {
  const main = `<main><h1>${d.title}</h1><p>${d.text}</p>${d.links.map(to).join('')}</main>`;
  document.getElementById('app').innerHTML = main;
});
"""


def site(pages: int) -> dict[str, tuple[str, str]]:
    page = SHELL.format(title="Killed", head="", body=f"<script>{_SCRIPT}</script>")
    answers = {}
    for number in range(pages):
        path = "/" if not number else f"/p/{number}"
        links = [each for each in (2 * number + 1, 2 * number + 2) if each < pages]
        data = {"title": f"Page number {number} of the truth", "text": FILLING, "links": links}
        answers[path] = ("text/html", page)
        answers[f"/data{path}.json"] = ("application/json", json.dumps(data))
    return answers


def main(arguments: list[str]) -> int:
    parser = argparse.ArgumentParser(prog="./dev lab render", description=__doc__)
    parser.add_argument("--pages", type=int, default=60)
    parser.add_argument("--kills", type=int, default=21)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--hostile", action="store_true", help="hostile pages instead, beside good ones")
    parser.add_argument("--rounds", type=int, default=1, help="of hostile pages")
    parser.add_argument("--only", metavar="NAMES", help="of hostile pages, with commas between them")
    parser.add_argument("--network", action="store_true", help="ways out instead, in a network of its own")
    said = parser.parse_args(arguments)
    if said.hostile:
        from lab.render_hostile import run_hostile

        return run_hostile(said.rounds, said.only)
    if said.network:
        from lab.render_network import run_network

        return run_network()
    print(f"render: seed {said.seed}, {commit()}")
    with tempfile.TemporaryDirectory(prefix="surveyor-lab-") as folder:
        return _Kills(Path(folder), said.pages, said.kills, random.Random(said.seed)).run()


class _Kills:
    def __init__(self, folder: Path, pages: int, kills: int, chance: random.Random) -> None:
        self.workspace, self.temporary = folder / "w", folder / "tmp"
        self.temporary.mkdir()
        self.pages, self.kills, self.chance = pages, kills, chance
        self.killed: Counter[str] = Counter()
        self.left = 0
        self.settings: dict[str, str] = {}

    def run(self) -> int:
        host = "killed.example"
        with scripted_web({host: site(self.pages)}) as web:
            self.settings = _SETTINGS | web.environment | {"TMPDIR": str(self.temporary)}
            assert surveyor("init", self.workspace, workspace=None, **self.settings).code == 0
            self._surveyor("ingest-seeds", "-", stdin=host)
            self._crawl()
            self._surveyor("extract")
            return self._report(web, host)

    def _surveyor(self, *words: str, stdin: str = "") -> str:
        ran = surveyor(*words, workspace=self.workspace, stdin=stdin, **self.settings)
        assert ran.code == 0, ran.err
        return ran.out

    def _crawl(self) -> None:
        """Until the crawl ends by itself, with all kills done."""
        for _ in range(20 * self.kills):
            process = start("crawl", workspace=self.workspace, **self.settings)
            while process.poll() is None and self.killed.total() < self.kills:
                self._kill_in_the_middle(process)
            process.wait()
            self.left += len(_left_of(process.pid))
            if process.returncode == 0:
                break

    def _kill_in_the_middle(self, process: subprocess.Popen[bytes]) -> None:
        """When a browser has been seen alive, a moment later, and only if it still is."""
        until = time.monotonic() + _SEEN
        while not browsers_of(process.pid) and process.poll() is None and time.monotonic() < until:
            time.sleep(0.05)
        time.sleep(self.chance.uniform(0.0, 2.5))
        alive = browsers_of(process.pid)
        if process.poll() is not None or not alive:
            return
        whom = _WHOM[self.killed.total() % len(_WHOM)]
        if whom == "worker":
            os.kill(process.pid, signal.SIGKILL)
            process.wait()
        elif whom == "browser":
            os.killpg(alive[0], signal.SIGKILL)
        elif network := memory.network_of(alive[0]):
            os.kill(network.pop(), signal.SIGKILL)
        else:
            return
        self.killed[whom] += 1

    def _report(self, web: ScriptedWeb, host: str) -> int:
        texts = [
            json.loads(line) for line in self._surveyor("export", "texts", "--format", "jsonl").splitlines()
        ]
        whole = {entry["url"] for entry in texts if "of the truth" in entry["text"]}
        again = sum(path == "/" or path.startswith("/p/") for path in web.targets(host)) - self.pages
        folders = Counter(each.name.rpartition("-")[0] for each in self.temporary.iterdir())
        for number in range(self.pages):
            url = f"http://{host}/" + (f"p/{number}" if number else "")
            if url not in whole:
                print(self._surveyor("why", url))
        killed = ", ".join(f"{self.killed[whom]} {whom}s" for whom in _WHOM)
        print(f"killed while a browser was alive: {killed}")
        print(f"{len(whole)} of {self.pages} pages stored as they were shown, in {len(texts)} rows")
        print(f"{again} pages asked for again; left behind: {self.left} processes, folders {dict(folders)}")
        sound = len(whole) == self.pages == len(texts) and self.killed.total() == self.kills
        sound = sound and not self.left and not folders
        print("sound" if sound else "FAILED")
        return 0 if sound else 1


_seen: dict[int, set[int]] = {}
"""Worker -> the groups of the browsers that it was seen to have."""


def browsers_of(worker: int) -> list[int]:
    """The groups of those that a worker has now: it started them."""
    found = []
    for entry in Path("/proc").iterdir():
        with suppress(OSError, ValueError):
            process = int(entry.name)
            is_browser = _MARK in (entry / "cmdline").read_bytes() and os.getpgid(process) == process
            if is_browser and memory.parent(process) == worker and memory.members(process):
                found.append(process)
                _seen.setdefault(worker, set()).add(process)
    return found


def _left_of(worker: int) -> list[int]:
    until = time.monotonic() + _GONE
    while left := [one for group in _seen.get(worker, ()) for one in memory.members(group)]:
        if time.monotonic() > until:
            return left
        time.sleep(0.2)
    return []
