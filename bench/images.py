"""CPU per picture: ours on SQLite with everything durable, and Scrapy's images pipeline in the same run.

Ours fetches, decodes in a child process, keeps SHA-256, perceptual hash, size, rights and provenance, and
commits in groups. What a start costs is measured by a crawl of one host with one page, and taken off both.

Nothing is deleted before the end: ext4 passes over the inodes of files deleted in the last seconds, one by
one, for each file that is made. After a crawl's 4,000 files were removed, a new file took 300 to 1,800 us
of system time instead of 15.
"""

from __future__ import annotations

import argparse
import contextlib
import json
import os
import subprocess
import sys
import tempfile
import threading
from pathlib import Path
from statistics import median
from typing import Any, NamedTuple

import psutil  # type: ignore[import-untyped]

from bench import site
from bench.crawlers import OTHERS, Surveyor, spent_by
from bench.image_site import PICTURE_BYTES, PICTURES
from bench.target import Target

HOSTS, PAGES = 20, 20
_LESS_THAN_SCRAPY, _MOST_MS = 2.5, 1.0
_ROOT = Path(__file__).parent.parent


class Spent(NamedTuple):
    pictures: int
    cpu: float
    seconds: float
    memory: float  # MB, the most of one process


class _Site:
    """A running site of pictures."""

    def __init__(self, hosts: int, pages: int, size: int) -> None:
        line = [sys.executable, "-m", "bench.image_site", str(hosts), str(pages), str(size)]
        pipe = subprocess.PIPE
        self._process = subprocess.Popen(line, stdin=pipe, stdout=pipe, cwd=_ROOT, text=True)
        message = self._read()
        self.port, self.bytes = int(message["port"]), int(message["bytes"])

    def served(self) -> dict[str, int]:
        assert self._process.stdin is not None
        self._process.stdin.write("\n")
        self._process.stdin.flush()
        return dict(self._read())

    def _read(self) -> dict[str, Any]:
        assert self._process.stdout is not None
        return dict(json.loads(self._process.stdout.readline()))

    def close(self) -> None:
        for pipe in (self._process.stdin, self._process.stdout):
            assert pipe is not None
            pipe.close()
        self._process.wait(10)


class _Memory:
    """The most that one process below this one held while it was looked at, ten times a second."""

    def __init__(self) -> None:
        self.most = 0
        self._over = threading.Event()
        self._thread = threading.Thread(target=self._look)

    def __enter__(self) -> None:
        self._thread.start()

    def __exit__(self, *_: object) -> None:
        self._over.set()
        self._thread.join()

    def _look(self) -> None:
        while not self._over.wait(0.1):
            for process in psutil.Process().children(recursive=True):
                with contextlib.suppress(psutil.Error):
                    if "bench.image_site" not in process.cmdline():
                        self.most = max(self.most, process.memory_info().rss)


def main(argv: list[str]) -> int:
    parser = argparse.ArgumentParser(prog="bench images", description=(__doc__ or "").split("\n", 1)[0])
    parser.add_argument("--hosts", type=int, default=HOSTS)
    parser.add_argument("--pages", type=int, default=PAGES, help=f"of each host, {PICTURES} pictures on each")
    parser.add_argument("--bytes", type=int, default=PICTURE_BYTES, help="of a picture, about")
    parser.add_argument("--rounds", type=int, default=1, help="taken in turns; medians are printed")
    parser.add_argument("--alone", action="store_true", help="without Scrapy")
    args = parser.parse_args(argv)
    with tempfile.TemporaryDirectory(prefix="surveyor-bench-") as folder:
        return _run(args, Path(folder))


def _run(args: argparse.Namespace, folder: Path) -> int:
    crawlers = {"Surveyor": _ours} | ({} if args.alone else {"Scrapy": _scrapy})
    small, large = _Site(1, 1, args.bytes), _Site(args.hosts, args.pages, args.bytes)
    found: dict[str, list[float]] = {name: [] for name in crawlers}
    print(f"{args.hosts} domains x {args.pages} pages x {PICTURES} pictures of {large.bytes:,} bytes")
    try:
        for _ in range(args.rounds):
            for name, crawl in crawlers.items():
                start, whole = crawl(small, 1, folder), crawl(large, args.hosts, folder)
                each = (whole.cpu - start.cpu) / (whole.pictures - start.pictures)
                found[name].append(each)
                print(
                    f"{name:<10} {whole.pictures:>6,} pictures {whole.seconds:7.1f} s {whole.cpu:7.2f} s CPU,"
                    f" start {start.cpu:5.2f} s, {each * 1000:6.3f} ms per picture,"
                    f" at most {whole.memory:.0f} MB ({start.memory:.0f} MB with {start.pictures})"
                )
    finally:
        small.close()
        large.close()
    ours = median(found["Surveyor"])
    targets: list[Target] = []
    if args.bytes <= PICTURE_BYTES:  # the cost of larger ones is their decoding
        targets.append(Target("ms of CPU per picture", ours * 1000, _MOST_MS))
    if "Scrapy" in found:
        targets.append(Target("Scrapy / Surveyor", median(found["Scrapy"]) / ours, _LESS_THAN_SCRAPY, True))
    print("", *targets, sep="\n")
    return 0 if all(target.is_met for target in targets) else 1


def _ours(on: _Site, hosts: int, within: Path) -> Spent:
    places = {site.name(number): f"{site.address(number)}:{on.port}" for number in range(hosts)}
    environment = Surveyor("images").settings(places)
    folder = tempfile.mkdtemp(dir=within)
    seeds = Path(folder) / "seeds.txt"
    seeds.write_text("".join(f"{name}\n" for name in places))
    line = [sys.executable, "-m", "surveyor", "--workspace", f"{folder}/workspace"]
    for prepare in (("init", "--profile", "images"), ("ingest-seeds", str(seeds))):
        subprocess.run([*line, *prepare], env=environment, check=True, capture_output=True, cwd=_ROOT)
    return _spent(on, [*line, "crawl", "--json"], environment)


def _scrapy(on: _Site, hosts: int, within: Path) -> Spent:
    hosts_at = [site.address(number) for number in range(hosts)]
    order = {"folder": tempfile.mkdtemp(dir=within), "port": on.port, "hosts": hosts_at}
    line = [str(OTHERS / "python"), "-m", "bench.scrapy_images", json.dumps(order)]
    return _spent(on, line, dict(os.environ))


def _spent(on: _Site, line: list[str], environment: dict[str, str]) -> Spent:
    on.served()
    memory = _Memory()
    with memory:
        seconds, cpu = spent_by(line, environment)
    return Spent(on.served()["pictures"], cpu, seconds, memory.most / 1e6)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
