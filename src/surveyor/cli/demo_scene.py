"""Where the demo is played: one workspace, the settings that lead to the small web, and commands as typed."""

from __future__ import annotations

import os
import subprocess
import sys
import time
from collections.abc import Awaitable, Callable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from textwrap import fill
from types import TracebackType
from typing import TYPE_CHECKING, TypeVar

from rich.console import Console
from rich.rule import Rule
from rich.text import Text

from surveyor import cli
from surveyor.cli import runtime, show
from surveyor.errors import Refused
from surveyor.process.commands import command_line, starting

if TYPE_CHECKING:
    from surveyor.bootstrap.workspace import Workspace
    from surveyor.smallweb import SmallWeb

T = TypeVar("T")

# Columns at most: a wider terminal is easier to read half empty.
_WIDTH = 96
# Seconds between two requests to one site; the open web gets two.
_DELAY = 0.1
# Stages are shown one after the other, so pages are not read beside the crawl; and a group of pages is
# committed soon, so that a crawl that is killed after seconds has something to go on from.
# The demo is the same on every machine, with a browser or without.
_SETTINGS = {
    "SURVEYOR_NET__CONTACT": "mailto:demo@surveyor.example",
    "SURVEYOR_EXTRACT__ENABLED": "false",
    "SURVEYOR_CRAWL__COMMIT_SECONDS": "0.1",
    "SURVEYOR_CRAWL__RENDER": "never",
}
_PATIENCE_SECONDS = 120.0


class Scene:
    """`with Scene(folder, web) as scene`: commands run there, whatever the caller's settings are."""

    def __init__(self, workspace: Path, web: SmallWeb) -> None:
        self.workspace = workspace
        self._settings = web.environment(delay_seconds=_DELAY) | _SETTINGS
        self._before: Mapping[str, str] = {}
        self._chapters = 0

    def __enter__(self) -> Scene:
        self._before = dict(os.environ)
        for name in self._before:
            if name.startswith("SURVEYOR_"):
                del os.environ[name]
        os.environ.update(self._settings)
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, _: TracebackType | None
    ) -> None:
        os.environ.clear()
        os.environ.update(self._before)

    # -- what is printed

    def heading(self, title: str, message: str, *, stage: bool = True) -> None:
        self._chapters += stage
        shown = f"{self._chapters}  {title}" if stage else title
        self.say("")
        Console(highlight=False, width=_width(), **show.colours()).print(
            Rule(Text(shown, style="bold"), align="left")
        )
        self.say(message)

    def say(self, text: str) -> None:
        """A paragraph, wrapped."""
        runtime.answer(fill(text, _width()))

    def line(self, text: Text | str) -> None:
        """A line; in a terminal it wraps between words."""
        show.print_line(text)
        sys.stdout.flush()

    def typed(self, *arguments: str, ending: str = "") -> None:
        """Show a command as a person would type it in the workspace."""
        shown = " ".join(_quoted(Path(word).name if word.startswith("/") else word) for word in arguments)
        self.line(Text(f"$ surveyor {shown}{ending}", style="cyan"))

    # -- what is done

    def surveyor(self, *arguments: str, outside: bool = False) -> None:
        """Run a command in this process: a start costs a second."""
        self.typed(*arguments)
        before = [] if outside else ["--workspace", str(self.workspace)]
        code = cli.run([*before, *arguments])
        sys.stdout.flush()
        if code == runtime.INTERRUPTED:
            raise KeyboardInterrupt
        if code:
            raise Refused(f"`surveyor {arguments[0]}` ended with code {code}; the demo ends here")

    def ask(self, act: Callable[[Workspace], Awaitable[T]]) -> T:
        """What the workspace answers, with nothing printed."""
        runtime.options.workspace = self.workspace
        return runtime.in_workspace(act)

    @contextmanager
    def started(self, *arguments: str, stream: int | None = None) -> Iterator[subprocess.Popen[bytes]]:
        """A command in a process of its own, which is gone when the block is left, or when we are."""
        with starting() as starter:
            command = command_line(self.workspace, *arguments)
            with starter.running(command, out=stream) as process:
                yield process

    def until(self, reached: Callable[[], bool], process: subprocess.Popen[bytes]) -> bool:
        """Wait for something that the process does; False if it ends before."""
        deadline = time.monotonic() + _PATIENCE_SECONDS
        while not reached():
            if process.poll() is not None:
                return False
            if time.monotonic() > deadline:
                raise Refused("the demo does not get on; `surveyor doctor` may say what is wrong here")
            time.sleep(0.02)
        return True


def _width() -> int:
    return min(_WIDTH, Console().width) if sys.stdout.isatty() else _WIDTH


def _quoted(word: str) -> str:
    return f'"{word}"' if " " in word else word
