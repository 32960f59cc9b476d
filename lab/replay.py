"""Our WARC files replayed by pywb: every capture of a crawl comes out of its `wayback` as it went in.

pywb is installed from the package index into an environment of its own; where that cannot be done, the lab
says so and ends with 0.
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
import tempfile
import time
import urllib.error
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, datetime, timedelta
from pathlib import Path

from surveyor.archive import ArchivedRecord, Capture, WarcReader, WarcWriter
from surveyor.clock import SystemClock
from tests.support.cli_help import environment
from tests.support.servers import free_port
from tests.support.site import SiteGraph, SiteProcess, SiteSpec

_PATIENCE = 120.0  # seconds that pywb has to begin on a busy machine
# URLs that tools put in order each in their own way; what is asked for must be what is indexed.
_ODD = (
    "https://www.Odd.example/Path/?b=2&a=1",
    "https://odd.example/path?A=1&b=%20x",
    "https://odd.example:8443/",
    "https://sub.odd.example/a%C3%A4/%7Euser//x.html",
    "https://xn--tst-qla.example/ä?q=ü",
    "https://odd.example/a;jsessionid=1?",
)


def main(argv: list[str]) -> int:
    given = argparse.ArgumentParser(prog="lab replay", description=__doc__)
    given.add_argument("--pywb", type=Path, help="an environment that has pywb, to be used as it is")
    plan = given.parse_args(argv)
    with tempfile.TemporaryDirectory(prefix="lab-replay-") as name:
        folder = Path(name)
        installed = plan.pywb or _install(folder / "pywb")
        if installed is None:
            return 0
        archive = _crawl(folder)
        captures = [each for each in _captures(archive) if each.capture.status == 200]
        with _wayback(installed, folder, archive) as port:
            differ = [url for each in captures if (url := _difference(port, each.capture)) is not None]
    print(f"{len(captures)} captures replayed, {len(differ)} not as they were stored")
    for url in differ[:10]:
        print(f"VIOLATION: {url}")
    return 1 if differ or not captures else 0


def _install(target: Path) -> Path | None:
    lines = [[sys.executable, "-m", "venv", str(target)], [str(target / "bin/pip"), "install", "-q", "pywb"]]
    for line in lines:
        done = subprocess.run(line, capture_output=True, text=True)
        if done.returncode != 0:
            print(f"not run: pywb cannot be installed here ({done.stderr.strip().splitlines()[-1:]})")
            return None
    return target


def _crawl(folder: Path) -> Path:
    """A small crawl of this program, and captures of odd URLs beside it; returns the folder of WARC files."""
    graph = SiteGraph(seed=2, hosts=2, pages_per_host=12, depth=3, strangers=0)
    workspace, seeds = folder / "ws", folder / "seeds.txt"
    seeds.write_text("\n".join(graph.names))
    with SiteProcess(SiteSpec(graph), folder / "requests.log") as site:
        settings = site.environment | {"SURVEYOR_EXTRACT__ENABLED": "false"}
        env = environment(**settings, SURVEYOR_CRAWL__DELAY_SECONDS="0.01")
        _surveyor(env, "init", str(workspace))
        _surveyor(env, "--workspace", str(workspace), "ingest-seeds", str(seeds))
        _surveyor(env, "--workspace", str(workspace), "crawl", "--once")
        archive = workspace / "archive"
        _add_odd(archive)
        print(_surveyor(env, "--workspace", str(workspace), "archive", "index").strip())
    return archive


def _add_odd(archive: Path) -> None:
    began = datetime(2026, 3, 4, 5, 6, 7, tzinfo=UTC)
    heads = (("Content-Type", "text/html; charset=utf-8"),)
    with WarcWriter(archive, "odd", 10**9, SystemClock()) as writer:
        captures = [
            Capture(url, began + timedelta(days=place), 200, heads, f"<p>{place}: {url}</p>".encode())
            for place, url in enumerate(_ODD)
        ]
        writer.sync([writer.append(one) for one in captures])


def _surveyor(env: dict[str, str], *arguments: str) -> str:
    line = [sys.executable, "-m", "surveyor", *arguments]
    return subprocess.run(line, env=env, check=True, capture_output=True, text=True).stdout


def _captures(archive: Path) -> Iterator[ArchivedRecord]:
    reader = WarcReader(archive)
    for file in reader.files():
        yield from (each for each in reader.scan(file) if isinstance(each, ArchivedRecord))


@contextmanager
def _wayback(installed: Path, folder: Path, archive: Path) -> Iterator[int]:
    port, place = free_port(), folder / "replay"
    place.mkdir()
    ours = {"index_paths": str(archive / "index.cdxj"), "archive_paths": f"{archive}/"}
    (place / "config.yaml").write_text(json.dumps({"collections": {"ours": ours}}))
    line = [str(installed / "bin/wayback"), "-p", str(port), "-b", "127.0.0.1", "-d", str(place)]
    with (folder / "pywb.log").open("wb") as log:
        process = subprocess.Popen(line, stdout=log, stderr=log)
    try:
        _until_ready(port, process, folder / "pywb.log")
        yield port
    finally:
        process.terminate()
        process.wait()


def _until_ready(port: int, process: subprocess.Popen[bytes], log: Path) -> None:
    end = time.monotonic() + _PATIENCE
    while time.monotonic() < end and process.poll() is None:
        try:
            with urllib.request.urlopen(f"http://127.0.0.1:{port}/ours/", timeout=10):
                return
        except OSError:
            time.sleep(0.2)
    raise SystemExit(f"pywb did not begin: {log.read_text(errors='replace')[-1000:]}")


def _difference(port: int, capture: Capture) -> str | None:
    """None where pywb answers with what is stored: `id_` asks for it without pywb's own frame around it."""
    asked = capture.url.encode("utf-8").decode("latin-1")
    quoted = "".join(char if ord(char) < 128 else f"%{ord(char):02X}" for char in asked)
    url = f"http://127.0.0.1:{port}/ours/{capture.fetched_at:%Y%m%d%H%M%S}id_/{quoted}"
    try:
        with urllib.request.urlopen(url, timeout=60) as answer:
            body = answer.read()
    except urllib.error.URLError as error:
        return f"{capture.url}: {error}"
    return None if body == capture.body else f"{capture.url}: {len(body)} bytes, {len(capture.body)} stored"
