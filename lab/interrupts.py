"""Ctrl-C at a terminal, at any moment of `surveyor up`, once or twice: it ends without a traceback.

The terminal is a real one (a pseudo-terminal): its line discipline sends SIGINT to the whole process group,
`up` and all of its parts at once, as a person's would.
"""

from __future__ import annotations

import argparse
import contextlib
import os
import pty
import select
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from random import Random

from tests.support import cli_help, servers

ENGINES = ("sqlite", "postgresql")
LATEST_SECONDS = 8.0  # after the start, by then all parts are there on a quiet machine
AGAIN_SECONDS = (0.02, 1.5)  # between two presses
_END_SECONDS = 90.0  # for everything to end, beside a busy neighbour


@dataclass
class Pressed:
    """One start of `up`, and what a person saw who pressed Ctrl-C."""

    after: float
    twice: bool
    code: int | None = None
    said: str = ""
    left: list[int] = field(default_factory=list)

    @property
    def wrong(self) -> str:
        if self.code is None:
            return "it did not end"
        if "Traceback" in self.said or "Error:" in self.said or "Exception" in self.said:
            return "it printed a traceback"
        return f"processes are left: {self.left}" if self.left else ""

    def __str__(self) -> str:
        times = "twice" if self.twice else "once"
        return f"Ctrl-C {times} after {self.after:4.1f} s: exit {self.code}; {self.wrong or 'ok'}"


def press(workspace: Path, environment: dict[str, str], after: float, again: float | None) -> Pressed:
    """Start `up`, press Ctrl-C after so many seconds, and a second time if wanted."""
    done = Pressed(after, again is not None)
    ours, theirs = pty.openpty()
    line = [sys.executable, "-m", "surveyor", "--workspace", str(workspace), "up", "--port", "0"]
    process = subprocess.Popen(
        line,
        env=cli_help.environment(**environment),
        stdin=theirs,
        stdout=theirs,
        stderr=theirs,
        preexec_fn=_own_terminal,
    )
    os.close(theirs)
    try:
        done.said += _heard(ours, process, after)
        _ctrl_c(ours)
        if again is not None:
            done.said += _heard(ours, process, again)
            _ctrl_c(ours)
        done.said += _heard(ours, process, _END_SECONDS, to_the_end=True)
        done.code = process.poll()
        done.left = _group(process.pid) if done.code is not None else []
    finally:
        with contextlib.suppress(ProcessLookupError):
            os.killpg(process.pid, signal.SIGKILL)
        process.wait()
        os.close(ours)
    return done


def _own_terminal() -> None:
    """A session of its own whose controlling terminal is standard input, as a shell gives to a command."""
    import fcntl
    import termios

    os.setsid()
    fcntl.ioctl(0, termios.TIOCSCTTY, 0)
    signal.signal(signal.SIGINT, signal.SIG_DFL)


def _ctrl_c(terminal: int) -> None:
    with contextlib.suppress(OSError):
        os.write(terminal, b"\x03")


def _heard(terminal: int, process: subprocess.Popen[bytes], seconds: float, to_the_end: bool = False) -> str:
    """What it printed in this time; with `to_the_end` no longer than it lives."""
    said, ends = b"", time.monotonic() + seconds
    while (left := ends - time.monotonic()) > 0:
        if select.select([terminal], [], [], min(left, 0.05))[0]:
            try:
                said += os.read(terminal, 65_536)
            except OSError:  # nobody has the other end any more
                break
        elif to_the_end and process.poll() is not None:
            break
    if to_the_end:
        with contextlib.suppress(subprocess.TimeoutExpired):
            process.wait(max(0.0, ends - time.monotonic()))
    return said.decode(errors="replace")


def _group(leader: int) -> list[int]:
    """Processes of the group that outlived its leader by some seconds."""
    ends = time.monotonic() + 20.0
    while time.monotonic() < ends:
        try:
            os.killpg(leader, 0)
        except ProcessLookupError:
            return []
        time.sleep(0.05)
    return [leader]


@contextlib.contextmanager
def _backend(engine: str) -> Iterator[dict[str, str]]:
    if engine == "sqlite":
        yield {}
        return
    server = servers.Postgres.create()
    try:
        yield {"SURVEYOR_DATABASE__URL": server.url()}
    finally:
        server.remove()


def main(argv: list[str]) -> int:
    parser = argparse.ArgumentParser(prog="./dev lab interrupts", description=__doc__.split("\n", 1)[0])
    parser.add_argument("--times", type=int, default=30, help="on each engine")
    parser.add_argument("--engine", choices=[*ENGINES, "both"], default="both")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--latest", type=float, default=LATEST_SECONDS, help="seconds after the start")
    options = parser.parse_args(argv)
    failed = 0
    for engine in ENGINES if options.engine == "both" else (options.engine,):
        chance = Random(f"{options.seed} {engine}")
        with tempfile.TemporaryDirectory(prefix="surveyor-interrupts-") as folder, _backend(engine) as where:
            workspace = Path(folder) / "w"
            made = cli_help.surveyor("init", workspace, "--profile", "community", **where)
            assert made.code == 0, made.err
            for number in range(options.times):
                again = chance.uniform(*AGAIN_SECONDS) if number % 3 == 2 else None
                done = press(workspace, where, options.latest * number / max(1, options.times - 1), again)
                print(f"{engine:<10} {done}", flush=True)
                if done.wrong:
                    failed += 1
                    print("\n".join(f"    {line}" for line in done.said.splitlines()[-40:]), flush=True)
    print(f"{failed} of {options.times} and more went wrong" if failed else "each ended cleanly")
    return bool(failed)
