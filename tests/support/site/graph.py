"""Hosts, pages and links from a seed, and what a crawl of them must bring home.

Pages stand in levels. A link leads at most one level down, in whatever spelling, so the level of a
page is its distance from the home page, and a crawl to depth d must store exactly the pages of the
levels 0 to d. Redirects and robots rules never hide the only way to a page. With `lists` every host has
pages besides that only its sitemaps and its feed know, one of them behind a redirect: see `listed`.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cache, cached_property
from random import Random
from typing import NamedTuple
from urllib.parse import unquote

from tests.support.site import listed

PRIVATE = "/private/"
SECRET = "secret="
# Different images; the pages of all hosts share them.
IMAGES = 10
# Every so many hosts one forbids a part, one has no robots.txt, one has one that forbids nothing.
_ROBOTS_KINDS = 3
_FORBIDDEN_PER_HOST = 3
# One link in so many is written in another spelling; one page in so many has a dead or a moved link.
_ODD_SPELLING, _ODD_LINK, _FOREIGN_LINK = 5, 10, 12


class Page(NamedTuple):
    number: int
    id: str
    """Stands in the page itself, so that stored content can be told apart."""
    target: str
    """Canonical path and query."""
    level: int
    hrefs: tuple[str, ...]
    """As they are written on the page."""


@dataclass(frozen=True)
class HostGraph:
    """One host: what it has, what leads where, and what nobody may ask for."""

    name: str
    pages: dict[str, Page]
    redirects: dict[str, str]
    """Path -> Location, absolute where it leaves the host."""
    missing: frozenset[str]
    forbidden: frozenset[str]
    """Linked, and disallowed by robots.txt."""
    robots: str | None
    images: int = 0
    """Per page."""
    lists: dict[str, str] = field(default_factory=dict)
    """Target -> XML of a sitemap or a feed; those that end in .gz are sent packed."""

    def reachable(self, depth: int) -> frozenset[str]:
        """The targets that a crawl to this depth must store, each once."""
        return frozenset(page.target for page in self.pages.values() if page.level <= depth)

    def known(self, target: str) -> str | None:
        """The canonical target of what was asked for; None if the site never spoke of it."""
        if self._has(target):
            return target
        plain = _plain(target)
        return plain if self._has(plain) else None

    def _has(self, target: str) -> bool:
        return target in self.pages or target in self._other

    @cached_property
    def _other(self) -> frozenset[str]:
        return self.forbidden | self.missing | self.redirects.keys() | self.lists.keys() | self.image_targets

    @property
    def image_targets(self) -> frozenset[str]:
        return frozenset(image for page in self.pages.values() for image in self.shown_on(page))

    def shown_on(self, page: Page) -> tuple[str, ...]:
        """Targets of the images that a page shows."""
        first = page.number * self.images
        return tuple(f"/img/{(first + index) % IMAGES}.png" for index in range(self.images))


@dataclass(frozen=True)
class SiteGraph:
    """All hosts of one seed. Equal values are equal webs, in whatever process."""

    seed: int
    hosts: int = 20
    pages_per_host: int = 100
    depth: int = 4
    """The level of the deepest pages."""
    links: int = 12
    """Per page; at least as many as its level needs."""
    body_bytes: int = 3_000
    strangers: int = 2
    """Hosts that are linked to and not part of the graph: nobody approved them."""
    images: int = 0
    """Per page; every host has a handful of them, which its pages share."""
    lists: bool = False
    """Every host has an index of sitemaps and a feed, and pages that only these know."""

    def __post_init__(self) -> None:
        if not 1 <= self.depth < self.pages_per_host:
            raise ValueError("depth must be at least 1 and less than pages_per_host, or a level stays empty")

    @cached_property
    def names(self) -> tuple[str, ...]:
        width = max(2, len(str(self.hosts - 1)))
        return tuple(f"h{index:0{width}}.site.example" for index in range(self.hosts))

    @cached_property
    def stranger_names(self) -> tuple[str, ...]:
        return tuple(f"x{index:02}.site.example" for index in range(self.strangers))

    @cached_property
    def by_name(self) -> dict[str, HostGraph]:
        return {name: _host(self, index, name, self.names) for index, name in enumerate(self.names)}

    def reachable(self, host: str, depth: int) -> frozenset[str]:
        return self.by_name[host].reachable(depth)

    def total(self, depth: int) -> int:
        """Pages of all hosts within a depth."""
        return sum(len(host.reachable(depth)) for host in self.by_name.values())


def one_host(name: str, seed: int, pages: int, *, depth: int = 3, links: int = 12) -> HostGraph:
    """A host that stands alone: no neighbours, no robots rules."""
    return _host(SiteGraph(seed, 1, pages, depth, links, strangers=0), 0, name, ())


def _host(site: SiteGraph, index: int, name: str, neighbours: tuple[str, ...]) -> HostGraph:
    random = Random(f"{site.seed} {name}")
    levels = _levels(site.pages_per_host, site.depth)
    targets = [_target(number) for number in range(site.pages_per_host)]
    redirects = {f"/old/{number}": target for number, target in enumerate(targets) if number % 7 == 1}
    redirects |= {f"{target}index.html": target for target in targets if target.endswith("/")}
    missing = frozenset(f"/gone/{number}" for number in range(site.pages_per_host // 25 + 1))
    forbids = index % _ROBOTS_KINDS == 1
    forbidden = _forbidden() if forbids else frozenset()
    if forbids:
        redirects["/old/private"] = f"{PRIVATE}0"
    if site.strangers:
        redirects["/old/away"] = f"http://{random.choice(site.stranger_names)}/"
    foreign = [f"http://{neighbour}/" for neighbour in neighbours if neighbour != name]
    foreign += [f"https://{stranger}/page" for stranger in site.stranger_names]
    write = _Writer(site, name, random, levels, targets, sorted(missing), sorted(forbidden), foreign)
    short = name.split(".", 1)[0]
    pages = {
        target: Page(number, f"{short}-{number}", target, levels.level[number], write.hrefs(number))
        for number, target in enumerate(targets)
    }
    robots, lists = _robots(index), {}
    if site.lists:
        found = listed.lists(name, random, named_by_robots=robots is not None)
        robots = robots and f"{robots}Sitemap: http://{name}{listed.INDEX}\n"
        lists = found.lists
        redirects |= found.redirects
        for number, target in enumerate(found.pages, len(pages)):
            pages[target] = Page(number, f"{short}-{number}", target, 1, ("/",))
    return HostGraph(name, pages, redirects, missing, forbidden, robots, site.images, lists)


def _forbidden() -> frozenset[str]:
    return frozenset({f"{PRIVATE}{number}" for number in range(_FORBIDDEN_PER_HOST)} | {f"/view?{SECRET}1"})


def _robots(index: int) -> str | None:
    kind = index % _ROBOTS_KINDS
    if kind == 1:
        return f"User-agent: *\nDisallow: {PRIVATE}\nDisallow: /*?{SECRET}\n"
    return None if kind == 2 else "User-agent: *\nDisallow:\n"


def _target(number: int) -> str:
    """Paths, folders and queries, as a site has them."""
    if number == 0:
        return "/"
    if number % 7 == 3:
        return f"/view?id={number}"
    if number % 11 == 5:
        return f"/folder{number}/"
    return f"/part{number % 9}/page{number}.html"


class _Levels(NamedTuple):
    level: list[int]
    """Of each page."""
    first: list[int]
    """The first page of each level, and the number of pages at the end."""


@cache
def _levels(pages: int, depth: int) -> _Levels:
    """Level sizes that grow by the same factor, so that the last level is reached and not longer."""
    growth = 1
    while sum(growth**level for level in range(depth + 1)) < pages:
        growth += 1
    level: list[int] = []
    first = [0]
    for number in range(depth + 1):
        left = pages - len(level)
        size = left if number == depth else min(growth**number, left - (depth - number))
        level += [number] * size
        first.append(len(level))
    return _Levels(level, first)


class _Writer:
    """Writes the links of one host's pages."""

    def __init__(
        self,
        site: SiteGraph,
        name: str,
        random: Random,
        levels: _Levels,
        targets: list[str],
        missing: list[str],
        forbidden: list[str],
        foreign: list[str],
    ) -> None:
        self._site, self._name, self._random = site, name, random
        self._levels, self._targets = levels, targets
        self._missing, self._forbidden = missing, forbidden
        self._foreign = foreign

    def hrefs(self, number: int) -> tuple[str, ...]:
        """To the pages that have this one for a parent, then to any that are not too deep."""
        level, random = self._levels.level[number], self._random
        reach = self._levels.first[min(level + 2, self._site.depth + 1)]
        leads = list(self._children(number))
        leads += [random.randrange(reach) for _ in range(self._site.links - len(leads))]
        written = [self._spelled(self._targets[lead]) for lead in leads]
        written += self._odd(reach)
        random.shuffle(written)
        return tuple(written)

    def _children(self, number: int) -> range:
        """Pages of the next level are dealt out to those of this one."""
        level, first = self._levels.level[number], self._levels.first
        if level == self._site.depth:
            return range(0)
        return range(
            first[level + 1] + number - first[level], first[level + 2], first[level + 1] - first[level]
        )

    def _spelled(self, target: str) -> str:
        """One page, many addresses: all of these name the same one."""
        if self._random.randrange(_ODD_SPELLING):
            return target
        mark = "&" if "?" in target else "?"
        return self._random.choice(
            (
                f"{target}#part{len(target)}",
                f"{target}{mark}utm_source=letter&utm_medium=mail",
                f"http://www.{self._name}{target}",
                f"https://{self._name}{target}",
                f"//{self._name.upper()}{target}",
                f"/x/..{target}",
                f"  {target}  ",
                target.replace("/p", "/%70", 1),
            )
        )

    def _odd(self, reach: int) -> list[str]:
        """Links that lead nowhere, elsewhere, around a corner, or where nobody may go."""
        random, odd = self._random, []
        if not random.randrange(_ODD_LINK):
            odd.append(random.choice(self._missing))
        if not random.randrange(_ODD_LINK):
            odd.append(self._moved(reach))
        if self._forbidden and not random.randrange(_ODD_LINK):
            odd += [random.choice(self._forbidden), "/old/private"]
        if self._foreign and not random.randrange(_FOREIGN_LINK):
            # Home pages and strangers only: a deeper page of a neighbour has its own way there.
            odd.append(random.choice(self._foreign))
            odd += ["/old/away"] if self._site.strangers else []
        return odd

    def _moved(self, reach: int) -> str:
        number = self._random.randrange(reach)
        target = self._targets[number]
        return f"{target}index.html" if target.endswith("/") else f"/old/{number - (number - 1) % 7}"


def _plain(target: str) -> str:
    """A target without what changes nothing; only the spellings that this module writes."""
    path, _, query = target.partition("?")
    kept = "&".join(item for item in query.split("&") if item and not item.startswith("utm_"))
    path = unquote(path)
    return f"{path}?{kept}" if kept else path
