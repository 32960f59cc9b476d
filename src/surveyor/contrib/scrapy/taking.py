"""Which domains a Scrapy process takes next: what the spider names, what others let go, what is due."""

from __future__ import annotations

import logging
from collections.abc import Container

from surveyor.contrib.scrapy.leases import Leases
from surveyor.contrib.scrapy.waits import Waits
from surveyor.crawl.claims import Claimed
from surveyor.db import Database
from surveyor.registry.store.release import Outcome

log = logging.getLogger("surveyor.scrapy")


class Taking:
    """Of one process. `wanted` are the numbers of domains that are to be taken."""

    def __init__(self, db: Database, leases: Leases, *, what_is_due: bool) -> None:
        self._leases, self._what_is_due = leases, what_is_due
        self._waits = Waits(db)
        self.wanted: list[int] = []
        self._short: dict[int, str] = {}  # what stopped domains that would have more of the run
        self._has_warned_of_known = False
        self._had_any = False

    @property
    def is_waiting(self) -> bool:
        return bool(self.wanted or self._waits)

    async def next(self, held: Container[int], mine: int) -> list[Claimed]:
        """What may be had now, beside the `mine` that are held."""
        if self._what_is_due:
            self.wanted = []
            due = await self._leases.due(mine)
            self._had_any = self._had_any or bool(due)
            return due
        self.wanted += await self._waits.freed()
        numbers = {no for no in self.wanted if no not in held}
        claimed = await self._leases.named(sorted(numbers)) if numbers else []
        await self._waits.note(numbers - {one.lease.no for one in claimed})
        self.wanted = []
        for no in numbers:
            self._short.pop(no, None)
        for one in claimed:
            self._note_known(one)
        return claimed

    def ended(self, no: int, outcome: Outcome) -> None:
        if outcome.stopped_by in ("budget_pages", "budget_run"):
            self._short[no] = outcome.stopped_by

    async def goes_on(self) -> bool:
        """Nothing is held: whether there is another round, or something due."""
        if self._what_is_due:
            is_over = await self._leases.claims.why_over() is not None
            if is_over and not self._had_any:
                log.info("nothing is due now; `surveyor why DOMAIN` says when a domain will be")
            return not is_over
        if not self._short or not await self._leases.has_more_pages():
            return False
        # Pages came back to the run: first to those that have not had their share of it.
        again = [no for no, why in self._short.items() if why == "budget_run"]
        if not again and await self._leases.next_round():
            again = list(self._short)
        self.wanted += again
        return bool(again)

    def _note_known(self, one: Claimed) -> None:
        """Said once: a spider that ran without the register crawled everything every time."""
        domain = one.lease.domain
        if domain.pages_crawled and not self._has_warned_of_known:
            self._has_warned_of_known = True
            log.info(
                "%s was crawled before (%d pages): what is known is not asked for again, but for start URLs;"
                " `surveyor recrawl DOMAIN` has all of it asked for",
                *(domain.domain, domain.pages_crawled),
            )
