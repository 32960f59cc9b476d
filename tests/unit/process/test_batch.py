"""What many ask for at the same time is done once for all of them, and none suffers for another."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence

import pytest

from surveyor.errors import DatabaseUnreachable
from surveyor.process.tasks import Batch


class _Doubling:
    """Notes its batches; a negative number is refused, and one is out of reach."""

    def __init__(self) -> None:
        self.batches: list[list[int]] = []

    async def __call__(self, items: Sequence[int]) -> list[int]:
        self.batches.append(list(items))
        await asyncio.sleep(0)
        if any(item < 0 for item in items):
            raise ValueError("negative")
        if 13 in items:
            raise DatabaseUnreachable("gone")
        return [2 * item for item in items]


async def test_what_is_asked_for_together_is_done_once() -> None:
    work = _Doubling()
    batch: Batch[int, int] = Batch(work, DatabaseUnreachable)
    assert await asyncio.gather(*(batch.ask(n) for n in range(5))) == [0, 2, 4, 6, 8]
    assert work.batches == [[0, 1, 2, 3, 4]]
    assert await batch.ask(7) == 14


async def test_who_asks_while_a_batch_is_at_work_is_in_the_next() -> None:
    work = _Doubling()
    batch: Batch[int, int] = Batch(work, DatabaseUnreachable)
    first = asyncio.create_task(batch.ask(1))
    while not work.batches:
        await asyncio.sleep(0)
    rest = [asyncio.create_task(batch.ask(n)) for n in (2, 3)]
    assert await asyncio.gather(first, *rest) == [2, 4, 6]
    assert work.batches == [[1], [2, 3]]


async def test_one_that_is_refused_drops_out_alone() -> None:
    work = _Doubling()
    batch: Batch[int, int] = Batch(work, DatabaseUnreachable)
    found = await asyncio.gather(*(batch.ask(n) for n in (1, -1, 2)), return_exceptions=True)
    assert [type(one) for one in found] == [int, ValueError, int]
    assert work.batches == [[1, -1, 2], [1], [-1], [2]]


async def test_nothing_is_tried_again_while_the_database_is_out_of_reach() -> None:
    work = _Doubling()
    batch: Batch[int, int] = Batch(work, DatabaseUnreachable)
    found = await asyncio.gather(*(batch.ask(n) for n in (1, 13)), return_exceptions=True)
    assert [type(one) for one in found] == [DatabaseUnreachable] * 2
    assert work.batches == [[1, 13]]


async def test_a_visit_that_is_cancelled_holds_nobody_up() -> None:
    work = _Doubling()
    batch: Batch[int, int] = Batch(work, DatabaseUnreachable, gap=0.001)
    gone, stays = asyncio.create_task(batch.ask(1)), asyncio.create_task(batch.ask(2))
    await asyncio.sleep(0)
    gone.cancel()
    assert await stays == 4
    with pytest.raises(asyncio.CancelledError):
        await gone


async def test_no_more_go_together_than_is_said() -> None:
    work = _Doubling()
    batch: Batch[int, int] = Batch(work, DatabaseUnreachable, most=2)
    assert await asyncio.gather(*(batch.ask(n) for n in range(5))) == [0, 2, 4, 6, 8]
    assert work.batches == [[0, 1], [2, 3], [4]]
