"""How commands run and end: the workspace they asked for, errors in one line, exit codes."""

from __future__ import annotations

import asyncio
import contextlib
import errno
import os
import sys
import traceback
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, TypeVar

from surveyor.errors import SurveyorError, UsageError

if TYPE_CHECKING:
    from surveyor.bootstrap.workspace import Workspace

T = TypeVar("T")

USAGE, FAILED, INTERRUPTED = 2, 1, 130


@dataclass
class Options:
    """What was said before or beside the command."""

    workspace: Path | None = None
    debug: bool = False
    columns: tuple[str, ...] = ()
    """Of lists: only these, in this order."""


options = Options()


def in_workspace(
    act: Callable[[Workspace], Awaitable[T]], *, any_schema: bool = False, quick_loop: bool = False
) -> T:
    """Run an asynchronous act in the open workspace; with `quick_loop` on uvloop, where there is one."""
    from surveyor.bootstrap.workspace import open_workspace
    from surveyor.process import resources

    async def whole() -> T:
        try:
            async with open_workspace(options.workspace, any_schema=any_schema) as workspace:
                resources.look_past_modules()
                return await act(workspace)
        except SurveyorError:
            # An interrupt in the middle of a statement may come out as an error of the database.
            task = asyncio.current_task()
            if task is not None and task.cancelling():
                raise asyncio.CancelledError from None
            raise

    with asyncio.Runner(loop_factory=_quick_loop() if quick_loop else None) as runner:
        return runner.run(whole())


def _quick_loop() -> Callable[[], asyncio.AbstractEventLoop] | None:
    try:
        import uvloop
    except ImportError:  # no wheel for this system
        return None
    return uvloop.new_event_loop


# Worker processes of one command; whoever types more has typed one digit too many.
_MOST_WORKERS = 256


def check_workers(wanted: int) -> None:
    """Each is a process that takes memory before it takes work."""
    if not 1 <= wanted <= _MOST_WORKERS:
        raise UsageError(f"--workers must be 1 to {_MOST_WORKERS}, not {wanted}")


def say_if_typed() -> None:
    """Before standard input is read: a person at a terminal would take the silence for work."""
    if sys.stdin.isatty():
        say("reading what you type or paste; Ctrl-D ends it")


def stop_on_signals(
    stopping: asyncio.Event, *, silent: bool = False, at_once: Callable[[], None] = lambda: None
) -> None:
    """The first interrupt lets what is in flight come to its end; the second ends the process."""
    from surveyor.process import signals

    signals.stop_on_signals(stopping, first=_silent if silent else say_stopping, second=at_once)


def say_stopping() -> None:
    say("stopping: finishing what is in flight (again to end at once)")


def _silent() -> None: ...


def say(text: str) -> None:
    """A line for the person; standard output is kept for what was asked for."""
    print(_wrapped(text) if sys.stderr.isatty() else text, file=sys.stderr)  # noqa: T201


def _wrapped(text: str) -> str:
    """Lines that are too long for the terminal go on in the next one, between two words and indented.

    A hint with a command in it stays one line, so that it can be pasted.
    """
    import textwrap

    width = os.get_terminal_size(sys.stderr.fileno()).columns or 80
    lines = text.split("\n")
    for place, line in enumerate(lines):
        if len(line) > width and "surveyor " not in line:
            indent = " " * (len(line) - len(line.lstrip()) + 4)
            lines[place] = textwrap.fill(
                line, width, subsequent_indent=indent, break_long_words=False, break_on_hyphens=False
            )
    return "\n".join(lines)


def answer(text: str) -> int:
    """Print what was asked for."""
    try:
        print(text, flush=True)  # noqa: T201
    except BrokenPipeError:
        return broken_pipe()
    except OSError as error:
        return failed(error)
    return 0


def usage_error(text: str) -> int:
    say(f"surveyor: {_one_line(text)}")
    return USAGE


def _one_line(text: str) -> str:
    """An error quotes names of files and what was typed or pasted: nothing in it steers the terminal."""
    line = " ".join(line.strip() for line in text.strip().splitlines())
    return "".join(char if char.isprintable() else "\N{REPLACEMENT CHARACTER}" for char in line)


def interrupted() -> int:
    say("interrupted")
    return INTERRUPTED


def broken_pipe() -> int:
    # Whoever read our output has gone; say nothing more, not even at exit.
    _give_up_output()
    return 0


def _give_up_output() -> None:
    with contextlib.suppress(OSError, ValueError):  # there may be none
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


def failed(error: Exception) -> int:
    if options.debug:
        traceback.print_exception(error)
    if isinstance(error, SurveyorError):
        say(f"surveyor: {_one_line(str(error))}")
        return error.exit_code
    if isinstance(error, OSError) and error.errno in _NO_ROOM | _NOT_WRITABLE:
        say(f"surveyor: {_one_line(_of_files(error))}")
        _give_up_output()
        return FAILED
    what = _one_line(f"unexpected {type(error).__name__}: {error}")
    say(f"surveyor: {what} (--debug shows where; please report it)")
    return FAILED


_NO_ROOM = {errno.ENOSPC, errno.EDQUOT, errno.EFBIG}
_NOT_WRITABLE = {errno.EROFS, errno.EACCES, errno.EPERM}


def _of_files(error: OSError) -> str:
    """An error of the disk as one line that says what to do; without a name it was our output."""
    where = str(error.filename) if error.filename else "the output"
    what = (error.strerror or type(error).__name__).lower()
    if error.errno in _NO_ROOM:
        return f"{where} cannot be written: {what}; make room or name another place, then run it again"
    return f"{where} cannot be written or read: {what}; allow it, or name another folder with --workspace"
