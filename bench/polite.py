"""The pace of a polite crawl at one second of delay: requests per second, of what is possible.

Possible is one request per domain and second, or what the same crawl reaches without a delay, whichever
is less. Not every request brings a page: robots.txt, a sitemap and the question how the site says "not
found" take their turn too. The site runs on the same machine, so the figure says something only where a
core was idle: how much was is printed, and how late requests came after the delay had passed.
"""

from __future__ import annotations

import os
from typing import NamedTuple

import psutil  # type: ignore[import-untyped]

from bench.crawlers import Cost, Surveyor
from bench.site import SiteProcess
from bench.target import Target

DELAY = 1.0  # seconds
_PAGES, _LEAST_PAGES = 25_000, 5  # of all domains together, and of each
_LEAST = 0.97
# Below this share of the machine idle the crawler waits for a processor, not for its timers.
_IDLE_ENOUGH = 0.1


class _Run(NamedTuple):
    cost: Cost
    site: float  # seconds of CPU of the site
    idle: float  # share of the machine


def measure(site: SiteProcess, domains: int) -> list[Target]:
    """With one worker on SQLite that holds all of them at once."""
    free, polite = _crawl(site, domains, 0.0), _crawl(site, domains, DELAY)
    gaps = polite.cost.served.gaps
    mean, middle, most = sum(gaps) / len(gaps), gaps[len(gaps) // 2], gaps[len(gaps) * 95 // 100]
    late = ", ".join(f"{1000 * (gap - DELAY):.0f} ms" for gap in (mean, middle, most))
    print(f"mean, median and 95th percentile of how late a request came after the delay: {late}")
    if polite.idle < _IDLE_ENOUGH:
        print(f"the machine was idle for {polite.idle:.0%} only: this says little about the crawler")
    possible = min(domains / DELAY, free.cost.served.asked_rate)
    share = polite.cost.served.asked_rate / possible
    return [Target(f"{domains:,} domains, polite requests of the possible", share, _LEAST, at_least=True)]


def _crawl(site: SiteProcess, domains: int, delay: float) -> _Run:
    site.resize(max(_LEAST_PAGES, _PAGES // domains))
    idle, cpu = psutil.cpu_times().idle, site.cpu()
    cost = Surveyor("polite", delay=delay, most_at_once=domains).crawl(site, domains)
    share = (psutil.cpu_times().idle - idle) / (cost.seconds * (os.cpu_count() or 1))
    run = _Run(cost, site.cpu() - cpu, share)
    served, each = cost.served, 1000 / cost.served.pages
    print(
        f"{domains:,} domains, delay {delay:g} s: {served.asked_rate:.0f} requests/s,"
        f" {served.rate:.0f} pages/s of {served.pages:,} in {cost.seconds:.0f} s,"
        f" {cost.cpu * each:.3f} ms CPU per page with start (the site {run.site * each:.3f} ms),"
        f" machine idle {share:.0%}"
    )
    return run
