"""Whether a page keeps its browser so busy that others in it would wait, and which one. Linux only."""

from __future__ import annotations

import time
from enum import Enum
from typing import Final, NamedTuple

from surveyor.render import memory

# A page computes if it takes so much of a core from one look to the next; after so many seconds of CPU
# without a pause it is called busy. Most pages need less than half of it.
_COMPUTES: Final = 0.5
_PAGE: Final = 0.5
# Part of a core below which a page cannot be the one that floods its browser.
_QUIET: Final = 0.1
# What the browser itself may need, which serves all pages: part of a core, and seconds for each page that was
# opened meanwhile.
_OTHERS: Final = 0.5
_OPENING: Final = 0.15
# Seconds in which a browser has enough to do with its own start.
_START: Final = 3.0
# Seconds between two looks. One that finds a flood is enough to part the pages: a large page that only began
# with many requests is shown again by itself, and loses nothing. So many in a row are no beginning any more.
_EVERY: Final = 0.3
_ENDLESS: Final = 10
# Looks until the next page is suspected: what the last one has sent is still on its way.
_AFTERMATH: Final = 4
# Threads of a page's process: a page without workers has some fifteen.
_MOST_THREADS: Final = 50


class Load(Enum):
    CALM = "calm"  # nobody waits for another
    FLOODED = "flooded"  # a page floods what serves all of them: it goes elsewhere
    DROWNED = "drowned"  # that does not stop: the browser is ended


class Look(NamedTuple):
    load: Load
    suspect: int | None = None  # the process of the page that computed most since the last look


class CpuWatch:
    """Of one browser. Pages that compute stand behind the others in it; if `alone`, the browser does."""

    def __init__(self, group: int, *, alone: bool) -> None:
        self._group, self._alone = group, alone
        self._looked = self._began = time.monotonic()
        self._opened = 0
        self._pages: dict[int, float] = {}
        self._others: dict[int, float] | None = None
        self._burned: dict[int, float] = {}  # seconds of CPU without a pause
        self._last: set[int] = set()
        self._floods = 0  # looks in a row
        self._network: set[int] = set()
        self.losses = 0  # parts that all pages need, that somebody killed and that it has made anew
        self.busiest: int | None = None  # the process of the page that computed most, whatever it was

    def look(self, opened: int) -> Look:
        """How it is, with so many pages opened so far. For a thread."""
        took = time.monotonic() - self._looked
        if took < _EVERY:
            return Look(Load.CALM)
        known, self._network = self._network, memory.network_of(self._group)
        self.losses += len(known - self._network)
        pages, others = memory.spent(self._group)
        used = {each: now - self._pages.get(each, 0.0) for each, now in pages.items()}
        self.busiest = max(used, key=lambda each: used[each], default=None)
        before, most = self._others or others, _OTHERS * took + _OPENING * (opened - self._opened)
        self._pages, self._others, self._looked, self._opened = pages, others, time.monotonic(), opened
        self._put_in_order(used, took)
        crowded = {each: used[each] for each in pages if memory.threads(each) > _MOST_THREADS}
        over = any(now - before.get(each, now) > most for each, now in others.items())
        over = bool(crowded) or (over and self._looked - self._began > _START)
        self._floods = self._floods + 1 if over else 0
        if self._alone and (self._floods or self._last):
            memory.put_last(self._group)
        if not self._floods:
            return Look(Load.CALM)
        if self._floods >= _ENDLESS:
            return Look(Load.DROWNED)
        if self._floods % _AFTERMATH != 1:
            return Look(Load.FLOODED)
        suspects = crowded or {each: spent for each, spent in used.items() if spent > _QUIET * took}
        return Look(Load.FLOODED, max(suspects, key=lambda each: suspects[each], default=None))

    def _put_in_order(self, used: dict[int, float], took: float) -> None:
        """Pages that are busy last; one that is calm again is as the others: the next page may be in it."""
        for page, spent in used.items():
            computes = spent > _COMPUTES * took
            self._burned[page] = self._burned.get(page, 0.0) + spent if computes else 0.0
        busy = {page for page in used if self._burned[page] >= _PAGE}
        for page in busy:  # each time: it may have started threads
            memory.put_process_last(page)
        for page in {each for each in self._last & used.keys() if not self._burned[each]}:
            memory.put_process_back(page)
            self._last.discard(page)
        self._last = (self._last | busy) & used.keys()
        self._burned = {page: self._burned[page] for page in used}
