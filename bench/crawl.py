"""CPU per crawled page: ours on SQLite and on PostgreSQL + Valkey, Scrapy and Crawlee, and our polite pace.

All crawl the same site of 40 domains to its end, in turns, each as its documentation recommends (the
modules `scrapy_spider` and `crawlee_crawl` say what they do and what they leave out). CPU is user and
system time of all processes and servers of a crawler, without the site's. What a start costs is told
apart, by a crawl of the home pages alone.
"""

from __future__ import annotations

import argparse
import subprocess
import sys
from pathlib import Path
from statistics import median
from typing import NamedTuple

from bench import polite, profiled, shapes
from bench.crawlers import OTHERS, Apart, Cost, Crawler, Other, Surveyor
from bench.shapes import WANTED, Shape
from bench.site import LINKS, PAGE_BYTES, SiteProcess
from bench.target import Target

HOSTS = 40
POLITE_HOSTS = 1_000

OURS = Surveyor("Surveyor, SQLite")
CRAWLERS: dict[str, Crawler] = {
    "sqlite": OURS,
    "postgresql": Surveyor("Surveyor, PostgreSQL + Valkey", on_servers=True),
    "postgresql2": Surveyor("the same, two workers", on_servers=True, workers=2),
    "postgresql4": Surveyor("the same, four workers", on_servers=True, workers=4),
    "apart4": Apart("the same, four that share nothing", 4),
    "scrapy": Other("Scrapy", "bench.scrapy_spider"),
    "crawlee": Other("Crawlee", "bench.crawlee_crawl"),
}
PARTS = (*CRAWLERS, "polite")
# Of those, the ones that many small domains are crawled with too.
OF_SHAPES = ("sqlite", "postgresql", "scrapy")


class Figure(NamedTuple):
    """What one crawler needed: medians over the rounds."""

    pages: int
    seconds: float
    start: float  # CPU seconds of a crawl of the home pages alone
    cpu: float  # CPU seconds of the whole crawl
    per_page: float  # CPU seconds for each page beyond the home pages

    @classmethod
    def of(cls, starts: list[Cost], wholes: list[Cost]) -> Figure:
        start, whole = median(cost.cpu for cost in starts), median(cost.cpu for cost in wholes)
        pages = wholes[0].served.pages
        more = pages - starts[0].served.pages
        return cls(pages, median(cost.seconds for cost in wholes), start, whole, (whole - start) / more)


def main(argv: list[str]) -> int:
    parser = argparse.ArgumentParser(prog="bench crawl", description=(__doc__ or "").split("\n", 1)[0])
    parser.add_argument("--pages", type=int, default=4_000, help=f"of all {HOSTS} domains together")
    parser.add_argument("--rounds", type=int, default=3, help="taken in turns; medians are printed")
    parser.add_argument("--only", nargs="+", choices=PARTS, default=list(PARTS), metavar="PART")
    parser.add_argument("--profile", action="store_true", help="tell where our worker's time goes, and end")
    parser.add_argument(
        "--shapes",
        nargs="*",
        type=Shape.read,
        metavar="DOMAINSxPAGES",
        help=f"many small domains instead; without any: {', '.join(map(str, WANTED))}",
    )
    parser.add_argument("--polite-domains", type=int, default=POLITE_HOSTS, help="of the part `polite`")
    parser.add_argument("--seed", type=int, default=1)
    args = parser.parse_args(argv)
    if args.pages < 2 * HOSTS or args.rounds < 1:
        parser.error(f"--pages must be at least {2 * HOSTS}, --rounds at least 1")
    if (args.profile or {"scrapy", "crawlee"} & {*args.only}) and not OTHERS.exists():
        parser.error(f"{OTHERS.parent.name} is missing; `./dev bench crawl` makes it")
    wanted: list[Shape] = list(WANTED) if args.shapes == [] else args.shapes or []
    many = not args.profile and not wanted and "polite" in args.only
    hosts = max([args.polite_domains if many else HOSTS, *(shape.domains for shape in wanted)])
    with SiteProcess(args.seed, hosts) as site:
        if args.profile:
            shape = wanted[0] if wanted else Shape(HOSTS, args.pages // HOSTS)
            site.resize(shape.pages)
            return profiled.show(OURS, site, shape.domains)
        print(f"seed {args.seed}, commit {_commit()}, pages of {PAGE_BYTES:,} bytes with {LINKS} links")
        if wanted:
            chosen = {name: CRAWLERS[name] for name in OF_SHAPES if name in args.only}
            targets = shapes.compare(site, chosen, wanted, args.rounds)
        else:
            targets = _compare(site, args) + (polite.measure(site, args.polite_domains) if many else [])
    print("", *targets, sep="\n")
    return 0 if all(target.is_met for target in targets) else 1


def _compare(site: SiteProcess, args: argparse.Namespace) -> list[Target]:
    chosen = {name: crawler for name, crawler in CRAWLERS.items() if name in args.only}
    starts: dict[str, list[Cost]] = {name: [] for name in chosen}
    wholes: dict[str, list[Cost]] = {name: [] for name in chosen}
    for _ in range(args.rounds if chosen else 0):
        for name, crawler in chosen.items():
            for pages, costs in ((1, starts), (args.pages // HOSTS, wholes)):
                site.resize(pages)
                costs[name].append(crawler.crawl(site, HOSTS))
    figures = {name: Figure.of(starts[name], wholes[name]) for name in chosen}
    if figures:
        _print(figures, args.rounds)
    return _targets(figures)


def _print(figures: dict[str, Figure], rounds: int) -> None:
    print(f"{HOSTS} domains, no delay, CPU is user + system; medians of {rounds} rounds\n")
    print(f"{'':<34}{'pages':>8}{'seconds':>9}{'CPU s':>8}{'start s':>9}{'CPU/page':>12}")
    first = next(iter(figures.values())).per_page
    for name, figure in figures.items():
        print(
            f"{CRAWLERS[name].name:<34}{figure.pages:>8,}{figure.seconds:>9.1f}{figure.cpu:>8.1f}{figure.start:>9.2f}"
            f"{figure.per_page * 1000:>9.3f} ms {figure.per_page / first:>7.2f} x"
        )


def _targets(figures: dict[str, Figure]) -> list[Target]:
    cost = {name: figure.per_page for name, figure in figures.items()}
    ratios = (
        ("Scrapy / Surveyor on SQLite", "scrapy", "sqlite", 10.0, True),
        ("Crawlee / Surveyor on SQLite", "crawlee", "sqlite", 5.0, True),
        ("PostgreSQL + Valkey / SQLite", "postgresql", "sqlite", 1.5, False),
        ("two workers / one", "postgresql2", "postgresql", 1.15, False),
        ("four workers / one", "postgresql4", "postgresql", 1.25, False),
        ("four workers / four that share nothing", "postgresql4", "apart4", 1.1, False),
    )
    return [
        Target(what, cost[over] / cost[under], limit, at_least)
        for what, over, under, limit, at_least in ratios
        if over in cost and under in cost
    ]


def _commit() -> str:
    done = subprocess.run(
        ["git", "rev-parse", "--short", "HEAD"], capture_output=True, text=True, cwd=Path(__file__).parent
    )
    return done.stdout.strip() or "unknown"


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
