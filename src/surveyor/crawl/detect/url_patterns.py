"""Families of targets that lead only to more of themselves and say nothing new: calendars, filters.

Size is no sign of a trap: a family of a million pages is left alone as long as its pages tell
something, or lead to some that do. A family is cut when a dozen of its pages in a row did neither,
although they had been found on such pages themselves, sideways and not on the way down into
folders. Now and then one of a cut family is let through; if it has something to say, the family is
open again.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TypeVar

from xxhash import xxh32_intdigest

from surveyor.crawl.detect.novelty import Novelty
from surveyor.crawl.detect.path_pattern import Families, families_of, is_dated
from surveyor.crawl.detect.recent import Recent
from surveyor.crawl.detect.seen import Seen
from surveyor.crawl.detect.url_aliases import TRAP_FACETS

TRAP_CALENDAR = "trap_calendar"
TRAP_FAMILY = "trap_family"

# Pages of a family before its pages are looked at more closely, which most families never reach; and
# those that count. What is on every page of a family is news on the first ones only.
_UNSUSPECTED = 6
_COUNTS = 8
# Pages in a row that decide; how many of them may have said something; how many must be offspring.
_WINDOW = 12
_MAY_BE_FERTILE = 1
_MUST_BE_OFFSPRING = 6
# A family that was looked at this often, and found fertile, is looked at only now and then.
_TRUSTED = 24
_NOW_AND_THEN = 32
# Pages looked at before a family counts as known.
_KNOWN = 3
# Cut targets after which one is let through; then after twice as many, and so on.
_FIRST_PARDON = 32
_MOST_PARDONED = 64
# Families per domain, about 500 KB; beyond, those with a single page are forgotten.
_MOST_FAMILIES = 1_000
# Families that make a wider one of interest: it is watched for traps that make up ever new families.
_MANY = 5
# Families that one family is remembered to lead to.
_MOST_ROADS = 16
# Links of barren pages whose descent is remembered; the oldest are forgotten.
_MOST_OFFSPRING = 4_000

_K = TypeVar("_K")
_V = TypeVar("_V")
_ALL_BITS = (1 << _WINDOW) - 1


@dataclass(slots=True)
class Kin:
    """What is known of one family; of the last pages that were looked at, one bit each."""

    example: str
    fetched: int = 0
    looked_at: int = 0
    news: int = 0
    fertile: int = 0
    offspring: int = 0
    roads: dict[str, int] = field(default_factory=dict)
    """Families that new links led to, with the page number of the last one."""
    members: set[str] = field(default_factory=set)
    """Of a wider family, the first few families in it."""
    reason: str | None = None
    cuts: int = 0

    def note(self, news: bool, fertile: bool, offspring: bool) -> None:
        self.looked_at += 1
        self.news = (self.news << 1 | news) & _ALL_BITS
        self.fertile = (self.fertile << 1 | fertile) & _ALL_BITS
        self.offspring = (self.offspring << 1 | offspring) & _ALL_BITS

    @property
    def is_barren(self) -> bool:
        return (
            self.looked_at >= _WINDOW
            and len(self.members) in (0, _MANY)
            and self.fertile.bit_count() <= _MAY_BE_FERTILE
            and self.offspring.bit_count() >= _MUST_BE_OFFSPRING
        )

    @property
    def is_known(self) -> bool:
        return self.looked_at >= _KNOWN

    @property
    def tells_something(self) -> bool:
        return self.is_known and self.news.bit_count() > _MAY_BE_FERTILE

    @property
    def wants_a_look(self) -> bool:
        if self.fetched < _UNSUSPECTED:
            return False
        if self.looked_at < _TRUSTED or self.reason is not None:
            return True
        return self.fertile.bit_count() < _WINDOW // 2 or self.fetched % _NOW_AND_THEN == 0


@dataclass(slots=True)
class _Glance:
    """The page that is being looked at; its links are still coming in."""

    target: str
    families: Families
    kindred: list[Kin]
    news: bool
    is_offspring: bool
    leads_on: bool = False

    def breeds(self, link: str, there: Families) -> bool:
        """Whether the link is offspring of the page: more of the same part of the site, or of a calendar.

        An archive by date has nothing to tell above its days, and the way down to them is short; so
        that way does not count, unless it starts in an endless row.
        """
        if there.part != self.families.part:
            return self.is_offspring and is_dated(self.target) and is_dated(link)
        path = self.target.partition("?")[0]
        is_below = link.startswith(path.rstrip("/") + "/") and link.partition("?")[0] != path
        return self.is_offspring or not is_below or not is_dated(link)


class UrlPatterns:
    def __init__(self) -> None:
        self.kin: dict[str, Kin] = {}
        self._novelty = Novelty()
        self._images = Recent()
        self._glance: _Glance | None = None
        self._offspring: dict[int, None] = {}
        self._pardoned: set[str] = set()
        self._anything_cut = False

    def is_curious(self, target: str) -> bool:
        """Whether the text of this page is wanted."""
        known = (self.kin.get(family) for family in families_of(target).all)
        return any(kin.wants_a_look for kin in known if kin is not None)

    def learn(self, target: str, seen: Seen) -> None:
        self._close_glance()
        families = families_of(target)
        kindred = [kin for family in families.all if (kin := self._kin(family, target)) is not None]
        if any(kin.wants_a_look for kin in kindred):
            is_offspring = self._offspring.pop(_print(target), 0) is None or families.is_combined
            news = self._is_news(target, families, seen)
            self._glance = _Glance(target, families, kindred, news, is_offspring)
        for kin in kindred:
            kin.fetched += 1
        for kin in kindred[1:]:
            if len(kin.members) < _MANY:
                kin.members.add(families.own)

    def _kin(self, family: str, target: str) -> Kin | None:
        """None if the site has more families than are followed, and this is a new one."""
        kin = self.kin.get(family)
        if kin is None:
            if len(self.kin) >= _MOST_FAMILIES:
                self.kin = {name: each for name, each in self.kin.items() if each.fetched > 1 or each.reason}
            if len(self.kin) < _MOST_FAMILIES:
                kin = self.kin[family] = Kin(target)
        return kin

    def _is_news(self, target: str, families: Families, seen: Seen) -> bool:
        numbers_count = not (families.is_combined or is_dated(target))
        text = seen.text.replace(target.partition("?")[0], "") if len(target) > 1 else seen.text
        news = self._novelty.is_new(text, numbers_count)
        return bool(self._images.add([image.url for image in seen.images])) or news

    def note_link(self, link: str, found_on: str) -> None:
        """A link that was not known before, on the page that was learned last."""
        glance = self._glance
        if glance is None or glance.target != found_on:
            return
        here, there = glance.families, families_of(link)
        if there.own != here.own:
            kin = self.kin.get(there.own)
            if kin is None or not kin.is_known:
                glance.leads_on = glance.leads_on or there.part != here.part
            elif kin.tells_something:
                glance.leads_on = True
            for each in glance.kindred:
                _remember(each.roads, there.own, each.looked_at, _MOST_ROADS)
        if glance.breeds(link, there):
            _remember(self._offspring, _print(link), None, _MOST_OFFSPRING)

    def _close_glance(self) -> None:
        """All links of the page are in: draw the conclusion."""
        glance, self._glance = self._glance, None
        if glance is None or all(kin.fetched <= _COUNTS for kin in glance.kindred):
            return
        fertile = glance.news or glance.leads_on
        for kin in glance.kindred:
            kin.note(glance.news, fertile, glance.is_offspring)
            if kin.reason is None:
                if kin.is_barren and not self._reaches_news(glance.families.own, kin):
                    self._cut(kin, glance)
            elif fertile:
                kin.reason, kin.looked_at = None, 0

    def _reaches_news(self, own: str, kin: Kin) -> bool:
        """Whether the family led lately, over any families, to one that has something to say."""
        reached, waiting = {own}, [kin]
        while waiting:
            here = waiting.pop()
            for family, page in here.roads.items():
                there = self.kin.get(family)
                if there is None or family in reached or page < here.looked_at - _WINDOW:
                    continue
                if there.tells_something:
                    return True
                reached.add(family)
                waiting.append(there)
        return False

    def _cut(self, kin: Kin, glance: _Glance) -> None:
        kin.example = glance.target
        if is_dated(glance.target):
            kin.reason = TRAP_CALENDAR
        else:
            kin.reason = TRAP_FACETS if glance.families.is_combined else TRAP_FAMILY
        self._anything_cut = True

    def judge(self, target: str) -> str | None:
        if not self._anything_cut:
            return None
        families = families_of(target)
        own = self.kin.get(families.own)
        if own is not None and own.reason is not None:
            return self._unless_pardoned(own, target)
        if own is not None and own.fertile:
            return None
        for family in families.wider:
            kin = self.kin.get(family)
            if kin is not None and kin.reason is not None:
                return self._unless_pardoned(kin, target)
        return None

    def _unless_pardoned(self, kin: Kin, target: str) -> str | None:
        if target in self._pardoned:
            return None
        kin.cuts += 1
        is_turn = kin.cuts >= _FIRST_PARDON and not kin.cuts & (kin.cuts - 1)
        if is_turn and len(self._pardoned) < _MOST_PARDONED:
            self._pardoned.add(target)
            return None
        return kin.reason


def _print(target: str) -> int:
    return xxh32_intdigest(target.encode())


def _remember(remembered: dict[_K, _V], key: _K, value: _V, most: int) -> None:
    """Put the newest last, and forget the oldest."""
    remembered.pop(key, None)
    if len(remembered) >= most:
        del remembered[next(iter(remembered))]
    remembered[key] = value
