"""CPU of a process and of all that it started, such as PostgreSQL: a busy machine does not change it much."""

from __future__ import annotations

import contextlib
import os
import time
from collections.abc import Iterator
from pathlib import Path


def cpu_seconds() -> float:
    return time.process_time() + cpu_of_children()


def cpu_of_children() -> float:
    """Of all that this process started and that still runs."""
    return sum(_below(os.getpid()))


def running_seconds() -> float:
    """The same, exact to the microsecond, of children with one thread each."""
    return time.process_time() + sum(_running(os.getpid()))


def _running(pid: int) -> Iterator[float]:
    with contextlib.suppress(OSError):
        for thread in Path(f"/proc/{pid}/task").iterdir():
            for child in (thread / "children").read_text().split():
                yield int(Path(f"/proc/{child}/schedstat").read_text().split()[0]) / 1e9
                yield from _running(int(child))


def _below(pid: int) -> Iterator[float]:
    with contextlib.suppress(OSError):
        for thread in Path(f"/proc/{pid}/task").iterdir():
            for child in (thread / "children").read_text().split():
                fields = Path(f"/proc/{child}/stat").read_text().rpartition(")")[2].split()
                yield (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")
                yield from _below(int(child))
