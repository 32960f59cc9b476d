"""Whether a page keeps its browser so busy that others in it would wait. Linux only."""

from __future__ import annotations

import time
from enum import Enum
from typing import Final

from surveyor.render import memory

# Seconds of CPU after which a page is called busy; what most pages need is a tenth of it.
_PAGE: Final = 1.5
# What the browser itself and its driver may need, which serve all pages: part of a core, and seconds for each
# page that was opened meanwhile.
_OTHERS: Final = 0.25
_OPENING: Final = 0.15
# Seconds between two looks. One that finds a flood is enough to part the pages: a large page that only began
# with many requests is shown again by itself, and loses nothing. So many in a row are no beginning any more.
_EVERY: Final = 0.5
_ENDLESS: Final = 6


class Load(Enum):
    CALM = "calm"  # nobody waits for another
    BUSY = "busy"  # a page computes: it stands behind the others, and those that follow go elsewhere
    FLOODED = "flooded"  # a page floods what serves all of them: those that are open go elsewhere, too
    DROWNED = "drowned"  # it does not stop: the browser is ended, though nobody else is there


class Busy:
    """Of one browser."""

    def __init__(self, tree: memory.Tree) -> None:
        self._tree, self._looked, self._opened = tree, time.monotonic(), 0
        self._before: dict[int, float] | None = None
        self._floods = 0  # looks in a row

    def look(self, opened: int) -> Load:
        """How it is, with so many pages opened so far. One that is not calm stands behind every other browser
        from now on. For a thread."""
        took = time.monotonic() - self._looked
        if took < _EVERY:
            return Load.CALM
        pages, others = memory.spent(self._tree)
        most = _OTHERS * took + _OPENING * (opened - self._opened)
        known = self._before or others
        self._before, self._looked, self._opened = others, time.monotonic(), opened
        over = any(used - known.get(each, used) > most for each, used in others.items())
        self._floods = self._floods + 1 if over else 0
        if not self._floods and all(used < _PAGE for used in pages.values()):
            return Load.CALM
        memory.put_last(self._tree)
        if self._floods >= _ENDLESS:
            return Load.DROWNED
        return Load.FLOODED if self._floods else Load.BUSY
