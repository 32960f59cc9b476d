"""Sites as pure functions from a target to a page, and a crawl of them: breadth first, with a budget.

Every site is deterministic. `real` are the pages that must be found; whatever else a site answers is
its trap. Text is made of seeded words, so that every real page reads differently.
"""

from __future__ import annotations

import heapq
import itertools
import random
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from html import escape

from surveyor.crawl.detect import Detector
from surveyor.crawl.detect.soft404 import NEVER, probe_targets, soft_404
from surveyor.crawl.pages.html import PageFacts, read_page
from surveyor.crawl.pages.scope import Scope
from surveyor.names import canonical_domain, parse_url

HOST = "https://www.example.org"
WORDS = ["".join(random.Random(number).choices("aeioubdklmnrst", k=4 + number % 6)) for number in range(3000)]


def prose(seed: object, words: int = 60) -> str:
    return " ".join(random.Random(f"prose {seed}").choices(WORDS, k=words))


def page(title: str, links: Iterable[str | tuple[str, str]], *texts: str) -> str:
    """Links are hrefs, or hrefs with the words that people see."""
    body = "".join(f"<p>{escape(text)}</p>" for text in texts)
    pairs = [(link, "read on") if isinstance(link, str) else link for link in links]
    anchors = "".join(f'<li><a href="{escape(href)}">{escape(words)}</a></li>' for href, words in pairs)
    nav = "".join(
        f"<li>{word}</li>" for word in ("Home", "About us", "News", "Contact", "All rights reserved")
    )
    return (
        f"<!doctype html><title>{escape(title)} | Example</title><ul>{nav}</ul>"
        f"<h1>{escape(title)}</h1>{body}<ul>{anchors}</ul>"
    )


@dataclass
class Site:
    """`answer` gives the HTML of a target, or None for 404; `name` tells which real page a target is."""

    answer: Callable[[str], str | None]
    real: frozenset[str]
    name: Callable[[str], str] = lambda target: target


@dataclass
class Outcome:
    site: Site
    watch: Detector
    fetched: list[str] = field(default_factory=list)
    foreign: Counter[str | None] = field(default_factory=Counter)
    cut: Counter[str] = field(default_factory=Counter)
    soft: int = 0

    @property
    def found(self) -> float:
        names = {self.site.name(target) for target in self.fetched}
        return len(self.site.real & names) / len(self.site.real)

    @property
    def wasted(self) -> int:
        """Fetches that brought no real page, or one that was known."""
        names = {self.site.name(target) for target in self.fetched}
        return len(self.fetched) - len(self.site.real & names)

    @property
    def reasons(self) -> set[str]:
        return set(self.cut)


def crawl(site: Site, budget: int = 1_500, *, probe: bool = True, start: str = "/") -> Outcome:
    scope = Scope(canonical_domain("example.org"))
    out = Outcome(site, Detector())
    soft = NEVER
    order = itertools.count()
    queue = [(0, 0, next(order), start)]
    known = {start}
    while queue and len(out.fetched) < budget:
        rank, depth, _, target = heapq.heappop(queue)
        reason = out.watch.judge(target)
        if reason is not None:
            out.cut[reason] += 1
            continue
        facts = _read(
            site, target, scope, bool(soft.shared) or out.watch.wants_text(target) or target == start
        )
        out.fetched.append(target)
        if facts is None:
            continue
        if target == start and probe:
            answers = [_read(site, each, scope, True) for each in probe_targets("example.org")]
            soft = soft_404([each for each in answers if each is not None], facts)
        elif soft.matches(facts):
            out.soft += 1
            continue
        out.watch.learn(target, facts)
        for link in facts.foreign:
            out.foreign[out.watch.judge_foreign(parse_url(link).domain)] += 1
        for link, rank in facts.links:
            if link in known:
                continue
            known.add(link)
            reason = out.watch.judge(link, target)
            if reason is None:
                heapq.heappush(queue, (rank, depth + 1, next(order), link))
            else:
                out.cut[reason] += 1
    return out


def _read(site: Site, target: str, scope: Scope, want_text: bool) -> PageFacts | None:
    html = site.answer(target)
    if html is None:
        return None
    url = parse_url(HOST + target)
    return read_page(html, url, scope, agent_token="surveyor", want_images=True, want_text=want_text)


def plain_site(pages: int = 200, extra: Callable[[str], Sequence[str]] = lambda target: ()) -> Site:
    """A home page, ten sections, and articles in them; `extra` are links that a trap adds to each page."""
    sections = [f"/{WORDS[number]}/" for number in range(10)]
    articles = {
        f"{section}{WORDS[50 + number]}.html"
        for number in range(pages - 11)
        for section in [sections[number % 10]]
    }
    real = frozenset({"/", *sections, *articles})

    def answer(target: str) -> str | None:
        if target not in real:
            return None
        links = list(sections)
        if target.endswith("/") and target != "/":
            links += sorted(article for article in articles if article.startswith(target))
        return page(prose(target, 5), [*links, *extra(target)], prose(target))

    return Site(answer, real)
