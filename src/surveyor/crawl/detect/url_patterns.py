"""URL patterns whose pages only link to each other and have nothing new: calendars, filters.

Size is no sign of a trap: a pattern of a million pages is crawled as long as its pages have new
content, or lead to some that have. A pattern is cut when a dozen of its pages in a row did neither,
although they had been found on such pages themselves, and not on the way down into folders. Now and then a
page of a cut pattern is fetched all the same; if it has new content, the pattern is open again.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TypeVar

from xxhash import xxh32_intdigest

from surveyor.crawl.detect.path_pattern import Patterns, is_dated, patterns_of, without_year
from surveyor.crawl.detect.recent import Novelty, Recent
from surveyor.crawl.detect.url_aliases import TRAP_FACETS
from surveyor.crawl.pages.html import PageFacts

TRAP_CALENDAR = "trap_calendar"
TRAP_PATTERN = "trap_pattern"

# Pages of a pattern before its pages are looked at more closely, which most patterns never reach; and
# those that count. What is on every page of a pattern is news on the first ones only.
_UNSUSPECTED = 6
_COUNTS = 8
# Pages in a row that decide; how many of them may have said something; how many must be descendants.
_WINDOW = 12
_MAY_BE_PRODUCTIVE = 1
_MUST_BE_DESCENDANTS = 6
# A pattern that was looked at this often, and found productive, is looked at only now and then.
_TRUSTED = 24
_NOW_AND_THEN = 32
# Pages looked at before a pattern counts as known.
_KNOWN = 3
# Cut targets after which one is let through; then after twice as many, and so on.
_FIRST_SAMPLE = 32
_MOST_SAMPLED = 64
# Patterns per domain, about 500 KB; beyond, those with a single page are forgotten.
_MOST_PATTERNS = 1_000
# Patterns that make a wider one of interest: it is watched for traps that make up ever new patterns.
_MANY = 5
# Patterns that one pattern is remembered to lead to.
_MOST_LEADS = 16
# Links of unproductive pages whose descent is remembered; the oldest are forgotten.
_MOST_DESCENDANTS = 4_000

_K = TypeVar("_K")
_V = TypeVar("_V")
_ALL_BITS = (1 << _WINDOW) - 1


@dataclass(slots=True)
class PatternStats:
    """What is known of one pattern; of the last pages that were looked at, one bit each."""

    fetched: int = 0
    inspected: int = 0
    news: int = 0
    productive: int = 0
    descendants: int = 0
    leads_to: dict[str, int] = field(default_factory=dict)
    """Patterns that new links led to, with the page number of the last one."""
    members: set[str] = field(default_factory=set)
    """Of a wider pattern, the first few patterns in it."""
    reason: str | None = None
    cuts: int = 0

    def note(self, news: bool, productive: bool, is_descendant: bool) -> None:
        self.inspected += 1
        self.news = (self.news << 1 | news) & _ALL_BITS
        self.productive = (self.productive << 1 | productive) & _ALL_BITS
        self.descendants = (self.descendants << 1 | is_descendant) & _ALL_BITS

    @property
    def is_unproductive(self) -> bool:
        return (
            self.inspected >= _WINDOW
            and len(self.members) in (0, _MANY)
            and self.productive.bit_count() <= _MAY_BE_PRODUCTIVE
            and self.descendants.bit_count() >= _MUST_BE_DESCENDANTS
        )

    @property
    def is_known(self) -> bool:
        return self.inspected >= _KNOWN

    @property
    def has_news(self) -> bool:
        return self.is_known and self.news.bit_count() > _MAY_BE_PRODUCTIVE

    @property
    def wants_inspection(self) -> bool:
        if self.fetched < _UNSUSPECTED:
            return False
        if self.inspected < _TRUSTED or self.reason is not None:
            return True
        return self.productive.bit_count() < _WINDOW // 2 or self.fetched % _NOW_AND_THEN == 0


@dataclass(slots=True)
class _Inspection:
    """The page that is being looked at; its links are still coming in."""

    target: str
    patterns: Patterns
    followed: list[PatternStats]
    news: bool
    is_descendant: bool
    leads_on: bool = False

    def leaves_descendant(self, link: str, there: Patterns) -> bool:
        """Whether the link descends from the page: more of the same part of the site, or of a calendar.

        An archive by date has nothing to tell above its days, and the way down to them is short; so
        that way does not count, unless it starts in an endless row.
        """
        if there.part != self.patterns.part:
            return self.is_descendant and is_dated(self.target) and is_dated(link)
        path = self.target.partition("?")[0]
        is_below = link.startswith(path.rstrip("/") + "/") and link.partition("?")[0] != path
        return self.is_descendant or not is_below or not is_dated(link)


@dataclass(eq=False)
class UrlPatterns:
    stats: dict[str, PatternStats] = field(default_factory=dict)
    _novelty: Novelty | None = None  # until a page is looked at closely
    _images: Recent | None = None
    _inspection: _Inspection | None = None
    _descendants: dict[int, None] = field(default_factory=dict)
    _sampled: set[str] = field(default_factory=set)
    _anything_cut: bool = False

    def wants_text(self, target: str) -> bool:
        """Whether the text of this page is wanted."""
        known = (self.stats.get(pattern) for pattern in patterns_of(target).all)
        return any(stats.wants_inspection for stats in known if stats is not None)

    def learn(self, target: str, seen: PageFacts) -> None:
        self._close_inspection()
        patterns = patterns_of(target)
        followed = [stats for pattern in patterns.all if (stats := self._stats_of(pattern)) is not None]
        if any(stats.wants_inspection for stats in followed):
            is_descendant = self._descendants.pop(_print(target), 0) is None or patterns.is_combined
            news = self._is_news(target, patterns, seen)
            self._inspection = _Inspection(target, patterns, followed, news, is_descendant)
        for stats in followed:
            stats.fetched += 1
        for stats in followed[1:]:
            if len(stats.members) < _MANY:
                stats.members.add(patterns.own)

    def _stats_of(self, pattern: str) -> PatternStats | None:
        """None if the site has more patterns than are followed, and this is a new one."""
        stats = self.stats.get(pattern)
        if stats is None:
            if len(self.stats) >= _MOST_PATTERNS:
                self.stats = {
                    name: each for name, each in self.stats.items() if each.fetched > 1 or each.reason
                }
            if len(self.stats) < _MOST_PATTERNS:
                stats = self.stats[pattern] = PatternStats()
        return stats

    def _is_news(self, target: str, patterns: Patterns, seen: PageFacts) -> bool:
        numbers_count = not (patterns.is_combined or is_dated(target))
        text = seen.text.replace(target.partition("?")[0], "") if len(target) > 1 else seen.text
        self._novelty = self._novelty or Novelty()
        news = self._novelty.is_new(text, numbers_count)
        if not seen.images:
            return news
        self._images = self._images or Recent()
        return bool(self._images.add([image.url for image in seen.images])) or news

    def note_link(self, link: str, found_on: str) -> None:
        """A link that was not known before, on the page that was learned last."""
        inspection = self._inspection
        if inspection is None or inspection.target != found_on:
            return
        here, there = inspection.patterns, patterns_of(link)
        if there.own != here.own:
            stats = self.stats.get(there.own)
            if stats is None or not stats.is_known:
                inspection.leads_on = inspection.leads_on or there.part != here.part
            elif stats.has_news:
                inspection.leads_on = True
            for each in inspection.followed:
                _remember(each.leads_to, there.own, each.inspected, _MOST_LEADS)
        if inspection.leaves_descendant(link, there):
            _remember(self._descendants, _print(link), None, _MOST_DESCENDANTS)

    def _close_inspection(self) -> None:
        """All links of the page are in: draw the conclusion."""
        inspection, self._inspection = self._inspection, None
        if inspection is None or all(stats.fetched <= _COUNTS for stats in inspection.followed):
            return
        productive = inspection.news or inspection.leads_on
        for stats in inspection.followed:
            stats.note(inspection.news, productive, inspection.is_descendant)
            if stats.reason is None:
                if stats.is_unproductive and not self._reaches_news(inspection.patterns.own, stats):
                    self._cut(stats, inspection)
            elif productive:
                stats.reason, stats.inspected = None, 0

    def _reaches_news(self, own: str, stats: PatternStats) -> bool:
        """Whether the pattern led lately, over any patterns, to one that has something to say."""
        reached, waiting = {own}, [stats]
        while waiting:
            here = waiting.pop()
            for pattern, page in here.leads_to.items():
                there = self.stats.get(pattern)
                if there is None or pattern in reached or page < here.inspected - _WINDOW:
                    continue
                if there.has_news:
                    return True
                reached.add(pattern)
                waiting.append(there)
        return False

    def _cut(self, stats: PatternStats, inspection: _Inspection) -> None:
        is_combined = inspection.patterns.is_combined
        # Among several parameters a year alone is a filter like others.
        if is_dated(without_year(inspection.target) if is_combined else inspection.target):
            stats.reason = TRAP_CALENDAR
        else:
            stats.reason = TRAP_FACETS if is_combined else TRAP_PATTERN
        self._anything_cut = True

    def judge(self, target: str) -> str | None:
        if not self._anything_cut:
            return None
        patterns = patterns_of(target)
        own = self.stats.get(patterns.own)
        if own is not None and own.reason is not None:
            return self._unless_sampled(own, target)
        if own is not None and own.productive:
            return None
        for pattern in patterns.wider:
            stats = self.stats.get(pattern)
            if stats is not None and stats.reason is not None:
                return self._unless_sampled(stats, target)
        return None

    def _unless_sampled(self, stats: PatternStats, target: str) -> str | None:
        if target in self._sampled:
            return None
        stats.cuts += 1
        is_turn = stats.cuts >= _FIRST_SAMPLE and not stats.cuts & (stats.cuts - 1)
        if is_turn and len(self._sampled) < _MOST_SAMPLED:
            self._sampled.add(target)
            return None
        return stats.reason


def _print(target: str) -> int:
    return xxh32_intdigest(target.encode())


def _remember(remembered: dict[_K, _V], key: _K, value: _V, most: int) -> None:
    """Put the newest last, and forget the oldest."""
    remembered.pop(key, None)
    if len(remembered) >= most:
        del remembered[next(iter(remembered))]
    remembered[key] = value
