"""A command of this program in a process of its own, which ends when whoever started it is gone.

An interrupt at the terminal reaches only the starter, which passes it on once: every command has a session
of its own. One that comes while the command is still loading waits until it can say so in a word.
"""

from __future__ import annotations

import asyncio
import contextlib
import signal
import subprocess
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

from surveyor.process.parent_watch import lifeline


def command_line(workspace: Path, *arguments: str) -> list[str]:
    return [sys.executable, "-m", "surveyor", "--workspace", str(workspace), *arguments]


class Starter:
    """Starts commands that end with the block it was made in: `with starting() as starter`."""

    def __init__(self, descriptor: int, environment: dict[str, str]) -> None:
        self._tie = descriptor
        self._environment = environment

    async def start(
        self,
        command: Sequence[str],
        *,
        stdin: int | None = None,
        out: int | None = None,
        err: int | None = None,
    ) -> asyncio.subprocess.Process:
        return await asyncio.create_subprocess_exec(
            *command,
            stdin=asyncio.subprocess.DEVNULL if stdin is None else stdin,
            stdout=out,
            stderr=err,
            pass_fds=[self._tie],
            env=self._environment,
            start_new_session=True,
            preexec_fn=_hold_interrupts_back,
        )

    @contextmanager
    def running(self, command: Sequence[str], *, out: int | None = None) -> Iterator[subprocess.Popen[bytes]]:
        """For a caller without an event loop: the process is gone when the block is left."""
        process = subprocess.Popen(  # noqa: S603
            command,
            stdin=subprocess.DEVNULL,
            stdout=out,
            stderr=out,
            pass_fds=[self._tie],
            env=self._environment,
            start_new_session=True,
        )
        try:
            yield process
        finally:
            process.kill()
            process.wait()


def _hold_interrupts_back() -> None:
    """In the new process; the first step of `surveyor.cli.main` lets them through again."""
    signal.pthread_sigmask(signal.SIG_BLOCK, [signal.SIGINT])


@contextmanager
def starting() -> Iterator[Starter]:
    with lifeline() as (descriptor, environment):
        yield Starter(descriptor, environment)


def send(process: asyncio.subprocess.Process, number: signal.Signals) -> None:
    """Signal it, if it is still there."""
    if process.returncode is None:
        with contextlib.suppress(ProcessLookupError):
            process.send_signal(number)


def ending(code: int) -> str:
    """How a process ended, in words."""
    if code >= 0:
        return f"ended with code {code}" if code else "ended"
    try:
        return f"was ended by {signal.Signals(-code).name}"
    except ValueError:
        return f"was ended by signal {-code}"
