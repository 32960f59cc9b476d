"""Whether a page keeps its browser so busy that others in it would wait, and which one. Linux only."""

from __future__ import annotations

import time
from enum import Enum
from typing import Final, NamedTuple

from surveyor.render import memory

# Seconds of CPU after which a page is called busy; most pages need less than half of it.
_PAGE: Final = 0.5
# What the browser itself and its driver may need, which serve all pages: part of a core, and seconds for each
# page that was opened meanwhile.
_OTHERS: Final = 0.25
_OPENING: Final = 0.15
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
    suspect: int | None = None  # the process of the page that computed most since it began


class Busy:
    """Of one browser. Pages that compute stand behind the others in it; if `alone`, the browser does."""

    def __init__(self, tree: memory.Tree, *, alone: bool) -> None:
        self._tree, self._alone = tree, alone
        self._looked, self._opened = time.monotonic(), 0
        self._before: dict[int, float] | None = None
        self._floods = 0  # looks in a row

    def look(self, opened: int) -> Look:
        """How it is, with so many pages opened so far. For a thread."""
        took = time.monotonic() - self._looked
        if took < _EVERY:
            return Look(Load.CALM)
        pages, others = memory.spent(self._tree)
        most = _OTHERS * took + _OPENING * (opened - self._opened)
        known = self._before or others
        self._before, self._looked, self._opened = others, time.monotonic(), opened
        crowded = {each: pages[each] for each in pages if memory.threads(each) > _MOST_THREADS}
        over = bool(crowded) or any(used - known.get(each, used) > most for each, used in others.items())
        self._floods = self._floods + 1 if over else 0
        computing = [each for each, used in pages.items() if used >= _PAGE]
        if self._alone and (self._floods or computing):
            memory.put_last(self._tree)
        for page in computing:
            memory.put_process_last(page)
        if not self._floods:
            return Look(Load.CALM)
        if self._floods >= _ENDLESS:
            return Look(Load.DROWNED)
        if self._floods % _AFTERMATH != 1:
            return Look(Load.FLOODED)
        return Look(Load.FLOODED, max(crowded or pages, key=lambda each: pages[each], default=None))
