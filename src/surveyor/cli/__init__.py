"""The command line: parse, call one function, show."""

from __future__ import annotations

import codecs
import gc
import io
import os
import signal
import sys
from collections.abc import Sequence
from contextlib import suppress
from typing import Any, TextIO, cast

INTERRUPTED = 130  # the exit code, as shells know it
# Objects made before the first look for cycles. Loading modules makes hundreds of thousands and no cycle to
# free; each look would go through all that is there, for a fifth of what a listing takes.
_UNTIL_LOADED = 1_000_000


def main() -> None:
    """The program's entry; ends the process with the exit code.

    Nothing is loaded before it, for that takes long enough to be interrupted in.
    """
    try:
        code = _begun()
    except KeyboardInterrupt:
        sys.stderr.write("interrupted\n")
        code = INTERRUPTED
    gc.freeze()  # all goes with the process; a last look for cycles takes a tenth of a listing
    sys.exit(code)


def _begun() -> int:
    if hasattr(signal, "pthread_sigmask"):  # whoever started it may have held interrupts back until now
        signal.pthread_sigmask(signal.SIG_UNBLOCK, [signal.SIGINT])
    from surveyor.process import parent_watch

    _open_what_was_closed()
    _say_what_can_be_said()
    gc.set_threshold(_UNTIL_LOADED)
    os.environ.setdefault("PYDANTIC_DISABLE_PLUGINS", "__all__")  # finding that there are none takes a while
    parent_watch.end_with_parent()
    return run(sys.argv[1:])


def _open_what_was_closed() -> None:
    """Started without standard streams, their numbers would go to the next files that are opened."""
    for number, name in enumerate(("stdin", "stdout", "stderr")):
        if getattr(sys, name) is None:
            descriptor = os.open(os.devnull, os.O_RDWR)
            if descriptor != number:
                os.dup2(descriptor, number)
                os.close(descriptor)
            os.set_inheritable(number, True)
            setattr(sys, name, open(number, "w" if number else "r", closefd=False))  # noqa: SIM115


# What stands for signs of ours on a terminal that has only ASCII.
_PLAIN = {"└": "`", "─": "-", "━": "=", "–": "-", "—": "-", "→": "->", "×": "x", "·": "-", "•": "*", "⚠": "!"}
_PLAIN |= dict.fromkeys("“”„«»", '"') | dict.fromkeys("‘’‚", "'")


def _say_what_can_be_said() -> None:
    """A terminal without some letter shows the nearest one, and the rest of the answer. Data is UTF-8."""
    codecs.register_error("nearest", _nearest)
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="nearest")
    sys.stderr = cast(TextIO, _AsFarAsItGoes(sys.stderr))


def _nearest(error: UnicodeError) -> tuple[str, int]:
    """`ă` as `a` and `…` as `...`; a letter that has no such form as `?`, an accent by itself as nothing."""
    from unicodedata import combining, normalize

    assert isinstance(error, UnicodeEncodeError)
    found = error.object[error.start : error.end]
    said = []
    for sign in found:
        parts = normalize("NFKD", sign).replace("\N{FRACTION SLASH}", "/")
        plain = _PLAIN.get(sign) or parts.encode("ascii", "ignore").decode()
        said.append(plain or ("" if combining(sign) else "?"))
    return "".join(said), error.end


class _AsFarAsItGoes:
    """Standard error: a full disk under a log, or a reader who left, costs lines and not the work."""

    def __init__(self, stream: TextIO) -> None:
        self._stream = stream

    def write(self, text: str) -> int:
        with suppress(OSError):
            self._stream.write(text)
        return len(text)

    def flush(self) -> None:
        with suppress(OSError):
            self._stream.flush()

    def __getattr__(self, name: str) -> Any:
        return getattr(self._stream, name)


def run(arguments: Sequence[str]) -> int:
    """Run one command; returns the exit code."""
    from surveyor import __version__
    from surveyor.cli import commands, runtime

    quick = {(): commands.overview, ("--help",): commands.overview, ("-h",): commands.overview}
    quick[("--version",)] = quick[("-V",)] = lambda: f"surveyor {__version__}"
    if arguments[:1] == ["help"] and len(arguments) == 2 and commands.is_only_a_command(arguments[1]):
        arguments = [arguments[1], "--help"]
    if arguments[:1] == ["help"] and len(arguments) <= 2:
        message = commands.explained(*arguments[1:])
        named = ", ".join(commands.PANELS)
        return runtime.answer(message) if message else runtime.usage_error(f"help is there for: {named}")
    if answer := quick.get(tuple(arguments)):
        return runtime.answer(answer())
    try:
        code = _parsed(arguments)
        sys.stdout.flush()  # here, where it can still be said that there was no room for it
    except KeyboardInterrupt:
        return runtime.interrupted()
    except SystemExit as end:
        return end.code if isinstance(end.code, int) else 1
    except BrokenPipeError:
        return runtime.broken_pipe()
    except Exception as error:
        return runtime.failed(error)
    return code


def _parsed(arguments: Sequence[str]) -> int:
    """Loading the parser takes long enough to be interrupted in."""
    from cyclopts import CycloptsError

    import surveyor.db  # noqa: F401 - first, so that SQLAlchemy is loaded as it says
    from surveyor.cli import runtime, usage
    from surveyor.cli.app import app_of
    from surveyor.cli.commands import COMMANDS

    # Those that may be meant; with a word that is none of them, whoever reads the line knows all.
    named = [command for command in COMMANDS if command.name in arguments]
    try:
        code = app_of(named or COMMANDS).meta(list(arguments))
    except CycloptsError as error:
        return runtime.usage_error(usage.explained(error))
    return code if isinstance(code, int) else 0
