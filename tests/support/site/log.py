"""The log of requests: one line each, appended as soon as it is over, and never held back.

Times are CLOCK_MONOTONIC in nanoseconds. `start` is when the request arrived at the machine, taken
from the kernel where it tells: a server that was busy does not blur the distance between two
requests. `end` is when the last byte was handed over, or when the client was seen to be gone.
"""

from __future__ import annotations

import os
from pathlib import Path
from typing import NamedTuple

HELLO = "TLS"
"""The method of a line that stands for a TLS handshake, which this site does not answer."""


class Entry(NamedTuple):
    start: int
    end: int
    connection: int
    """Counted from 1; a number is never used again."""
    port: int
    """The client's."""
    host: str
    method: str
    target: str
    """As it was asked for."""
    status: int
    """0: the client was gone before it was answered."""
    aborted: bool
    hold: int
    """Seconds of the Retry-After that was sent."""
    agent: str
    """The contact in the client's User-Agent, which a test can set for each process."""


class LogWriter:
    def __init__(self, path: Path) -> None:
        self._file = os.open(path, os.O_WRONLY | os.O_APPEND | os.O_CREAT, 0o644)

    def write(self, entry: Entry) -> None:
        line = "\t".join([f"{value:d}" if isinstance(value, bool) else str(value) for value in entry])
        os.write(self._file, line.encode("ascii", "backslashreplace") + b"\n")

    def close(self) -> None:
        os.close(self._file)


def read_log(path: Path, *, hellos: bool = False) -> list[Entry]:
    """All requests so far, in the order of their arrival."""
    found = [_entry(line) for line in path.read_text("ascii").splitlines()]
    return sorted(entry for entry in found if hellos or entry.method != HELLO)


def plain_host(host: str) -> str:
    """The domain that a Host header names."""
    name = host.lower().partition(":")[0].rstrip(".")
    return name.removeprefix("www.")


def _entry(line: str) -> Entry:
    start, end, connection, port, host, method, target, status, aborted, hold, agent = line.split("\t")
    return Entry(
        int(start),
        int(end),
        int(connection),
        int(port),
        host,
        method,
        target,
        int(status),
        aborted == "1",
        int(hold),
        agent,
    )
