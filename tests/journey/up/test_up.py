"""Everything in one process tree: what is killed comes back, and all end together."""

from __future__ import annotations

import asyncio
import os
import signal
import subprocess
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import psutil
import pytest

from surveyor.bootstrap.workspace import open_workspace
from surveyor.operations import jobs, queries
from surveyor.operations.jobs import JobKind
from surveyor.operations.store import PartLine
from tests.support.cli_help import start, surveyor
from tests.support.registry_help import ADMIN

pytestmark = pytest.mark.slow
PARTS = ("crawl", "extract", "jobs", "keep", "nightly", "refresh", "web", "weekly")
LASTING = ("crawl", "refresh", "web")
# Started when there is something to do; extraction once at the start, to see whether there is.
ON_DEMAND = ("extract", "jobs", "nightly", "weekly")
_PATIENCE_SECONDS = 120.0


@pytest.fixture
def workspace(tmp_path: Path) -> Path:
    assert surveyor("init", tmp_path / "w", "--profile", "funding").code == 0
    return tmp_path / "w"


@pytest.fixture
def up(workspace: Path) -> Iterator[subprocess.Popen[bytes]]:
    process = start("up", "--port", "0", workspace=workspace)
    try:
        yield process
    finally:
        process.kill()
        process.communicate()


def parts(workspace: Path) -> dict[str, PartLine]:
    async def read() -> dict[str, PartLine]:
        async with open_workspace(workspace) as place:
            return {one.name: one for one in await queries.parts(place.db)}

    return asyncio.run(read())


def until(workspace: Path, wanted: Callable[[dict[str, PartLine]], bool]) -> dict[str, PartLine]:
    ends = time.monotonic() + _PATIENCE_SECONDS
    while not wanted(found := parts(workspace)):
        assert time.monotonic() < ends, found
        time.sleep(0.1)
    return found


def are_up(found: dict[str, PartLine]) -> bool:
    wanted = {name: "idle" if name in ON_DEMAND else "running" for name in PARTS if name != "extract"}
    return {name: one.state.value for name, one in found.items() if name != "extract"} == wanted


def test_every_part_that_is_killed_comes_back_and_is_told_of(
    workspace: Path, up: subprocess.Popen[bytes]
) -> None:
    found = until(workspace, are_up)
    for name in LASTING:
        before = found[name]
        assert before.pid is not None
        os.kill(before.pid, signal.SIGKILL)
        found = until(
            workspace, lambda now, name=name, before=before: are_up(now) and now[name].pid != before.pid
        )
        assert (found[name].restarts, found[name].last_exit) == (1, -signal.SIGKILL)
    told = surveyor("doctor", workspace=workspace).out
    assert all(f"{name} on " in told for name in PARTS)
    assert (
        surveyor("up", workspace=workspace).err
        == "surveyor: `surveyor up` runs in this workspace already; stop that one first\n"
    )
    up.send_signal(signal.SIGINT)
    _, err = up.communicate(timeout=_PATIENCE_SECONDS)
    assert up.returncode == 0
    for name in LASTING:
        assert f"{name} was ended by SIGKILL; started again in 0.5 s" in err.decode()
    assert {one.state.value for one in parts(workspace).values()} == {"stopped"}


def test_parts_end_with_whoever_started_them_however_that_one_ended(
    workspace: Path, up: subprocess.Popen[bytes]
) -> None:
    found = until(workspace, are_up)
    pids = [one.pid for one in found.values() if one.pid is not None]
    up.kill()
    _, alive = psutil.wait_procs([psutil.Process(pid) for pid in pids if psutil.pid_exists(pid)], timeout=30)
    assert alive == []
    again = start("up", "--port", "0", workspace=workspace)
    try:
        until(workspace, lambda now: are_up(now) and now["web"].pid not in pids)
    finally:
        again.send_signal(signal.SIGINT)
        again.communicate(timeout=_PATIENCE_SECONDS)
    assert again.returncode == 0


def test_a_part_is_started_when_there_is_something_to_do_and_ends_after_it(
    workspace: Path, up: subprocess.Popen[bytes]
) -> None:
    until(workspace, are_up)

    async def ask() -> None:
        async with open_workspace(workspace) as place:
            await jobs.ask(place.db, JobKind.JUDGE, {}, ADMIN)

    asyncio.run(ask())
    found = until(workspace, lambda now: are_up(now) and now["jobs"].last_exit is not None)
    assert (found["jobs"].last_exit, found["jobs"].restarts) == (0, 0)
    assert [job["state"] for job in surveyor("jobs", "--json", workspace=workspace).json] == ["done"]
