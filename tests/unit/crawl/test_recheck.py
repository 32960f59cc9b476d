"""Which page is asked for before a domain is blocked."""

from __future__ import annotations

from collections.abc import Sequence
from types import SimpleNamespace
from typing import Any

import pytest

from surveyor.crawl.recheck import Recheck
from surveyor.crawl.results import START
from surveyor.crawl.session import Stopped
from surveyor.errors import NetError
from surveyor.net.reasons import Reason
from surveyor.registry.cooldowns import Obstacle


class _Session:
    """A site of which robots.txt forbids some pages, and every page answers."""

    def __init__(self, *forbidden: str) -> None:
        self.asked: list[str] = []
        self.error: NetError | None = None
        self.site: Any = SimpleNamespace(robots=SimpleNamespace(allows=lambda one: one not in forbidden))
        self.outbox: Any = SimpleNamespace(extra_bytes=0)
        self.outcomes: Any = SimpleNamespace(successes=0, unreachable=lambda error: error.code)
        self.failures: Any = SimpleNamespace(relax=lambda: None)
        self.pace: Any = SimpleNamespace(trust=lambda: None)

    async def turn(self) -> None: ...

    async def fetch(self, taken: Any) -> Any:
        self.asked.append(taken.target)
        if self.error is not None:
            raise self.error
        return SimpleNamespace(status=200, location=None, wire_bytes=10, body=b"hello", headers={})


async def _asked(
    session: Any, given: Sequence[str], obstacle: Obstacle = Obstacle.FORBIDDEN, *, had_start: bool = True
) -> bool:
    recheck = Recheck(session)
    recheck.begin(given, had_start=had_start)
    return await recheck.still_answers(obstacle)


@pytest.mark.parametrize(
    ("forbidden", "asked"),
    [
        ((), ["/a"]),
        (("/a",), ["/b"]),
        (("/a", "/b"), [START]),
        (("/a", "/b", START), []),
    ],
)
async def test_a_page_that_robots_forbid_by_now_gives_way_to_another(
    forbidden: Sequence[str], asked: list[str]
) -> None:
    session = _Session(*forbidden)
    assert await _asked(session, [START, "/a", "/b"]) is bool(asked)
    assert session.asked == asked


async def test_where_our_own_machine_fails_nobody_knows_whether_the_site_answers() -> None:
    session = _Session()
    session.error = NetError(Reason.NO_NETWORK, "no way out")
    with pytest.raises(Stopped) as stopped:
        await _asked(session, ["/a"])
    assert stopped.value.outcome == Reason.NO_NETWORK  # type: ignore[comparison-overlap]
    session.error = NetError(Reason.TIMEOUT, "too slow")
    assert not await _asked(session, ["/a"])


async def test_a_site_that_gave_nothing_or_asks_to_come_later_is_not_asked() -> None:
    session = _Session()
    assert not await _asked(session, [], had_start=False)
    assert not await _asked(session, ["/a"], Obstacle.RATE_LIMITED)
    assert session.asked == []


async def test_a_site_that_keeps_us_waiting_is_asked_once() -> None:
    session = _Session()
    recheck = Recheck(session)
    recheck.begin(["/a"], had_start=True)
    assert await recheck.still_answers(Obstacle.TIMEOUT)
    assert not await recheck.still_answers(Obstacle.TIMEOUT)
    assert await recheck.still_answers(Obstacle.FORBIDDEN)
    assert session.asked == ["/a", "/a"]
