"""Background tasks: none ends without ending the work, and the line says which."""

from __future__ import annotations

import asyncio

import pytest

from surveyor.errors import BackgroundTaskEnded
from surveyor.process.tasks import run_beside


async def _for_ever() -> None:
    await asyncio.Event().wait()


async def _breaks() -> None:
    await asyncio.sleep(0)
    raise ValueError("a mistake\nof two lines")


async def _returns() -> None:
    await asyncio.sleep(0)


async def test_a_background_task_that_breaks_ends_the_work_and_is_named_in_one_line() -> None:
    ended = asyncio.Event()

    async def work() -> None:
        try:
            await _for_ever()
        finally:
            ended.set()

    with pytest.raises(BackgroundTaskEnded) as caught:
        await run_beside(work(), {"report": _for_ever(), "committer": _breaks()}, "worker 7")
    assert ended.is_set() and (caught.value.task, caught.value.exit_code) == ("committer", 1)
    told = str(caught.value)
    assert told.startswith("the committer of worker 7 has ended (ValueError: a mistake)") and "\n" not in told
    assert isinstance(caught.value.__cause__, ValueError)


async def test_a_background_task_that_just_returns_ends_the_work_too() -> None:
    with pytest.raises(BackgroundTaskEnded, match="the watch of w has ended \\(without an error\\)"):
        await run_beside(_for_ever(), {"watch": _returns()}, "w")


async def test_work_that_comes_to_its_end_takes_its_tasks_along_and_gives_its_result_or_error() -> None:
    cancelled = asyncio.Event()

    async def watched() -> None:
        try:
            await _for_ever()
        finally:
            cancelled.set()

    async def result() -> int:
        await asyncio.sleep(0)
        return 42

    assert await run_beside(result(), {"watch": watched()}, "w") == 42
    assert cancelled.is_set()
    with pytest.raises(ValueError, match="a mistake"):
        await run_beside(_breaks(), {"watch": _for_ever()}, "w")


async def test_an_interrupt_of_the_whole_ends_everything_in_it() -> None:
    task = asyncio.create_task(run_beside(_for_ever(), {"watch": _for_ever()}, "w"))
    await asyncio.sleep(0)
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task
    assert len(asyncio.all_tasks()) == 1
