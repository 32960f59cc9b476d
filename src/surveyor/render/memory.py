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
from typing import Final

_PROC = Path("/proc")
_RENDERER: Final = b"--type=renderer"
_DRAWS: Final = b"--type=gpu-process"
_NETWORK: Final = b"--utility-sub-type=network."
_PROFILE: Final = b"--user-data-dir="
# As `nice` counts it: behind everything else on the machine that wants to get on, and behind other browsers.
_PRIORITY, _LAST_PRIORITY = 10, 19
_TICKS: Final = os.sysconf("SC_CLK_TCK") if hasattr(os, "sysconf") else 100


def can_look() -> bool:
    return _PROC.is_dir()


def make_humble(process: int, *, last: bool) -> None:
    """What it starts later is so as well: a page's endless loop must not slow down the worker beside it."""
    with suppress(OSError):
        os.setpriority(os.PRIO_PROCESS, process, _LAST_PRIORITY if last else _PRIORITY)


def put_last(group: int) -> None:
    """Behind every other browser."""
    for process in members(group):
        put_process_last(process)


def put_process_last(process: int) -> None:
    """Gets what nobody else wants of the cores, each thread of it: a page may have started many."""
    _schedule(process, "SCHED_IDLE")


def put_process_back(process: int) -> None:
    _schedule(process, "SCHED_OTHER")


def _schedule(process: int, policy: str) -> None:
    if not hasattr(os, policy):
        return
    with suppress(OSError):
        for thread in (_PROC / str(process) / "task").iterdir():
            with suppress(OSError):
                os.sched_setscheduler(int(thread.name), getattr(os, policy), os.sched_param(0))


def end_process(process: int) -> None:
    with suppress(OSError):
        os.kill(process, signal.SIGKILL)


def spent(group: int) -> tuple[dict[int, float], dict[int, float]]:
    """Seconds of CPU of each page's process, and of the others, which serve all of them. What draws is
    neither: nobody waits for it but who takes a picture."""
    pages: dict[int, float] = {}
    others: dict[int, float] = {}
    for process in members(group):
        command = _command(process)
        if _DRAWS not in command:
            (pages if _RENDERER in command else others)[process] = cpu_seconds(process)
    return pages, others


def network_of(group: int) -> set[int]:
    """The process in which a browser has what it knows of a network."""
    return {each for each in members(group) if _NETWORK in _command(each)}


def cpu_seconds(process: int) -> float:
    fields = _stat(process)
    return sum(map(int, fields[11:13])) / _TICKS


def threads(process: int) -> int:
    fields = _stat(process)
    return int(fields[17]) if len(fields) > 17 else 0


def end_the_largest(group: int, page_bytes: int, all_bytes: int) -> tuple[list[int], bool]:
    """End the pages that hold more than one may, or than all may together.

    Returns them, and whether what is no page's (the browser itself) holds more than that: it keeps what
    pages store.
    """
    held = {process: own_bytes(process) for process in members(group)}
    pages = {each: size for each, size in held.items() if _RENDERER in _command(each)}
    ended = [each for each, size in pages.items() if size > page_bytes]
    if not ended and sum(pages.values()) > all_bytes:
        ended = [max(pages, key=lambda each: pages[each])]
    for process in ended:
        end_process(process)
    return ended, any(size > page_bytes for each, size in held.items() if each not in pages)


def is_running(process: int) -> bool:
    """Whether nobody has killed it; where that cannot be seen, it is."""
    return not can_look() or _stat(process)[0] != "Z"


def is_used(folder: Path) -> bool:
    """Whether a process was started with this folder as its profile."""
    argument = _PROFILE + os.fsencode(folder)
    return any(argument in _command(process) for process in _numbers())


def end_group(group: int) -> None:
    with suppress(OSError):
        os.killpg(group, signal.SIGKILL)


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


def _command(process: int) -> bytes:
    """Whole: a process that another one copied has its arguments with blanks between them, as one."""
    with suppress(OSError):
        return (_PROC / str(process) / "cmdline").read_bytes()
    return b""


def _stat(process: int) -> list[str]:
    """State, parent and so on: what follows the name, which may hold anything."""
    with suppress(OSError):
        return (_PROC / str(process) / "stat").read_text(errors="replace").rpartition(")")[2].split()
    return ["Z", "0"]


def _has_ended(process: int) -> bool:
    return _stat(process)[0] == "Z"


def parent(process: int) -> int:
    return int(_stat(process)[1])


def _numbers() -> Iterator[int]:
    if _PROC.is_dir():
        for entry in _PROC.iterdir():
            if entry.name.isdigit():
                yield int(entry.name)
