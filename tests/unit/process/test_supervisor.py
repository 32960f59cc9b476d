"""Parts that end are started again, those that are due run once, and all end when they are told to."""

from __future__ import annotations

import asyncio
import signal
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import pytest

from surveyor.backoff import Backoff
from surveyor.process import supervisor as supervising
from surveyor.process.commands import ending, send, starting
from surveyor.process.supervisor import Change, Part, PartState, Supervisor

# Interrupts are let through, as `surveyor.cli.main` does.
_SLEEPS = "import signal, time; signal.pthread_sigmask(signal.SIG_UNBLOCK, [signal.SIGINT]); time.sleep(600)"


class Watcher:
    def __init__(self) -> None:
        self.changes: list[Change] = []
        self.moved = asyncio.Event()

    async def changed(self, change: Change) -> None:
        self.changes.append(change)
        self.moved.set()

    async def until(self, state: PartState, part: str, times: int = 1) -> None:
        async with asyncio.timeout(60):
            while sum(one.state is state and one.part == part for one in self.changes) < times:
                self.moved.clear()
                await self.moved.wait()


def _python(name: str, code: str) -> Part:
    return Part(name, ("-c", code))


async def test_a_part_that_ends_is_started_again_and_the_others_do_not_notice(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(supervising, "RESTART", Backoff((0.01,)))
    said: list[str] = []
    watcher = Watcher()
    parts = [_python("lives", _SLEEPS), _python("dies", "raise SystemExit(3)")]
    supervisor = Supervisor([sys.executable], parts, said.append, watcher)
    running = asyncio.create_task(supervisor.run())
    await watcher.until(PartState.RUNNING, "dies", times=3)
    await watcher.until(PartState.RUNNING, "lives")
    supervisor.stopping.set()
    await running
    started = [one for one in watcher.changes if one.state is PartState.RUNNING]
    restarts = [one.restarts for one in started if one.part == "dies"]
    assert restarts[:3] == [0, 1, 2]
    assert sum(one.part == "lives" for one in started) == 1
    assert "dies ended with code 3; started again in 0.01 s" in said
    assert watcher.changes[-1].state is PartState.STOPPED


async def test_a_part_that_is_due_runs_once_and_waits_for_its_next_time(tmp_path: Path) -> None:
    answers = iter([0.0, None, None])
    mark = tmp_path / "ran"

    async def due() -> float | None:
        return next(answers, None)

    watcher = Watcher()
    part = replace(_python("nightly", f"open({str(mark)!r}, 'a').write('x')"), due=due)
    supervisor = Supervisor([sys.executable], [part], lambda line: None, watcher)
    running = asyncio.create_task(supervisor.run())
    await watcher.until(PartState.IDLE, "nightly")
    supervisor.stopping.set()
    await running
    assert mark.read_text() == "x"


async def test_a_part_that_is_looked_at_again_and_again_is_called_idle_once() -> None:
    looks = asyncio.Semaphore(0)

    async def due() -> float | None:
        looks.release()
        return 0.001

    watcher = Watcher()
    part = replace(_python("jobs", ""), due=due)
    supervisor = Supervisor([sys.executable], [part], lambda line: None, watcher)
    running = asyncio.create_task(supervisor.run())
    async with asyncio.timeout(60):
        for _ in range(5):
            await looks.acquire()
    supervisor.stopping.set()
    await running
    assert [one.state for one in watcher.changes] == [PartState.IDLE, PartState.STOPPED]


async def test_a_command_interrupted_while_it_is_loading_says_so_in_a_word() -> None:
    # In the background of a shell interrupts are ignored, and a child of the tests would ignore them too.
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    try:
        with starting() as starter:
            command = [sys.executable, "-m", "surveyor", "--help"]
            process = await starter.start(command, out=subprocess.DEVNULL, err=subprocess.PIPE)
            send(process, signal.SIGINT)  # Python itself has only just begun
            _, said = await process.communicate()
    finally:
        signal.signal(signal.SIGINT, before)
    assert (process.returncode, said) == (130, b"interrupted\n")


def test_how_a_process_ended_is_said_in_words() -> None:
    assert [ending(code) for code in (0, 3, -9, -200)] == [
        "ended",
        "ended with code 3",
        "was ended by SIGKILL",
        "was ended by signal 200",
    ]
