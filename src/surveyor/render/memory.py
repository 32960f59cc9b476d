"""How much memory the processes of a browser hold, and an end to the one that holds too much.

A page's document is not bounded by any switch of the browser. Each site has a process of its own in it;
the one that grows too large is ended, which costs its page. Linux only: elsewhere nothing is watched.
"""

from __future__ import annotations

import os
import signal
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

_PROC = Path("/proc")
_PAGE_BYTES = os.sysconf("SC_PAGE_SIZE")


def find(mark: str) -> int | None:
    """The process that has this argument, and is the first of its group."""
    wanted = mark.encode()
    for process in _numbers():
        with suppress(OSError):
            arguments = (_PROC / str(process) / "cmdline").read_bytes().split(b"\0")
            if wanted in arguments and os.getpgid(process) == process:
                return process
    return None


def end_the_largest(group: int, most_bytes: int) -> list[int]:
    """End those of the group, its first apart, that hold more; returns them."""
    ended = []
    for process in members(group):
        if process != group and _resident(process) > most_bytes:
            with suppress(OSError):
                os.kill(process, signal.SIGKILL)
                ended.append(process)
    return ended


def end_group(group: int) -> None:
    with suppress(OSError):
        os.killpg(group, signal.SIGKILL)


def members(group: int) -> list[int]:
    found = []
    for process in _numbers():
        with suppress(OSError):
            if os.getpgid(process) == group:
                found.append(process)
    return found


def _resident(process: int) -> int:
    with suppress(OSError, ValueError, IndexError):
        return int((_PROC / str(process) / "statm").read_text().split()[1]) * _PAGE_BYTES
    return 0


def _numbers() -> Iterator[int]:
    if _PROC.is_dir():
        for entry in _PROC.iterdir():
            if entry.name.isdigit():
                yield int(entry.name)
