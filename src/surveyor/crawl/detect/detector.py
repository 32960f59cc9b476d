"""Decides which targets of one domain are traps, from the pages that were fetched so far."""

from __future__ import annotations

from dataclasses import dataclass, field

from xxhash import xxh3_64_intdigest, xxh32_intdigest

from surveyor.crawl.detect.path_pattern import patterns_of, shape_reason
from surveyor.crawl.detect.recent import PageDigest
from surveyor.crawl.detect.url_aliases import UrlAliases
from surveyor.crawl.detect.url_patterns import UrlPatterns
from surveyor.crawl.pages.html import PageFacts
from surveyor.names import parent_domain
from surveyor.net.robots_meta import PageRobots

TRAP_WILDCARD = "trap_wildcard"

# Subdomains of one registrable domain that the pages of one site may report. The largest honest
# patterns, encyclopaedias by language and hosts of blogs, lose little: other sites name the rest.
MOST_SUBDOMAINS = 200
# Registrable domains that are counted; a site that links to more is a directory.
_MOST_PARENTS = 5_000


@dataclass(slots=True, eq=False)
class Subdomains:
    """Names made up below one domain: a server that answers for every subdomain can link to any number."""

    _seen: dict[str, set[str]] = field(default_factory=dict)

    def judge(self, domain: str) -> str | None:
        """The reason if this domain is one of too many below the same registrable one."""
        parent = parent_domain(domain)
        if parent == domain:
            return None
        seen = self._seen.get(parent)
        if seen is None:
            if len(self._seen) >= _MOST_PARENTS:
                return None
            seen = self._seen[parent] = set()
        if domain in seen:
            return None
        if len(seen) >= MOST_SUBDOMAINS:
            return TRAP_WILDCARD
        seen.add(domain)
        return None


TRAP_SOFT404 = "trap_soft404"

# Targets with one and the same content that make it a repeated response.
_REPEATED = 3
# Links from it that led to it again before the others are cut, and how many for each that did not.
_PROOFS = 5
_PER_COUNTER_EXAMPLE = 9
# Contents, pages and links that are remembered, about 500 KB at most; the oldest are forgotten.
_MOST_CONTENTS = 2_000
_MOST_PAGES = 2_000


@dataclass(slots=True)
class RepeatedResponse:
    count: int = 0
    led_to_itself: int = 0
    led_elsewhere: int = 0

    @property
    def is_trap(self) -> bool:
        return self.led_to_itself >= max(_PROOFS, _PER_COUNTER_EXAMPLE * self.led_elsewhere)


@dataclass(eq=False)
class SameResponses:
    """One answer for many targets: sites that answer anything with the same page, and link on from it.

    Such a page alone is no trap: a gallery may have the same few words on every page. It is one when
    what it links to is the same page again.
    """

    responses: dict[int, RepeatedResponse] = field(default_factory=dict)
    pages: dict[int, RepeatedResponse] = field(default_factory=dict)  # those with a repeated one
    _links: dict[int, RepeatedResponse] = field(default_factory=dict)

    def learn(self, target: str, content: int) -> None:
        if not content:
            return
        response = self.responses.get(content)
        if response is None:
            response = _bounded(self.responses, _MOST_CONTENTS).setdefault(content, RepeatedResponse())
        response.count += 1
        key = xxh3_64_intdigest(target.encode())
        found_on = self._links.pop(key, None) if self._links else None
        if found_on is response:
            response.led_to_itself += 1
        elif found_on is not None:
            found_on.led_elsewhere += 1
        if response.count >= _REPEATED:
            _bounded(self.pages, _MOST_PAGES)[key] = response

    def judge(self, target: str, found_on: str) -> str | None:
        response = self.pages.get(xxh3_64_intdigest(found_on.encode()))
        if response is None:
            return None
        if response.is_trap:
            return TRAP_SOFT404
        _bounded(self._links, _MOST_PAGES)[xxh3_64_intdigest(target.encode())] = response
        return None


def _bounded(remembered: dict[int, RepeatedResponse], most: int) -> dict[int, RepeatedResponse]:
    if len(remembered) >= most:
        del remembered[next(iter(remembered))]
    return remembered


CLOSED_PATTERN = "closed_pattern"

# Closed pages before the rest of their pattern is left out, and of how many left out one is asked.
_ENOUGH_CLOSED = 5
_SAMPLED = 32
# Patterns of a domain that are watched; a site with more has few closed pages of each.
_MOST_CLOSED = 1_000
_OPEN = -1
_CLOSED = PageRobots.NOINDEX | PageRobots.NOFOLLOW


