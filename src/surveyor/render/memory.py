"""The processes of a browser: how much memory they hold and how busy they are, and an end to the too large.

A page's document is not bounded by any switch of the browser. Each site has a process of its own in it;
the one that grows too large is ended, which costs its page. Linux only: elsewhere nothing is watched.
"""

from __future__ import annotations

import os
import signal
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from typing import Final, NamedTuple

_PROC = Path("/proc")
_RENDERER: Final = b"--type=renderer"
_PROFILE: Final = b"--user-data-dir="
# As `nice` counts it: behind everything else on the machine that wants to get on; and behind other browsers.
_PRIORITY, _LAST = 10, 19
_TICKS: Final = os.sysconf("SC_CLK_TCK") if hasattr(os, "sysconf") else 100


class Tree(NamedTuple):
    """A browser with all that was started for it."""

    group: int  # its processes are one group; the first of them
    driver: int | None = None  # the process through which we talk to it, a child of ours
    profile: Path | None = None  # the folder that the driver made for it


def find(mark: str) -> Tree | None:
    """The browser whose first process has this argument."""
    wanted = mark.encode()
    for process in _numbers():
        with suppress(OSError):
            arguments = _arguments(process)
            if wanted in arguments and os.getpgid(process) == process:
                driver = parent(process)
                return Tree(process, driver if _is_ours(driver) else None, _profile(arguments))
    return None


def make_humble(tree: Tree) -> None:
    """What it starts later is so as well: a page's endless loop must not slow down the worker beside it."""
    driver = [] if tree.driver is None else [tree.driver]  # it carries what pages say and ask for
    for process in (*members(tree.group), *driver):
        with suppress(OSError):
            os.setpriority(os.PRIO_PROCESS, process, _PRIORITY)


def put_last(tree: Tree) -> None:
    """Behind every other browser, which is a session of its own. Where the kernel shares the cores between
    sessions (autogroup), the priority of a process counts within its session only."""
    driver = [] if tree.driver is None else [tree.driver]
    with suppress(OSError):
        (_PROC / str(tree.group) / "autogroup").write_text(str(_LAST))
    for process in (*members(tree.group), *driver):
        put_process_last(process)


def put_process_last(process: int) -> None:
    """Behind the others of its browser, each thread of it: a page may have started many."""
    with suppress(OSError):
        for thread in (_PROC / str(process) / "task").iterdir():
            with suppress(OSError):
                os.setpriority(os.PRIO_PROCESS, int(thread.name), _LAST)


def end_process(process: int) -> None:
    with suppress(OSError):
        os.kill(process, signal.SIGKILL)


def spent(tree: Tree) -> tuple[dict[int, float], dict[int, float]]:
    """Seconds of CPU of each page's process, and of the others: the browser itself, its driver."""
    found = {process: cpu_seconds(process) for process in members(tree.group)}
    pages = {each: used for each, used in found.items() if _RENDERER in _command(each)}
    others = {each: used for each, used in found.items() if each not in pages}
    if tree.driver is not None:
        others[tree.driver] = cpu_seconds(tree.driver)
    return pages, others


def cpu_seconds(process: int) -> float:
    fields = _stat(process)
    return sum(map(int, fields[11:13])) / _TICKS


def threads(process: int) -> int:
    fields = _stat(process)
    return int(fields[17]) if len(fields) > 17 else 0


def end_the_largest(tree: Tree, page_bytes: int, all_bytes: int) -> tuple[list[int], bool]:
    """End the pages that hold more than one may, or than all may together.

    Returns them, and whether what is no page's (the browser itself, its driver) holds more than that: it
    keeps what pages store, and what they say faster than anybody reads.
    """
    held = {process: own_bytes(process) for process in members(tree.group)}
    pages = {each: size for each, size in held.items() if _RENDERER in _command(each)}
    ended = [each for each, size in pages.items() if size > page_bytes]
    if not ended and sum(pages.values()) > all_bytes:
        ended = [max(pages, key=lambda each: pages[each])]
    for process in ended:
        end_process(process)
    others = [size for each, size in held.items() if each not in pages]
    if tree.driver is not None:
        others.append(own_bytes(tree.driver))
    return ended, any(size > page_bytes for size in others)


def is_whole(tree: Tree) -> bool:
    """Whether the browser and its driver run: nobody has killed one of them."""
    return not _has_ended(tree.group) and (tree.driver is None or not _has_ended(tree.driver))


def is_used(folder: Path) -> bool:
    """Whether a process was started with this folder as its profile."""
    argument = _PROFILE + os.fsencode(folder)
    return any(argument in _command(process) for process in _numbers())


def end_group(tree: Tree) -> None:
    with suppress(OSError):
        os.killpg(tree.group, signal.SIGKILL)


def end_driver(tree: Tree) -> None:
    if tree.driver is not None and _is_ours(tree.driver):
        with suppress(OSError):
            os.kill(tree.driver, signal.SIGKILL)


def members(group: int) -> list[int]:
    """Those that run; one that ended and was not waited for is none."""
    found = []
    for process in _numbers():
        with suppress(OSError):
            if os.getpgid(process) == group and not _has_ended(process):
                found.append(process)
    return found


def own_bytes(process: int) -> int:
    """Resident and not shared with a file: program code counts for nobody."""
    with suppress(OSError, ValueError):
        lines = (_PROC / str(process) / "status").read_text().splitlines()
        sizes = [line.split()[1] for line in lines if line.startswith(("RssAnon:", "RssShmem:"))]
        return sum(int(size) * 1024 for size in sizes)
    return 0


def _arguments(process: int) -> list[bytes]:
    return _command(process).split(b"\0")


def _command(process: int) -> bytes:
    """Whole: a process that another one copied has its arguments with blanks between them, as one."""
    with suppress(OSError):
        return (_PROC / str(process) / "cmdline").read_bytes()
    return b""


def _profile(arguments: list[bytes]) -> Path | None:
    named = [each.removeprefix(_PROFILE) for each in arguments if each.startswith(_PROFILE)]
    return Path(os.fsdecode(named[0])) if named else None


def _stat(process: int) -> list[str]:
    """State, parent and so on: what follows the name, which may hold anything."""
    with suppress(OSError):
        return (_PROC / str(process) / "stat").read_text(errors="replace").rpartition(")")[2].split()
    return ["Z", "0"]


def _has_ended(process: int) -> bool:
    return _stat(process)[0] == "Z"


def parent(process: int) -> int:
    return int(_stat(process)[1])


def _is_ours(process: int) -> bool:
    return process > 1 and parent(process) == os.getpid()


def _numbers() -> Iterator[int]:
    if _PROC.is_dir():
        for entry in _PROC.iterdir():
            if entry.name.isdigit():
                yield int(entry.name)
