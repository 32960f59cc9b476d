"""What the processes of a browser may hold; processes of Python stand for a browser's."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Callable, Iterator

import pytest

from surveyor.render.memory import end_the_largest, members

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="processes are looked at on Linux only")

MB = 1_000_000
_HOLD = "import sys; held = b'x' * (int(sys.argv[1]) * 10**6); print('held', flush=True); sys.stdin.read()"
Start = Callable[[int, str], int]


@pytest.fixture
def start() -> Iterator[Start]:
    """A process that holds so many megabytes; the first is the first of their group."""
    started: list[subprocess.Popen[str]] = []

    def started_one(megabytes: int, kind: str) -> int:
        group = started[0].pid if started else 0
        one = subprocess.Popen(
            [sys.executable, "-c", _HOLD, str(megabytes), kind],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
            process_group=group,
        )
        started.append(one)
        assert one.stdout is not None and one.stdout.readline() == "held\n"
        return one.pid

    yield started_one
    for each in started:
        each.kill()
        each.communicate()


def test_a_page_that_holds_too_much_is_ended_alone(start: Start) -> None:
    browser, small, large = (
        start(1, "browser"),
        start(1, "--type=renderer"),
        start(120, "browser --type=renderer --as-a-zygote-writes-it"),
    )
    assert end_the_largest(browser, 100 * MB, 1_000 * MB) == ([large], False)
    os.waitpid(large, 0)
    assert set(members(browser)) == {browser, small}


def test_pages_that_hold_too_much_together_lose_the_largest(start: Start) -> None:
    browser, _, large = start(1, "browser"), start(50, "--type=renderer"), start(90, "--type=renderer")
    assert end_the_largest(browser, 200 * MB, 120 * MB) == ([large], False)


def test_what_is_no_page_and_holds_too_much_ends_the_browser(start: Start) -> None:
    browser = start(120, "browser")
    assert end_the_largest(browser, 100 * MB, 1_000 * MB) == ([], True)


def test_a_process_that_ended_and_was_not_waited_for_is_no_member(start: Start) -> None:
    browser, ended = start(1, "browser"), start(1, "--type=renderer")
    os.kill(ended, 9)
    os.waitid(os.P_PID, ended, os.WEXITED | os.WNOWAIT)
    assert members(browser) == [browser]
