"""CPU and seconds per rendered page: a site without text until its scripts ran, beside Crawlee and Crawl4AI.

All three run the Chromium of this machine, two pages at once, obey robots.txt, follow links and wait until
a page's requests are over. Ours stores pages, links, log and WARC durably; Crawlee writes files; Crawl4AI
keeps results in memory. Then plain pages: the same crawl with rendering on (none needs it) and off.
"""

from __future__ import annotations

import argparse
import json
import math
import os
import subprocess
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from typing import NamedTuple

import psutil  # type: ignore[import-untyped]

from lab.render import site as scripted_site
from surveyor.render.programs import executable
from surveyor.settings import RenderSettings
from tests.support.scripted_web import FILLING, ScriptedWeb, scripted_web

_ROOT = Path(__file__).parent.parent
_OTHERS = _ROOT / ".venv-bench-render" / "bin" / "python"
_TRUTH, _AT_ONCE = "of the truth", 2
_SCRIPTED, _PLAIN = "scripted.example", "plain.example"
# Seconds between two looks at the processes: what one spends after its last look is not seen.
_LOOK = 0.05


class Cost(NamedTuple):
    found: int
    seconds: float
    parts: Mapping[str, float]
    """CPU seconds of the crawler, its driver and the browser."""

    @property
    def cpu(self) -> float:
        return sum(self.parts.values())

    def said(self, name: str) -> str:
        each = max(self.found, 1)
        parts = ", ".join(f"{part} {spent / each:.3f}" for part, spent in sorted(self.parts.items()))
        return (
            f"{name:<10} {self.found:>4} pages  {self.cpu / each:>6.3f} s CPU per page ({parts})"
            f"  {self.seconds / each:>6.3f} s per page"
        )


def main(argv: list[str]) -> int:
    parser = argparse.ArgumentParser(prog="bench render", description=__doc__)
    parser.add_argument("--pages", type=int, default=40)
    parser.add_argument("--plain", type=int, default=1_000, help="plain pages, with and without rendering")
    parser.add_argument("--seconds", type=float, default=90.0, help="after which each of the others is ended")
    args = parser.parse_args(argv)
    scripted = scripted_site(args.pages)
    sites = {_SCRIPTED: scripted, "127.0.0.1": scripted, _PLAIN: _plain_site(args.plain)}
    with scripted_web(sites) as web:
        ours = _ours(web, _SCRIPTED, "auto")
        print(ours.said("Surveyor"), flush=True)
        for name, module in (("Crawlee", "bench.render_crawlee"), ("Crawl4AI", "bench.render_crawl4ai")):
            print(_other(web, module, args.seconds).said(name), flush=True)
        plain = [_ours(web, _PLAIN, mode).cpu for mode in ("never", "auto", "auto", "never")]
    off, on = min(plain[0], plain[3]), min(plain[1], plain[2])
    print(f"{args.plain} plain pages: {off:.2f} s CPU with rendering off, {on:.2f} s on ({on / off:.2f}x)")
    return 0 if ours.found == args.pages and on <= 1.1 * off else 1


def _plain_site(pages: int) -> dict[str, tuple[str, str]]:
    answers = {}
    for number in range(pages):
        links = [each for each in range(10 * number + 1, 10 * number + 11) if each < pages]
        named = " ".join(f'<a href="/p/{each}">{each}</a>' for each in links)
        body = f"<title>{number}</title><main><h1>Page {number} {_TRUTH}</h1><p>{FILLING}</p>{named}</main>"
        answers["/" if not number else f"/p/{number}"] = ("text/html", body)
    return answers


def _ours(web: ScriptedWeb, host: str, mode: str) -> Cost:
    with tempfile.TemporaryDirectory(prefix="surveyor-bench-") as folder:
        workspace = f"{folder}/w"
        clean = {name: value for name, value in os.environ.items() if not name.startswith("SURVEYOR_")}
        environment = clean | web.environment | {
            "SURVEYOR_CRAWL__RENDER": mode,
            "SURVEYOR_RENDER__PAGES_AT_ONCE": str(_AT_ONCE),
            "SURVEYOR_CRAWL__DELAY_SECONDS": "0",
            "SURVEYOR_CRAWL__DEPTH": "20",
            "SURVEYOR_EXTRACT__ENABLED": "false",
            "SURVEYOR_LOG__LEVEL": "error",
        }  # fmt: skip
        line = [sys.executable, "-m", "surveyor"]
        for words, stdin in (
            (["init", workspace], ""),
            (["--workspace", workspace, "ingest-seeds", "-"], host),
        ):
            subprocess.run(
                [*line, *words], env=environment, input=stdin, text=True, check=True, capture_output=True
            )
        seconds, parts, _ = _spent([*line, "--workspace", workspace, "crawl"], environment)
        return Cost(_stored(line, workspace, environment) if host == _SCRIPTED else 0, seconds, parts)


