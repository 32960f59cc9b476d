"""One visit's side of the group commit: what it has to say collects here, and the answers wait here.

The committer knows nothing else of a visit, and never calls it: it takes the outbox, and puts back what
was committed with the URLs that came for it. The visit picks that up when it needs a URL.
"""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from typing import NamedTuple

from surveyor.backoff import Alarm
from surveyor.crawl.outbox import Outbox
from surveyor.frontier.changes import Taken
from surveyor.frontier.revisits import Habits


class Delivery(NamedTuple):
    """An outbox that is committed now."""

    box: Outbox
    taken: Sequence[Taken]  # URLs for what it wanted
    granted: int  # pages that the run had left for it


class Member:
    """One domain under one epoch, in the groups of its worker."""

    def __init__(self, no: int, epoch: int, habits: Habits, *, is_pending: bool) -> None:
        self.no, self.epoch = no, epoch
        self.habits = habits  # asked for only where there is a schedule
        self.is_pending = is_pending  # until its first page is stored, not just fetched
        self.is_lost = False
        self.outbox = Outbox()
        self.is_to_end = Alarm()
        self.delivered = asyncio.Event()
        self._deliveries: list[Delivery] = []

    def take_outbox(self) -> Outbox | None:
        if self.outbox.is_empty:
            return None
        box, self.outbox = self.outbox, Outbox()
        return box

    def deliver(self, delivery: Delivery) -> None:
        self.is_pending = self.is_pending and not delivery.box.has_begun
        self._deliveries.append(delivery)
        self.delivered.set()

    def lose(self) -> None:
        """The lease is gone, or nobody can say: nothing more is asked for or written."""
        self.is_lost = True
        self.is_to_end.set()
        self.delivered.set()

    def receive(self) -> list[Delivery]:
        """What was committed since the last time."""
        found, self._deliveries = self._deliveries, []
        if not self.is_lost:
            self.delivered.clear()
        return found
