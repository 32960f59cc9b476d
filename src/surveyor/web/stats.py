"""Figures that cost too much for every request: made in the background, and said with their time."""

from __future__ import annotations

import asyncio
import time
from dataclasses import dataclass
from datetime import UTC, datetime

from surveyor import logs
from surveyor.crawl import stats
from surveyor.crawl.stats import Lately
from surveyor.db import Database
from surveyor.errors import SurveyorError
from surveyor.extract import queries as extract_look
from surveyor.extract import stats as extract_stats
from surveyor.extract.stats import FoundDay
from surveyor.registry.facets import Facets, facets

# A small register is counted twice a minute. A large one takes seconds to count, beside the pages that
# people ask for: that is done for a small part of the time.
_AGE_SECONDS, _TIMES_AS_LONG = 30.0, 30.0
# A small register is counted at once; nobody waits longer than this for a large one.
_PATIENCE_SECONDS = 0.05
# After a piece of counting that took longer than a moment, pages go first for twice as long.
_MOMENT_SECONDS, _REST = 0.005, 2.0
_log = logs.get("web")


@dataclass(frozen=True, slots=True)
class Counted:
    facets: Facets
    lately: Lately
    found: list[FoundDay]  # records by day
    quarantined: int  # pages that could not be read, counted up to a bound
    as_of: datetime

    @property
    def stages(self) -> dict[str, int]:
        return self.facets.stage

    @property
    def kinds(self) -> dict[str, int]:
        """By quality."""
        return self.facets.quality


class _Pace:
    """Counts what was worked, and rests in between; not while there are no figures at all."""

    def __init__(self, rests: bool) -> None:
        self.worked, self._rests = 0.0, rests
        self._since = time.monotonic()

    async def rest(self) -> None:
        took = time.monotonic() - self._since
        self.worked += took
        if self._rests and took > _MOMENT_SECONDS:
            await asyncio.sleep(_REST * took)
        self._since = time.monotonic()


class CachedStats:
    """One per process. Whoever asks gets what is there, and sets new counting off when it is old."""

    def __init__(self, db: Database) -> None:
        self._db = db
        self._counted: Counted | None = None
        self._old_from = 0.0
        self._making: asyncio.Task[None] | None = None

    async def get(self) -> Counted | None:
        """The latest figures; None while the first ones are being made."""
        if self._is_old() and (self._making is None or self._making.done()):
            self._making = asyncio.create_task(self._make())
        if self._making is not None and self._counted is None:
            await asyncio.wait([self._making], timeout=_PATIENCE_SECONDS)
        return self._counted

    def _is_old(self) -> bool:
        return self._counted is None or time.monotonic() > self._old_from

    async def _make(self) -> None:
        pace = _Pace(self._counted is not None)
        try:
            lately = await stats.lately(self._db)
            await pace.rest()
            found = await extract_stats.per_day(self._db)
            await pace.rest()
            quarantined = await extract_look.count_quarantined(self._db)
            counted = await facets(self._db, pace.rest)
            self._counted = Counted(counted, lately, found, quarantined, datetime.now(UTC))
            self._old_from = time.monotonic() + max(_AGE_SECONDS, _TIMES_AS_LONG * pace.worked)
        except SurveyorError as error:
            _log.warning("statistics not updated", error=str(error))

    async def close(self) -> None:
        if self._making is not None:
            self._making.cancel()
            await asyncio.gather(self._making, return_exceptions=True)
