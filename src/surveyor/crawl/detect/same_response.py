"""One answer for many targets: sites that answer anything with the same page, and link on from it.

Such a page alone is no trap: a gallery may have the same few words on every page. It is one when
what it links to is the same page again.
"""

from __future__ import annotations

from dataclasses import dataclass

from xxhash import xxh3_64_intdigest

TRAP_SOFT404 = "trap_soft404"

# Targets with one and the same content that make it an response.
_REPEATED = 3
# Links from an response that led to it again before the others are cut, and how many for each that did not.
_PROOFS = 5
_PER_COUNTER_EXAMPLE = 9
# Contents, pages and links that are remembered, about 500 KB at most; the oldest are forgotten.
_MOST_CONTENTS = 2_000
_MOST_PAGES = 2_000


@dataclass(slots=True)
class RepeatedResponse:
    example: str
    count: int = 0
    led_to_itself: int = 0
    led_elsewhere: int = 0
    cuts: int = 0

    @property
    def is_trap(self) -> bool:
        return self.led_to_itself >= max(_PROOFS, _PER_COUNTER_EXAMPLE * self.led_elsewhere)


class SameResponses:
    def __init__(self) -> None:
        self.responses: dict[int, RepeatedResponse] = {}
        self._pages: dict[int, RepeatedResponse] = {}
        self._links: dict[int, RepeatedResponse] = {}

    def learn(self, target: str, content: int) -> None:
        if not content:
            return
        response = self.responses.get(content)
        if response is None:
            response = _bounded(self.responses, _MOST_CONTENTS).setdefault(content, RepeatedResponse(target))
        response.count += 1
        key = xxh3_64_intdigest(target.encode())
        found_on = self._links.pop(key, None) if self._links else None
        if found_on is response:
            response.led_to_itself += 1
        elif found_on is not None:
            found_on.led_elsewhere += 1
        if response.count >= _REPEATED:
            _bounded(self._pages, _MOST_PAGES)[key] = response

    def judge(self, target: str, found_on: str) -> str | None:
        if not self._pages:
            return None
        response = self._pages.get(xxh3_64_intdigest(found_on.encode()))
        if response is None:
            return None
        if response.is_trap:
            response.cuts += 1
            return TRAP_SOFT404
        _bounded(self._links, _MOST_PAGES)[xxh3_64_intdigest(target.encode())] = response
        return None


def _bounded(remembered: dict[int, RepeatedResponse], most: int) -> dict[int, RepeatedResponse]:
    if len(remembered) >= most:
        del remembered[next(iter(remembered))]
    return remembered
