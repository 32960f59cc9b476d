"""Pages per second of a crawl with extraction beside it and without: reading must not hold up fetching.

    python -m bench beside [--hosts N] [--pages N] [--delay SECONDS] [--rounds N]

One worker crawls the same site in turns, politely enough to leave a core free, with raw responses in WARC
files; beside it, or not, pages are read in a process of their own. The time of a crawl ends with its last
page; what is still to be read then is told apart.
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
import tempfile
from pathlib import Path
from statistics import median
from typing import Any, NamedTuple

from bench import site
from bench.crawlers import Surveyor

# Share of the pages per second without extraction that must be left with it.
KEPT = 0.90
_ROOT = Path(__file__).parent.parent


class Round(NamedTuple):
    pages: int
    per_second: float
    read: int
    """Pages read when all was done."""
    seconds_to_read: float


def main(argv: list[str]) -> int:
    parser = argparse.ArgumentParser(prog="bench beside", description=(__doc__ or "").split("\n", 1)[0])
    parser.add_argument("--hosts", type=int, default=20)
    parser.add_argument("--pages", type=int, default=40, help="of each host")
    parser.add_argument("--delay", type=float, default=0.4, help="seconds between requests to one host")
    parser.add_argument("--rounds", type=int, default=3, help="taken in turns; medians are printed")
    parser.add_argument("--seed", type=int, default=1)
    args = parser.parse_args(argv)
    found: dict[bool, list[Round]] = {False: [], True: []}
    with site.SiteProcess(args.seed, args.hosts) as on:
        on.resize(args.pages)
        for _ in range(args.rounds):
            for beside in (False, True):
                found[beside].append(_round(on, args.hosts, args.delay, beside=beside))
    alone, with_it = (median(one.per_second for one in found[beside]) for beside in (False, True))
    last = found[True][-1]
    print(f"{last.pages} pages of {args.hosts} domains, {args.delay:g} s between requests to each")
    print(f"without extraction  {alone:8.1f} pages/s")
    print(
        f"with it beside      {with_it:8.1f} pages/s; {last.read} pages read in {last.seconds_to_read:.1f} s"
    )
    share = with_it / alone
    print(f"left of the pace    {share:8.2f}  (at least {KEPT:g}){'' if share >= KEPT else '  MISSED'}")
    return 0 if share >= KEPT else 1


def _round(on: site.SiteProcess, hosts: int, delay: float, *, beside: bool) -> Round:
    environment = Surveyor("beside", delay=delay).environment(on, hosts) | {
        "SURVEYOR_CRAWL__ARCHIVE": "warc",
        "SURVEYOR_EXTRACT__ENABLED": str(beside).lower(),
    }
    with tempfile.TemporaryDirectory(prefix="surveyor-bench-") as folder:
        seeds = Path(folder) / "seeds.txt"
        seeds.write_text("".join(f"{site.name(number)}\n" for number in range(hosts)))
        workspace = str(Path(folder) / "workspace")
        for line in (("init", "--profile", "community"), ("ingest-seeds", str(seeds))):
            _surveyor(environment, workspace, *line)
        summary = json.loads(_surveyor(environment, workspace, "crawl", "--json"))
    extracted: dict[str, Any] = summary["extracted"] or {"pages": 0, "seconds": 0.0}
    return Round(summary["pages"], summary["pages_per_second"], extracted["pages"], extracted["seconds"])


def _surveyor(environment: dict[str, str], workspace: str, *arguments: str) -> bytes:
    line = [sys.executable, "-m", "surveyor", "--workspace", workspace, *arguments]
    return subprocess.run(line, env=environment, check=True, capture_output=True, cwd=_ROOT).stdout
