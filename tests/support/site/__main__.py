"""`python -m tests.support.site` serves a site until its standard input ends.

With `--spec -` the first line of standard input describes it. Without, the options do, and what
to set for a crawler is printed on standard error.
"""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

import uvloop

from tests.support.site.graph import SiteGraph
from tests.support.site.process import run
from tests.support.site.spec import SiteSpec


def _spec(told: argparse.Namespace) -> SiteSpec:
    if told.spec:
        return SiteSpec.from_json(sys.stdin.readline())
    graph = SiteGraph(told.seed, told.hosts, told.pages, told.depth)
    return SiteSpec(graph, latency=told.latency)


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m tests.support.site")
    parser.add_argument("--spec", choices=["-"])
    parser.add_argument("--log", type=Path, default=Path("requests.log"))
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--hosts", type=int, default=20)
    parser.add_argument("--pages", type=int, default=100, help="per host")
    parser.add_argument("--depth", type=int, default=4)
    parser.add_argument("--latency", type=float, default=0.0, help="seconds")
    told = parser.parse_args()
    uvloop.run(run(_spec(told), told.log, tell=not told.spec))


if __name__ == "__main__":
    main()
