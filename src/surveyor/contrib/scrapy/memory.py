"""Requests that wait in this process alone: retries, forms, and what a spider wants made in any case."""

from __future__ import annotations

import heapq

from scrapy import Request


class MemoryQueue:
    """The highest priority first, then in their order."""

    def __init__(self) -> None:
        self._heap: list[tuple[int, int, Request]] = []
        self._order = 0

    def __len__(self) -> int:
        return len(self._heap)

    def push(self, request: Request) -> None:
        self._order += 1
        heapq.heappush(self._heap, (-request.priority, self._order, request))

    def pop(self) -> Request:
        return heapq.heappop(self._heap)[2]