def _stored(line: Sequence[str], workspace: str, environment: Mapping[str, str]) -> int:
    """Pages that were stored as they were shown. Reading them is no part of the crawl."""
    out = ""
    for words in (["extract"], ["export", "texts", "--format", "jsonl"]):
        ran = subprocess.run(
            [*line, "--workspace", workspace, *words],
            env=dict(environment),
            check=True,
            capture_output=True,
            text=True,
        )
        out = ran.stdout
    return sum(_TRUTH in text for text in out.splitlines())


def _other(web: ScriptedWeb, module: str, limit: float) -> Cost:
    program = executable(RenderSettings())
    with tempfile.TemporaryDirectory(prefix="surveyor-bench-") as folder:
        orders = {
            "url": f"http://127.0.0.1:{web.port}/",
            "folder": folder,
            "program": program,
            "at_once": _AT_ONCE,
            "truth": _TRUTH,
        }
        environment = os.environ | {
            "PLAYWRIGHT_BROWSERS_PATH": _browsers(Path(folder) / "browsers", program),
            "CRAWL4_AI_BASE_DIRECTORY": folder,
        }
        seconds, parts, out = _spent([str(_OTHERS), "-m", module, json.dumps(orders)], environment, limit)
    found = [line.removeprefix("found ") for line in out.splitlines() if line.startswith("found ")]
    return Cost(int(found[-1]) if found else 0, seconds, parts)


def _browsers(folder: Path, program: str) -> str:
    """A folder of browsers as the driver expects it, in which each is the one of this machine."""
    ask = (
        "import json, pathlib, playwright; p = pathlib.Path(playwright.__file__).parent;"
        "print(json.dumps([[b['name'], b['revision']] for b in json.loads("
        "(p / 'driver/package/browsers.json').read_text())['browsers']]))"
    )
    said = subprocess.run([str(_OTHERS), "-c", ask], check=True, capture_output=True, text=True).stdout
    places = {
        "chromium": ("chrome-linux/chrome", "chrome-linux64/chrome"),
        "chromium-headless-shell": (
            "chrome-linux/headless_shell",
            "chrome-headless-shell-linux64/chrome-headless-shell",
        ),
    }
    for name, revision in json.loads(said):
        for place in places.get(name, ()):
            there = folder / f"{name.replace('-', '_')}-{revision}" / place
            there.parent.mkdir(parents=True, exist_ok=True)
            there.symlink_to(program)
    return str(folder)


def _spent(
    line: Sequence[str], environment: Mapping[str, str], limit: float = math.inf
) -> tuple[float, dict[str, float], str]:
    """Seconds, CPU seconds of all its processes whoever waits for them, and what it printed. One that takes
    longer than its limit is ended, and what it has done by then counts."""
    began = time.monotonic()
    with tempfile.TemporaryFile("w+") as out:
        root = psutil.Popen(line, env=dict(environment), stdout=out, stderr=subprocess.DEVNULL, cwd=_ROOT)
        spent: dict[tuple[str, int, float], float] = {}
        while root.poll() is None:
            _look(root, spent)
            if time.monotonic() - began > limit:
                _end(root)
            time.sleep(_LOOK)
        out.seek(0)
        parts: Counter[str] = Counter()
        for (part, _, _), seconds in spent.items():
            parts[part] += seconds
        return time.monotonic() - began, dict(parts), out.read()


def _end(root: psutil.Popen) -> None:
    for process in (*root.children(recursive=True), root):
        with suppress(psutil.Error):
            process.kill()


def _look(root: psutil.Popen, spent: dict[tuple[str, int, float], float]) -> None:
    try:
        family = [root, *root.children(recursive=True)]
    except psutil.Error:
        return
    for process in family:
        try:
            times = process.cpu_times()
            spent[_part(process.name()), process.pid, process.create_time()] = times.user + times.system
        except psutil.Error:
            continue  # it ended meanwhile


def _part(program: str) -> str:
    if program.startswith(("chrom", "headless")):
        return "browser"
    return "driver" if program.startswith("node") else "crawler"
