"""One hostile host of each kind beside twenty good ones: how many pages per second the good ones keep.

Each kind is a pair of crawls in turn, first without the hostile host and then with it, so that whatever
else the machine does falls on both. The rate is that of the good hosts alone, by the log of their server.
"""

from __future__ import annotations

import argparse
import contextlib
import json
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple

from lab.hostile_web import ATTACKS, EXTRACTED, PAGES
from tests.support import cli_help
from tests.support.site import SiteGraph, SiteProcess, SiteSpec, plain_host, read_log

HOSTILE = "hostile.site.example"
KEPT = 0.80  # of their pages per second, at least
DELAY = 0.1  # seconds between requests to one host
_DEPTH = 3
_END_SECONDS = 120.0  # for a crawl that should take ten
_ROOT = Path(__file__).parent.parent


@dataclass(frozen=True, slots=True)
class Options:
    hosts: int = 20
    kinds: tuple[str, ...] = tuple(ATTACKS)
    seed: int = 1


class Crawled(NamedTuple):
    rate: float
    """Pages of good hosts per second."""
    complete: bool
    """Every page of theirs was fetched, and the crawl came to its end."""
    failure: str


class Pair(NamedTuple):
    kind: str
    alone: Crawled
    beside: Crawled

    @property
    def kept(self) -> float:
        return self.beside.rate / self.alone.rate if self.alone.rate else 0.0

    @property
    def ok(self) -> bool:
        return self.kept >= KEPT and self.alone.complete and self.beside.complete

    def __str__(self) -> str:
        verdict = "ok" if self.ok else "FAILED"
        failure = f" ({self.beside.failure})" if self.beside.failure else ""
        rates = f"{self.alone.rate:7.1f} {self.beside.rate:7.1f} pages/s, kept {self.kept:4.0%}"
        return f"{self.kind:<17} {rates}  {verdict}{failure}"


def run_pair(kind: str, options: Options, folder: Path) -> Pair:
    return Pair(
        kind, _crawl(kind, options, folder / "alone", beside=False), _crawl(kind, options, folder / "beside")
    )


def _crawl(kind: str, options: Options, folder: Path, *, beside: bool = True) -> Crawled:
    folder.mkdir(parents=True)
    graph = SiteGraph(options.seed, options.hosts, PAGES, depth=_DEPTH)
    with SiteProcess(SiteSpec(graph), folder / "requests.log") as site, _hostile(kind) as port:
        environment = _environment(site, port, extracts=kind in EXTRACTED)
        seeds = folder / "seeds.txt"
        seeds.write_text("\n".join((*graph.names, *([HOSTILE] if beside else []))) + "\n")
        for command in (("init", "--profile", "community"), ("ingest-seeds", str(seeds))):
            made = cli_help.surveyor(*command, workspace=folder / "workspace", **environment)
            assert made.code == 0, made.err
        failure = _ended(_line(folder, "crawl", "--max-pages-per-domain", str(2 * PAGES)), environment)
        log = read_log(site.log_file)
    good = [entry for entry in log if plain_host(entry.host) in graph.by_name and entry.status == 200]
    fetched = {(plain_host(entry.host), entry.target) for entry in good}
    wanted = {(host, target) for host in graph.names for target in graph.reachable(host, _DEPTH)}
    seconds = (max(entry.end for entry in good) - min(entry.start for entry in good)) / 1e9 if good else 1.0
    missing = len(wanted - fetched)
    failure = failure or (f"{missing} pages of good hosts missing" if missing else "")
    return Crawled(len(good) / seconds, not failure, failure)


def _ended(line: list[str], environment: dict[str, str]) -> str:
    """Runs the crawl; returns what is wrong with how it ended."""
    try:
        everything = cli_help.environment(**environment)
        done = subprocess.run(line, env=everything, capture_output=True, timeout=_END_SECONDS)
    except subprocess.TimeoutExpired:
        return f"no end within {_END_SECONDS:.0f} s"
    if done.returncode == 0:
        return ""
    said = done.stderr.decode(errors="replace").strip().splitlines()[-1:]
    return f"ended with {done.returncode}: {' '.join(said)}"


def _line(folder: Path, *arguments: str) -> list[str]:
    return [sys.executable, "-m", "surveyor", "--workspace", str(folder / "workspace"), *arguments]


def _environment(site: SiteProcess, port: int, *, extracts: bool) -> dict[str, str]:
    hosts = json.loads(site.environment["SURVEYOR_NET__HOSTS"])
    hosts |= dict.fromkeys((HOSTILE, f"www.{HOSTILE}"), f"127.0.0.1:{port}")
    return site.environment | {
        "SURVEYOR_NET__HOSTS": json.dumps(hosts),
        "SURVEYOR_NET__PER_ADDRESS": "100",
        "SURVEYOR_CRAWL__DELAY_SECONDS": str(DELAY),
        "SURVEYOR_CRAWL__DEPTH": str(_DEPTH),
        "SURVEYOR_EXTRACT__ENABLED": "true" if extracts else "false",
    }


@contextlib.contextmanager
def _hostile(kind: str) -> Iterator[int]:
    """The port of a hostile host in a process of its own."""
    process = subprocess.Popen(
        [sys.executable, "-m", "lab.hostile_web", kind], cwd=_ROOT, stdout=subprocess.PIPE, text=True
    )
    try:
        assert process.stdout is not None
        yield int(process.stdout.readline())
    finally:
        process.kill()
        process.wait()


def main(argv: list[str]) -> int:
    parser = argparse.ArgumentParser(prog="./dev lab hostile", description=__doc__.split("\n", 1)[0])
    parser.add_argument("kinds", nargs="*", help=f"some of: {', '.join(ATTACKS)}; all of them by default")
    parser.add_argument("--hosts", type=int, default=Options().hosts)
    arguments = parser.parse_args(argv)
    if unknown := set(arguments.kinds) - ATTACKS.keys():
        parser.error(f"there is no kind {', '.join(sorted(unknown))}")
    options = Options(hosts=arguments.hosts, kinds=tuple(arguments.kinds) or tuple(ATTACKS))
    print(f"{options.hosts} good hosts of {PAGES} pages: alone, and beside one hostile host")
    failed = 0
    for kind in options.kinds:
        with tempfile.TemporaryDirectory(prefix="surveyor-hostile-", ignore_cleanup_errors=True) as folder:
            pair = run_pair(kind, options, Path(folder))
        failed += not pair.ok
        print(pair, flush=True)
    print(f"good hosts keep at least {KEPT:.0%} beside each kind" if not failed else f"{failed} kinds failed")
    return bool(failed)