@dataclass(slots=True, eq=False)
class ClosedPatterns:
    """Patterns whose pages ask neither to be kept nor to be followed, or for a log-in, are refused, or are no
    pages: histories, tools, members, the same as a table.

    Such a page gives nothing, neither content nor links, so after a few of a pattern the others are left
    out. One page that is open opens its pattern for good; now and then one of those left out is asked.
    """

    _closed: dict[str, int] = field(default_factory=dict)
    _left_out: int = 0
    _any: bool = False

    def learn(self, target: str, seen: PageFacts) -> None:
        is_closed = _CLOSED in seen.robots
        if not is_closed and not self._closed:
            return  # most sites have no such page
        pattern = patterns_of(target).own
        if is_closed:
            self._note_closed(pattern)
        else:
            self._closed[pattern] = _OPEN

    def note(self, target: str) -> None:
        """The target gave nothing, and no page of its pattern was had: as good as a closed page."""
        self._note_closed(patterns_of(target).own)

    def _note_closed(self, pattern: str) -> None:
        known = self._closed.get(pattern, 0)
        if known != _OPEN and _is_narrow(pattern) and len(self._closed) < _MOST_CLOSED:
            self._closed[pattern] = known + 1
            self._any = self._any or known + 1 >= _ENOUGH_CLOSED

    def judge(self, target: str) -> str | None:
        if not self._any or self._closed.get(patterns_of(target).own, 0) < _ENOUGH_CLOSED:
            return None
        self._left_out += 1
        return CLOSED_PATTERN if self._left_out % _SAMPLED else None


def _is_narrow(pattern: str) -> bool:
    """Whether the pattern is a part of a site; pages right below its root are of every kind."""
    return "?" in pattern or pattern.count("/") > 1


class Detector:
    """Judges links when they are found and again before they are fetched, and learns from every page."""

    __slots__ = (
        "_aliases",
        "_closed",
        "_had",
        "_noted",
        "_patterns",
        "_responses",
        "_subdomains",
        "wants_text",
    )

    def __init__(self) -> None:
        self._aliases = UrlAliases()
        self._closed = ClosedPatterns()
        self._patterns = UrlPatterns()
        self._responses = SameResponses()
        self._subdomains: Subdomains | None = None  # until a page names one
        self._noted: list[str] = []  # pages of earlier visits, until a closed one asks for their patterns
        self._had: set[str] = set()  # and these
        self.wants_text = self._patterns.wants_text  # whether `learn` will want the text of a page

    def judge(self, target: str, found_on: str | None = None) -> str | None:
        """The reason code if the target should not be fetched.

        `found_on` is given for a link that is new, after `learn` has had the page it stands on.
        """
        reason = shape_reason(target)
        if reason is not None:
            return reason
        reason = self._aliases.judge(target) or self._closed.judge(target) or self._patterns.judge(target)
        if found_on is not None and reason is None:
            self._aliases.note_link(target, found_on)
            self._patterns.note_link(target, found_on)
            if self._responses.pages:
                reason = self._responses.judge(target, found_on)
        return reason

    def judge_foreign(self, domain: str) -> str | None:
        """The reason code if another domain should not be reported."""
        self._subdomains = self._subdomains or Subdomains()
        return self._subdomains.judge(domain)

    def honest(self, urls: list[str], parent: str) -> list[str]:
        """URLs of other domains, without those that a server makes up below its own registrable name."""
        below = f".{parent}"
        return [url for url in urls if below not in url or not self.judge_foreign(_host(url))]

    def learn(self, target: str, seen: PageFacts) -> None:
        """Take note of a page that was fetched; its links are judged after that."""
        content = seen.text_hash  # the same for pages that show the same; 0 if a page shows nothing
        if seen.images:
            content = xxh3_64_intdigest("\n".join(image.url for image in seen.images).encode(), content)
        title = xxh32_intdigest(seen.title.encode("utf-8", "replace")) & 0xFFFF
        digest = PageDigest(content & 0xFFFFFFFF, title, min(seen.text_chars, 0xFFFF))
        self._aliases.learn(target, digest, seen.links)
        self._responses.learn(target, content)
        self._patterns.learn(target, seen)
        self._closed.learn(target, seen)

    def note_closed(self, target: str) -> None:
        """The target led to a log-in, was refused or is no page; it is alone where pages like it were had."""
        self._had.update(patterns_of(one).own for one in self._noted)
        self._noted.clear()
        own = patterns_of(target).own
        if own not in self._patterns.stats and own not in self._had:
            self._closed.note(target)

    def note(self, target: str) -> None:
        """A page that an earlier visit fetched, so that it is not fetched again under another name."""
        self._aliases.note(target)
        self._noted.append(target)


def _host(url: str) -> str:
    return url.split("/", 3)[2]
