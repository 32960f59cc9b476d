"""When groups are written: for those who wait at once, for all by count and by time."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from typing import Any, cast

import pytest

from surveyor.clock import SystemClock
from surveyor.crawl.commit import Committer
from surveyor.crawl.group_writer import Part
from surveyor.crawl.lease_watch import LeaseWatch
from surveyor.crawl.member import Delivery, Member
from surveyor.frontier.revisits import Habits
from surveyor.net.throttle import Throttle
from surveyor.settings import CrawlSettings


class Writer:
    """Writes nothing, and says who was in each group."""

    def __init__(self) -> None:
        self.groups: list[list[int]] = []

    async def keep(self, _batch: Sequence[Part]) -> None: ...

    async def write(self, batch: Sequence[Part]) -> dict[int, Delivery]:
        self.groups.append([member.no for member, _ in batch])
        return {member.no: Delivery(box, [], box.want) for member, box in batch}


async def _groups(committer: Committer, writer: Writer, until: int) -> list[list[int]]:
    running = asyncio.create_task(committer.run())
    for _ in range(500):
        if len(writer.groups) >= until:
            break
        await asyncio.sleep(0.01)
    running.cancel()
    await asyncio.gather(running, return_exceptions=True)
    return writer.groups


def _joined(count: int, **settings: Any) -> tuple[Committer, Writer, list[Member]]:
    writer = Writer()
    committer = Committer(cast(Any, writer), CrawlSettings(**settings), SystemClock())
    members = [Member(no, 1, Habits(1.0), is_pending=False) for no in range(count)]
    for member in members:
        member.outbox.errors, member.outbox.unused = 1, 1
        committer.join(member)
    return committer, writer, members


async def test_a_visit_that_waits_does_not_take_the_unfinished_pages_of_others_along() -> None:
    committer, writer, (unfinished, waiting, asking) = _joined(3, commit_seconds=60)
    asking.outbox.want = 3
    wait = asyncio.create_task(committer.until_committed(waiting))
    await asyncio.sleep(0)
    assert await _groups(committer, writer, 1) == [[waiting.no, asking.no]]
    await wait
    assert unfinished.take_outbox() is not None


async def test_all_are_written_when_time_is_up() -> None:
    committer, writer, members = _joined(3, commit_seconds=0.05)
    assert await _groups(committer, writer, 1) == [[member.no for member in members]]


@pytest.mark.parametrize(("members", "full"), [(2, 50), (10, 80), (1_000, 500)])
async def test_a_group_is_full_by_what_its_visits_take(members: int, full: int) -> None:
    committer, writer, _ = _joined(members, commit_seconds=60, commit_pages=50)
    for _ in range(full - 1):
        committer.note_page()
    assert not committer._wake.is_set()
    committer.note_page()
    assert len((await _groups(committer, writer, 1))[0]) == members


class Watched:
    def __init__(self, delay: float) -> None:
        self.pace = Throttle(delay, max_delay=60.0)


@pytest.mark.parametrize(
    ("delays", "seconds"),
    [((), 0.5), ((30.0,), 1.0), ((1.0, 5.0), 0.5), ((0.2,), 0.1), ((0.06,), 0.05), ((0.0, 5.0), 0.2)],
)
def test_leases_are_looked_at_within_the_shortest_delay(delays: Sequence[float], seconds: float) -> None:
    sessions = {no: Watched(delay) for no, delay in enumerate(delays)}
    nobody = cast(Any, None)
    watch = LeaseWatch(nobody, "w", cast(Any, sessions), CrawlSettings(), nobody, SystemClock())
    assert watch._interval() == pytest.approx(seconds)


async def test_an_outbox_is_under_way_until_its_answer_is_there() -> None:
    """A visit must not take its frontier for empty while URLs that it found are being written."""
    committer, writer, (member,) = _joined(1)
    under_way: list[bool] = []

    async def write(batch: Sequence[Part]) -> dict[int, Delivery]:
        under_way.append(member.is_under_way and member.outbox.is_empty)
        return {each.no: Delivery(box, [], box.want) for each, box in batch}

    writer.write = write  # type: ignore[method-assign]
    await committer.commit()
    assert (under_way, member.is_under_way) == ([True], False)
