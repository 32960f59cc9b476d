"""Where a worker's time goes: samples of a running crawl, by module and by function of ours."""

from __future__ import annotations

import re
import tempfile
from collections import Counter
from pathlib import Path
from typing import NamedTuple

from bench.crawlers import OTHERS, Surveyor
from bench.site import SiteProcess

_PER_SECOND = 250  # samples; taken without stopping the worker, which would slow it down many times
_MODULES, _FUNCTIONS = 20, 40  # lines of the tables
_OURS = re.compile(r"(?P<function>[^;]+) \(surveyor/(?!cli/|__main__)(?P<module>[^;]+?)\.py:\d+\)")


class Place(NamedTuple):
    module: str
    function: str


def show(crawler: Surveyor, site: SiteProcess, hosts: int) -> int:
    """Crawl the site under a sampler and print where it was met, most often first."""
    with tempfile.TemporaryDirectory(prefix="surveyor-bench-") as folder:
        raw = Path(folder) / "samples"
        sampler = (str(OTHERS / "py-spy"), "record", "--nonblocking", "--rate", str(_PER_SECOND))
        options = ("--format", "raw", "--output", str(raw), "--")
        done = Surveyor(crawler.name, wrapper=(*sampler, *options)).crawl(site, hosts)
        met = samples(raw.read_text().splitlines())
    print(f"{crawler.name}: {done.served.pages:,} pages, {met.total():,} samples of threads at work")
    print("each counts where it was within our code, with all that was called from there")
    modules: Counter[str] = Counter()
    for place, count in met.items():
        modules[place.module] += count
    _print("module", modules, _MODULES)
    _print("function", Counter({" ".join(place): count for place, count in met.items()}), _FUNCTIONS)
    return 0


def samples(lines: list[str]) -> Counter[Place]:
    """Samples by the innermost frame of ours; a line is frames, outermost first, and a number."""
    met: Counter[Place] = Counter()
    for line in lines:
        frames, _, count = line.rpartition(" ")
        met[_place(frames)] += int(count)
    return met


def _place(frames: str) -> Place:
    if "_find_and_load" in frames:
        return Place("(imports)", "")
    ours = list(_OURS.finditer(frames))
    if ours:
        return Place(ours[-1]["module"], ours[-1]["function"])
    if "_connection_worker_thread" in frames:
        return Place("(SQLite's threads)", "")
    return Place("(event loop)", "") if "Runner.run" in frames else Place("(start and end)", "")


def _print(what: str, found: Counter[str], most: int) -> None:
    print(f"\n{'share':>7}  {what}")
    for name, count in found.most_common(most):
        print(f"{count / found.total():>7.1%}  {name}")
