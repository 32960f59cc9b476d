"""What one domain may have in this run, from the command line, the domain, the settings and the profile."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from surveyor.registry.domain import Domain
from surveyor.settings import CrawlSettings

if TYPE_CHECKING:
    from surveyor.profiles.head import Head

# Without any limit of its own a crawl still ends: deeper than this is a trap.
DEEPEST = 1_000


@dataclass(frozen=True, slots=True)
class RunOptions:
    """What was said on the command line; stronger than settings and profile, not than a person's limit."""

    max_pages: int | None = None
    max_pages_per_domain: int | None = None
    depth: int | None = None


@dataclass(frozen=True, slots=True)
class Plan:
    """The limits of one visit."""

    depth: int
    delay: float
    pages: int
    images: bool
    revisit_hours: float  # before a page of which nothing is known is visited again
    bytes: int | None = None
    seconds: float | None = None
    render: str = "auto"  # which pages are shown in a browser

    def overdrawn(self, used_bytes: int, used_seconds: float) -> str | None:
        """Which budget besides that of pages is used up; known only after the answer that does it."""
        if self.bytes is not None and used_bytes >= self.bytes:
            return "budget_bytes"
        if self.seconds is not None and used_seconds >= self.seconds:
            return "budget_seconds"
        return None


def plan_for(
    domain: Domain, options: RunOptions, settings: CrawlSettings, profile: Head, share: int | None = None
) -> Plan:
    """`share` is what the run's budget has for each domain, in the present round."""
    limits = profile.limits
    depth = _first(options.depth, domain.max_crawl_depth, settings.depth, limits.max_crawl_depth, DEEPEST)
    delay = _first(domain.crawl_delay_seconds, settings.delay_seconds, limits.crawl_delay_seconds)
    pages = _first(options.max_pages_per_domain, domain.max_pages_per_run, limits.max_pages_per_run)
    most = settings.max_bytes_per_run, settings.max_seconds_per_run
    hours = _first(domain.scrape_frequency_hours, limits.scrape_frequency_hours)
    render = domain.render or settings.render or limits.render
    images = wants_images(settings, profile)
    pages = pages if share is None else min(pages, share)
    return Plan(int(depth), float(delay), int(pages), images, float(hours), *most, render=render)


def wants_images(settings: CrawlSettings, profile: Head) -> bool:
    """The setting is stronger than the profile."""
    return profile.images if settings.images is None else settings.images


def _first(*values: float | None) -> float:
    return next(value for value in values if value is not None)
