"""Many small domains: what a crawl costs per page and per domain, beside Scrapy, at several shapes.

A shape is domains x pages of each. What the program needs for its own start, measured by a crawl of one
page, is taken off all of them alike. The fixed cost of a domain is what one with a single page costs
beyond a page of a large one.
"""

from __future__ import annotations

import sys
from collections.abc import Mapping, Sequence
from statistics import median
from typing import NamedTuple

from bench.crawlers import Crawler
from bench.site import SiteProcess
from bench.target import Target


class Shape(NamedTuple):
    domains: int
    pages: int  # of each

    def __str__(self) -> str:
        return f"{self.domains:,} x {self.pages:,}"

    @classmethod
    def read(cls, text: str) -> Shape:
        domains, _, pages = text.partition("x")
        return cls(int(domains), int(pages))


# How many times less CPU per page than Scrapy is wanted.
WANTED = {Shape(40, 100): 10.0, Shape(1_000, 25): 8.0, Shape(1_000, 5): 5.0, Shape(3_000, 1): 4.0}
LARGE, SMALL = Shape(40, 100), Shape(3_000, 1)
_MANY = Shape(1_000, 25)  # may cost so many times the CPU per page of the large shape:
_MOST_OF_LARGE = 1.2


class Line(NamedTuple):
    """What one crawler needed for a shape; medians."""

    pages: int
    seconds: float
    cpu: float  # without the start

    @property
    def per_page(self) -> float:
        return self.cpu / self.pages


Lines = Mapping[str, Mapping[Shape, Line]]


def compare(
    site: SiteProcess, crawlers: Mapping[str, Crawler], shapes: Sequence[Shape], rounds: int
) -> list[Target]:
    starts: dict[str, list[float]] = {name: [] for name in crawlers}
    found: dict[str, dict[Shape, list[Line]]] = {name: {s: [] for s in shapes} for name in crawlers}
    for _ in range(rounds):
        site.resize(1)
        for name, crawler in crawlers.items():
            starts[name].append(crawler.crawl(site, 1).cpu)
        for shape in shapes:
            for name, crawler in crawlers.items():
                site.resize(shape.pages)
                cost = crawler.crawl(site, shape.domains)
                line = Line(cost.served.pages, cost.seconds, cost.cpu - median(starts[name]))
                found[name][shape].append(line)
                # A run takes minutes: what is known is said, though the rest may be interrupted.
                print(f"{shape!s:<16}{crawler.name:<32}{line.per_page * 1000:>9.3f} ms", file=sys.stderr)
    lines = {name: {s: _median(each) for s, each in of.items()} for name, of in found.items()}
    _print(lines, crawlers, {name: median(each) for name, each in starts.items()})
    return [*_less_than_scrapy(lines), *_fixed(lines), *_many(lines)]


def _median(lines: Sequence[Line]) -> Line:
    return Line(lines[0].pages, *(median(values) for values in list(zip(*lines, strict=True))[1:]))


def _print(lines: Lines, crawlers: Mapping[str, Crawler], starts: Mapping[str, float]) -> None:
    print(
        f"\n{'domains x pages':<16}{'':<32}{'pages':>8}{'seconds':>9}{'CPU s':>8}{'/page':>12}{'/domain':>12}"
    )
    for shape in next(iter(lines.values())):
        for name, of in lines.items():
            line = of[shape]
            print(
                f"{shape!s:<16}{crawlers[name].name:<32}{line.pages:>8,}{line.seconds:>9.1f}{line.cpu:>8.1f}"
                f"{line.per_page * 1000:>9.3f} ms{line.cpu / shape.domains * 1000:>9.2f} ms"
            )
    print(*(f"{crawlers[name].name}: start {cpu:.2f} s" for name, cpu in starts.items()), sep="; ")


def _less_than_scrapy(lines: Lines) -> list[Target]:
    ours, theirs = lines.get("sqlite"), lines.get("scrapy")
    if ours is None or theirs is None:
        return []
    return [
        Target(f"Scrapy / Surveyor on SQLite, {s}", theirs[s].per_page / ours[s].per_page, wanted, True)
        for s, wanted in WANTED.items()
        if s in ours
    ]


def _fixed(lines: Lines) -> list[Target]:
    return [
        Target(f"{name}: ms of CPU per domain", 1000 * (of[SMALL].per_page - of[LARGE].per_page), 5.0)
        for name, of in lines.items()
        if name in ("sqlite", "postgresql") and LARGE in of and SMALL in of
    ]


def _many(lines: Lines) -> list[Target]:
    ours = lines.get("sqlite", {})
    if _MANY not in ours or LARGE not in ours:
        return []
    return [Target(f"{_MANY} / {LARGE}", ours[_MANY].per_page / ours[LARGE].per_page, _MOST_OF_LARGE)]
