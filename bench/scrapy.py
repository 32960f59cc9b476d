"""CPU per page of a Scrapy project with the register, beside the same project without it, in one run.

The same spider on the same site: plain; with tracking alone; with the queue in the register's
frontier. What a start costs is measured with one page and taken off. Ours is to stay within 1.25 of plain.
"""

from __future__ import annotations

import argparse
import os
import subprocess
import sys
import tempfile
from pathlib import Path
from statistics import median

from bench.crawlers import spent_by
from bench.target import Target
from tests.support.cli_help import environment
from tests.support.site import SiteGraph, SiteProcess, SiteSpec

PROJECT = Path(__file__).parents[1] / "examples" / "scrapy-project"
MODES = {
    "plain Scrapy": {"ENABLE_DOMAIN_TRACKING": "false"},
    "with tracking": {"ENABLE_PER_DOMAIN_BUDGET": "false"},
    "with the register's queue": {},
}
_LIMIT = 1.25


def main(argv: list[str]) -> int:
    given = argparse.ArgumentParser(prog="bench scrapy", description=__doc__)
    given.add_argument("--hosts", type=int, default=20)
    given.add_argument("--pages", type=int, default=100, help="of each host")
    given.add_argument("--rounds", type=int, default=3)
    plan = given.parse_args(argv)
    graph = SiteGraph(seed=3, hosts=plan.hosts, pages_per_host=plan.pages, depth=4, strangers=0)
    spent: dict[str, list[float]] = {name: [] for name in MODES}
    for _ in range(plan.rounds):
        for name, flags in MODES.items():
            spent[name].append(_per_page(graph, flags))
    for name, found in spent.items():
        print(f"{name:<28}{median(found) * 1000:8.2f} ms CPU per page")
    plain, *others = MODES
    targets = []
    for name in others:
        # Of each round by itself: a machine that is busy is busy for all three.
        ratios = [mine / theirs for mine, theirs in zip(spent[name], spent[plain], strict=True)]
        print(f"{name} / {plain}, round by round: {' '.join(f'{one:.2f}' for one in ratios)}")
        targets.append(Target(f"{name} / {plain}", median(ratios), _LIMIT))
    print(*targets, sep="\n")
    return 0 if all(target.is_met for target in targets) else 1


def _per_page(graph: SiteGraph, flags: dict[str, str]) -> float:
    with tempfile.TemporaryDirectory(prefix="bench-scrapy-") as name:
        folder = Path(name)
        with SiteProcess(SiteSpec(graph), folder / "requests.log") as site:
            settings = site.environment | {"SURVEYOR_EXTRACT__ENABLED": "false", **flags}
            settings |= {"http_proxy": f"http://127.0.0.1:{site.port}", "no_proxy": ""}
            start, _ = _crawl(folder / "one", settings, site, graph.names[:1], "-a", "max_pages=1")
            whole, pages = _crawl(folder / "all", settings, site, graph.names)
    return (whole - start) / pages


def _crawl(
    workspace: Path, settings: dict[str, str], site: SiteProcess, hosts: tuple[str, ...], *more: str
) -> tuple[float, int]:
    """CPU seconds, and requests that the site answered."""
    known = environment(**settings, SURVEYOR_WORKSPACE=str(workspace))
    known["PYTHONPATH"] = os.pathsep.join([str(PROJECT), *sys.path])
    known["SCRAPY_SETTINGS_MODULE"] = "newsroom.settings"
    init = [sys.executable, "-m", "surveyor", "init", str(workspace)]
    subprocess.run(init, env=known, check=True, capture_output=True)
    seeds = workspace / "seeds.txt"
    seeds.write_text("\n".join(f"http://{host}/" for host in hosts))
    before = len(site.log())
    line = [sys.executable, "-m", "scrapy", "crawl", "discovery_http", "-a", f"seeds={seeds}", *more]
    line += [
        "-s",
        "DOWNLOAD_DELAY=0",
        "-s",
        "LOG_LEVEL=CRITICAL",
        "-s",
        "SPIDER_MODULES=lab.scrapy_http",
        "-s",
        "SURVEYOR_KEEP_PAGES=False",
    ]
    return spent_by(line, known)[1], len(site.log()) - before
