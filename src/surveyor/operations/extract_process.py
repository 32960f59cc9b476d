"""Extraction beside a crawl: a process of its own, ranked below the crawl, that ends when the crawl does.

It reads its standard input. The word `finish` lets it read what still waits; silence lets it stop at once, so
that none is left when a crawl is killed.
"""

from __future__ import annotations

import asyncio
import signal
from collections.abc import Callable
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import orjson

from surveyor.process import signals
from surveyor.process.commands import command_line, send, starting

# What is written to its standard input when the crawl has nothing more for it.
FINISH = b"finish\n"
# Seconds after which a person is shown what the crawl waits for.
_PATIENCE = 2.0


class ExtractProcess:
    """The extraction that goes with one run."""

    def __init__(
        self, process: asyncio.subprocess.Process, say: Callable[[str], None], tie: ExitStack
    ) -> None:
        self._process, self._say, self._tie = process, say, tie

    @classmethod
    async def start(cls, workspace: Path, say: Callable[[str], None]) -> ExtractProcess:
        with ExitStack() as stack:
            starter = stack.enter_context(starting())
            pipe = asyncio.subprocess.PIPE
            command = command_line(workspace, "extract", "--beside", "--json")
            process = await starter.start(command, stdin=pipe, out=pipe)
            return cls(process, say, stack.pop_all())

    async def finish(self, *, interrupted: bool) -> dict[str, Any] | None:
        """Let it read what waits, or stop; returns what it did."""
        process = self._process
        hint = asyncio.create_task(self._say_what_is_waited_for())
        signals.stop_on_signals(asyncio.Event(), first=lambda: send(process, signal.SIGINT))
        try:
            out, _ = await process.communicate(b"" if interrupted else FINISH)
        finally:
            hint.cancel()
            self._tie.close()
        if process.returncode:
            self._say(f"extraction ended with code {process.returncode}; `surveyor extract` reads the rest")
        return dict(orjson.loads(out)) if out.strip() else None

    def stop(self) -> None:
        """The crawl failed; what waits is read another time."""
        if self._process.returncode is None and self._process.stdin:
            self._process.stdin.close()
        self._tie.close()

    async def _say_what_is_waited_for(self) -> None:
        await asyncio.sleep(_PATIENCE)
        self._say("reading the last pages (interrupt to leave them for `surveyor extract`)")
