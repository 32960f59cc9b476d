"""Which targets of one domain are traps, by what the site did so far."""

from __future__ import annotations

from typing import NamedTuple

from xxhash import xxh3_64_intdigest, xxh32_intdigest

from surveyor.crawl.detect.recent import PageDigest
from surveyor.crawl.detect.same_response import TRAP_SOFT404, SameResponses
from surveyor.crawl.detect.seen import Seen
from surveyor.crawl.detect.shape import shape_reason
from surveyor.crawl.detect.url_aliases import UrlAliases
from surveyor.crawl.detect.url_patterns import UrlPatterns
from surveyor.crawl.detect.wildcard import TRAP_WILDCARD, Subdomains


class Trap(NamedTuple):
    """A trap as people are shown it."""

    reason: str
    what: str
    """The pattern of targets, or the kind of alias."""
    cuts: int
    """How often a link or a waiting URL was cut for it."""
    example: str


class Detector:
    """Judges links when they are found and again before they are fetched, and learns from every page."""

    __slots__ = ("_aliases", "_patterns", "_responses", "_shapes", "_subdomains")

    def __init__(self) -> None:
        self._aliases = UrlAliases()
        self._patterns = UrlPatterns()
        self._responses = SameResponses()
        self._subdomains = Subdomains()
        self._shapes: dict[str, tuple[int, str]] = {}

    def judge(self, target: str, found_on: str | None = None) -> str | None:
        """The reason code if the target should not be fetched.

        `found_on` is given for a link that is new, after `learn` has had the page it stands on.
        """
        reason = shape_reason(target)
        if reason is not None:
            cuts, example = self._shapes.get(reason, (0, target))
            self._shapes[reason] = (cuts + 1, example)
            return reason
        reason = self._aliases.judge(target) or self._patterns.judge(target)
        if found_on is not None and reason is None:
            self._patterns.note_link(target, found_on)
            reason = self._responses.judge(target, found_on)
        return reason

    def judge_foreign(self, domain: str) -> str | None:
        """The reason code if another domain should not be reported."""
        return self._subdomains.judge(domain)

    def honest(self, urls: list[str], parent: str) -> list[str]:
        """URLs of other domains, without those that a server makes up below its own registrable name."""
        below = f".{parent}"
        return [url for url in urls if below not in url or not self.judge_foreign(_host(url))]

    def wants_text(self, target: str) -> bool:
        """Whether `learn` will want the text of this page."""
        return self._patterns.wants_text(target)

    def learn(self, target: str, seen: Seen) -> None:
        """Take note of a page that was fetched; its links are judged after that."""
        content = seen.text_hash  # the same for pages that show the same; 0 if a page shows nothing
        if seen.images:
            content = xxh3_64_intdigest("\n".join(image.url for image in seen.images).encode(), content)
        title = xxh32_intdigest(seen.title.encode("utf-8", "replace")) & 0xFFFF
        digest = PageDigest(content & 0xFFFFFFFF, title, min(seen.text_chars, 0xFFFF))
        self._aliases.learn(target, digest, seen.links)
        self._responses.learn(target, content)
        self._patterns.learn(target, seen)

    def note(self, target: str) -> None:
        """A page that an earlier visit fetched, so that it is not fetched again under another name."""
        self._aliases.note(target)

    def traps(self) -> list[Trap]:
        """What was cut so far, most frequent first."""
        found = [
            Trap(reason, "the target itself", *seen_shape) for reason, seen_shape in self._shapes.items()
        ]
        found += [
            Trap(each.reason, kind, each.cuts, each.example)
            for kind, each in self._aliases.evidence.items()
            if each.proven
        ]
        found += [
            Trap(each.reason, pattern, each.cuts, each.example)
            for pattern, each in self._patterns.stats.items()
            if each.reason is not None
        ]
        found += [
            Trap(TRAP_SOFT404, "one answer for many targets", each.cuts, each.example)
            for each in self._responses.responses.values()
            if each.is_trap
        ]
        found += [
            Trap(TRAP_WILDCARD, f"*.{parent}", cuts, parent) for parent, cuts in self._subdomains.cuts.items()
        ]
        return sorted((trap for trap in found if trap.cuts), key=lambda trap: -trap.cuts)


def _host(url: str) -> str:
    return url.split("/", 3)[2]
