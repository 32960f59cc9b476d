"""Extraction beside a crawl: a process of its own, ranked below the crawl, that ends when the crawl does.

It reads its standard input. The word `finish` lets it read what still waits; silence lets it stop at once, so
that none is left when a crawl is killed.
"""

from __future__ import annotations

import asyncio
import os
import signal
import sys
from typing import TYPE_CHECKING, Any

import orjson

from surveyor.cli import runtime
from surveyor.cli.extract import FINISH

if TYPE_CHECKING:
    from surveyor.bootstrap import Workspace

# Seconds after which a person is told what the crawl waits for.
_PATIENCE = 2.0


class Beside:
    """The extraction that goes with one run, where the settings want it."""

    def __init__(self, process: asyncio.subprocess.Process | None) -> None:
        self._process = process

    @classmethod
    async def start(cls, workspace: Workspace) -> Beside:
        if not workspace.settings.extract.enabled:
            return cls(None)
        line = (sys.executable, "-m", "surveyor", "--workspace", str(workspace.path))
        process = await asyncio.create_subprocess_exec(
            *line,
            "extract",
            "--beside",
            "--json",
            stdin=asyncio.subprocess.PIPE,
            stdout=asyncio.subprocess.PIPE,
            start_new_session=True,  # an interrupt at the terminal is for the crawl, which passes it on
        )
        return cls(process)

    async def finish(self, *, interrupted: bool) -> dict[str, Any] | None:
        """Let it read what waits, or stop; returns what it did, None where there was none."""
        process = self._process
        if process is None:
            return None
        hint = asyncio.create_task(self._say_what_is_waited_for())
        self._pass_signals_on(process)
        try:
            told, _ = await process.communicate(b"" if interrupted else FINISH)
        finally:
            hint.cancel()
        if process.returncode:
            runtime.say(f"extraction ended with code {process.returncode}; `surveyor extract` reads the rest")
        return dict(orjson.loads(told)) if told.strip() else None

    def stop(self) -> None:
        """The crawl failed; what waits is read another time."""
        if self._process is not None and self._process.returncode is None and self._process.stdin:
            self._process.stdin.close()

    async def _say_what_is_waited_for(self) -> None:
        await asyncio.sleep(_PATIENCE)
        runtime.say("reading the last pages (interrupt to leave them for `surveyor extract`)")

    def _pass_signals_on(self, process: asyncio.subprocess.Process) -> None:
        asked = asyncio.Event()

        def stop() -> None:
            if asked.is_set():
                os._exit(runtime.INTERRUPTED)
            asked.set()
            if process.returncode is None:
                process.send_signal(signal.SIGINT)

        loop = asyncio.get_running_loop()
        for signum in (signal.SIGINT, signal.SIGTERM):
            loop.add_signal_handler(signum, stop)
